package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/terminal"
	"plat/export/tables"
	"plat/storage"
	"plat/storage/uri"
)

func searchCommand(a *app.App) *cobra.Command {
	var q storage.Search
	var rows app.RowFlags
	var site, label, since, until string
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Find when words were on a page",
		Long: `search prints the blocks, as they were and as they are, whose text or topic has all
of the words: when that text was first seen, and when last. Text that went and came
back is found twice. The best come first, then the latest. Without words it prints
what answers the flags.

Case and accents do not matter, endings do: ferry does not find ferries. What is in
quotation marks is found as it is written there; put it into others for the shell.
A part of a Chinese or Japanese name finds the name. A minus before a word leaves
out what has it; write -- before the words then, or the shell's reader of flags
takes it for one.

A site is a host (with its port, if not the usual), or the beginning of a URL.
Times are dates (2026-01-31), instants (2026-01-31T12:00:00Z) or ages (36h, 7d).

What was archived since the last search is taken into an index first. That of a file
is beside it, with -search behind its name; it may be removed, and is made again.

` + app.RowsHelp + `

JSON, one object a hit: url, lineage, hash, first and last (versions), since, seen
(when it was last there), gone (the first version without it) and until, null while it
stands, label, role, holds, topic, box, chars, score, snippet (pieces: text, match). With -o: file, format, rows.`,
		Example: `  plat search harbour ferry
  plat search --site example.com -- '"the ferry leaves at noon"' -sunday
  plat search 北京大学 --gone --since 30d
  plat search --gone --since 24h --label main --json
  plat search ferry --limit 0 -o ferry.parquet`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := rows.Check(a); err != nil {
				return err
			}
			q.Words = strings.Join(args, " ")
			if asked := storage.Ask(q.Words); len(args) > 0 && len(asked.All)+len(asked.None) == 0 {
				return app.Fail(app.ExitUsage, "%q has no letter or digit; write a word", q.Words)
			}
			var err error
			if q.Since, q.Until, err = period(since, until, time.Now()); err != nil {
				return err
			}
			if rows.File != "" && !cmd.Flags().Changed("limit") {
				q.Limit = 0
			}
			if q.Limit < 0 || q.Offset < 0 {
				return app.Fail(app.ExitUsage, "--limit %d, --offset %d: write 0 or more", q.Limit, q.Offset)
			}
			if q.Gone && q.Standing {
				return app.Fail(app.ExitUsage, "--gone and --standing exclude each other; write one of them, or leave out both")
			}
			if q.Labels, err = labelsOf(label); err != nil {
				return err
			}
			q.Host, q.URL = storage.Site(site)
			return a.WithStore(cmd.Context(), uri.Reads, func(s storage.Store) error { return search(cmd.Context(), a, s, q, &rows) })
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&site, "site", "", "`HOST`, or beginning of a URL")
	f.StringVar(&label, "label", "", labelHelp)
	f.StringVar(&since, "since", "", "it was there at this `TIME` or later")
	f.StringVar(&until, "until", "", "it was there before this `TIME`")
	f.BoolVar(&q.Gone, "gone", false, "only blocks that are gone")
	f.BoolVar(&q.Standing, "standing", false, "only blocks of the last version")
	f.IntVar(&q.Limit, "limit", 20, "at most so many (0: all, as with -o)")
	f.IntVar(&q.Offset, "offset", 0, "leave out the first so many")
	rows.Add(f)
	return cmd
}

// search updates the index and queries it. If the update fails, the results of the older index
// are printed all the same.
func search(ctx context.Context, a *app.App, s storage.Store, q storage.Search, rows *app.RowFlags) error {
	behind := s.Index(ctx, a.Advance("indexed"))
	a.Out.Progress("")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, err := s.Search(ctx, q)
	if err != nil {
		return err
	}
	found := output.NewHits(a.Out, s, q.Words, a.JSON)
	if rows.Columns() {
		err = app.WriteRows(a, rows, &tables.Hits, func(write func(*tables.Hit) error) error {
			return eachHit(a, &r, func(h *storage.Hit) error {
				row, err := found.Row(ctx, h)
				if err == nil {
					err = write(row)
				}
				return err
			})
		})
	} else {
		if len(r.Hits) > 0 {
			found.Head()
		}
		err = eachHit(a, &r, func(h *storage.Hit) error { return found.Print(ctx, h) })
	}
	if err != nil {
		return err
	}
	if !a.JSON && (!rows.Columns() || rows.File != "") {
		a.Out.Print(a.Out.Paint(terminal.Faint, output.Summary(&r, &q)))
	}
	if behind != nil {
		return app.Fail(app.ExitPartly, "%s not searched to the end: %w", terminal.Counted(r.Behind+r.Unreadable, "URL"), behind)
	}
	return nil
}

// eachHit calls f for each hit, while the output can be written.
func eachHit(a *app.App, r *storage.Results, f func(*storage.Hit) error) error {
	for i := range r.Hits {
		if err := f(&r.Hits[i]); err != nil {
			return app.About(r.Hits[i].URL, err)
		}
		if a.Out.Err() != nil {
			return a.Out.Err()
		}
	}
	return nil
}
