package output

import (
	"fmt"
	"slices"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/segment"
	"plat/segment/markup"
	"plat/storage/history"
)

// Unshown prints the texts of a page that are not shown, and why.
func Unshown(s *terminal.Screen, snap *plat.Snapshot, cut *segment.Cut, asJSON bool) {
	paths := pathsOf(snap)
	count := map[markup.State]int{}
	for i := range int32(len(snap.Nodes)) {
		n := &snap.Nodes[i]
		text := strings.Join(strings.Fields(n.Value), " ")
		state, why := cut.State(i)
		if n.Kind != plat.TextNode || text == "" || state == markup.Shown || why == segment.NeverShown {
			continue
		}
		count[state]++
		if asJSON {
			j := struct {
				Node  int32        `json:"node"`
				Path  []int32      `json:"path"`
				State string       `json:"state"`
				Why   string       `json:"why"`
				Text  string       `json:"text"`
				Box   *history.Box `json:"box,omitempty"`
			}{Node: i, Path: paths(i), State: state.String(), Why: why.String(), Text: n.Value}
			if n.HasBox {
				b := history.Box(n.Box)
				j.Box = &b
			}
			s.JSON(j)
			continue
		}
		st := terminal.Faint
		if state == markup.Folded {
			st = terminal.Yellow
		}
		s.Print(s.Paint(st, state.String()) + fmt.Sprintf("  %s  %s  in %s", why, quoted(text, 60), s.Paint(terminal.Cyan, nodeName(&snap.Nodes[n.Parent]))))
	}
	if !asJSON {
		s.Print(s.Paint(terminal.Faint, fmt.Sprintf("%s folded, %s hidden", terminal.Counted(count[markup.Folded], "text"), terminal.Counted(count[markup.Hidden], "text"))))
	}
}

// Explanation is a page's decisions, those about one node together.
type Explanation struct {
	snap  *plat.Snapshot
	cut   *segment.Cut
	nodes []int32                   // decided on, in document order
	about map[int32][]plat.Decision // by node
	kept  map[int32]bool            // nodes at which a block of the tree begins
}

// Explain puts the decisions about a page together: down to a depth of the DOM (0: all),
// and if blocks is set only those that made a block of the tree.
func Explain(snap *plat.Snapshot, cut *segment.Cut, depth int, blocks bool) *Explanation {
	e := &Explanation{snap: snap, cut: cut, about: map[int32][]plat.Decision{}, kept: map[int32]bool{}}
	for _, span := range cut.Spans[1:] {
		e.kept[span.First] = true
	}
	for _, d := range cut.Trace {
		if depth > 0 && int(d.Depth) > depth || blocks && !e.isKept(&d) {
			continue
		}
		e.about[d.Node] = append(e.about[d.Node], d)
	}
	for i := range int32(len(snap.Nodes)) {
		if len(e.about[i]) > 0 {
			e.nodes = append(e.nodes, i)
		}
	}
	return e
}

// isKept reports whether a decision made a block that is in the tree.
func (e *Explanation) isKept(d *plat.Decision) bool { return d.Block && e.kept[d.Node] }

