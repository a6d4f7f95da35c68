package markdown

import (
	"strings"

	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/article"
	"plat/segment/markup"
)

// Document is a text set in blocks.
type Document struct{ root *block }

// Of reads the text that was kept of a page, which is cut into the layout and the blocks;
// the leaves that [article.Needs] names have their contents and texts. base is that of the
// document.
func Of(k *plat.Article, base *weburl.Base, l *plat.Layout, blocks []plat.Block) *Document {
	b := newBuilder(base)
	cuts, alone := article.Cuts(k, l, blocks)
	if len(cuts) > 0 {
		markup.Walk(l, blocks, func(i int) ([]markup.Cut, bool) {
			parts, ok := cuts[i]
			b.part = parts != nil
			return parts, ok
		}, b.piece)
	}
	b.added(alone)
	b.finish()
	return &Document{b.root}
}

// Blocks returns each leaf of a page as Markdown of its own, by the index of its block; those of inner blocks
// are empty. The elements of the layout around a leaf are heeded but for lists, tables and quotes:
// an item of a list that is a block is a paragraph. base is that of the document.
func Blocks(base *weburl.Base, l *plat.Layout, blocks []plat.Block) []string {
	b := newBuilder(base)
	around := b.into // the containers of the layout
	set := make([]string, len(blocks))
	next, at := -1, -1 // the leaf to be read, and the one being read
	end := func() {
		if at >= 0 {
			b.finish()
			set[at] = writeBlocks(b.into[0].kids)
			b.into, at = around, -1
		}
	}
	markup.Walk(l, blocks, func(i int) ([]markup.Cut, bool) {
		end()
		next = i
		return nil, true
	}, func(p *markup.Piece) {
		switch {
		case p.InLayout:
			end()
		case next >= 0:
			b.endLeaf()
			around, at, next = b.into, next, -1
			b.into = []*block{{kind: container}}
		}
		b.piece(p)
	})
	end()
	return set
}

// Body returns the text, without a line end after it. It is empty if the page has no text.
func (d *Document) Body() string { return writeBlocks(d.root.kids) }

// Page returns the text under a heading with the title, and below it the line, emphasised, unless it
// is empty. It omits a heading that repeats the title.
func (d *Document) Page(title, line string) string {
	all := []*block{{kind: heading, level: 1, spans: spansOf(title, style{})}}
	if line != "" {
		all = append(all, &block{kind: paragraph, spans: spansOf(line, style{em: true})})
	}
	return writeBlocks(append(all, without(d.root.kids, title)...))
}

// spansOf returns a text as spans.
func spansOf(text string, st style) []span {
	b := newBuilder(weburl.NewBase(""))
	b.style = st
	b.words(clean([]byte(text)))
	if b.leaf == nil {
		return nil
	}
	return b.leaf.spans
}

// without returns blocks without the first heading that repeats the title, unless a text is before
// it.
func without(all []*block, title string) []*block {
	want := markup.Words(string(clean([]byte(title))))
	for i, l := range all {
		if l.kind == heading && strings.EqualFold(l.words(), want) {
			return all[i+1:] // before it are rules and empty blocks
		}
		if l.kind != rule && l.words() != "" {
			break
		}
	}
	return all
}
