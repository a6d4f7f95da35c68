package focus

import (
	"strings"
	"unicode/utf8"

	"plat/plat"
	"plat/queue/links"
	"plat/segment/article"
	"plat/segment/label"
)

// Page is the content of a page that a focused crawl uses.
type Page struct {
	URL      string    // after redirects
	Title    []Term    // of the document, and as shown
	Words    []Term    // all that are displayed, in document order; at most maxWords
	Menus    []Span    // those of the words that are menus, headers, footers and the like, in order
	Headings []Heading // those above links
	Links    []Link
}

// Span is a range of a page's words.
type Span struct{ First, End int32 }

// Heading is a heading of a page.
type Heading struct {
	Text  string
	Terms []Term
}

// Link is a link with its extended metadata (DRFW, section 3.6.1): its text and the words around
// it.
type Link struct {
	URL     string // canonical, at most maxURL bytes
	Text    string // at most maxLinkText bytes
	At      Span   // its text in the page's words
	Terms   []Term // its text's, if that is not displayed
	Tip     []Term // of its tooltip and its URL
	Heading int32  // the last one above it in Page.Headings; -1: no heading
	Path    uint32 // hash of the names and classes of the elements from the root to the link
	Menu    bool   // in a block that repeats on all pages of a site
}

// Limits of a page. Content beyond them is left out.
const (
	maxWords    = 20_000
	maxLinks    = 5_000
	maxLinkText = 100   // bytes
	maxURL      = 2_000 // bytes; longer ones are rarely pages, and often grow with each step
	maxTitle    = 60    // terms; of a heading too
	maxTip      = 24    // terms
	around      = 10    // words before a link, and after it, that belong to it
)

// Read reads a page; found are its links, of p.Links. It works with and without blocks, and with
// and without geometry.
func Read(p *links.Page, found []links.Link, d *label.Describer) *Page {
	s := p.Snapshot
	r := reader{snap: s, page: p, at: make([]int32, len(s.Nodes)+1), paths: make([]uint32, len(s.Nodes))}
	var texts []string
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.HasBox && len(texts) < maxWords {
			texts = append(texts, n.Value)
		}
	}
	r.terms = d.Terms(s.Language, texts)
	r.menus()
	r.walk()
	out := &Page{URL: s.FinalURL, Words: r.words, Menus: r.spans}
	untitled := *s
	untitled.Title = "" // it would take precedence over the displayed title
	shown := article.Title(&untitled)
	if title := strings.Join(strings.Fields(r.title), " "); !strings.Contains(title, shown) {
		out.Title = r.split(title+" "+shown, maxTitle)
	} else {
		out.Title = r.split(title, maxTitle)
	}
	headings := map[string]int32{"": -1}
	for i := range found {
		l := &found[i]
		if l.Kind != links.Anchor && l.Kind != links.Frame {
			continue
		}
		if len(l.URL) > maxURL {
			continue
		}
		if len(out.Links) == maxLinks {
			break
		}
		h, ok := headings[l.Heading]
		if !ok {
			h = int32(len(out.Headings))
			headings[l.Heading] = h
			out.Headings = append(out.Headings, Heading{cut(l.Heading), r.split(l.Heading, maxTitle)})
		}
		k := Link{URL: l.URL, Text: cut(l.Text), Heading: h, Path: r.path(l.Node)}
		k.At = Span{r.at[l.Node], r.at[s.Nodes[l.Node].End]}
		if k.At.First == k.At.End {
			k.Terms = r.split(l.Text, maxTip)
		}
		k.Tip = r.split(l.Title, maxTip/2)
		urlWords(l.URL, func(word string) bool {
			k.Tip = append(k.Tip, r.split(word, maxTip-len(k.Tip))...)
			return len(k.Tip) < maxTip
		})
		k.Menu = r.menu[l.Node]
		out.Links = append(out.Links, k)
	}
	return out
}

