package segment

import (
	"slices"
	"sync"

	"plat/plat"
	"plat/segment/markup"
)

// Segment cuts a page into blocks. The result's leaves and layout together hold
// every byte of [markup.Serialize] of s, and its leaves hold every visible
// character.
//
// For a fixed level, time and memory are linear in the number of nodes. The
// only errors are invalid parameters; every snapshot can be cut.
func Segment(s *plat.Snapshot, p Params) (*Cut, error) { return segment(s, p, nil) }

func segment(s *plat.Snapshot, p Params, prepare func(*cutter)) (*Cut, error) {
	p, err := p.withDefaults()
	if err != nil {
		return nil, err
	}
	c := cutters.Get().(*cutter)
	out := c.segment(s, p, prepare)
	if len(s.Nodes) <= maxKept {
		cutters.Put(c)
	}
	return out, nil
}

// segment implements [Segment] with this cutter.
func (c *cutter) segment(s *plat.Snapshot, p Params, prepare func(*cutter)) *Cut {
	// The page is written while it is cut, which takes longer.
	counted := make(chan struct{})
	written := meanwhile(func() {
		func() {
			defer close(counted)
			c.written.Count(s)
		}()
		c.written.Write(s)
	})
	defer c.end()
	defer written()
	c.begin(s, p, func() []int32 {
		<-counted
		return c.written.Chars
	})
	if prepare != nil {
		prepare(c)
	}
	for c.root(); len(c.tree) > maxBlocks; c.root() {
		// Tens of thousands of blocks are not regions a reader distinguishes.
		// Retry at a lower level, without adjustments, and finally with the
		// root block alone.
		c.tree, c.decisions = c.tree[:0], c.decisions[:0]
		for i := range c.info {
			c.info[i].block = false
		}
		clear(c.adjust)
		c.Level--
	}
	out := &Cut{Page: plat.Page{Level: p.Level, Trace: c.decisions}, visible: c.visible, sights: c.sights}
	out.Blocks, out.Spans = c.blocks()
	written()
	c.fill(&out.Page)
	return out
}

// maxBlocks limits the blocks of a page. The pages measured have some hundreds.
// Each block costs a row per version, so without a limit a malicious page could
// make its versions larger than the page itself.
const maxBlocks = 10_000

// Cut is a segmented page, plus data that can only be computed from the
// snapshot.
type Cut struct {
	plat.Page

	// Spans holds the node range of each block in Blocks.
	Spans []plat.Span

	visible []bool  // of nodes
	sights  []sight // of nodes
}

// Visible reports for every node whether it or any descendant is visible.
func (c *Cut) Visible() []bool { return c.visible }

// State returns the state of a text node and its cause; for other nodes, the
// state that all their content inherits.
func (c *Cut) State(node int32) (markup.State, Reason) {
	s := c.sights[node]
	return s.state, s.why
}

// cutter cuts one page after the next, and reuses the memory that a page does not keep.
type cutter struct {
	view
	Params
	adjust    map[string]bool
	names     nameReader
	tree      []block // in pre-order
	aside     []block // to make a tree in
	other     *cutter // divides a part of the page, in a second goroutine
	decisions []plat.Decision
	written   markup.Written
	parts     []markup.Part
	leaves    []int32
	unseen    []bool
	scratch   scratch

	// teach, if set, replaces the weights as the decision about cuts. It is
	// used while fitting the weights.
	teach func(by *scale, at *separator, x []float64) bool
}

// block is a block of the tree that is being made.
type block struct {
	span
	parent, level int32
}

// maxKept is the maximum number of nodes of a page whose cutter is kept, which limits the memory kept
// for the next page: some 60 MB, and 50 MB more after a page that is painted all over.
const maxKept = 200_000

var cutters = sync.Pool{New: func() any { return newCutter() }}

func newCutter() *cutter {
	return &cutter{adjust: map[string]bool{}}
}

// begin reads a page; see [view.look].
func (c *cutter) begin(s *plat.Snapshot, p Params, chars func() []int32) {
	c.Params = p
	for _, a := range p.Adjust {
		c.adjust[pathKey(a.Path)] = a.Split
	}
	c.look(s, p.Profile, chars)
}

