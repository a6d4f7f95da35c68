package label

import (
	"unicode"
	"unicode/utf8"

	"plat/plat"
)

// run is a visible text in one format: tᵢ of BWAP section 2.2.
type run struct {
	text   string
	holder int32 // node of the box that the text flows in: runs of one paragraph share it
	chars  int32 // runes, white space not counted
	size   float32
	weight int16
	color  plat.Color
	box    plat.Rect
	head   bool // inside h1 to h6, legend, caption or similar
	gap    bool // separated from the previous run by a line break or a picture
}

// facts holds the sums over the nodes of a block that its label is derived
// from.
type facts struct {
	firstRun, endRun int32 // of gathered.runs

	chars     int32 // visible characters, white space not counted
	linkChars int32 // of these inside links
	headChars int32 // inside h1 to h6
	paraChars int32 // inside running text: paragraphs, list items with a sentence …
	mass      int32 // characters, and mediaMass for each picture and control

	links      int32
	shortLinks int32 // links with few characters
	items      int32 // li, dt, article: parts of a repetition
	controls   int32
	fields     int32 // text fields and selection controls
	media      int32
	frames     int32
	adFrames   int32 // frames from advertisers, or of standard ad sizes
	rows       int32
	cells      int32
	headCells  int32 // th, and tables declared as data

	start int32 // mass of the page before it
	fixed int32 // mass of content that stays in place while the page scrolls

	// Of the other pages of the site: their number, the mass of blocks that most of them have, and of
	// blocks on no other page.
	others, template, unique int32
	on                       int32 // how many of them have the block itself, if most have
	rights                   int32 // lines that name the owner of the rights
	titles                   int32 // titles of boxes beside a text: "Archives", "Most read"

	sizes     float64 // sum over the characters of their font size, px
	mediaArea float64 // square px
	maxSize   float32 // largest font, px

	roles [roles]int32 // mass inside each landmark
	hints [hints]int32 // mass inside elements with telling names

	// Set by look:
	box, page, view plat.Rect
	overlay         bool
	root            bool
	adWord          bool // begins with the word "advertisement"
	commentWord     bool
	areas           int32   // fields for texts of several lines
	asks            bool    // the name of such a field asks for a comment
	discussed       bool    // it is in the area of the comments
	bodySize        float32 // the page's most used font size, px

	// Set by place:
	main      plat.Rect // box of the block with most text
	most      bool      // this is that block
	off       float64   // share of its width outside main's column, 0 to 1
	below     bool      // its region is below the page's heaviest
	region    float64   // share of the page's mass that is in its region
	pageLinks float64   // share of links in the page's text

	beside       bool  // is in a column beside the main text
	columnTitles int32 // titles in that column; see besideTitle
}

// mediaMass is the mass of a picture or a control in characters, used for
// shares: about one menu entry.
const mediaMass = 20

// shortLink is the maximum length of a menu link in characters; titles of
// articles are longer.
const shortLink = 24

func (f *facts) add(g *facts) {
	f.chars += g.chars
	f.linkChars += g.linkChars
	f.headChars += g.headChars
	f.paraChars += g.paraChars
	f.mass += g.mass
	f.links += g.links
	f.shortLinks += g.shortLinks
	f.items += g.items
	f.controls += g.controls
	f.fields += g.fields
	f.media += g.media
	f.frames += g.frames
	f.adFrames += g.adFrames
	f.rows += g.rows
	f.cells += g.cells
	f.headCells += g.headCells
	f.fixed += g.fixed
	f.rights += g.rights
	f.titles += g.titles
	f.sizes += g.sizes
	f.mediaArea += g.mediaArea
	f.maxSize = max(f.maxSize, g.maxSize)
	for i := range f.roles {
		f.roles[i] += g.roles[i]
	}
	for i := range f.hints {
		f.hints[i] += g.hints[i]
	}
}

// gathered is one pass over a snapshot.
type gathered struct {
	snap  *plat.Snapshot
	page  *plat.Page
	runs  []run   // in document order
	facts []facts // by block, including its children's sums

	first    []int32 // by block: its first node
	height   float32 // of the page
	bodySize float32
	overlays []bool // by block: it or an ancestor is an overlay
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
func (d *Describer) gather(snap *plat.Snapshot, page *plat.Page, spans []plat.Span, visible []bool) *gathered {
	g := &gathered{
		snap: snap, page: page,
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
			owner.text(chars, st.FontSize, &up)
			if saysRights(n.Value) {
				owner.rights++
			}
			if besideTitle(n.Value) {
				owner.titles++
			}
			w.mass += chars
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
		f.start = w.mass
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

// text counts a run of text.
func (f *facts) text(chars int32, size float32, c *context) {
	f.chars += chars
	f.maxSize = max(f.maxSize, size)
	f.sizes += float64(size) * float64(chars)
	if c.link != 0 {
		f.linkChars += chars
	}
	if c.title {
		f.headChars += chars
	}
	// Old pages write paragraphs as bare text; a long one is not a caption.
	if c.para || chars > 120 && c.link == 0 {
		f.paraChars += chars
	}
	f.weigh(chars, c)
}

// weigh adds mass to the block and to the landmarks and names around it.
func (f *facts) weigh(mass int32, c *context) {
	f.mass += mass
	if c.fixed {
		f.fixed += mass
	}
	f.roles[c.role] += mass
	for h := range hints {
		if c.hints.has(h) {
			f.hints[h] += mass
		}
	}
}

// count adds an element to the facts of its block.
func (f *facts) count(n *plat.Node, c *context) {
	switch n.Name {
	case "img", "video", "canvas", "svg", "object", "embed", "picture", "audio":
		// Icons do not count as pictures; <picture> is counted by its img.
		if n.Name == "picture" || n.Box.W < 24 || n.Box.H < 24 {
			return
		}
		f.media++
		f.mediaArea += n.Box.Area()
		f.weigh(mediaMass, c)
		if c.link != 0 && adSize(n.Box) && c.hints.has(hintAd) {
			f.adFrames++
		}
	case "iframe", "frame":
		f.frames++
		f.mediaArea += n.Box.Area()
		f.weigh(mediaMass, c)
		src, _ := n.Attr("src")
		if adSize(n.Box) || adHost(src) || c.hints.has(hintAd) {
			f.adFrames++
		}
	case "input":
		switch t, _ := n.Attr("type"); t {
		case "hidden":
			return
		case "submit", "button", "image", "reset":
			f.controls++
		default:
			f.controls++
			f.fields++
		}
		f.weigh(mediaMass, c)
	case "textarea":
		f.areas++
		for _, name := range []string{"placeholder", "aria-label", "name", "id"} {
			said, _ := n.Attr(name)
			f.asks = f.asks || asksForComment(said)
		}
		fallthrough
	case "select":
		f.controls++
		f.fields++
		f.weigh(mediaMass, c)
	case "button":
		f.controls++
		f.weigh(mediaMass, c)
	case "li", "article", "dt":
		f.items++
	case "tr":
		f.rows++
	case "td":
		f.cells++
	case "th":
		f.cells++
		f.headCells++
	}
}

// styleOf never fails: a node without a style has the zero Style.
func styleOf(snap *plat.Snapshot, n *plat.Node) *plat.Style {
	if n.HasBox && n.Style >= 0 && int(n.Style) < len(snap.Styles) {
		return &snap.Styles[n.Style]
	}
	return &plat.Style{}
}

// countChars returns the number of runes in s without white space.
func countChars(s string) int32 {
	n := int32(0)
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c > ' ' {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			n++
		}
		i += size
	}
	return n
}
