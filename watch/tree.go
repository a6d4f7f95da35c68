package watch

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"plat/plat"
	"plat/plat/calendar"
	"plat/plat/weburl"
	"plat/segment/markup"
)

// tree is a restored page: its elements and texts in document order, each with its block. A
// subtree is a range: nodes[i:nodes[i].end].
type tree struct {
	nodes  []node
	totals []total          // of the nodes before each node; the last is of all
	links  []link           // parsed on demand, see linkAt
	blocks []plat.Block     // of the version
	base   *weburl.Base     // the base of relative addresses
	self   string           // key of the page's own address
	based  bool             // base comes from a base element
	feed   bool             // the page shows a feed: its articles are the entries
	ids    map[int32]string // of these, by node, see [plat.FeedEntryID]

	style calendar.Style // of dates; Language is that of the root element
}

// node is an element, or, if tag is 0 and name empty, a text.
type node struct {
	tag    atom.Atom // 0 for names that HTML does not have
	name   string
	class  string
	text   string // of a text: as written; of an image: its alternative text
	href   string // of a link: as written
	time   string // datetime of a time element
	parent int32  // -1 for the root
	end    int32  // one past the last node of the subtree
	block  int32  // leaf in which it begins, -1: the layout
	link   int32  // index in tree.links, 0: not parsed yet
	chars  int32  // number of characters of a text, without white space
	apart  bool   // of a text: white space without a node precedes it
	hidden bool   // it is not visible
	linked bool   // it is a link or inside of one
	item   bool   // it is inside of an article, an entry or the main part
	outer  bool   // it is inside of an element outside of the main part: nav, header, footer, aside
}

// total is the amount of text of nodes, in bytes.
type total struct{ text, linked int }

// isText reports whether a node is a text.
func (n *node) isText() bool { return n.tag == 0 && n.name == "" }

// read parses a page.
func read(p *Page) (*tree, error) {
	base := p.Base
	if base == nil {
		base = weburl.NewBase(p.URL)
	}
	if base.String() == "" {
		return nil, fmt.Errorf("watch: invalid URL %q", p.URL)
	}
	page, err := markup.Restore(p.Layout, p.Blocks)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	t := &tree{nodes: make([]node, 0, len(page)/40), blocks: p.Blocks, base: base, self: urlKey(base.String()), totals: make([]total, 1, len(page)/40+1), links: make([]link, 1)}
	t.parse(string(page), edges(p.Layout, p.Blocks))
	t.style.MonthFirst = t.monthFirst()
	return t, nil
}

// edge is a place in a restored page at which a different block, or the layout, begins.
type edge struct {
	at     int
	block  int32
	hidden []int32 // relative to at
}

// edges returns where the leaves begin and end in the restored page.
func edges(l *plat.Layout, blocks []plat.Block) []edge {
	var out []edge
	at, from, slot := 0, 0, int32(-1)
	for i := range blocks {
		b := &blocks[i]
		if !b.Leaf() {
			continue
		}
		if b.Slot != slot {
			slot = b.Slot
			at += int(l.Slots[slot]) - from
			from = int(l.Slots[slot])
		}
		at += len(b.Lead)
		out = append(out, edge{at, int32(i), b.Hidden})
		at += len(b.Content)
		out = append(out, edge{at: at, block: -1})
	}
	return out
}

