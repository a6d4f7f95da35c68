package main

import (
	"strings"

	"github.com/rivo/uniseg"
)

// cell is one field of a table.
type cell struct {
	text  string
	style style
	right bool // flush right, as numbers are
}

func text(s string) cell         { return cell{text: clean(s)} }
func number(s string) cell       { return cell{text: s, right: true} }
func (c cell) in(st style) cell  { c.style = st; return c }
func (c cell) atMost(n int) cell { c.text = shorten(c.text, n); return c }

// table lines cells up. Width is what a terminal shows: ideographs take two
// columns, combining marks none.
type table struct{ rows [][]cell }

func (t *table) head(names ...string) {
	row := make([]cell, len(names))
	for i, n := range names {
		// A leading ">" sets a column's name flush right, over its numbers.
		name, right := strings.CutPrefix(n, ">")
		row[i] = cell{text: name, style: bold, right: right}
	}
	t.rows = append(t.rows, row)
}

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

// print writes the table, two blanks between columns, none at the ends of lines.
func (t *table) print(s *screen) {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(c.text))
		}
	}
	for _, row := range t.rows {
		s.print(line(s, row, widths))
	}
}

// line sets cells in columns of the given widths, which wider cells overrun.
func line(s *screen, row []cell, widths []int) string {
	for len(row) > 0 && row[len(row)-1].text == "" {
		row = row[:len(row)-1]
	}
	var b strings.Builder
	for i, c := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", max(0, widths[i]-uniseg.StringWidth(c.text)))
		if c.right {
			b.WriteString(pad)
		}
		b.WriteString(s.paint(c.style, c.text))
		if !c.right && i < len(row)-1 {
			b.WriteString(pad)
		}
	}
	return b.String()
}

// shorten cuts s to n columns, an ellipsis included.
func shorten(s string, n int) string {
	if uniseg.StringWidth(s) <= n {
		return s
	}
	var b strings.Builder
	width := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if width += g.Width(); width > n-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}
