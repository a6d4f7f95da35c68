package segment_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/markup"
)

var update = flag.Bool("update", false, "rewrite the golden trees")

// tree prints a block tree: one block a line, indented by level, with its id
// where its first element has one.
func tree(s *plat.Snapshot, c *segment.Cut) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#page %.0f×%.0f, coverage %.3f\n", s.Width, s.Height, c.Coverage)
	for i := range c.Blocks {
		k := &c.Blocks[i]
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", int(k.Level)), k.Tag)
		if id := blockID(s, c.Spans[i]); id != "" {
			fmt.Fprintf(&b, "#%s", id)
		}
		if k.Run > 1 {
			fmt.Fprintf(&b, "+%d", k.Run-1)
		}
		fmt.Fprintf(&b, " %v rule %d", k.Box, k.Rule)
		if k.Leaf() {
			text := strings.ReplaceAll(k.Text, "\n", " | ")
			if r := []rune(text); len(r) > 60 {
				text = string(r[:59]) + "…"
			}
			fmt.Fprintf(&b, " slot %d.%d %q", k.Slot, k.Pos, text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func blockID(s *plat.Snapshot, at plat.Span) string {
	for i := at.First; i < at.End; i = s.Nodes[i].End {
		if id, ok := s.Nodes[i].Attr("id"); ok {
			return id
		}
		if s.Nodes[i].Kind == plat.ElementNode {
			break
		}
	}
	return ""
}

func TestTreesAreTheGoldenOnes(t *testing.T) {
	for _, name := range fixtures.Names() {
		for _, profile := range []segment.Profile{segment.Visual, segment.Paper} {
			s := fixtures.Snapshot(t, name)
			c, err := segment.Segment(s, segment.Params{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", fmt.Sprintf("%s.%s.txt", name, profile))
			got := tree(s, c)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; go test ./segment -update writes it", err)
			}
			if got != string(want) {
				t.Errorf("%s: the tree has changed; look at it, then go test ./segment -update\ngot\n%s\nwant\n%s", file, got, want)
			}
		}
	}
}

// The paper's figures 3, 6 and 7: the blocks of each level on its example page.
func TestTheExampleOfThePaperIsCutAsPrinted(t *testing.T) {
	for level, want := range []string{
		1: "T1 T2 C B1 B2",
		2: "T1 T2 [CL CC CR] B1 B2",
		3: "T1 T2 [CL [CC1 CC2 CC3 CC4 CC5 CC6] [CR1 CR2]] B1 B2",
	} {
		if level == 0 {
			continue
		}
		s := fixtures.Snapshot(t, "paper-1")
		c, err := segment.Segment(s, segment.Params{Profile: segment.Paper, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		var print func(parent int32) string
		print = func(parent int32) string {
			var parts []string
			for i := range c.Blocks {
				if c.Blocks[i].Parent != parent {
					continue
				}
				if c.Blocks[i].Leaf() {
					parts = append(parts, blockID(s, c.Spans[i]))
				} else {
					parts = append(parts, "["+print(int32(i))+"]")
				}
			}
			return strings.Join(parts, " ")
		}
		if got := print(0); got != want {
			t.Errorf("level %d: %s, want %s", level, got, want)
		}
	}
}

// Section 2.4: "the second visit need only store the 5 blocks CC2 to CC6".
func TestTheSecondVisitOfTheExampleBringsTheFiveBlocksOfThePaper(t *testing.T) {
	known := map[plat.Hash]bool{}
	var layout plat.Hash
	for v := 1; v <= fixtures.Versions; v++ {
		s := fixtures.Snapshot(t, fmt.Sprintf("paper-%d", v))
		c, err := segment.Segment(s, segment.Params{Profile: segment.Paper})
		if err != nil {
			t.Fatal(err)
		}
		var fresh []string
		for i := range c.Blocks {
			if b := &c.Blocks[i]; b.Leaf() && !known[b.Hash] {
				known[b.Hash] = true
				fresh = append(fresh, blockID(s, c.Spans[i]))
			}
		}
		if v == 1 {
			layout = c.Layout.Sum()
			continue
		}
		if got, want := strings.Join(fresh, " "), "CC2 CC3 CC4 CC5 CC6"; got != want {
			t.Errorf("new blocks %q, want %q", got, want)
		}
		if c.Layout.Sum() != layout {
			t.Error("the layout has changed")
		}
	}
}

func TestFixturesAreRestoredAndCovered(t *testing.T) {
	for _, name := range fixtures.Names() {
		s := fixtures.Snapshot(t, name)
		for _, profile := range []segment.Profile{segment.Visual, segment.Paper} {
			for level := 1; level <= 6; level++ {
				c, err := segment.Segment(s, segment.Params{Profile: profile, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				got, err := markup.Restore(&c.Layout, c.Blocks)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != string(markup.Serialize(s)) {
					t.Errorf("%s, %s, level %d: restored to other bytes", name, profile, level)
				}
				if c.Coverage < 0.99 {
					t.Errorf("%s, %s, level %d: coverage %.4f", name, profile, level, c.Coverage)
				}
			}
		}
	}
}
