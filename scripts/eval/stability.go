package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plat/plat"
	"plat/segment"
)

// stability measures how much unchanged content keeps its identity: of the
// lines of text common to two renderings of a page, the share in blocks with
// the same hash. scripts/histories measures the same over the versions of real
// pages.
func (e *eval) stability(ctx context.Context, marked []page) error {
	var names []string
	for _, p := range marked {
		names = append(names, p.name)
	}
	fmt.Printf("\n%-40s %7s %7s\n", "text that stays, in blocks that stay", "visual", "paper")
	for _, way := range []struct {
		name string
		rendering
	}{
		{"rendered again", rendering{set: "webseg", suffix: "-again", width: 1366}},
		{"rendered 1024 px wide", rendering{set: "webseg", suffix: "-1024", width: 1024}},
	} {
		again, err := e.load(ctx, way.rendering, names)
		if err != nil {
			return err
		}
		fmt.Printf("%-40s", way.name)
		for _, profile := range []segment.Profile{segment.Visual, segment.Paper} {
			var sum common
			for i := range marked {
				if err := sum.add(marked[i].snap, again[i].snap, profile); err != nil {
					return fmt.Errorf("%s: %w", marked[i].name, err)
				}
			}
			fmt.Printf(" %7.3f", sum.share())
		}
		fmt.Println()
	}
	fmt.Printf("%-40s", "one paragraph changed")
	for _, profile := range []segment.Profile{segment.Visual, segment.Paper} {
		var sum common
		for _, p := range marked {
			for _, s := range edits(p.snap) {
				if err := sum.add(p.snap, s, profile); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
			}
		}
		fmt.Printf(" %7.3f", sum.share())
	}
	fmt.Println()
	return nil
}

// common counts characters of lines common to two pages, and those in blocks
// whose hash both pages have.
type common struct{ all, same int }

func (c *common) share() float64 { return float64(c.same) / float64(max(1, c.all)) }

func (c *common) add(old, new *plat.Snapshot, profile segment.Profile) error {
	a, err := segment.Segment(old, segment.Params{Profile: profile})
	if err != nil {
		return err
	}
	b, err := segment.Segment(new, segment.Params{Profile: profile})
	if err != nil {
		return err
	}
	hashes, lines := map[plat.Hash]bool{}, map[string]int{}
	for i := range a.Blocks {
		hashes[a.Blocks[i].Hash] = true
		for _, line := range strings.Split(a.Blocks[i].Text, "\n") {
			lines[line]++
		}
	}
	for i := range b.Blocks {
		for _, line := range strings.Split(b.Blocks[i].Text, "\n") {
			if lines[line] == 0 {
				continue
			}
			lines[line]--
			n := len([]rune(line))
			c.all += n
			if hashes[b.Blocks[i].Hash] {
				c.same += n
			}
		}
	}
	return nil
}

// edits returns copies of a page, each with one of its three longest texts
// changed without changing its size on the page.
func edits(s *plat.Snapshot) []*plat.Snapshot {
	var texts []int
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.HasBox && !n.Box.Empty() {
			texts = append(texts, i)
		}
	}
	slices.SortStableFunc(texts, func(a, b int) int { return len(s.Nodes[b].Value) - len(s.Nodes[a].Value) })
	var out []*plat.Snapshot
	for _, i := range texts[:min(3, len(texts))] {
		c := *s
		c.Nodes = slices.Clone(s.Nodes)
		c.Nodes[i].Value += " (corrected)"
		out = append(out, &c)
	}
	return out
}
