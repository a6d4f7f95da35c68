package markdown

import "bytes"

// Limits of a table of data. A larger one lays out a page, or is malicious.
const (
	longCell = 2000 // bytes of a paragraph that no header names
	maxCols  = 1000
	fewCells = 4096 // in all, a table may have some times more than the page has, for it is ragged or spans
	perCell  = 4
)

// isData reports whether a table is one of rows and columns. Markdown has one line a row,
// and no tables within tables; so those that lay out a page are written cell by cell.
func (l *block) isData() bool {
	headed, cols, flat, written := false, 0, true, false
	for i := range l.rows {
		written = written || l.rows[i].written()
		for k := range l.rows[i].cells {
			c := &l.rows[i].cells[k]
			headed = headed || c.head || l.rows[i].head
			inline, one := c.inlines()
			if !inline {
				return false
			}
			flat = flat && one
		}
		cols = max(cols, len(l.rows[i].cells))
	}
	return written && (headed || flat && cols > 1)
}

// inlines reports whether a cell can be written as a line, and whether it is one.
func (c *cell) inlines() (can, is bool) {
	is = len(c.kids) <= 1
	for _, k := range c.kids {
		switch k.kind {
		case paragraph:
			size := 0
			for i := range k.spans {
				size += len(k.spans[i].text)
				is = is && k.spans[i].gap != lineEnd
			}
			is = is && size <= longCell
		case code:
			is = false
			if bytes.ContainsRune(bytes.TrimSpace(k.text), '\n') {
				return false, false
			}
		case list:
			is = false
			for _, i := range k.kids {
				if can, _ := (&cell{block: i}).inlines(); !can {
					return false, false
				}
			}
		default:
			return false, false
		}
	}
	return true, is
}

// laidOut returns blocks in which tables that lay out the page are replaced by their blocks, and the
// captions of data tables come before them.
func laidOut(all []*block) []*block {
	var out []*block
	for i, l := range all {
		if l.kind != table {
			if out != nil {
				out = append(out, l)
			}
			continue
		}
		if out == nil {
			out = append(make([]*block, 0, len(all)), all[:i]...)
		}
		out = append(out, laidOut(l.kids)...)
		if l.isData() {
			if l.grid, l.head = l.cells(); l.grid != nil {
				out = append(out, l.narrowed())
				continue
			}
		}
		for i := range l.rows {
			for _, c := range l.rows[i].cells {
				out = append(out, laidOut(c.kids)...)
			}
		}
	}
	if out == nil {
		return all
	}
	return out
}

// narrowed removes the columns without text. A single remaining row or column, without names, becomes
// paragraphs: one for the row, or one per cell.
func (l *block) narrowed() *block {
	cols := make([]bool, len(l.grid[0])) // which have a text
	rows := 0
	for i, r := range l.grid {
		if l.rows[i].written() {
			rows++
		}
		for k, c := range r {
			cols[k] = cols[k] || c != nil && c.written()
		}
	}
	n := 0
	for i, r := range l.grid {
		n = 0
		for k, c := range r {
			if cols[k] {
				r[n] = c
				n++
			}
		}
		l.grid[i] = r[:n]
	}
	if l.head || n > 1 && rows > 1 {
		return l
	}
	all := &block{kind: container}
	for _, r := range l.grid {
		p := &block{kind: paragraph}
		for _, c := range r {
			if c != nil {
				p.spans = flat(c.kids, p.spans)
			}
		}
		all.kids = append(all.kids, p)
	}
	return all
}

// cells returns the cells of a table's rows in their columns, nil where a spanning cell covers the
// position, and whether the first row has the names of the columns. It returns nil if there would be
// far more cells than on the page.
func (l *block) cells() (rows [][]*cell, head bool) {
	var left []int // rows that a cell in a column above still spans
	have, cols := 0, 0
	for i := range l.rows {
		r := &l.rows[i]
		var line []*cell
		for k := 0; k < len(r.cells); {
			if at := len(line); at < len(left) && left[at] > 0 {
				left[at]--
				line = append(line, nil)
				continue
			}
			c := &r.cells[k]
			k, have = k+1, have+1
			for n := range min(c.cols, maxCols) {
				at := len(line)
				for len(left) <= at {
					left = append(left, 0)
				}
				left[at] = max(left[at], c.rows-1)
				if n == 0 {
					line = append(line, c)
				} else {
					line = append(line, nil)
				}
			}
			if len(line) > maxCols {
				return nil, false
			}
		}
		for at := len(line); at < len(left); at++ {
			left[at] = max(0, left[at]-1)
		}
		cols = max(cols, len(line))
		rows = append(rows, line)
	}
	if len(rows)*cols > fewCells+perCell*have {
		return nil, false
	}
	for i := range rows {
		for len(rows[i]) < cols {
			rows[i] = append(rows[i], nil)
		}
	}
	return rows, len(l.rows) > 0 && l.rows[0].isHead()
}

// isHead reports whether a row has the names of the columns.
func (r *row) isHead() bool {
	for i := range r.cells {
		if !r.head && !r.cells[i].head {
			return false
		}
	}
	return true
}

// flat returns the blocks of a cell as spans of one line. Items of lists begin with a dash.
func flat(all []*block, spans []span) []span {
	for _, k := range all {
		switch k.kind {
		case paragraph:
			for i, s := range k.spans {
				if i == 0 || s.gap == lineEnd {
					s.gap = blank
				}
				spans = append(spans, s)
			}
		case code:
			if !k.written() {
				continue
			}
			spans = append(spans, span{gap: blank, text: bytes.TrimSpace(k.text), style: style{code: true}})
		case list:
			for _, i := range k.kids {
				spans = flat(i.kids, append(spans, span{gap: blank, text: []byte("-")}))
			}
		}
	}
	return spans
}
