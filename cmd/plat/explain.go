package main

import (
	"context"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/segment"
	"plat/storage/history"
)

func explainCommand(a *app.App) *cobra.Command {
	var depth int
	var only string
	var live bool
	cmd := &cobra.Command{
		Use:   "explain URL[@N|@TIME]|SNAPSHOT-FILE",
		Short: "Print how a page was divided, and why",
		Long: `explain prints how version N of a URL was divided, or the version that was the last one at a
TIME (2026-01-31, which is the end of that day, or 2026-01-31T12:00:00Z), or the last one: its blocks as a
tree, which rule made each a block, what it is labelled and why, how sure that is, and in brackets what the label does not say: what is
in a menu, or where a form is. So much is kept with a version. What the rules weighed, and why a node is no block, is known
while the page is before them only.

With --live it renders the page now, or it reads a stored snapshot, divides it, and prints for
every node that was looked at which rule decided and how. Nothing is stored. The flags of
rendering and cutting pages go with --live and snapshots.
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
a reader has a click or a touch away, and those that are hidden; with --live and of
snapshots also what opens and what hides them.

JSON of a version, one object a block: url, version, and the fields that show --json has
in tree. With --only text, one object a text: url, version, index (of its block in the tree; -1:
it is in no block), path (of the block), state (folded or hidden), text.

JSON of a page or snapshot, one object a decision: node, name, path (of elements, from the document),
depth, level, rule, block, kept, why, box. With --only text, one object a text: node,
path, state (folded or hidden), why, text, box.`,
		Example: `  plat explain https://example.com/
  plat explain https://example.com/@3 --only text
  plat explain https://example.com/ --live --only blocks
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
			if err := onlyLive(a, cmd, args, live); err != nil {
				return err
			}
			if isURL(args[0]) && !live {
				return explainVersion(cmd.Context(), a, args[0], depth, only == "text")
			}
			return explainPage(cmd.Context(), a, args[0], depth, only)
		},
	}
	cmd.Flags().IntVar(&depth, "depth", 0, "print nodes down to this depth of the DOM only (0: all)")
	cmd.Flags().StringVar(&only, "only", "all", "print blocks only, texts that are not shown, or all")
	cmd.Flags().BoolVar(&live, "live", false, "render the page now, instead of reading the archive")
	return cmd
}

// explainPage renders a page, or reads a snapshot, and prints how it is divided.
func explainPage(ctx context.Context, a *app.App, where string, depth int, only string) error {
	snap, err := snapshot(ctx, a, where)
	if err != nil {
		return err
	}
	cut, err := segment.Segment(snap, segment.Params{Profile: segment.Profile(a.Profile), Level: a.Level, Trace: true})
	if err != nil {
		return app.About(snap.URL, err)
	}
	if only == "text" {
		output.Unshown(a.Out, snap, cut, a.JSON)
		return nil
	}
	e := output.Explain(snap, cut, depth, only == "blocks")
	if a.JSON {
		e.JSON(a.Out)
	} else {
		e.Print(a.Out)
	}
	return nil
}

// explainVersion prints how a version was divided, or its hidden texts.
func explainVersion(ctx context.Context, a *app.App, where string, depth int, unshown bool) error {
	s, err := openOrLive(ctx, a)
	if err != nil {
		return err
	}
	defer s.Close()
	v, err := versionOrLive(ctx, a, s, where)
	if err != nil {
		return err
	}
	at := ref{url: v.URL, n: v.N}.String()
	if err := history.LoadAll(ctx, s, v.Blocks); err != nil {
		return app.About(at, err)
	}
	if !unshown {
		output.Divided(a.Out, v, depth, "plat explain "+v.URL+" --live", a.JSON)
		return nil
	}
	layout, err := s.Layout(ctx, v.Layout)
	if err != nil {
		return app.About(at, err)
	}
	output.UnshownOf(a.Out, v, &layout, "plat explain "+v.URL+" --live --only text", a.JSON)
	return nil
}
