package markdown

import (
	"bytes"
	"strconv"
	"strings"
)

// writeBlocks returns blocks as Markdown, without a line's end after it.
func writeBlocks(all []*block) string {
	w := writer{}
	w.blocks(all, false)
	return string(w.out)
}

// writer writes blocks.
type writer struct {
	out    []byte
	around []prefix // of the lines, of the containers that are open

	last *block // written last in the same container; nil: absent
	mark byte   // of the list before, if last is one
}

// prefix begins each line in a container.
type prefix struct {
	first, then string
	begun       bool // first is written
}

// begin begins a line.
func (w *writer) begin() {
	if len(w.out) > 0 {
		w.out = append(w.out, '\n')
	}
	for i := range w.around {
		if p := &w.around[i]; p.begun {
			w.out = append(w.out, p.then...)
		} else {
			w.out = append(w.out, p.first...)
			p.begun = true
		}
	}
}

// empty writes an empty line.
func (w *writer) empty() {
	w.begin()
	w.out = bytes.TrimRight(w.out, " ")
}

// blocks writes the blocks of a container; in a tight list no line is empty between them.
func (w *writer) blocks(all []*block, tight bool) {
	last, mark := w.last, w.mark
	w.last, w.mark = nil, 0
	var between *block // a rule that is written if a block follows
	for _, l := range laidOut(all) {
		switch {
		case l.kind == rule:
			between = l
			continue
		case !l.written():
			continue
		}
		if w.last != nil && between != nil {
			w.empty()
			w.block(between)
			w.last = between
		}
		if w.last != nil && !tight {
			w.empty()
		}
		w.block(l)
		w.last, between = l, nil
	}
	w.last, w.mark = last, mark
}

// written reports whether anything of a block is written.
func (l *block) written() bool {
	switch l.kind {
	case rule:
		return false // alone it is nothing
	case code:
		return len(bytes.TrimFunc(l.text, space)) > 0
	}
	if len(l.spans) > 0 {
		return true
	}
	for _, k := range l.kids {
		if k.written() {
			return true
		}
	}
	for i := range l.rows {
		if l.rows[i].written() {
			return true
		}
	}
	return false
}

func (r *row) written() bool {
	for i := range r.cells {
		if r.cells[i].written() {
			return true
		}
	}
	return false
}

func (w *writer) block(l *block) {
	switch l.kind {
	case paragraph:
		for line := range bytes.Lines(line(l.spans, false, false)) {
			w.begin()
			w.out = appendLine(w.out, bytes.TrimSuffix(line, []byte("\n")))
		}
	case heading:
		w.begin()
		w.out = append(append(w.out, strings.Repeat("#", l.level)+" "...), line(l.spans, false, true)...)
	case code:
		w.code(l)
	case rule:
		w.begin()
		w.out = append(w.out, "___"...)
	case quote:
		w.in("> ", "> ", l.kids, false)
	case list:
		w.list(l)
	case table:
		w.table(l)
	case container:
		w.blocks(l.kids, false)
	}
}

// in writes the blocks of a container, whose lines begin with a prefix.
func (w *writer) in(first, then string, all []*block, tight bool) {
	w.around = append(w.around, prefix{first: first, then: then})
	w.blocks(all, tight)
	w.around = w.around[:len(w.around)-1]
}

// code writes preformatted text, between longer fences than are in it.
func (w *writer) code(l *block) {
	text := bytes.TrimRight(l.text, " \t\n")
	for {
		line, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok || len(bytes.TrimFunc(line, space)) > 0 {
			break
		}
		text = rest
	}
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	w.begin()
	w.out = append(append(w.out, fence...), l.lang...)
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, " \t\n"); len(line) == 0 {
			w.empty()
			continue
		}
		w.begin()
		w.out = append(w.out, line...)
	}
	w.begin()
	w.out = append(w.out, fence...)
}

// list writes a list. A list right after a list gets a different mark: otherwise they would be one.
func (w *writer) list(l *block) {
	mark := byte('-')
	if l.ordered {
		mark = '.'
	}
	if w.last != nil && w.last.kind == list && w.mark == mark {
		if mark = '*'; l.ordered {
			mark = ')'
		}
	}
	tight := l.tight()
	n, written := l.start, 0
	for _, i := range l.kids {
		if !i.written() {
			continue
		}
		if written > 0 && !tight {
			w.empty()
		}
		first := string(mark) + " "
		if l.ordered {
			first = strconv.Itoa(n) + first
		}
		n++
		written++
		w.in(first, strings.Repeat(" ", len(first)), i.kids, tight)
	}
	w.mark = mark
}

// tight reports whether the items of a list are a paragraph each, or one with a list.
func (l *block) tight() bool {
	for _, i := range l.kids {
		n := 0
		for _, k := range i.kids {
			if !k.written() {
				continue
			}
			if n++; n > 2 || n == 1 && k.kind != paragraph || n == 2 && (k.kind != list || k.ordered && k.start != 1) {
				return false // a list with a different number begins after an empty line
			}
		}
	}
	return true
}

// table writes a table of data.
func (w *writer) table(l *block) {
	cols := len(l.grid[0])
	if !l.head {
		w.row(make([]*cell, cols))
		w.rule(cols)
	}
	for i, r := range l.grid {
		if (i > 0 || !l.head) && !l.rows[i].written() {
			continue
		}
		w.row(r)
		if i == 0 && l.head {
			w.rule(cols)
		}
	}
}

func (w *writer) row(cells []*cell) {
	w.begin()
	w.out = append(w.out, '|')
	for _, c := range cells {
		if c != nil {
			w.out = append(w.out, ' ')
			w.out = append(w.out, line(flat(c.kids, nil), true, false)...)
		}
		w.out = append(w.out, " |"...)
	}
}

func (w *writer) rule(cols int) {
	w.begin()
	w.out = append(w.out, '|')
	for range cols {
		w.out = append(w.out, " --- |"...)
	}
}
