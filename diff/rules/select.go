package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"plat/plat"
	"plat/segment/markup"
)

// selected is the part of a block that a selector selects: the whole block, or elements in it.
type selected struct {
	whole    bool
	elements [][]string // texts of each element
}

// marks are the comments before and after each leaf of a page, which show its position once the page
// is parsed. A page must not be able to write them: a comment in an advertisement would let a rule
// for the advertisement cover any block. So they contain a digest of the whole page, which no part of
// the page can contain.
type marks struct{ begin, end string }

func marksOf(s Side) marks {
	h := sha256.New()
	h.Write(s.Layout.HTML)
	for _, b := range s.Blocks {
		h.Write(b.Content)
	}
	name := hex.EncodeToString(h.Sum(nil)[:16])
	return marks{begin: "begin-" + name + "-", end: "end-" + name + "-"}
}

// parts returns the leaves of a page that a selector selects, in whole or in part. A leaf whose
// content is not loaded is empty, but keeps its position.
func parts(s Side, sel cascadia.SelectorGroup) map[int32]selected {
	if s.Layout == nil {
		return nil
	}
	m := marksOf(s)
	blocks := make([]plat.Block, len(s.Blocks))
	for i, b := range s.Blocks {
		if b.Leaf() {
			n := strconv.Itoa(i)
			b.Content = bytes.Join([][]byte{[]byte("<!--" + m.begin + n + "-->"), b.Content, []byte("<!--" + m.end + n + "-->")}, nil)
			b.Lead = ""
		}
		blocks[i] = b
	}
	page, err := markup.Restore(s.Layout, blocks)
	if err != nil {
		return nil
	}
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil // nested too deeply for the parser
	}
	found := map[*html.Node]bool{}
	for _, n := range cascadia.QueryAll(doc, sel) {
		found[n] = true
	}
	all := map[int32]selected{}
	w := walker{marks: m, found: found, all: all, open: -1}
	if len(found) > 0 {
		w.walk(doc, false)
	}
	return all
}

// A walker visits the nodes of a page in order, and tracks the current leaf.
type walker struct {
	marks
	found map[*html.Node]bool
	all   map[int32]selected
	open  int32 // current leaf; -1: outside of all leaves
}

// walk visits a node; within reports whether an element around it is selected.
func (w *walker) walk(n *html.Node, within bool) {
	switch {
	case n.Type == html.CommentNode && strings.HasPrefix(n.Data, w.begin):
		if i, err := strconv.Atoi(n.Data[len(w.begin):]); err == nil {
			if w.open = int32(i); within {
				w.all[w.open] = selected{whole: true}
			}
		}
		return
	case n.Type == html.CommentNode && strings.HasPrefix(n.Data, w.end):
		w.open = -1
		return
	case w.found[n] && !within:
		if within = true; w.open >= 0 {
			p := w.all[w.open]
			p.whole = p.whole || w.alone(n)
			p.elements = append(p.elements, texts(n))
			w.all[w.open] = p
		}
	}
	for c := range n.ChildNodes() {
		w.walk(c, within)
	}
}

// alone reports whether an element fills its leaf.
func (m marks) alone(n *html.Node) bool {
	is := func(n *html.Node, mark string, next func(*html.Node) *html.Node) bool {
		for n = next(n); n != nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) == ""; {
			n = next(n)
		}
		return n != nil && n.Type == html.CommentNode && strings.HasPrefix(n.Data, mark)
	}
	return is(n, m.begin, func(n *html.Node) *html.Node { return n.PrevSibling }) && is(n, m.end, func(n *html.Node) *html.Node { return n.NextSibling })
}

// texts returns the texts in an element, in order.
func texts(n *html.Node) (all []string) {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			if t := compact(d.Data); t != "" {
				all = append(all, t)
			}
		}
	}
	return all
}

// compact returns a text without white space.
func compact(s string) string { return strings.Join(strings.Fields(s), "") }
