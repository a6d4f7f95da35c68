// Package static makes a snapshot from HTML alone, without a browser: what the HTML
// parser builds, and of the layout only which nodes would take part in one. It serves
// where many pages are read for their words and links, and their look does not matter.
package static

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"plat"
)

// maxDepth is the deepest element that is read; Chrome's parser builds no deeper ones.
const maxDepth = 512

// Snapshot parses a page. The snapshot has no geometry: all boxes are empty. HasBox is true for
// nodes that are displayed as far as HTML says: style sheets are not read. Text
// that is not UTF-8 has U+FFFD in its place.
func Snapshot(url, page string) (*plat.Snapshot, error) {
	// Scripts do not run, so what is written for that case counts.
	doc, err := html.ParseWithOptions(strings.NewReader(strings.ToValidUTF8(page, "\ufffd")), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	b := builder{s: &plat.Snapshot{URL: url, FinalURL: url, Styles: []plat.Style{{Display: "block", Opacity: 1, FontSize: 16, FontWeight: 400, Color: 0xff}}}}
	b.add(doc, -1, true, 0)
	return b.s, nil
}

type builder struct{ s *plat.Snapshot }

// add appends a node and its descendants. shown says whether its parent is displayed.
func (b *builder) add(n *html.Node, parent int32, shown bool, depth int) {
	v := plat.Node{Parent: parent, Foreign: n.Namespace != ""}
	switch n.Type {
	case html.DocumentNode:
		v.Kind = plat.DocumentNode
	case html.DoctypeNode:
		v.Kind, v.Name = plat.DoctypeNode, n.Data
	case html.ElementNode:
		v.Kind, v.Name = plat.ElementNode, n.Data
		v.Attrs = make([]plat.Attr, len(n.Attr))
		for i, a := range n.Attr {
			v.Attrs[i] = plat.Attr{Name: a.Key, Value: a.Val}
		}
		shown = shown && !undisplayed(n)
		v.HasBox = shown
	case html.TextNode:
		v.Kind, v.Value, v.HasBox = plat.TextNode, n.Data, shown
	default:
		return
	}
	i := int32(len(b.s.Nodes))
	b.s.Nodes = append(b.s.Nodes, v)
	if depth < maxDepth {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			b.add(c, i, shown, depth+1)
		}
	}
	b.s.Nodes[i].End = int32(len(b.s.Nodes))
}

// undisplayed reports whether HTML alone says that an element is not displayed (HTML, section
// 15.3.1).
func undisplayed(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Template, atom.Title, atom.Meta, atom.Link, atom.Base, atom.Param, atom.Source, atom.Track, atom.Datalist, atom.Noframes, atom.Area:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			if s := strings.ReplaceAll(a.Val, " ", ""); strings.Contains(s, "display:none") {
				return true
			}
		}
	}
	return false
}
