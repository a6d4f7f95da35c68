package main

import (
	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/listing"
	"plat/segment"
	"plat/settings/flags"
)

func explainCommand(a *app.App) *cobra.Command {
	var depth int
	var only string
	cmd := &cobra.Command{
		Use:   "explain URL|SNAPSHOT-FILE",
		Short: "Print why each node of a page is a block or is not",
		Long: `explain renders a page, or reads a stored snapshot, divides it, and prints for
every node that was looked at which rule decided and how. Nothing is stored.
"separator" weighs what a reader sees between a node and the one before it: the
sum, and what spoke most for it; above 0 the two are apart. Rules 1 to 11 are those
of Song et al. 2008, section 2.1: all of --profile paper, and in the visual profile
what is cut further than separators do (level 3 on). "gathered" is content that no rule took, "overlay" a box that lies
over the page.

A node is looked at once for every level at which its surroundings are divided.
Nodes that nobody sees are not looked at.

A block that is all there is in the region around it is not kept: it would be the
same block again.

--only text prints the texts that are not shown instead: those that are folded, which
a reader has a click or a touch away, with what opens them, and those that are hidden,
with what hides them.

JSON, one object a decision: node, name, path (of elements, from the document),
depth, level, rule, block, kept, why, box. With --only text, one object a text: node,
path, state (folded or hidden), why, text, box.`,
		Example: `  plat explain https://example.com/ --only blocks
  plat explain https://example.com/ --only text
  plat explain page.snapshot --depth 6 --profile paper
  plat explain page.snapshot --json | jq 'select(.block)'`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming), "fixed", "screenshot", "resources", "meta-rules", "tabs"),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if only != "all" && only != "blocks" && only != "text" {
				return app.Fail(app.ExitUsage, "--only %q: write blocks, text or all", only)
			}
			if err := a.CheckCut(); err != nil {
				return err
			}
			snap, err := snapshot(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			cut, err := segment.Segment(snap, segment.Params{Profile: segment.Profile(a.Profile), Level: a.Level, Trace: true})
			if err != nil {
				return app.About(snap.URL, err)
			}
			if only == "text" {
				listing.Unshown(a.Out, snap, cut, a.JSON)
				return nil
			}
			e := listing.Explain(snap, cut, depth, only == "blocks")
			if a.JSON {
				e.JSON(a.Out)
			} else {
				e.Print(a.Out)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&depth, "depth", 0, "print nodes down to this depth of the DOM only (0: all)")
	cmd.Flags().StringVar(&only, "only", "all", "print blocks only, texts that are not shown, or all")
	return cmd
}
