package segment_test

import (
	"slices"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
)

// pathOf returns the path to a node, by its definition in [plat.Block].
func pathOf(s *plat.Snapshot, node int32) (path []int32) {
	for i := node; i > 0; i = s.Nodes[i].Parent {
		rank := int32(0)
		for k := s.Nodes[i].Parent + 1; k < i; k++ {
			if s.Nodes[k].Parent == s.Nodes[i].Parent && s.Nodes[k].Kind == plat.ElementNode {
				rank++
			}
		}
		if s.Nodes[i].Kind != plat.ElementNode {
			rank = ^rank
		}
		path = append(path, rank)
	}
	slices.Reverse(path)
	return path
}

// TestPathsLeadToTheFirstNodesOfBlocks, and blocks lie in their parents: on all stored pages, at each level.
func TestPathsLeadToTheFirstNodesOfBlocks(t *testing.T) {
	for _, name := range fixtures.Names() {
		s := fixtures.Snapshot(t, name)
		for level := 1; level <= 3; level++ {
			c, err := segment.Segment(s, segment.Params{Level: level})
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Blocks {
				b, span := &c.Blocks[i], c.Spans[i]
				if want := pathOf(s, span.First); !slices.Equal(b.Path, want) {
					t.Errorf("%s, level %d: block %d at node %d has the path %v, want %v", name, level, i, span.First, b.Path, want)
				}
				if i == 0 {
					if b.Parent != -1 || b.Slot != -1 && len(c.Blocks) > 1 || b.Level != 0 || b.Run != 1 || span.First != 0 || int(span.End) != len(s.Nodes) {
						t.Errorf("%s: the root is %+v of nodes %v", name, b, span)
					}
					continue
				}
				p := c.Spans[b.Parent]
				if int(b.Parent) >= i || b.Level != c.Blocks[b.Parent].Level+1 || c.Blocks[b.Parent].Leaf() || span.First < p.First || span.End > p.End {
					t.Errorf("%s, level %d: block %d (%v) is in block %d (%v)", name, level, i, span, b.Parent, p)
				}
				siblings := int32(0) // in its span
				for k := span.First; k < span.End; k++ {
					if s.Nodes[k].Parent == s.Nodes[span.First].Parent {
						siblings++
					}
				}
				if b.Run != siblings {
					t.Errorf("%s, level %d: block %d spans %d siblings, want %d", name, level, i, b.Run, siblings)
				}
			}
		}
	}
}