// reader reads one page.
type reader struct {
	snap  *plat.Snapshot
	page  *links.Page
	terms *label.Terms
	menu  []bool  // of each node
	at    []int32 // of each node, and of the end: its first word
	words []Term
	spans []Span
	title string
	paths []uint32 // of each node; 0: not known yet
}

// split returns the terms of a text, at most limit.
func (r *reader) split(text string, limit int) []Term {
	var out []Term
	if limit > 0 {
		r.terms.Each(text, func(t string) bool {
			out = append(out, TermOf(t))
			return len(out) < limit
		})
	}
	return out
}

// menus finds the nodes whose content repeats on all pages of a site: by the labels of blocks,
// or, of pages that are not segmented, by elements.
func (r *reader) menus() {
	r.menu = make([]bool, len(r.snap.Nodes))
	mark := func(first, end int32) {
		for i := first; i < end; i++ {
			r.menu[i] = true
		}
	}
	if len(r.page.Blocks) > 0 {
		for i := range r.page.Blocks {
			if b := &r.page.Blocks[i]; b.Leaf() && label.Boilerplate(b.Label) {
				mark(r.page.Spans[i].First, r.page.Spans[i].End)
			}
		}
		return
	}
	for i := range r.snap.Nodes {
		n := &r.snap.Nodes[i]
		switch n.Name {
		case "nav", "footer", "aside", "form", "header":
			if n.Kind == plat.ElementNode && !r.menu[i] {
				mark(int32(i), n.End)
			}
		}
	}
}

// walk collects the words.
func (r *reader) walk() {
	s := r.snap
	titleEnd := int32(0)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		r.at[i] = int32(len(r.words))
		switch {
		case n.Kind == plat.ElementNode && n.Name == "title" && !n.Foreign && r.title == "":
			titleEnd = n.End
		case n.Kind != plat.TextNode:
		case int32(i) < titleEnd:
			if len(r.title) < maxWords {
				r.title += n.Value
			}
		case n.HasBox && len(r.words) < maxWords:
			first := int32(len(r.words))
			r.words = append(r.words, r.split(n.Value, maxWords-len(r.words))...)
			end := int32(len(r.words))
			if !r.menu[i] || first == end {
				continue
			}
			if k := len(r.spans) - 1; k >= 0 && r.spans[k].End == first {
				r.spans[k].End = end
			} else {
				r.spans = append(r.spans, Span{first, end})
			}
		}
	}
	r.at[len(s.Nodes)] = int32(len(r.words))
}

// path hashes the names and classes of the elements from the root to a node.
func (r *reader) path(node int32) uint32 {
	if node < 0 {
		return fnvBasis
	}
	if h := r.paths[node]; h != 0 {
		return h
	}
	v := &r.snap.Nodes[node]
	h := r.path(v.Parent)
	add := func(text string) {
		for i := 0; i < len(text); i++ {
			h = (h ^ uint32(text[i])) * fnvPrime
		}
		h = (h ^ 0xff) * fnvPrime
	}
	if v.Kind == plat.ElementNode {
		add(v.Name)
		class, _ := v.Attr("class")
		for c := range strings.FieldsSeq(class) {
			add(c)
		}
	}
	r.paths[node] = h
	return h
}

// cut shortens a text to maxLinkText bytes, at a character boundary.
func cut(text string) string {
	if len(text) <= maxLinkText {
		return text
	}
	n := maxLinkText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.Clone(text[:n])
}

// anchor returns the terms of a link's text.
func (p *Page) anchor(l *Link) []Term {
	if l.At.First < l.At.End {
		return p.Words[l.At.First:min(l.At.End, l.At.First+maxTip)]
	}
	return l.Terms
}

// near returns the words before a link and after it.
func (p *Page) near(l *Link) (before, after []Term) {
	n := int32(len(p.Words))
	return p.Words[max(0, l.At.First-around):l.At.First], p.Words[l.At.End:min(n, l.At.End+around)]
}

// heading returns the terms of the heading above a link.
func (p *Page) heading(l *Link) []Term {
	if l.Heading < 0 {
		return nil
	}
	return p.Headings[l.Heading].Terms
}
