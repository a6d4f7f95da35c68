package segment

import (
	"reflect"
	"slices"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
)

// The data that a cutter keeps of one page does not affect the next; [invariants] checks this for
// pages of all kinds.
func TestAPageIsCutAlikeAfterAnyOther(t *testing.T) {
	p := Params{Profile: Visual, Level: 5, MaxDepth: DefaultMaxDepth, Trace: true}
	names := fixtures.Names()
	c := newCutter()
	for step := range len(names) {
		for i := range names {
			name := names[i*(step+1)%len(names)]
			s := fixtures.Snapshot(t, name)
			if !equal(c.segment(s, p, nil), newCutter().segment(s, p, nil)) {
				t.Fatalf("%s: after other pages it is cut otherwise than first", name)
			}
		}
	}
}

func equal(a, b *Cut) bool {
	return slices.Equal(a.visible, b.visible) && slices.Equal(a.sights, b.sights) && slices.Equal(a.Spans, b.Spans) && reflect.DeepEqual(a.Page, b.Page)
}

// usedCutter returns a cutter that has cut a page of at least that many nodes, unlike any other page.
func usedCutter(nodes int) *cutter {
	c := newCutter()
	n := 2 * nodes
	c.info = make([]info, n)
	for i := range c.info {
		at := int32(i % nodes)
		c.info[i] = info{
			visible: true, text: true, media: true, overlay: true, over: true, heading: true, picture: true, shows: true, blocks: true, passes: true,
			fails: true, mixed: true, block: true, link: true, turned: true, inlaid: true, stays: true, clips: true,
			sight: sight{markup.Folded, Named}, windows: windows{2, 2, 2}, opacity: .5, kind: function,
			depth: 7, doc: at, below: at, rank: 3, elems: 3, prev: at, last: at, kids: 5, schema: 2,
			first: at, font: 99, shape: 99, area: plat.Rect{X: 1, Y: 2, W: 300, H: 400}, paint: paint{0xff00ffff, at},
		}
	}
	for k, sum := range []*[]int32{&c.made, &c.leaves} {
		*sum = make([]int32, n+2)
		for i := range *sum {
			(*sum)[i] = int32(i * (k + 3))
		}
	}
	c.sums = make([]sums, n+2)
	for i := range c.sums {
		at := int32(i)
		c.sums[i] = sums{3 * at, 4 * at, 5 * at, 6 * at, 7 * at}
	}
	for y := range 100 {
		c.painted.Add(paintedBox{Edges: edges{Top: float32(100 * y), Right: 1e6, Bottom: float32(100 * (y + 1))}, Rank: 1 << 30, Opaque: true})
	}
	c.painted.Add(paintedBox{Edges: edges{Right: 1e6, Bottom: 1e6}, Rank: 1 << 30, Opaque: true})
	c.painted.Clear()
	c.states, c.blockStyles = make([]sight, n), make([]bool, n)
	c.unseen = make([]bool, n)
	for i := range n {
		c.states[i], c.blockStyles[i], c.unseen[i] = sight{markup.Folded, Named}, true, true
	}
	other := &plat.Snapshot{Nodes: make([]plat.Node, n)}
	for i := range other.Nodes {
		other.Nodes[i] = plat.Node{Kind: plat.TextNode, Value: "other", Parent: 0, End: int32(i) + 1}
	}
	other.Nodes[0] = plat.Node{Kind: plat.DocumentNode, Parent: -1, End: int32(n)}
	c.written.Write(other)
	return c
}
