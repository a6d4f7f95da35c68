package main

import (
	"context"
	"fmt"
	"strings"

	"plat/plat"
	"plat/segment"
)

// A page is stable if unchanged content keeps its identity: lines of text
// common to consecutive versions should be in blocks with the same hash, or at
// least of the same lineage.
type stable struct {
	hashes map[plat.Hash]bool
	lines  map[string][]int32 // of the text: the lineages of their blocks
}

// kept counts the characters of common lines, and how many of them are in
// identical blocks, and in known successors.
type kept struct{ Common, Same, Followed int64 }

// look records the text of the last version of a URL; it was cut from snap.
func look(ctx context.Context, b *bench, url string, snap *plat.Snapshot) (*stable, []plat.Block, error) {
	v, err := b.store.Version(ctx, url, 0)
	if err != nil {
		return nil, nil, err
	}
	c, err := segment.Segment(snap, segment.Params{Level: v.Level, Profile: segment.Profile(v.Profile), Adjust: v.Adjust})
	if err != nil {
		return nil, nil, err
	}
	if len(c.Blocks) != len(v.Blocks) {
		return nil, nil, fmt.Errorf("%s@%d: %d blocks stored, %d cut", url, v.N, len(v.Blocks), len(c.Blocks))
	}
	s := &stable{hashes: map[plat.Hash]bool{}, lines: map[string][]int32{}}
	for i := range c.Blocks {
		k := &c.Blocks[i]
		if !k.Leaf() {
			continue
		}
		k.Lineage = v.Blocks[i].Lineage
		s.hashes[k.Hash] = true
		for _, line := range strings.Split(k.Text, "\n") {
			s.lines[line] = append(s.lines[line], k.Lineage)
		}
	}
	return s, c.Blocks, nil
}

// hold compares the blocks of a version with the previous ones. It consumes s.
func (k *kept) hold(s *stable, blocks []plat.Block) {
	for i := range blocks {
		b := &blocks[i]
		if !b.Leaf() {
			continue
		}
		for _, line := range strings.Split(b.Text, "\n") {
			was := s.lines[line]
			if len(was) == 0 || line == "" {
				continue
			}
			at := 0
			for j, lineage := range was {
				if lineage == b.Lineage {
					at = j
					break
				}
			}
			n := int64(len([]rune(line)))
			k.Common += n
			if s.hashes[b.Hash] {
				k.Same += n
			}
			if was[at] == b.Lineage {
				k.Followed += n
			}
			was[at] = was[len(was)-1]
			s.lines[line] = was[:len(was)-1]
		}
	}
}
