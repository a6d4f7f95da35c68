package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/diff"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/uri"
)

func diffCommand(a *app.App) *cobra.Command {
	var full, all bool
	cmd := &cobra.Command{
		Use:   "diff URL[@N] [[@N] @M]",
		Short: "Print the changes between two versions",
		Long: `diff compares two versions of a URL block by block and prints the words that
changed. Without versions it compares the last two; with one, that one and the
version before it; with two, the first with the second. @0 is the last version.

Kinds of change: added, removed, content (other words), link (same words, links lead
or forms are sent elsewhere, or a frame has another page), image (another one), moved,
format (same words, other markup), hidden (words that no reader reaches), advertisement,
volatile (tokens that no reader sees). The title of the page, links, forms, frames, images, titles of elements, alternative texts and dates that are others
are printed, old → new. A change of what is a click or a touch away, in a closed menu or
behind a tab, is said to be folded.

What the page changes by itself, as visits have found, is counted but not printed: a
counter of views, a clock, a quote that is another each time. --all prints it, with
the reason. It is known of versions that follow each other.

JSON: url, old, new, old_taken, new_taken, differs, layout (how the layout changed), counts
(number by kind of those that are news), held_back (of the others), old_title and new_title
(of the page, if it is another), changes: kind, lineage, label, role, holds, topic, old and
new (index in the block tree, -1 for none), folded, old_text, new_text, words (op equal,
delete or insert; text; by_itself), attributes (tag, name, text, old, new), reasons,
by_itself (why it is no news); files (images and style sheets that are others: url, type,
old and new hash, old_bytes, new_bytes, blocks, by_itself).`,
		Example: `  plat diff https://example.com/
  plat diff https://example.com/@3 @7
  plat diff example.com @3 @7
  plat diff https://example.com/@3 --json | jq .counts`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			r, err := parseRef(a, args[0])
			if err != nil {
				return err
			}
			old, now := 0, r.n
			if len(args) == 3 { // URL @N @M
				if r.set {
					return app.Fail(app.ExitUsage, "that is three versions; write two, as in plat diff %s@1 @2", r.url)
				}
				if r.n, err = versionOf(a, r.url, args[1]); err != nil {
					return err
				}
			}
			if len(args) > 1 {
				old = r.n
				if now, err = versionOf(a, r.url, args[len(args)-1]); err != nil {
					return err
				}
			}
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error { return printDiff(ctx, a, s, r.url, old, now, len(args) > 1, full, all) })
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "print long texts whole")
	cmd.Flags().BoolVar(&all, "all", false, "print self-changes of the page too")
	return cmd
}

// versionOf reads @M, or M of the same URL as URL@M.
func versionOf(a *app.App, url, s string) (int, error) {
	if digits, ok := strings.CutPrefix(s, "@"); ok {
		return parseVersion(digits)
	}
	if r, err := parseRef(a, s); err == nil && r.set && r.url == url {
		return r.n, nil
	}
	return 0, app.Fail(app.ExitUsage, "%q: write the second version as @M, as in plat diff %s@1 @2", s, url)
}

// printDiff prints the changes from version old to version now of a URL; 0 is the
// last one, or where old is not given the one before now.
func printDiff(ctx context.Context, a *app.App, s storage.Store, url string, old, now int, given, full, all bool) error {
	after, err := load(ctx, s, url, now, nil)
	if err != nil {
		return err
	}
	if !given {
		if old = after.Previous(); old == 0 {
			which := "the first"
			if after.N > 1 {
				which = "the oldest that is kept"
			}
			return app.About(url, fmt.Errorf("version %d is %s; there is nothing before it to compare with", after.N, which))
		}
	}
	before, err := load(ctx, s, url, old, func(v *plat.Version) []plat.Hash { return diff.Needed(v.Blocks, after.Blocks) })
	if err != nil {
		return err
	}
	c, err := history.Compare(ctx, s, before, after)
	if err == nil && (all || a.JSON) {
		err = c.LoadHabits(ctx, s)
	}
	if err != nil {
		return app.About(url, err)
	}
	if a.JSON {
		a.Out.JSON(c.Info())
	} else {
		whole, others := "--full prints them", "--all prints it"
		if full {
			whole = ""
		}
		if all {
			others = ""
		}
		output.Comparison(a.Out, c, whole, others)
	}
	return nil
}