// parse builds the nodes. The page was written by [markup.Serialize], so every element but the
// void ones is closed, and a simple stack of open elements is enough. An end tag without a
// start tag is ignored.
func (t *tree) parse(page string, edges []edge) {
	z := html.NewTokenizer(strings.NewReader(page))
	at, next := 0, 0
	cur := edge{block: -1}
	open := int32(-1)
	apart := false
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		start := at
		at += len(z.Raw())
		for next < len(edges) && edges[next].at <= start {
			cur = edges[next]
			next++
		}
		switch kind {
		case html.TextToken:
			if open >= 0 && unread(t.nodes[open].tag) {
				continue
			}
			s := string(z.Text())
			if markup.Blank(s) {
				apart = true
				continue
			}
			t.add(node{text: s, chars: int32(count(s)), apart: apart}, open, &cur, start)
			apart = false
		case html.StartTagToken, html.SelfClosingTagToken:
			i := t.element(z, open, &cur, start)
			if !markup.VoidElement(t.nodes[i].name) && kind == html.StartTagToken {
				open = i
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			for i, up := open, 0; i >= 0 && up < maxUnclosed; i, up = t.nodes[i].parent, up+1 {
				if t.nodes[i].name == string(name) {
					for ; open != i; open = t.nodes[open].parent {
						t.nodes[open].end = int32(len(t.nodes))
					}
					t.nodes[i].end = int32(len(t.nodes))
					open = t.nodes[i].parent
					break
				}
			}
		}
	}
	for ; open >= 0; open = t.nodes[open].parent {
		t.nodes[open].end = int32(len(t.nodes))
	}
}

// maxUnclosed limits the search for the element that an end tag closes.
const maxUnclosed = 64

// add appends a node, which begins at start in the page.
func (t *tree) add(n node, parent int32, cur *edge, start int) int32 {
	n.parent, n.end, n.block = parent, int32(len(t.nodes))+1, cur.block
	at := int32(start - cur.at)
	for len(cur.hidden) > 1 && cur.hidden[1] <= at {
		cur.hidden = cur.hidden[2:]
	}
	n.hidden = len(cur.hidden) > 1 && cur.hidden[0] <= at
	if parent >= 0 {
		p := &t.nodes[parent]
		n.hidden = n.hidden || p.hidden
		n.linked = p.linked
		n.outer = n.outer || p.outer
		n.item = p.item
	}
	switch n.tag {
	case atom.A:
		n.linked = true
	case atom.Article, atom.Li, atom.Main:
		n.item = true
	case atom.Nav, atom.Aside, atom.Footer, atom.Header:
		// Inside of an article, a header and a footer are its title and its byline.
		n.outer = n.outer || !n.item
	}
	sum := t.totals[len(t.nodes)]
	sum.text += len(n.text)
	if n.linked {
		sum.linked += len(n.text)
	}
	t.totals = append(t.totals, sum)
	t.nodes = append(t.nodes, n)
	return int32(len(t.nodes)) - 1
}

// element appends the element that z is at.
func (t *tree) element(z *html.Tokenizer, parent int32, cur *edge, start int) int32 {
	name, more := z.TagName()
	n := node{tag: atom.Lookup(name), name: string(name)}
	var meta map[string]string // attributes
	id := ""
	if n.tag == atom.Meta {
		meta = map[string]string{}
	}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if meta != nil {
			meta[string(key)] = string(value)
		}
		switch string(key) {
		case plat.FeedEntryID:
			if t.feed {
				id = string(value)
			}
		case "class":
			n.class = string(value)
		case "href":
			if n.tag == atom.A && n.href == "" {
				n.href = string(value)
			}
			if n.tag == atom.Base && !t.based {
				t.base, t.based = t.base.At(string(value)), true
			}
		case "alt":
			if n.tag == atom.Img {
				n.text = string(value)
			}
		case "datetime":
			n.time = string(value)
		case "lang":
			if n.tag == atom.Html {
				t.style.Language = string(value)
			}
		case "role":
			switch string(value) {
			case "navigation", "banner", "contentinfo", "complementary", "search":
				n.outer = true
			}
		}
	}
	if meta != nil {
		t.feed = t.feed || meta["name"] == "generator" && meta["content"] == plat.FeedGenerator
		t.base = t.base.Meta(func(name string) (string, bool) { value, ok := meta[name]; return value, ok })
	}
	at := t.add(n, parent, cur, start)
	if id != "" {
		if t.ids == nil {
			t.ids = map[int32]string{}
		}
		t.ids[at] = id
	}
	return at
}

// unread reports whether the content of an element is never visible text.
func unread(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Textarea, atom.Title, atom.Select, atom.Option, atom.Svg, atom.Optgroup:
		return true
	}
	return false
}
