package article

import (
	"strings"

	"plat/plat"
	"plat/segment/markup"
)

// ofContent reports whether a block is a leaf of the content of its page.
func ofContent(b *plat.Block) bool { return b.Leaf() && b.Role == plat.RoleContent }

// ofText reports whether a block is a leaf of the text of a page of a kind other than articles: of all content, but
// comments are the text of forums only.
func ofText(b *plat.Block, kind plat.PageKind) bool {
	return ofContent(b) && (b.Holds != plat.HoldsComments || kind == plat.KindForum)
}

// whole returns the text of a page of a kind other than articles, whose leaves have their contents.
func whole(blocks []plat.Block, l *plat.Layout, kind plat.PageKind) string {
	return textOfLeaves(blocks, l, func(b *plat.Block) bool { return ofText(b, kind) })
}

// ofComments reports whether a block is a leaf with comments beside the text of a page of a kind.
func ofComments(b *plat.Block, kind plat.PageKind) bool {
	return kind != plat.KindForum && ofContent(b) && b.Holds == plat.HoldsComments
}

// comments returns the comments of a page, whose leaves have their contents.
func comments(blocks []plat.Block, l *plat.Layout, kind plat.PageKind) string {
	return textOfLeaves(blocks, l, func(b *plat.Block) bool { return ofComments(b, kind) })
}

// textOfLeaves returns the text of some leaves.
func textOfLeaves(blocks []plat.Block, l *plat.Layout, of func(*plat.Block) bool) string {
	pre := markup.Preformatted(l)
	return join(blocks, of, func(b *plat.Block) (text string, line bool) {
		if inSlot(pre, b.Slot) {
			return markup.PreformattedText(b.Content, b.Hidden), true
		}
		return markup.PlainText(b.Content, b.Hidden), oneLine(b.Tag)
	})
}

// rubyWhole returns the text as whole did with [markup.RubyPlainText].
func rubyWhole(blocks []plat.Block, l *plat.Layout) string {
	pre := markup.EarlierPreformatted(l)
	return join(blocks, ofContent, func(b *plat.Block) (text string, line bool) {
		in := inSlot(pre, b.Slot)
		return markup.RubyPlainText(b.Content, b.Hidden, in), in || oneLine(b.Tag)
	})
}

// earlierWhole returns the text as whole did with [markup.EarlierPlainText].
func earlierWhole(blocks []plat.Block) string {
	return join(blocks, ofContent, func(b *plat.Block) (text string, line bool) {
		return markup.EarlierPlainText(b.Content, b.Hidden), oneLine(b.Tag)
	})
}

// inSlot reports whether a slot is one of those that [markup.Preformatted] has found.
func inSlot(pre []bool, slot int32) bool { return slot >= 0 && int(slot) < len(pre) && pre[slot] }

// join joins the texts of some leaves, as set returns them, with an empty line between, except for
// texts of one line each in the same slot.
func join(blocks []plat.Block, of func(*plat.Block) bool, set func(*plat.Block) (text string, line bool)) string {
	var b strings.Builder
	slot, lined := int32(-1), false // of the last
	for i := range blocks {
		l := &blocks[i]
		if !of(l) || l.TextLen == 0 {
			continue
		}
		text, line := set(l)
		if text == "" {
			continue
		}
		switch {
		case b.Len() == 0:
		case slot == l.Slot && lined && line:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(text)
		slot, lined = l.Slot, line
	}
	return b.String()
}

// oneLine reports whether elements of this name take one line each.
func oneLine(tag string) bool { return tag == "li" || tag == "tr" || tag == "dt" || tag == "dd" }
