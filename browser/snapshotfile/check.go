package snapshotfile

import (
	"errors"
	"fmt"

	"plat/plat"
)

// checkTree reports the first index of s that points nowhere.
func checkTree(s *plat.Snapshot) error {
	n := int32(len(s.Nodes))
	for i := range s.Nodes {
		v, at := &s.Nodes[i], int32(i)
		switch {
		case at == 0 && v.Kind != plat.DocumentNode:
			return errors.New("node 0 is not a document")
		case at == 0 && v.Parent != -1, at > 0 && (v.Parent < 0 || v.Parent >= at):
			return fmt.Errorf("node %d has parent %d", i, v.Parent)
		case v.End <= at || v.End > n, at > 0 && v.End > s.Nodes[v.Parent].End:
			return fmt.Errorf("node %d ends at %d", i, v.End)
		case at > 0 && v.Parent != at-1 && !endsAt(s, at-1, at, v.Parent):
			return fmt.Errorf("node %d does not follow its sibling", i)
		case v.HasBox && (v.Style < 0 || int(v.Style) >= len(s.Styles)):
			return fmt.Errorf("node %d has style %d of %d", i, v.Style, len(s.Styles))
		case v.Kind > plat.TemplateNode:
			return fmt.Errorf("node %d has kind %d", i, v.Kind)
		}
	}
	last := int32(0)
	for i := range s.Generated {
		g := &s.Generated[i]
		if g.Node < last || g.Node >= n || s.Nodes[g.Node].Kind != plat.ElementNode {
			return fmt.Errorf("generated content %d is of node %d", i, g.Node)
		}
		if g.Style < 0 || int(g.Style) >= len(s.Styles) {
			return fmt.Errorf("generated content %d has style %d of %d", i, g.Style, len(s.Styles))
		}
		last = g.Node
	}
	last = -1
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Node < 0 || l.Node >= n || l.Node < last || s.Nodes[l.Node].Kind != plat.TextNode {
			return fmt.Errorf("line %d belongs to node %d", i, l.Node)
		} else {
			last = l.Node
		}
	}
	return nil
}

// endsAt reports whether all subtrees between node i and parent end at end.
func endsAt(s *plat.Snapshot, i, end, parent int32) bool {
	for i != parent && i >= 0 {
		if s.Nodes[i].End != end {
			return false
		}
		i = s.Nodes[i].Parent
	}
	return i == parent
}
