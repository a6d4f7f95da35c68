package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat"
	"plat/excerpt"
	"plat/history"
	"plat/listing"
	"plat/storage"
	"plat/storage/uri"
	"plat/term"
)

func (a *app) blocksCommand() *cobra.Command {
	var q storage.BlockQuery
	var site, label, since, until string
	var texts bool
	cmd := &cobra.Command{
		Use:   "blocks",
		Short: "Find blocks by site, label, topic and time",
		Long: `blocks prints the blocks that answer all conditions given, each content once,
in the version where it first appeared; latest first within a URL.

A site is a host (with its port, if not the usual), or the beginning of a URL. A
topic is found if all of its words are in the block's; Chinese goes by character.
Times are dates (2026-01-31), instants (2026-01-31T12:00:00Z) or ages (36h, 7d).

JSON, one object a block: url, version, taken, and the fields that show --json has
in tree, with text if --text is given.`,
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
				return fail(exitUsage, "--limit %d: write 0 for all, or more", q.Limit)
			}
			if q.Label, err = labelOf(label); err != nil {
				return err
			}
			q.Host, q.URL = storage.Site(site)
			return a.withStore(ctx, uri.Reads, func(s storage.Store) error { return a.blocks(ctx, s, q, texts) })
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
	return cmd
}

func (a *app) blocks(ctx context.Context, s storage.Store, q storage.BlockQuery, texts bool) error {
	t := term.Table{}
	t.Head("block", "first seen (UTC)", "label", ">chars", "topic")
	for f, err := range s.Find(ctx, q) {
		if err != nil {
			return err
		}
		b := []plat.Block{f.Block}
		if texts && b[0].Leaf() && b[0].Text == "" {
			if err := history.Load(ctx, s, b, []plat.Hash{b[0].Hash}); err != nil {
				return about(f.URL, err)
			}
		}
		at := ref{url: f.URL, n: f.N}
		switch {
		case a.JSON:
			info := history.InfoOf(&b[0])
			if texts {
				info.Text = &b[0].Text
			}
			a.out.JSON(struct {
				URL     string    `json:"url"`
				Version int       `json:"version"`
				Taken   time.Time `json:"taken"`
				history.BlockInfo
			}{f.URL, f.N, f.Taken.UTC(), info})
		case texts:
			a.out.Print(a.out.Paint(term.Bold, excerpt.Printable(at.String())) + "  " + term.Clock(f.Taken) + "  " + listing.Block(a.out, &b[0]))
			if b[0].Text != "" {
				for _, l := range term.Indent(b[0].Text, "    ") {
					a.out.Print(l)
				}
			}
		default:
			t.Row(term.Text(at.String()), term.Text(term.Clock(f.Taken)), term.Text(string(f.Block.Label)), term.Number(term.Count(int64(f.Block.TextLen))), term.Text(f.Block.Topic).AtMost(80))
		}
		if a.out.Err() != nil {
			return a.out.Err()
		}
	}
	if !a.JSON && !texts {
		if t.Len() == 1 {
			a.out.Print("no results")
			return nil
		}
		t.Print(a.out)
	}
	return nil
}

// labelOf reads a label; a wrong one would silently find nothing.
func labelOf(s string) (plat.Label, error) {
	if s == "" {
		return "", nil
	}
	var names []string
	for _, l := range plat.Labels {
		if string(l) == s {
			return l, nil
		}
		names = append(names, string(l))
	}
	return "", fail(exitUsage, "--label %q: there is no such label; there are %s", s, strings.Join(names, ", "))
}

// period reads --since and --until.
func period(since, until string, now time.Time) (from, to time.Time, err error) {
	if from, err = moment(since, now); err != nil {
		return from, to, fail(exitUsage, "--since %w", err)
	}
	if to, err = moment(until, now); err != nil {
		return from, to, fail(exitUsage, "--until %w", err)
	}
	return from, to, nil
}

// moment reads a date, an instant or an age; empty is the zero time.
func moment(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	d, err := age(s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q: write a date (2026-01-31), an instant (2026-01-31T12:00:00Z) or an age (36h, 7d)", s)
	}
	return now.UTC().Add(-d), nil
}

// age reads a duration as Go writes it, or a number of days ("7d").
func age(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is no number of days", s)
		}
		return time.Duration(n * float64(24*time.Hour)), nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("%q is below 0", s)
	}
	return d, err
}
