package links

import (
	"strings"

	"plat/plat"
	"plat/plat/weburl"
)

// Page is a rendered and segmented page.
type Page struct {
	Snapshot *plat.Snapshot
	Blocks   []plat.Block // with labels and lineages; nil if not segmented
	Spans    []plat.Span  // the nodes of each block

	// Frames are links too: documents that are shown inside the page.
	Frames bool
}

// Link is a reference from a page, or a list of URLs, to a URL.
type Link struct {
	URL  string // canonical
	As   string // its spelling in requests, if that is different; see [plat.Spelled]
	Kind Kind
	N    int   // 0 for the first of its page, 1 for the second, …
	Node int32 // its element in Page.Snapshot

	Text  string // its text, including alternative texts of images
	Title string // its tooltip
	Rel   string // how the target relates to the page, as written

	// The link's position. Block is the index of the leaf in Page.Blocks, -1 if the link is in no
	// leaf; the fields after it are that block's.
	Box     plat.Rect // in px; zero where it has no box of its own
	Heading string    // the last heading above it
	Block   int32
	Lineage int32
	Label   plat.Label
	Topic   string

	Signal plat.Signal // of links in sitemaps and feeds
}

// Kind is the kind of a link.
type Kind string

// Kinds of link.
const (
	Anchor    Kind = "anchor"    // a or area: can be clicked
	Feed      Kind = "feed"      // <link rel=alternate> to RSS, Atom or JSON Feed
	Canonical Kind = "canonical" // <link rel=canonical>
	Listed    Kind = "listed"    // in a sitemap or a feed
	Frame     Kind = "frame"     // frame or iframe: shown inside the page; see [Page.Frames]
)

// maxText is the most bytes of a link's text that are kept.
const maxText = 500

// Links returns the links of the page in document order, those to at most limit
// different URLs. Parameters in drop are removed from the URLs.
func (p *Page) Links(drop []string, limit int) []Link {
	s := p.Snapshot
	base := s.Base()
	if base.String() == "" {
		return nil
	}
	if len(s.Nodes) == 0 {
		return nil
	}
	var found []Link
	seen := map[string]bool{}
	docs := documents{{base: base, end: int32(len(s.Nodes))}}
	if at := s.Nodes[0].Base(); at != nil {
		docs[0].base, docs[0].based = at, true
	}
	places := places{page: p}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		docs.reach(s, int32(i))
		doc := &docs[len(docs)-1]
		if n.Kind != plat.ElementNode {
			continue
		}
		places.reach(int32(i))
		kind, from := kindOf(n), "href"
		switch {
		case p.Frames && (n.Name == "frame" || n.Name == "iframe"):
			kind, from = Frame, "src"
		case n.Name == "meta":
			doc.base = doc.base.Meta(n.Attr)
			continue
		case kind == "" && n.Name != "base":
			continue
		}
		href, ok := n.Attr(from)
		if !ok {
			continue
		}
		if n.Name == "base" {
			if !doc.based { // only the first counts (HTML, section 4.2.3)
				doc.base, doc.based = doc.base.At(href), true
			}
			continue
		}
		to := doc.base.Resolve(href)
		if !weburl.IsWeb(to) {
			continue
		}
		link, err := plat.Canonical(to, drop)
		if err != nil {
			continue
		}
		if !seen[link] {
			if len(seen) == limit {
				continue
			}
			seen[link] = true
		}
		l := Link{URL: link, As: plat.Spelled(to, link, drop), Kind: kind, N: len(found), Node: int32(i)}
		l.Title, _ = n.Attr("title")
		l.Rel, _ = n.Attr("rel")
		if kind == Anchor {
			l.Text = wordsOf(s, int32(i))
		}
		if n.HasBox {
			l.Box = n.Box
		}
		places.put(&l, int32(i))
		found = append(found, l)
	}
	return found
}

// kindOf returns the kind of a link's element, empty for elements that are not links.
func kindOf(n *plat.Node) Kind {
	switch n.Name {
	case "a", "area":
		return Anchor
	case "link":
	default:
		return ""
	}
	rel, _ := n.Attr("rel")
	for _, r := range strings.Fields(strings.ToLower(rel)) {
		switch r {
		case "canonical":
			return Canonical
		case "alternate":
			what, _ := n.Attr("type")
			switch what, _, _ := strings.Cut(strings.ToLower(what), ";"); strings.TrimSpace(what) {
			case "application/rss+xml", "application/atom+xml", "application/feed+json":
				return Feed
			}
		}
	}
	return ""
}

// wordsOf returns the text in an element, including alternative texts of images: text that takes
// part in layout, or all of it if no text does (in a closed menu).
func wordsOf(s *plat.Snapshot, at int32) string {
	if at < 0 {
		return ""
	}
	for _, all := range []bool{false, true} {
		var b strings.Builder
		for i := at; i < s.Nodes[at].End && b.Len() <= maxText; i++ {
			n := &s.Nodes[i]
			text := ""
			switch {
			case !all && !n.HasBox:
				continue
			case n.Kind == plat.TextNode:
				text = n.Value
			case n.Kind == plat.ElementNode && (n.Name == "img" || n.Name == "area"):
				text, _ = n.Attr("alt")
			}
			for _, word := range strings.Fields(text) {
				if b.Len() > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(word)
			}
		}
		if b.Len() > 0 {
			return cut(b.String())
		}
	}
	return ""
}

// cut truncates a text to at most maxText bytes, at a character boundary.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:maxText]), "") // a copy, which does not keep the rest
}
