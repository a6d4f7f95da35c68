// Package htmlsnapshot makes a snapshot from HTML alone, without a browser: the DOM that the HTML
// parser builds, and, as layout, only which nodes would have a box. It serves where many pages are
// read for their words and links, not for their appearance.
package htmlsnapshot

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"plat/plat"
)

// maxDepth is the deepest element that is read; Chrome's parser builds no deeper ones.
const maxDepth = 512

// Read parses a page that was received with a Content-Type, in the character encoding that this,
// the page itself, or its bytes say.
func Read(url, contentType string, body []byte) (*plat.Snapshot, error) {
	in, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", url, err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", url, err)
	}
	page := string(text)
	if kind, _, _ := strings.Cut(contentType, ";"); kind != "" && !strings.Contains(kind, "html") {
		page = "<pre>" + markup.Replace(page) // as browsers do
	}
	return Snapshot(url, page)
}

var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;")

// Snapshot parses a page. The snapshot has no geometry: all boxes are empty. HasBox is true for nodes
// that HTML alone displays: style sheets are not read. Bytes that are not UTF-8 become U+FFFD.
// Elements nested more than 512 deep are an error.
func Snapshot(url, page string) (*plat.Snapshot, error) {
	// Scripts do not run, so the content of <noscript> counts.
	doc, err := html.ParseWithOptions(strings.NewReader(strings.ToValidUTF8(page, "\ufffd")), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", url, err)
	}
	b := builder{s: &plat.Snapshot{URL: url, FinalURL: url, Styles: []plat.Style{{Display: "block", Opacity: 1, FontSize: 16, FontWeight: 400, Color: 0xff}}}}
	b.add(doc, -1, true, 0)
	return b.s, nil
}

type builder struct {
	s      *plat.Snapshot
	titled bool // the title was read
}

// add appends a node and its descendants. shown reports whether its parent is displayed.
func (b *builder) add(n *html.Node, parent int32, shown bool, depth int) {
	v := plat.Node{Parent: parent, Foreign: n.Namespace != ""}
	within := shown // of its children
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
		v.HasBox = shown && !undisplayed(n)
		within = v.HasBox && !replaced(n)
		b.describe(n)
	case html.TextNode:
		v.Kind, v.Value, v.HasBox = plat.TextNode, n.Data, shown
	default:
		return
	}
	i := int32(len(b.s.Nodes))
	b.s.Nodes = append(b.s.Nodes, v)
	if depth < maxDepth {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			b.add(c, i, within, depth+1)
		}
	}
	b.s.Nodes[i].End = int32(len(b.s.Nodes))
}

// describe takes the title and the language of the page from an element.
func (b *builder) describe(n *html.Node) {
	switch {
	case n.Namespace != "":
	case n.DataAtom == atom.Html:
		for _, a := range n.Attr {
			if a.Key == "lang" {
				b.s.Language = strings.TrimSpace(a.Val)
			}
		}
	case n.DataAtom == atom.Title && !b.titled:
		b.titled = true // of several the first counts (HTML, section 3.1.5)
		if n.FirstChild != nil {
			b.s.Title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
		}
	}
}

// undisplayed reports whether HTML alone hides an element (HTML, section 15.3.1).
func undisplayed(n *html.Node) bool {
	open := false
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "open":
			open = true
		case "style":
			if s := strings.ToLower(strings.Join(strings.Fields(a.Val), "")); strings.Contains(s, "display:none") {
				return true
			}
		case "type":
			if n.DataAtom == atom.Input && strings.EqualFold(a.Val, "hidden") {
				return true
			}
		}
	}
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Template, atom.Title, atom.Meta, atom.Link, atom.Base, atom.Basefont, atom.Param,
		atom.Source, atom.Track, atom.Datalist, atom.Noframes, atom.Noembed, atom.Area, atom.Rp:
		return true
	case atom.Dialog:
		return !open
	}
	return false
}

// replaced reports whether an element shows something else than its content, which is for
// browsers that do not know the element.
func replaced(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Iframe, atom.Video, atom.Audio, atom.Canvas:
		return n.Namespace == ""
	}
	return false
}
