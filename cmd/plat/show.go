package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plat"
	"plat/draw"
	"plat/excerpt"
	"plat/history"
	"plat/storage"
	"plat/term"
)

func (a *app) showCommand() *cobra.Command {
	var texts bool
	var picture, by string
	cmd := &cobra.Command{
		Use:   "show URL[@N]",
		Short: "Print the blocks of a version as a tree",
		Long: `show prints the block tree of version N of a URL, or (also for N = 0) of the last one: what each
block is labelled, what it is about, where it stands on the page, which rule made
it a block, and for leaves their number in the URL's history (lineage) and their
size. With --picture the blocks are drawn as well, in the page's CSS px: over the picture that
archive --screenshot keeps, or as an outline where there is none.

JSON: ` + versionJSON + `,
and tree: for every block index, parent, level, path, run, rule, tag, box (x, y, w, h in CSS px),
leaf, hash, lineage, label, confidence, because, topic, chars, link_share,
image_share, background, color, font_size, bytes, and text with --text.`,
		Example: `  plat show https://example.com/
  plat show https://example.com/@3 --text
  plat show https://example.com/ --picture blocks.png --by age
  plat show https://example.com/@3 --json | jq '.tree[] | select(.label == "main") | .topic'`,
		Annotations: heeds(naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			r, err := a.parseRef(args[0])
			if err != nil {
				return err
			}
			if picture != "" {
				if err := checkPicture(picture, by); err != nil {
					return err
				}
			}
			return a.withStore(ctx, reads, func(s storage.Store) error {
				v, err := load(ctx, s, r.url, r.n, nil)
				if err != nil {
					return err
				}
				kept, err := history.ResourcesOf(ctx, s, v)
				if err != nil {
					return about(r.String(), err)
				}
				if picture != "" {
					if err := writePicture(ctx, s, v, picture, by); err != nil {
						return about(r.String(), err)
					}
				}
				if a.JSON {
					a.showJSON(v, kept, texts)
				} else {
					a.showTree(v, kept, texts)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&texts, "text", false, "print the text of the blocks")
	cmd.Flags().StringVar(&picture, "picture", "", "draw the blocks to `FILE`, .png or .svg")
	cmd.Flags().StringVar(&by, "by", draw.Ways[0], "what colours of the picture say: "+strings.Join(draw.Ways, ", "))
	return cmd
}

func (a *app) showJSON(v *plat.Version, kept *history.ResourcesInfo, texts bool) {
	i := history.VersionOf(v)
	i.Resources = kept
	a.out.JSON(struct {
		history.VersionInfo
		Tree []history.Node `json:"tree"`
	}{i, history.TreeOf(v, texts)})
}

func (a *app) showTree(v *plat.Version, kept *history.ResourcesInfo, texts bool) {
	a.out.Print(a.out.Paint(term.Bold, excerpt.Printable(v.URL)) + fmt.Sprintf("  version %d, %s UTC", v.N, term.Clock(v.Taken)))
	if v.Capture.Title != "" {
		a.out.Print(excerpt.Printable(v.Capture.Title))
	}
	a.out.Print(a.out.Paint(term.Faint, fmt.Sprintf("%s, level %d, profile %s, coverage %.3f, %s", term.Counted(history.Leaves(v), "block"), v.Level, v.Profile, v.Coverage, term.Size(v.Capture.PageBytes))))
	if v.Capture.Coarse > 0 {
		a.out.Print(a.out.Paint(term.Yellow, fmt.Sprintf("the page had %s nodes, more than --max-nodes: its small parts are kept as plain text", term.Count(v.Capture.Coarse))))
	}
	if v.Coverage < plat.LowCoverage {
		a.out.Print(a.out.Paint(term.Yellow, fmt.Sprintf("%.0f %% of the text that the browser laid out is in no block: it is taken for hidden; see plat explain %s --only text", 100*(1-v.Coverage), excerpt.Printable(v.URL))))
	}
	if kept != nil {
		line := fmt.Sprintf("%s, %s", term.Counted(kept.Kept, "resource"), term.Size(kept.Bytes))
		if kept.LeftOut > 0 {
			line += fmt.Sprintf("; %s left out", term.Count(int64(kept.LeftOut)))
		}
		a.out.Print(a.out.Paint(term.Faint, line))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Meta)) {
		a.out.Print(a.out.Paint(term.Faint, excerpt.Printable(name)+": "+excerpt.Printable(v.Meta[name])))
	}
	parent := make([]int32, len(v.Blocks))
	for i := range v.Blocks {
		parent[i] = v.Blocks[i].Parent
	}
	lines := term.Branches(parent)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		a.out.Print(lines[i] + blockLine(a.out, b))
		if texts && b.Text != "" {
			// Beneath a branch that goes on, its line does too.
			below := strings.NewReplacer("├─", "│ ", "└─", "  ").Replace(lines[i]) + "    "
			for _, l := range term.Indent(b.Text, below) {
				a.out.Print(l)
			}
		}
	}
}

// blockLine is a block in one line.
func blockLine(s *term.Screen, b *plat.Block) string {
	parts := []string{s.Paint(term.Cyan, excerpt.Printable(b.Tag))}
	if b.Label != "" {
		parts = append(parts, s.Paint(term.Bold, string(b.Label)))
	}
	if b.Topic != "" {
		parts = append(parts, quoted(b.Topic, 60))
	}
	tail := b.Box.String() + ", " + b.Rule.String()
	if b.Leaf() {
		tail += fmt.Sprintf(", #%d, %s, %s", b.Lineage, term.Counted(b.TextLen, "character"), term.Size(int64(len(b.Content))))
	}
	return strings.Join(append(parts, s.Paint(term.Faint, tail)), "  ")
}

func quoted(s string, n int) string { return "“" + term.Shorten(excerpt.Printable(s), n) + "”" }
