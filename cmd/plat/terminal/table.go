package terminal

import (
	"strings"

	"github.com/rivo/uniseg"

	"plat/plat/excerpt"
)

// Cell is one field of a table.
type Cell struct {
	text  string
	style Style
	right bool // flush right, as numbers are
}

// Text is a field with text, which may be untrusted.
func Text(s string) Cell { return Cell{text: excerpt.Printable(s)} }

// Number is a right-aligned field.
func Number(s string) Cell { return Cell{text: s, right: true} }

// In returns c with a style.
func (c Cell) In(st Style) Cell { c.style = st; return c }

// AtMost returns c truncated to n columns.
func (c Cell) AtMost(n int) Cell { c.text = Shorten(c.text, n); return c }

// Table aligns cells in columns. Width is as displayed: ideographs take two columns, combining
// marks take no column.
type Table struct{ rows [][]Cell }

// Head is a row of column names. A leading ">" right-aligns a name, like the
// numbers below it.
func Head(names ...string) []Cell {
	row := make([]Cell, len(names))
	for i, n := range names {
		name, right := strings.CutPrefix(n, ">")
		row[i] = Cell{text: name, style: Bold, right: right}
	}
	return row
}

// Head adds a row as [Head] makes it.
func (t *Table) Head(names ...string) { t.rows = append(t.rows, Head(names...)) }

// Row adds a row.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Len is the number of rows, including the head.
func (t *Table) Len() int { return len(t.rows) }

// Print writes the table, with two spaces between columns and no trailing spaces.
func (t *Table) Print(s *Screen) {
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
		s.Print(Line(s, row, widths))
	}
}

// Line aligns cells to the given widths; wider cells overrun.
func Line(s *Screen, row []Cell, widths []int) string {
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
		b.WriteString(s.Paint(c.style, c.text))
		if !c.right && i < len(row)-1 {
			b.WriteString(pad)
		}
	}
	return b.String()
}

// Shorten truncates s to n columns, including an ellipsis.
func Shorten(s string, n int) string {
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
