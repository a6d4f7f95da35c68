package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/nearest"
	"plat/storage"
	"plat/storage/uri"
)

func blocksCommand(a *app.App) *cobra.Command {
	var q storage.BlockQuery
	var site, label, since, until string
	var texts, all bool
	cmd := &cobra.Command{
		Use:   "blocks",
		Short: "Find blocks by site, label, topic and time",
		Long: `blocks prints the blocks that answer all conditions given, each content once,
in the version where it first appeared; latest first within a URL.

A site is a host (with its port, if not the usual), or the beginning of a URL. A
topic is found if all of its words are in the block's; Chinese goes by character.

With --since, contents that a page has brought by itself are left out, and counted: a
counter that has counted on, a quote that is another each time. --all prints them.
Times are dates (2026-01-31), instants (2026-01-31T12:00:00Z) or ages (36h, 7d).

JSON, one object a block: url, version, taken, and the fields that show --json has
in tree, with text if --text is given, and by_itself: why it is no news.`,
		Example: `  plat blocks --site example.com --label main --since 7d
  plat blocks --topic "climate report" --head --text
  plat blocks --site https://example.com/news/ --limit 20 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			var err error
			if q.Since, q.Until, err = period(since, until, time.Now()); err != nil {
				return err
			}
			if q.Limit < 0 {
				return app.Fail(app.ExitUsage, "--limit %d: write 0 for all, or more", q.Limit)
			}
			if q.Label, err = labelOf(label); err != nil {
				return err
			}
			q.Host, q.URL = storage.Site(site)
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				return output.Blocks(ctx, a.Out, s, q, output.Found{Texts: texts, All: all, JSON: a.JSON})
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&site, "site", "", "`HOST`, or beginning of a URL")
	f.StringVar(&label, "label", "", "kind of block: main, navigation, list, …")
	f.StringVar(&q.Topic, "topic", "", "words of its topic")
	f.StringVar(&since, "since", "", "first seen at this `TIME` or later")
	f.StringVar(&until, "until", "", "first seen before this `TIME`")
	f.BoolVar(&q.Head, "head", false, "only blocks of the last versions")
	f.IntVar(&q.Limit, "limit", 0, "at most so many (0: all)")
	f.BoolVar(&texts, "text", false, "print the text of the blocks")
	f.BoolVar(&all, "all", false, "print what pages bring by themselves too")
	return cmd
}

// labelOf reads a label; a wrong one would silently find nothing.
func labelOf(s string) (plat.Label, error) {
	if l := plat.Label(s); s == "" || slices.Contains(plat.Labels, l) {
		return l, nil
	}
	return "", app.Fail(app.ExitUsage, "--label %q: there is no such label%s; there are %s", s, nearest.Question(s, "", plat.Labels), output.Names(plat.Labels))
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
