package article

import (
	"strings"

	"plat"
	"plat/markup"
)

// ofContent reports whether a block is a leaf of the content of its page.
func ofContent(b *plat.Block) bool { return b.Leaf() && b.Role == plat.RoleContent }

// whole returns the text of all content of a page. Its leaves have their contents.
func whole(blocks []plat.Block) string {
	var b strings.Builder
	var last *plat.Block
	for i := range blocks {
		l := &blocks[i]
		if !ofContent(l) || l.TextLen == 0 {
			continue
		}
		text := markup.PlainText(l.Content, l.Hidden)
		if text == "" {
			continue
		}
		switch {
		case last == nil:
		case last.Slot == l.Slot && oneLine(last.Tag) && oneLine(l.Tag):
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(text)
		last = l
	}
	return b.String()
}

// oneLine reports whether elements of a name stand one a line.
func oneLine(tag string) bool { return tag == "li" || tag == "tr" || tag == "dt" || tag == "dd" }
