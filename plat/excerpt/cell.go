package excerpt

import (
	"strings"
	"unicode/utf8"
)

// formulas are the characters with which spreadsheets begin a formula, in either width, those that they skip
// before one, and the mark of [Cell].
const formulas = "=+-@＝＋－＠\t\n'"

// Cell returns a text as a cell of CSV, without the characters that [Shown] drops. Spreadsheets compute a cell
// that begins with =, +, - or @, and its text may be a page's: such a text gets an apostrophe before it. So does a text
// that begins with one: without one leading apostrophe each cell is the text.
func Cell(text string) string {
	text = string(Shown([]byte(text)))
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune(formulas, first) {
		return "'" + text
	}
	return text
}