// end drops the references to the page.
func (c *cutter) end() {
	clear(c.adjust)
	clear(c.parts)
	c.tree, c.decisions = c.tree[:0], nil
	c.Params, c.teach, c.scratch.at = Params{}, nil, separator{}
	c.written.HTML = nil
	c.leave()
	if c.other != nil {
		c.other.view, c.other.Params, c.other.adjust, c.other.scratch.at = view{}, Params{}, nil, separator{}
	}
}

// root adds the block for the whole page and divides it.
func (c *cutter) root() {
	n := int32(len(c.Nodes))
	if n == 0 {
		c.tree = append(c.tree, block{parent: -1})
		return
	}
	c.add(span{0, n, plat.RuleRoot}, -1, 0)
	first, end := c.content()
	var kids []span
	if c.Level > 0 {
		kids = c.divide(first, end, 1)
	}
	if len(kids) == 0 {
		kids = c.gather(first, end, 1, nil)
	}
	c.descendApart(kids)
}

// content returns the nodes to search for blocks: the children of the body,
// since the head belongs to the page and to no region. If there is no body, or
// there is visible content beside it, it returns the children of the document
// element, or that element itself if it is not HTML.
func (c *cutter) content() (first, end int32) {
	for i := int32(1); i < int32(len(c.Nodes)); i = c.Nodes[i].End {
		root := &c.Nodes[i]
		if root.Kind != plat.ElementNode {
			continue
		}
		if root.Name != "html" {
			return i, root.End
		}
		for j := i + 1; j < root.End; j = c.Nodes[j].End {
			body := &c.Nodes[j]
			if body.Name == "body" && !c.holds(i, j) && !c.holds(body.End, root.End) {
				return j + 1, body.End
			}
		}
		return i + 1, root.End
	}
	return 1, int32(len(c.Nodes))
}

// descend adds the blocks in kids below parent, and recursively their children.
// It stops when there are too many blocks.
func (c *cutter) descend(parent int32, kids []span, level int32) {
	for _, k := range kids {
		if len(c.tree) > maxBlocks {
			return
		}
		b := c.add(k, parent, level)
		within := c.inside(k, level+1, c.limit(k, level))
		if len(within) > 1 {
			c.descend(b, within, level+1)
		}
	}
}

// limit returns the deepest level allowed inside the block that spans k and is at
// the given level.
func (c *cutter) limit(k span, level int32) int32 {
	limit := min(int32(c.Level), maxLevel)
	if len(c.adjust) == 0 {
		return limit
	}
	split, ok := c.adjust[pathKey(c.appendPath(nil, k.first))]
	switch {
	case !ok:
		return limit
	case split:
		// Try all ways of dividing, at least down to the default level.
		return min(max(level+1, DefaultLevel), maxLevel)
	case c.Nodes[k.first].End == k.end:
		return level
	}
	// A run may contain a block that begins with the same node. The path then
	// refers to that inner block.
	if in := c.inside(k, level+1, limit); len(in) > 1 && in[0].first == k.first {
		return limit
	}
	return level
}

// inside divides the content of a block with the first level that yields
// something: where separators find no cut, the rules may.
func (c *cutter) inside(k span, level, limit int32) []span {
	first, end := k.first, k.end
	if c.Nodes[first].End == end {
		first++
	}
	last := level // deeper levels repeat the same rules
	if c.Profile == Visual {
		last = max(level, ruleLevel)
	}
	for by := level; by <= min(limit, last); by++ {
		if within := c.divide(first, end, by); c.several(within) {
			return within
		}
	}
	return nil
}

// several reports whether more than one of the spans is visible.
func (c *cutter) several(all []span) bool {
	n := 0
	for _, s := range all {
		if c.holds(s.first, s.end) {
			n++
		}
	}
	return n > 1
}

// ruleLevel is the first level at which the visual profile divides by rules.
const ruleLevel = 3

