package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
)

// Hints names settings and commands in the notes on a version.
type Hints struct {
	MaxNodes string // the setting of how many nodes a page may have
	Unshown  string // the command that prints the texts that are not shown; empty: no command does
}

// Version prints a version: its metadata, and its blocks as a tree, with their texts if texts is
// set. kept is the summary of its resources, or nil.
func Version(s *terminal.Screen, v *plat.Version, kept *history.ResourcesInfo, texts bool, h Hints) {
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(v.URL)) + fmt.Sprintf("  version %d, %s UTC", v.N, terminal.Clock(v.Taken)))
	if v.Capture.Title != "" {
		s.Print(excerpt.Printable(v.Capture.Title))
	}
	s.Print(s.Paint(terminal.Faint, fmt.Sprintf("%s, level %d, profile %s, coverage %.3f, %s", terminal.Counted(history.Leaves(v), "block"), v.Level, v.Profile, v.Coverage, terminal.Size(v.Capture.PageBytes))))
	warnings(s, v.Capture.Coarse, v.Coverage, h)
	if kept != nil {
		line := fmt.Sprintf("%s, %s", terminal.Counted(kept.Kept, "resource"), terminal.Size(kept.Bytes))
		if kept.LeftOut > 0 {
			line += fmt.Sprintf("; %s left out", terminal.Count(int64(kept.LeftOut)))
		}
		s.Print(s.Paint(terminal.Faint, line))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Meta)) {
		s.Print(s.Paint(terminal.Faint, excerpt.Printable(name)+": "+excerpt.Printable(v.Meta[name])))
	}
	blockTree(s, v.Blocks, texts)
}

// blockTree prints blocks as a tree, with their texts if texts is set.
func blockTree(s *terminal.Screen, blocks []plat.Block, texts bool) {
	parent := make([]int32, len(blocks))
	for i := range blocks {
		parent[i] = blocks[i].Parent
	}
	lines := terminal.Branches(parent)
	for i := range blocks {
		b := &blocks[i]
		s.Print(lines[i] + Block(s, b))
		if texts && b.Text != "" {
			// If more branches follow, their line continues beside the text.
			below := strings.NewReplacer("├─", "│ ", "└─", "  ").Replace(lines[i]) + "    "
			for _, l := range terminal.Indent(b.Text, below) {
				s.Print(l)
			}
		}
	}
}

// warnings prints what the blocks of a page lack. coarse is the number of its nodes if they were too many, else 0.
func warnings(s *terminal.Screen, coarse int64, coverage float64, h Hints) {
	if coarse > 0 {
		s.Print(s.Paint(terminal.Yellow, fmt.Sprintf("the page had %s nodes, more than %s: its small parts are kept as plain text", terminal.Count(coarse), h.MaxNodes)))
	}
	if coverage < plat.LowCoverage {
		line := fmt.Sprintf("%.0f %% of the text that the browser laid out is in no block: it counts as hidden", 100*(1-coverage))
		if h.Unshown != "" {
			line += "; see " + excerpt.Printable(h.Unshown)
		}
		s.Print(s.Paint(terminal.Yellow, line))
	}
}

// VersionJSON prints a version with its blocks as JSON.
func VersionJSON(s *terminal.Screen, v *plat.Version, kept *history.ResourcesInfo, texts bool) {
	i := history.VersionOf(v)
	i.Resources = kept
	s.JSON(struct {
		history.VersionInfo
		Tree []history.Node `json:"tree"`
	}{i, history.TreeOf(v, texts)})
}

// Restored prints the JSON of a version that was restored to a file.
func Restored(s *terminal.Screen, url string, n int, file string, page []byte) {
	s.JSON(struct {
		URL     string `json:"url"`
		Version int    `json:"version"`
		File    string `json:"file"`
		Bytes   int    `json:"bytes"`
		SHA256  string `json:"sha256"`
	}{url, n, file, len(page), plat.HashOf(page).String()})
}

// Block is a block in one line.
func Block(s *terminal.Screen, b *plat.Block) string {
	parts := []string{s.Paint(terminal.Cyan, excerpt.Printable(b.Tag))}
	if b.Label != "" {
		parts = append(parts, s.Paint(terminal.Bold, string(b.Label)))
	}
	if b.Topic != "" {
		parts = append(parts, quoted(b.Topic, 60))
	}
	tail := b.Box.String() + ", " + b.Rule.String()
	if b.Leaf() {
		tail += fmt.Sprintf(", #%d, %s, %s", b.Lineage, terminal.Counted(b.TextLen, "character"), terminal.Size(int64(len(b.Content))))
	}
	return strings.Join(append(parts, s.Paint(terminal.Faint, tail)), "  ")
}

func quoted(s string, n int) string { return "“" + terminal.Shorten(excerpt.Printable(s), n) + "”" }
