package main

import (
	"slices"
	"strings"
	"unicode/utf16"

	"plat/plat"
)

// editedNode is a node of a snapshot that can be edited, with all that the snapshot has of it.
type editedNode struct {
	plat.Node
	nr     int32 // in the snapshot that was read, -1: of an added copy
	lines  []plat.Line
	extras []plat.Generated
	parent *editedNode
	kids   []*editedNode
}

// nodesOf returns the nodes of a snapshot as a tree.
func nodesOf(s *plat.Snapshot) *editedNode {
	all := make([]*editedNode, len(s.Nodes))
	for i := range s.Nodes {
		n := &editedNode{Node: s.Nodes[i], nr: int32(i)}
		all[i] = n
		if n.Parent >= 0 {
			n.parent = all[n.Parent]
			n.parent.kids = append(n.parent.kids, n)
		}
	}
	for _, l := range s.Lines {
		all[l.Node].lines = append(all[l.Node].lines, l)
	}
	for _, g := range s.Generated {
		all[g.Node].extras = append(all[g.Node].extras, g)
	}
	return all[0]
}

// flat returns a snapshot like s with the nodes of a tree.
func flat(root *editedNode, s *plat.Snapshot) *plat.Snapshot {
	c := *s
	c.Nodes, c.Lines, c.Generated = nil, nil, nil
	c.Height = max(c.Height, root.Box.H)
	var put func(n *editedNode, parent int32)
	put = func(n *editedNode, parent int32) {
		at := int32(len(c.Nodes))
		c.Nodes = append(c.Nodes, n.Node)
		for _, l := range n.lines {
			l.Node = at
			c.Lines = append(c.Lines, l)
		}
		for _, g := range n.extras {
			g.Node = at
			c.Generated = append(c.Generated, g)
		}
		for _, k := range n.kids {
			put(k, at)
		}
		c.Nodes[at].Parent, c.Nodes[at].End = parent, int32(len(c.Nodes))
	}
	put(root, -1)
	return &c
}

// all calls f for a node and those inside of it.
func (n *editedNode) all(f func(*editedNode)) {
	f(n)
	for _, k := range n.kids {
		k.all(f)
	}
}

// move shifts a node and those inside of it.
func (n *editedNode) move(dx, dy float32) {
	if dx == 0 && dy == 0 {
		return
	}
	n.all(func(n *editedNode) {
		n.Box.X, n.Box.Y = n.Box.X+dx, n.Box.Y+dy
		for i := range n.lines {
			n.lines[i].Box.X, n.lines[i].Box.Y = n.lines[i].Box.X+dx, n.lines[i].Box.Y+dy
		}
		for i := range n.extras {
			n.extras[i].Box.X, n.extras[i].Box.Y = n.extras[i].Box.X+dx, n.extras[i].Box.Y+dy
		}
	})
}

// copied returns a copy of a node and those inside of it. It leaves out lists if nested is false.
func (n *editedNode) copied(nested bool) *editedNode {
	c := *n
	c.nr, c.parent, c.kids = -1, nil, nil
	c.lines, c.extras, c.Attrs = slices.Clone(n.lines), slices.Clone(n.extras), slices.Clone(n.Attrs)
	for _, k := range n.kids {
		if nested || k.Name != "ul" && k.Name != "ol" && k.Name != "dl" {
			k = k.copied(nested)
			k.parent = &c
			c.kids = append(c.kids, k)
		}
	}
	return &c
}

// text returns the texts of a node that have lines, in one line.
func (n *editedNode) text() string {
	var b strings.Builder
	n.all(func(n *editedNode) {
		if n.Kind == plat.TextNode && len(n.lines) > 0 {
			b.WriteString(n.Value)
			b.WriteByte(' ')
		}
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// write replaces the value of a text, which then has one line.
func (n *editedNode) write(text string) {
	n.Value = text
	if len(n.lines) > 0 {
		n.lines = n.lines[:1]
		n.lines[0].Start, n.lines[0].Len = 0, int32(len(utf16.Encode([]rune(text))))
	}
}

// is reports whether a node is an element with one of the names.
func (n *editedNode) is(names ...string) bool {
	return n.Kind == plat.ElementNode && slices.Contains(names, n.Name)
}

// attr returns an attribute, or the empty string.
func (n *editedNode) attr(name string) string {
	v, _ := n.Attr(name)
	return v
}

// set changes an attribute that a node has.
func (n *editedNode) set(name, value string) {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			n.Attrs[i].Value = value
		}
	}
}
