package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/terminal"
	"plat/export/tables"
	"plat/plat"
	"plat/plat/nearest"
	"plat/storage"
	"plat/storage/uri"
)

func blocksCommand(a *app.App) *cobra.Command {
	b := &blockSearch{App: a}
	cmd := &cobra.Command{
		Use:   "blocks",
		Short: "Find blocks, and their changes, by site, label, topic and time",
		Long: `blocks prints the blocks that answer all conditions given, each content once,
in the version where it first appeared; latest first within a URL. --first=false leaves
out those of first versions, whose only news is that the page was archived.

With --changed it prints changes instead: blocks that were added, changed or removed,
each with the version that has the change. --text prints the texts before and after. --label and
--topic are of the block, of a removed one as it was; --kind is the kind of change. First versions are
left out, unless --first is given. Changes that readers do not see (moved, hidden, volatile,
advertisement) are counted; --kind or --all prints them.

A site is a host (with its port, if not the usual), or the beginning of a URL. A
topic is found if all of its words are in the block's; Chinese goes by character.

With --since or --changed, contents that a page has brought by itself are left out, and
counted: a counter that has counted on, a quote that is another each time. --all prints
them. Times are dates (2026-01-31), instants (2026-01-31T12:00:00Z) or ages (36h, 7d).

` + app.RowsHelp + `

JSON, one object a block: url, version, taken, and the fields that show --json has
in tree, with text if --text is given, and by_itself: why it is no news. With --changed
also change, and of the version before old_version, old_taken, old_hash and old_text. With
-o: file, format, rows.`,
		Example: `  plat blocks --site example.com --label main --since 7d
  plat blocks --changed --since 7d --label content --text
  plat blocks --changed --kind removed --since 30d -o removed.parquet
  plat blocks --topic "climate report" --head --text
  plat blocks --site https://example.com/news/ --limit 20 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.check(cmd); err != nil {
				return err
			}
			return a.WithStore(cmd.Context(), uri.Reads, func(s storage.Store) error { return b.run(cmd.Context(), s) })
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&b.site, "site", "", "`HOST`, or beginning of a URL")
	f.StringVar(&b.label, "label", "", labelHelp)
	f.StringVar(&b.q.Topic, "topic", "", "words of its topic")
	f.StringVar(&b.since, "since", "", "first seen, or changed, at this `TIME` or later")
	f.StringVar(&b.until, "until", "", "first seen, or changed, before this `TIME`")
	f.BoolVar(&b.q.Head, "head", false, "only blocks of the last versions")
	f.BoolVar(&b.q.Changes, "changed", false, "changes of blocks, removals too, instead of new contents")
	f.StringSliceVar(&b.kinds, "kind", nil, "only these `KINDS` of change: added, removed, content, link, image, format, …")
	f.BoolVar(&b.first, "first", true, "blocks of first versions too; with --changed, only if given")
	f.IntVar(&b.q.Limit, "limit", 0, "at most so many (0: all)")
	f.BoolVar(&b.found.Texts, "text", false, "print the text of the blocks")
	f.BoolVar(&b.found.All, "all", false, "print what pages bring by themselves, and changes that readers do not see, too")
	b.rows.Add(f)
	return cmd
}

// blockSearch is a call of plat blocks.
type blockSearch struct {
	*app.App
	q                         storage.BlockQuery
	found                     output.Found
	rows                      app.RowFlags
	site, label, since, until string
	kinds                     []string
	first                     bool
}

// check reads flags, and refuses those that do not go together.
func (b *blockSearch) check(cmd *cobra.Command) (err error) {
	if err := b.rows.Check(b.App); err != nil {
		return err
	}
	if b.q.Since, b.q.Until, err = period(b.since, b.until, time.Now()); err != nil {
		return err
	}
	switch {
	case b.q.Limit < 0:
		return app.Fail(app.ExitUsage, "--limit %d: write 0 for all, or more", b.q.Limit)
	case b.q.Head && b.q.Changes:
		return app.Fail(app.ExitUsage, "--head and --changed exclude each other; leave out one of them")
	case len(b.kinds) > 0 && !b.q.Changes:
		return app.Fail(app.ExitUsage, "--kind is of changes; add --changed")
	}
	if b.q.Labels, err = labelsOf(b.label); err != nil {
		return err
	}
	all := append(slices.Clone(plat.Kinds), storage.First, storage.Unrecorded)
	for _, s := range b.kinds {
		k := plat.Kind(s)
		if !slices.Contains(all, k) {
			return app.Fail(app.ExitUsage, "--kind %q: there is no such kind of change%s; there are %s", s, nearest.Question(s, "", all), output.Names(all))
		}
		b.found.Kinds = append(b.found.Kinds, k)
	}
	asked := cmd.Flags().Changed("first") || slices.Contains(b.found.Kinds, storage.First)
	b.q.SkipFirst = !b.first || b.q.Changes && !asked
	b.q.Host, b.q.URL = storage.Site(b.site)
	return nil
}

func (b *blockSearch) run(ctx context.Context, s storage.Store) error {
	b.found.JSON = b.JSON
	if !b.rows.Columns() {
		return output.Blocks(ctx, b.Out, s, b.q, b.found)
	}
	held := 0
	err := app.WriteRows(b.App, &b.rows, &tables.Blocks, func(write func(*tables.Block) error) (err error) {
		held, err = output.EachFound(ctx, s, b.q, b.found, write)
		return err
	})
	if err == nil && b.rows.File != "" && !b.JSON {
		output.HeldBack(b.Out, held, b.q.Changes)
	}
	return err
}

const labelHelp = "`KINDS` of block: main, navigation, list, … or content: main, heading, list, table, media, comments"

// labelsOf reads labels; a wrong one would silently find nothing.
func labelsOf(s string) ([]plat.Label, error) {
	labels, err := plat.ReadLabels(s)
	if err != nil {
		return nil, app.Fail(app.ExitUsage, "--label %w", err)
	}
	return labels, nil
}

// period reads --since and --until.
func period(since, until string, now time.Time) (from, to time.Time, err error) {
	if from, err = terminal.Moment(since, now); err != nil {
		return from, to, app.Fail(app.ExitUsage, "--since %w", err)
	}
	if to, err = terminal.Moment(until, now); err != nil {
		return from, to, app.Fail(app.ExitUsage, "--until %w", err)
	}
	return from, to, nil
}
