package segment

import (
	"reflect"
	"testing"

	"plat/fixtures"
	"plat/plat"
)

func TestTwoGoroutinesDivideAPageAsOneDoes(t *testing.T) {
	for _, name := range fixtures.Names() {
		s := fixtures.Snapshot(t, name)
		for _, p := range []Params{{}, {Level: 5}, {Profile: Paper}, {Adjust: []plat.Adjust{{Path: []int32{0, 1, 0}, Split: true}}}} {
			apart, err := Segment(s, p)
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.withDefaults(); err != nil {
				t.Fatal(err)
			}
			if !equal(apart, alone(s, p)) {
				t.Errorf("%s, %+v: two goroutines divide it otherwise", name, p)
			}
		}
	}
}

// alone cuts a page in one goroutine, as with a trace.
func alone(s *plat.Snapshot, p Params) *Cut {
	p.Trace = true
	cut := newCutter().segment(s, p, nil)
	cut.Trace = nil
	return cut
}

// A run of siblings is divided after the run before it: whether its first node is a block depends
// on that node's sibling.
func TestRunsOfSiblingsAreDividedInOrder(t *testing.T) {
	const siblings = 9 // with a child each
	s := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 1 + 2*siblings}}}
	for at := int32(1); at < 1+2*siblings; at += 2 {
		s.Nodes = append(s.Nodes, plat.Node{Kind: plat.ElementNode, Name: "div", Parent: 0, End: at + 2},
			plat.Node{Kind: plat.TextNode, Value: "text", Parent: at, End: at + 2, HasBox: true, Box: plat.Rect{Y: float32(20 * at), W: 80, H: 20}})
	}
	s.Styles = []plat.Style{{Opacity: 1, Color: 0xff, FontSize: 16}}
	s.Width, s.Height = 800, 600
	s.Nodes[1+2*5+1].Value = " " // the sixth shows nothing
	c := newCutter()
	c.look(s, Visual, countOf(s))
	of := func(first, end int32) span { return span{first: 1 + 2*first, end: 1 + 2*end} }
	for _, k := range []struct {
		kids   []span
		groups []int // how many kids are in each
	}{
		{[]span{of(0, 2), of(2, 4), of(4, 9)}, []int{3}},
		{[]span{of(0, 1), of(1, 2), of(2, 3)}, []int{1, 1, 1}},
		{[]span{of(0, 2), of(2, 3), of(3, 5)}, []int{1, 1, 1}},
		{[]span{of(0, 1), of(1, 3), of(3, 5), of(6, 7), of(7, 9)}, []int{1, 2, 1, 1}},
		{[]span{of(0, 2), of(3, 5), of(5, 8)}, []int{1, 2}}, // an invisible node is not a sibling
		{[]span{of(1, 5), of(5, 6), of(6, 9)}, []int{3}},    // nor here
		{[]span{of(0, 2), of(2, 5), of(5, 6), of(6, 7)}, []int{2, 1, 1}},
		{nil, nil},
	} {
		var got []int
		for _, g := range c.apart(k.kids) {
			got = append(got, len(g))
		}
		if !reflect.DeepEqual(got, k.groups) {
			t.Errorf("%v: groups of %v, want %v", k.kids, got, k.groups)
		}
	}
}
