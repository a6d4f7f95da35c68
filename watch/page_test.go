package watch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plat/plat"
)

const pageURL = "https://site.test/news/"

// pageOf builds a page from HTML. An element with an attribute block="label lineage" becomes a
// leaf with that label, and the rest becomes the layout.
func pageOf(tb testing.TB, url, src string) *Page {
	tb.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		tb.Fatal(err)
	}
	var marked []*html.Node
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "block" {
				marked = append(marked, n)
			}
		}
	}
	const begin, end = "\x01", "\x02"
	for _, n := range marked {
		at := n.NextSibling
		n.Parent.InsertBefore(&html.Node{Type: html.CommentNode, Data: begin}, n)
		n.Parent.InsertBefore(&html.Node{Type: html.CommentNode, Data: end}, at)
	}
	var b bytes.Buffer
	if err := html.Render(&b, doc); err != nil {
		tb.Fatal(err)
	}
	p := &Page{URL: url, Layout: &plat.Layout{}, Blocks: []plat.Block{{Parent: -1, Slot: -1}}}
	rest := b.Bytes()
	for i, n := range marked {
		before, after, ok := bytes.Cut(rest, []byte("<!--"+begin+"-->"))
		content, after, ok2 := bytes.Cut(after, []byte("<!--"+end+"-->"))
		if !ok || !ok2 {
			tb.Fatal("blocks in blocks")
		}
		block := plat.Block{Slot: int32(i), Content: content}
		for _, a := range n.Attr {
			if a.Key == "block" {
				if _, err := fmt.Sscan(a.Val, &block.Label, &block.Lineage); err != nil {
					tb.Fatal(err)
				}
			}
		}
		p.Layout.HTML = append(p.Layout.HTML, before...)
		p.Layout.Slots = append(p.Layout.Slots, int32(len(p.Layout.HTML)))
		p.Blocks = append(p.Blocks, block)
		rest = after
	}
	p.Layout.HTML = append(p.Layout.HTML, rest...)
	return p
}

// look examines a page, and returns one line for each reported item: its kind and title, and
// its address and date if it has them.
func look(tb testing.TB, m *Memory, p *Page) (told []string, broken string) {
	tb.Helper()
	r, err := m.Look(p, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, it := range r.Items {
		told = append(told, lineOf(&it))
	}
	return told, r.Broken
}

func lineOf(it *Item) string {
	s := string(it.Kind) + " " + it.Title
	if it.URL != "" {
		s += " <" + strings.TrimPrefix(it.URL, "https://site.test") + ">"
	}
	if it.Dated.OK() {
		s += " " + it.Dated.String()
	}
	if it.Was != "" {
		s += " was " + it.Was
	}
	return s
}

// chosen returns the lists of a page.
func chosen(p *Page, opt Options) ([]List, error) {
	found, err := Find(p, opt)
	if err != nil {
		return nil, err
	}
	return found.Chosen, nil
}
