package label

import (
	"plat/plat"
)

// gathered is one pass over a snapshot.
type gathered struct {
	snap  *plat.Snapshot
	page  *plat.Page
	main  []float32 // by node: the probability that its text is main text
	runs  []run     // in document order
	facts []facts   // by block, including its children's sums

	first    []int32 // by block: its first node
	height   float32 // of the page
	bodySize float32
	foreign  bool   // the root of the document is no element of HTML
	overlays []bool // by block: it or an ancestor is an overlay
}

// mainAt returns the probability that the text of a node is main text.
func (g *gathered) mainAt(node int) float32 {
	if node >= len(g.main) {
		return 0
	}
	return g.main[node]
}

func (g *gathered) texts() []string {
	t := make([]string, len(g.runs))
	for i := range t {
		t[i] = g.runs[i].text
	}
	return t
}

// context is inherited by a node's children.
type context struct {
	holder int32
	link   int32 // the a element + 1, 0 outside of links
	role   role
	hints  hintSet
	head   bool // inside a heading, caption or similar
	title  bool // inside h1 to h6
	para   bool
	fixed  bool
}

// gather reads the nodes once. Each node counts for the innermost block that
// contains it; then the blocks are summed up, children before parents.
func (d *Describer) gather(snap *plat.Snapshot, page *plat.Page, spans []plat.Span, visible []bool, main []float32) *gathered {
	g := &gathered{
		snap: snap, page: page, main: main,
		facts:    make([]facts, len(page.Blocks)),
		overlays: make([]bool, len(page.Blocks)),
	}
	spans = sane(page, spans, int32(len(snap.Nodes)))
	g.first = make([]int32, len(spans))
	for i := range spans {
		g.first[i] = spans[i].First
	}
	inherited := make([]context, len(snap.Nodes))
	sizes := map[float32]int32{}

	gap := true
	w := walk{g: g, spans: spans}
	for i := range snap.Nodes {
		owner := w.reach(int32(i))
		n := &snap.Nodes[i]
		up := context{}
		if n.Parent >= 0 && int(n.Parent) < i {
			up = inherited[n.Parent]
		}
		switch n.Kind {
		case plat.ElementNode:
			if n.Parent == 0 {
				g.foreign = n.Foreign
			}
			c := &inherited[i]
			*c = d.enter(snap, int32(i), up)
			if n.Name == "br" || n.Name == "img" || n.Name == "hr" {
				gap = true
			}
			if owner != nil && visible[i] {
				was := owner.mass
				owner.count(n, c)
				w.mass += owner.mass - was
			}
		case plat.TextNode:
			if !visible[i] || owner == nil {
				continue
			}
			chars := countChars(n.Value)
			if chars == 0 {
				continue
			}
			st := styleOf(snap, n)
			g.runs = append(g.runs, run{
				text: n.Value, holder: up.holder, chars: chars, size: st.FontSize, weight: st.FontWeight,
				color: st.Color, box: n.Box, head: up.head, gap: gap,
			})
			gap = false
			sizes[st.FontSize] += chars
			owner.text(chars, st.FontSize, g.mainAt(i), &up)
			if saysRights(n.Value) {
				owner.rights++
			}
			if besideTitle(n.Value) {
				owner.titles++
			}
			w.mass += chars
			w.texts += float64(chars) * float64(g.mainAt(i))
			w.inLink(up.link, chars)
		default:
			inherited[i] = up
			inherited[i].holder = int32(i)
		}
	}
	w.end()
	g.sum(sizes)
	return g
}

// walk tracks the blocks around the current node during a pre-order traversal,
// and counts their links.
type walk struct {
	g     *gathered
	spans []plat.Span
	open  []int32 // the blocks around the current node, outermost first
	next  int     // the block to open next
	owner *facts  // of the innermost block; nil if absent
	mass  int32   // of the page up to here
	texts float64 // the same
	link  int32   // the link whose characters are being counted, 0 if outside of links
	chars int32   // how many
}

// reach advances to a node and returns the facts of the innermost block around
// it.
func (w *walk) reach(node int32) *facts {
	runs := int32(len(w.g.runs))
	for len(w.open) > 0 && w.spans[w.open[len(w.open)-1]].End <= node {
		w.endLink()
		w.g.facts[w.open[len(w.open)-1]].endRun = runs
		w.open = w.open[:len(w.open)-1]
	}
	for ; w.next < len(w.spans) && w.spans[w.next].First <= node; w.next++ {
		f := &w.g.facts[w.next]
		f.firstRun, f.endRun = runs, runs
		f.start, f.before = w.mass, w.texts
		if w.spans[w.next].End > node {
			w.open = append(w.open, int32(w.next))
			w.endLink()
		}
	}
	w.owner = nil
	if len(w.open) > 0 {
		w.owner = &w.g.facts[w.open[len(w.open)-1]]
	}
	return w.owner
}

