package output

import (
	"fmt"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/segment/markup"
	"plat/storage/history"
)

// Divided prints how a version was divided, down to a depth of the DOM (0: all): of each block
// the rule that made it a block, and the evidence for its label. more is a hint how to print
// details that are not stored.
func Divided(s *terminal.Screen, v *plat.Version, depth int, more string, asJSON bool) {
	shown := make([]int32, len(v.Blocks)) // line of each block; -1: it is not shown
	var parents []int32
	var all []int
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if shown[i] = -1; depth > 0 && len(b.Path) > depth {
			continue
		}
		up := int32(-1)
		if b.Parent >= 0 {
			up = shown[b.Parent]
		}
		shown[i] = int32(len(parents))
		parents, all = append(parents, up), append(all, i)
	}
	if asJSON {
		tree := history.TreeOf(v, false)
		for _, i := range all {
			s.JSON(struct {
				URL     string `json:"url"`
				Version int    `json:"version"`
				history.Node
			}{v.URL, v.N, tree[i]})
		}
		return
	}
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(v.URL)) + fmt.Sprintf("  version %d, %s UTC", v.N, terminal.Clock(v.Taken)))
	s.Print(s.Paint(terminal.Faint, fmt.Sprintf("%s, coverage %.3f, profile %s, level %d", terminal.Counted(history.Leaves(v), "block"), v.Coverage, excerpt.Printable(v.Profile), v.Level)))
	for _, a := range v.Adjust {
		s.Print(s.Paint(terminal.Faint, adjusted(&a)))
	}
	lines := terminal.Branches(parents)
	for k, i := range all {
		s.Print(lines[k] + divided(s, &v.Blocks[i]))
	}
	s.Print(s.Paint(terminal.Faint, "The evidence of the rules, and why other nodes are not blocks, is not archived: "+excerpt.Printable(more)+" prints it for the present page."))
}

// adjusted is a deviation from the level that the page's history has taught.
func adjusted(a *plat.Adjust) string {
	path := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(a.Path)), " "), "[]")
	if a.Split {
		return "one level finer at " + path + ": parts of that block change apart from each other"
	}
	return "whole at " + path + ": what is in that block changes together"
}

// divided is a block and how it came to be, in one line.
func divided(s *terminal.Screen, b *plat.Block) string {
	line := s.Paint(terminal.Cyan, excerpt.Printable(b.Tag)) + "  " + s.Paint(terminal.Faint, b.Box.String()) + "  "
	if b.Parent < 0 {
		return line + b.Rule.String()
	}
	word := s.Paint(terminal.Yellow, "divided further")
	if b.Leaf() {
		word = s.Paint(terminal.Green, "BLOCK") + fmt.Sprintf(" #%d", b.Lineage)
	}
	line += word + fmt.Sprintf(", level %d, %s", b.Level, b.Rule.String())
	if b.Run > 1 {
		line += fmt.Sprintf(" from %s", terminal.Counted(b.Run, "node"))
	}
	if b.Label != "" {
		line += "; " + s.Paint(terminal.Bold, excerpt.Printable(string(b.Label)))
		if beside := b.Beside(); beside != "" {
			line += " (" + excerpt.Printable(beside) + ")"
		}
		line += fmt.Sprintf(" %.2f", b.Confidence)
		if b.Explanation != "" {
			line += ": " + excerpt.Printable(b.Explanation)
		}
	}
	return line
}

// UnshownOf prints the texts of a version that are not shown: in its blocks, and in its layout,
// where no block holds them.
func UnshownOf(s *terminal.Screen, v *plat.Version, layout *plat.Layout, more string, asJSON bool) {
	count := map[markup.State]int{}
	print := func(index int, b *plat.Block, state markup.State, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" {
				continue
			}
			count[state]++
			if asJSON {
				s.JSON(struct {
					URL     string  `json:"url"`
					Version int     `json:"version"`
					Index   int     `json:"index"`
					Path    []int32 `json:"path"`
					State   string  `json:"state"`
					Text    string  `json:"text"`
				}{v.URL, v.N, index, append([]int32{}, b.Path...), state.String(), line})
				continue
			}
			st, where := terminal.Faint, "in no block"
			if state == markup.Folded {
				st = terminal.Yellow
			}
			if index >= 0 {
				where = fmt.Sprintf("in %s #%d", s.Paint(terminal.Cyan, excerpt.Printable(b.Tag)), b.Lineage)
			}
			s.Print(s.Paint(st, state.String()) + fmt.Sprintf("  %s  %s", quoted(line, 60), where))
		}
	}
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() {
			folded, hidden := markup.Unshown(b.Content, b.Hidden, b.Folded)
			print(i, b, markup.Folded, folded)
			print(i, b, markup.Hidden, hidden)
		}
	}
	print(-1, &plat.Block{}, markup.Hidden, markup.LayoutText(layout.HTML))
	if !asJSON {
		s.Print(s.Paint(terminal.Faint, fmt.Sprintf("%s folded, %s hidden; the reasons are not archived: %s prints them for the present page",
			terminal.Counted(count[markup.Folded], "text"), terminal.Counted(count[markup.Hidden], "text"), excerpt.Printable(more))))
	}
}