// divide returns the blocks of the next level in [first, end), which is the
// content of a block or a run of siblings. It returns nil or one span if there
// is nothing to divide.
//
// In the visual profile, level 1 holds regions and level 2 modules, both cut at
// separators (separator.go). Deeper levels use the paper's rules.
func (c *cutter) divide(first, end, level int32) []span {
	if c.Profile != Visual || level >= ruleLevel {
		return c.divideByRules(first, end, level)
	}
	by := regions
	if level > 1 {
		by = modules
	}
	found := c.divideBy(by, first, end, level)
	return c.gather(first, end, level, c.liftOverlays(first, end, level, found))
}

// divideByRules implements the paper's method. A single block that spans everything would repeat the
// same region, so its content is divided instead. The paper's profile counts it as a level, as figure
// 5 does.
func (c *cutter) divideByRules(first, end, level int32) []span {
	for {
		found := c.extract(first, end, level)
		if len(found) == 0 {
			if c.Profile == Visual {
				found = c.sections(first, end, level)
			}
			if len(found) == 0 {
				return nil
			}
		}
		all := c.gather(first, end, level, found)
		if len(all) != 1 || level == 1 {
			return all
		}
		one := all[0]
		if c.Nodes[one.first].End != one.end {
			return nil
		}
		first, end = one.first+1, one.end
	}
}

// add appends a block and returns its index.
func (c *cutter) add(s span, parent, level int32) int32 {
	c.tree = append(c.tree, block{s, parent, level})
	return int32(len(c.tree)) - 1
}

// blocks lists the blocks of the tree; leaves are still without content.
func (c *cutter) blocks() ([]plat.Block, []plat.Span) {
	all, spans := make([]plat.Block, len(c.tree)), make([]plat.Span, len(c.tree))
	if len(c.Nodes) == 0 {
		all[0] = plat.Block{Parent: -1, Slot: -1, Run: 1}
		return all, spans
	}
	depths := 0
	for i := range c.tree {
		depths += int(c.info[c.tree[i].first].depth)
	}
	paths := make([]int32, 0, depths) // one after the other
	for i := range c.tree {
		t := &c.tree[i]
		from := len(paths)
		paths = c.appendPath(paths, t.first)
		all[i] = plat.Block{Path: paths[from:len(paths):len(paths)], Parent: t.parent, Level: t.level, Rule: t.rule, Slot: -1}
		all[i].Tag, all[i].Run = c.tag(t.span)
		all[i].Box = c.box(t.first, t.end)
		spans[i] = plat.Span{First: t.first, End: t.end}
	}
	all[0].Tag, all[0].Box = "#document", plat.Rect{W: c.Width, H: c.Height} // the document node's own box is the viewport
	return all, spans
}

// tag returns the name of the first element of a run of siblings, and the number of siblings.
func (v *view) tag(s span) (tag string, run int32) {
	tag = "#text"
	for i := s.first; i < s.end; i = v.Nodes[i].End {
		run++
		if tag == "#text" && v.Nodes[i].Kind == plat.ElementNode {
			tag = v.Nodes[i].Name
		}
	}
	return tag, run
}

// appendPath appends the path from the document to node i; see plat.Block.Path.
func (v *view) appendPath(to []int32, i int32) []int32 {
	from, depth := len(to), int(v.info[i].depth)
	to = slices.Grow(to, depth)[:from+depth]
	path := to[from:]
	for j := i; j > 0; j = v.Nodes[j].Parent {
		at := v.info[j].depth - 1
		if path[at] = v.info[j].rank; v.Nodes[j].Kind != plat.ElementNode {
			path[at] = ^path[at]
		}
	}
	return to
}

// pathKey encodes a path as a map key.
func pathKey(path []int32) string {
	b := make([]byte, 0, 4*len(path))
	for _, p := range path {
		b = append(b, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
	return string(b)
}

// box returns the bounding box of a run of siblings. For siblings with no box
// or a box of zero area, such as elements that contain only floats, it uses the
// boxes of their descendants.
func (v *view) box(first, end int32) plat.Rect {
	r := plat.Rect{}
	for i := first; i < end; i = v.Nodes[i].End {
		n, f := &v.Nodes[i], &v.info[i]
		switch {
		case !f.visible:
		case n.HasBox && n.Box.Area() >= seenBox*f.area.Area():
			r = r.Union(v.seenPart(i))
		default:
			r = r.Union(f.area)
		}
	}
	return r
}