// inLink counts characters of a node inside the given link, 0 if it is in no link.
func (w *walk) inLink(link, chars int32) {
	if link != w.link {
		w.endLink()
		w.link = link
	}
	if w.link != 0 {
		w.chars += chars
	}
}

func (w *walk) endLink() {
	if w.link != 0 && w.chars > 0 && w.owner != nil {
		w.owner.links++
		if w.chars <= shortLink {
			w.owner.shortLinks++
		}
	}
	w.link, w.chars = 0, 0
}

// end closes all open blocks and links.
func (w *walk) end() {
	w.endLink()
	runs := int32(len(w.g.runs))
	for _, b := range w.open {
		w.g.facts[b].endRun = runs
	}
	for ; w.next < len(w.spans); w.next++ {
		w.g.facts[w.next].firstRun, w.g.facts[w.next].endRun = runs, runs
	}
}

// sum adds up the blocks and computes the page-wide facts. sizes holds the
// number of characters by font size.
func (g *gathered) sum(sizes map[float32]int32) {
	page := g.page
	for i := len(g.facts) - 1; i > 0; i-- {
		if p := parentOf(page, i); p >= 0 {
			g.facts[p].add(&g.facts[i])
		}
	}
	g.distrust()
	for i := range page.Blocks {
		p := parentOf(page, i)
		g.overlays[i] = page.Blocks[i].Rule == plat.RuleOverlay || p >= 0 && g.overlays[p]
	}
	best := int32(0)
	for size, chars := range sizes {
		if chars > best || chars == best && size < g.bodySize {
			g.bodySize, best = size, chars
		}
	}
	g.height = max(g.snap.Height, page.Blocks[0].Box.Y+page.Blocks[0].Box.H)
}

// distrust drops markup that applies to most of the page: a header around everything means nothing,
// and neither does a class "header" on the outermost wrapper.
func (g *gathered) distrust() {
	page := g.facts[0]
	for i := range g.facts {
		f := &g.facts[i]
		for r := range f.roles {
			if r := role(r); 2*page.roles[r] > page.mass && r != roleNone && r != roleMain && r != roleArticle {
				f.roles[r] = 0
			}
		}
		for h := range f.hints {
			if 2*page.hints[h] > page.mass && hint(h) != hintArticle {
				f.hints[h] = 0
			}
		}
	}
}

// sane makes spans ascending and nested according to the tree, so that invalid
// input cannot cause an index out of range and each run belongs to a range of
// blocks.
func sane(page *plat.Page, spans []plat.Span, nodes int32) []plat.Span {
	s := make([]plat.Span, len(spans))
	last := int32(0)
	for i, x := range spans {
		lo, hi := last, nodes
		if p := parentOf(page, i); p >= 0 {
			lo, hi = max(lo, s[p].First), s[p].End
		}
		first := max(x.First, lo)
		s[i] = plat.Span{First: first, End: max(min(x.End, hi), first)}
		last = first
	}
	return s
}

// enter returns the context inside an element.
func (d *Describer) enter(snap *plat.Snapshot, i int32, up context) context {
	n := &snap.Nodes[i]
	c := up
	inline := !n.HasBox // display: contents, or not rendered
	if n.HasBox {
		st := styleOf(snap, n)
		inline = st.Display == "inline"
		c.fixed = c.fixed || (st.Position == "fixed" || st.Position == "sticky") && !fillsWindow(snap, n)
	}
	if !inline {
		c.holder = i
	}
	switch n.Name {
	case "a":
		c.link = i + 1
	case "h1", "h2", "h3", "h4", "h5", "h6":
		c.head, c.title = true, true
	case "legend", "caption", "dt", "th", "summary":
		c.head = true
	case "p", "blockquote", "pre", "dd":
		c.para = true
	}
	c.role = roleOf(n, up.role)
	// A body's classes name every feature of the site's template.
	if n.Name != "html" && n.Name != "body" {
		if h := d.hintsOf(n); h != 0 {
			c.hints = h
		}
	}
	return c
}

// fillsWindow reports whether an element covers the window: the page is inside, and scrolls
// there.
func fillsWindow(s *plat.Snapshot, n *plat.Node) bool {
	return n.Box.W >= .8*s.Viewport.W && n.Box.H >= .8*s.Viewport.H
}