// Print prints the decisions as a tree of nodes.
func (e *Explanation) Print(s *terminal.Screen) {
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(e.snap.URL)) + fmt.Sprintf("  %s, coverage %.3f", terminal.Counted(e.blocks(), "block"), e.cut.Coverage))
	// Each node hangs below the nearest one above it that is printed too.
	parent := make([]int32, len(e.nodes))
	var open []int32 // indexes into nodes
	for i, n := range e.nodes {
		for len(open) > 0 && e.snap.Nodes[e.nodes[open[len(open)-1]]].End <= n {
			open = open[:len(open)-1]
		}
		parent[i] = -1
		if len(open) > 0 {
			parent[i] = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	lines := terminal.Branches(parent)
	for i, n := range e.nodes {
		name := s.Paint(terminal.Cyan, nodeName(&e.snap.Nodes[n]))
		box := ""
		if e.snap.Nodes[n].HasBox {
			box = "  " + s.Paint(terminal.Faint, e.snap.Nodes[n].Box.String())
		}
		if ds := e.about[n]; len(ds) == 1 {
			s.Print(lines[i] + name + box + "  " + e.verdict(s, &ds[0]))
			continue
		}
		s.Print(lines[i] + name + box)
		more := len(e.nodes) > i+1 && parent[i+1] == int32(i)
		below := strings.NewReplacer("├─", "│ ", "└─", "  ").Replace(lines[i])
		if more {
			below += "│  "
		} else {
			below += "   "
		}
		for k := range e.about[n] {
			s.Print(below + e.verdict(s, &e.about[n][k]))
		}
	}
	visible := 0
	for _, v := range e.cut.Visible() {
		if v {
			visible++
		}
	}
	s.Print(s.Paint(terminal.Faint, fmt.Sprintf("%s, %s hidden", terminal.Counted(len(e.snap.Nodes), "node"), terminal.Count(int64(len(e.snap.Nodes)-visible)))))
}

func (e *Explanation) blocks() int {
	n := 0
	for i := range e.cut.Blocks {
		if e.cut.Blocks[i].Leaf() {
			n++
		}
	}
	return n
}

// verdict is a decision in words.
func (e *Explanation) verdict(s *terminal.Screen, d *plat.Decision) string {
	word, st := "no block", terminal.Faint
	switch {
	case e.isKept(d):
		word, st = "BLOCK", terminal.Green
	case d.Block:
		word, st = "block, not kept", terminal.Yellow
	}
	return s.Paint(st, word) + fmt.Sprintf(", level %d, %s: %s", d.Level, d.Rule.String(), excerpt.Printable(d.Why))
}

// nodeName is a node as a selector would name it.
func nodeName(n *plat.Node) string {
	switch n.Kind {
	case plat.TextNode:
		return "text " + quoted(strings.Join(strings.Fields(n.Value), " "), 30)
	case plat.ElementNode:
	default:
		return "#" + excerpt.Printable(n.Name+n.Value)
	}
	name := n.Name
	if id, ok := n.Attr("id"); ok && id != "" {
		name += "#" + id
	}
	if class, ok := n.Attr("class"); ok {
		for i, c := range strings.Fields(class) {
			if i == 3 {
				name += "…"
				break
			}
			name += "." + c
		}
	}
	return terminal.Shorten(excerpt.Printable(name), 60)
}

// JSON prints one object a decision.
func (e *Explanation) JSON(s *terminal.Screen) {
	type decision struct {
		Node  int32        `json:"node"`
		Name  string       `json:"name"`
		Path  []int32      `json:"path"`
		Depth int32        `json:"depth"`
		Level int32        `json:"level"`
		Rule  plat.Rule    `json:"rule"`
		Block bool         `json:"block"`
		Kept  bool         `json:"kept"`
		Why   string       `json:"why"`
		Box   *history.Box `json:"box,omitempty"`
	}
	paths := pathsOf(e.snap)
	for _, n := range e.nodes {
		for _, d := range e.about[n] {
			j := decision{Node: n, Name: nodeName(&e.snap.Nodes[n]), Path: paths(n), Depth: d.Depth, Level: d.Level, Rule: d.Rule, Block: d.Block, Kept: e.isKept(&d), Why: d.Why}
			if e.snap.Nodes[n].HasBox {
				b := history.Box(e.snap.Nodes[n].Box)
				j.Box = &b
			}
			s.JSON(j)
		}
	}
}

// pathsOf returns the function that gives a node's path as [plat.Block.Path] has
// it: the ranks among element children from the document down.
func pathsOf(s *plat.Snapshot) func(int32) []int32 {
	rank := make([]int32, len(s.Nodes))
	next := make([]int32, len(s.Nodes)) // elements met so far among each node's children
	for i := 1; i < len(s.Nodes); i++ {
		p := s.Nodes[i].Parent
		rank[i] = next[p]
		if s.Nodes[i].Kind == plat.ElementNode {
			next[p]++
		}
	}
	return func(i int32) []int32 {
		path := []int32{}
		for ; i > 0; i = s.Nodes[i].Parent {
			path = append(path, rank[i])
		}
		slices.Reverse(path)
		return path
	}
}
