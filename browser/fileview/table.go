package fileview

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
)

// Limits of a table. Larger files are shown as text.
const (
	maxCells   = 100_000
	maxColumns = 1000
	maxTable   = 16 << 20 // bytes
)

// isTable reports whether a file is a table, by its media type or the extension of its name. Servers send such files under many types.
func isTable(media, extension string) bool {
	switch media {
	case "text/csv", "text/x-csv", "application/csv", "application/x-csv", "text/comma-separated-values",
		"text/tab-separated-values", "text/tsv":
		return true
	case "application/octet-stream", "binary/octet-stream", "application/vnd.ms-excel", "application/force-download", "":
		return extension == ".csv" || extension == ".tsv"
	}
	return false
}

// separators returns the characters that may separate the values of a file, the most probable first.
func separators(media, extension string) []rune {
	if media == "text/tab-separated-values" || media == "text/tsv" || extension == ".tsv" {
		return []rune("\t,;|")
	}
	return []rune(",;\t|")
}

// parseTable parses values with one of some separators (RFC 4180, also with other characters than the comma). ok is
// false for a text that is no table: one of a single column, or of too many cells.
func parseTable(text string, separators []rune) (rows [][]string, ok bool) {
	if len(text) > maxTable {
		return nil, false
	}
	comma, alike, columns := ',', 0, 1
	for _, c := range separators {
		if strings.Count(text, string(c)) > 4*maxCells { // cells, and commas in texts
			continue
		}
		// The separator is the one that divides most rows of a sample into the same number of cells.
		sample, whole := readRows(text, c, 50)
		if !whole {
			continue
		}
		rows := map[int]int{} // by their number of cells
		for _, row := range sample {
			rows[len(row)]++
		}
		for width, n := range rows {
			if width > 1 && (n > alike || n == alike && width > columns) {
				comma, alike, columns = c, n, width
			}
		}
	}
	if alike == 0 {
		return nil, false
	}
	rows, whole := readRows(text, comma, maxCells)
	if !whole {
		return nil, false
	}
	cells := 0
	for _, row := range rows {
		if cells += len(row); cells > maxCells || len(row) > maxColumns {
			return nil, false
		}
	}
	return rows, true
}

// readRows reads at most so many rows. whole is false if the text cannot be read.
func readRows(text string, comma rune, most int) (rows [][]string, whole bool) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	for len(rows) < most {
		row, err := r.Read()
		if err != nil {
			return rows, err == io.EOF
		}
		rows = append(rows, row)
	}
	return rows, true
}

const tableStyle = `body{font:14px/1.4 sans-serif;margin:8px}table{border-collapse:collapse}` +
	`th,td{border:1px solid #ccc;padding:2px 8px;text-align:left;vertical-align:top;white-space:pre-wrap}th{background:#eee}`

// tablePage is the page of a table. Its first row is shown as names of columns if no cell in it is empty or a number.
func tablePage(name string, rows [][]string) string {
	var b strings.Builder
	b.WriteString(head(name, tableStyle))
	b.WriteString("<table>")
	for i, row := range rows {
		cell := "td"
		if i == 0 && len(rows) > 1 && !slices.ContainsFunc(row, func(s string) bool { return !isName(s) }) {
			cell = "th"
		}
		b.WriteString("<tr>")
		for _, s := range row {
			b.WriteString("<" + cell + ">" + escape(s) + "</" + cell + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></body></html>")
	return b.String()
}

// isName reports whether a cell can be the name of a column: it has a character that is no digit or sign of a number.
func isName(s string) bool { return strings.Trim(s, "0123456789.,+-% \t") != "" }
