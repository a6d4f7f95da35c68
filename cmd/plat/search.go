package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat"
	"plat/excerpt"
	"plat/history"
	"plat/storage"
	"plat/term"
)

func (a *app) searchCommand() *cobra.Command {
	var q storage.Search
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

JSON, one object a hit: url, lineage, hash, first and last (versions), since, seen
(when it was last there), gone (the first version without it) and until, null while it
stands, label, topic, box, chars, score, snippet (pieces: text, match).`,
		Example: `  plat search harbour ferry
  plat search --site example.com -- '"the ferry leaves at noon"' -sunday
  plat search 北京大学 --gone --since 30d
  plat search --gone --since 24h --label main --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Words = strings.Join(args, " ")
			if asked := storage.Ask(q.Words); len(args) > 0 && len(asked.All)+len(asked.None) == 0 {
				return fail(exitUsage, "%q has no letter or digit; write a word", q.Words)
			}
			var err error
			if q.Since, q.Until, err = period(since, until, time.Now()); err != nil {
				return err
			}
			if q.Limit < 0 || q.Offset < 0 {
				return fail(exitUsage, "--limit %d, --offset %d: write 0 or more", q.Limit, q.Offset)
			}
			if q.Gone && q.Standing {
				return fail(exitUsage, "--gone and --standing: nothing is both; write one of them, or none for all")
			}
			if q.Label, err = labelOf(label); err != nil {
				return err
			}
			q.Host, q.URL = storage.Site(site)
			return a.withStore(cmd.Context(), reads, func(s storage.Store) error { return a.search(cmd.Context(), s, q) })
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&site, "site", "", "`HOST`, or beginning of a URL")
	f.StringVar(&label, "label", "", "kind of block: main, navigation, list, …")
	f.StringVar(&since, "since", "", "it was there at this `TIME` or later")
	f.StringVar(&until, "until", "", "it was there before this `TIME`")
	f.BoolVar(&q.Gone, "gone", false, "only what is not there any more")
	f.BoolVar(&q.Standing, "standing", false, "only what the last version has")
	f.IntVar(&q.Limit, "limit", 20, "at most so many (0: all)")
	f.IntVar(&q.Offset, "offset", 0, "leave out the first so many")
	return cmd
}

// search brings the index up to date and asks it. If that fails, what the index had
// is printed all the same.
func (a *app) search(ctx context.Context, s storage.Store, q storage.Search) error {
	behind := s.Index(ctx, a.advance("indexed"))
	a.out.Progress("")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, err := s.Search(ctx, q)
	if err != nil {
		return err
	}
	found := finds{a: a, s: s, words: q.Words, seen: map[string][]time.Time{}}
	if err := found.print(ctx, r.Hits); err != nil {
		return err
	}
	if !a.JSON {
		a.out.Print(a.out.Paint(term.Faint, summary(&r, &q)))
	}
	if behind != nil {
		return fail(exitPartly, "%s not searched to the end: %w", term.Counted(r.Behind+r.Unreadable, "URL"), behind)
	}
	return nil
}

// summary is the last line: "3 found", "1 to 20 of 132; the next with --offset 20".
func summary(r *storage.Results, q *storage.Search) string {
	total := term.Count(int64(r.Total))
	if r.More {
		total = "more than " + total
	}
	last := q.Offset + len(r.Hits)
	switch {
	case r.Total == 0:
		return "no results"
	case len(r.Hits) == 0:
		return fmt.Sprintf("%s found, none after --offset %d", total, q.Offset)
	case last < r.Total:
		return fmt.Sprintf("%d to %d of %s; the next with --offset %d", q.Offset+1, last, total, last)
	}
	return total + " found"
}

// finds prints hits.
type finds struct {
	a     *app
	s     storage.Store
	words string
	seen  map[string][]time.Time // of URLs, by version: see history.Seen
}

// around is how long a snippet is, characters: two lines of a terminal.
const around = 160

// findColumns are the widths of all but the last column.
var findColumns = []int{len("2006-01-02 15:04:05"), len("2006-01-02 15:04:05"), len(plat.LabelAdvertisement), 0}

func (f *finds) print(ctx context.Context, hits []storage.Hit) error {
	if !f.a.JSON && len(hits) > 0 {
		f.a.out.Print(term.Line(f.a.out, term.Head("first seen (UTC)", "last seen (UTC)", "label", "block"), findColumns))
	}
	for i := range hits {
		if err := f.hit(ctx, &hits[i]); err != nil {
			return about(hits[i].URL, err)
		}
		if f.a.out.Err() != nil {
			return f.a.out.Err()
		}
	}
	return nil
}

func (f *finds) hit(ctx context.Context, h *storage.Hit) error {
	seen, ok := f.seen[h.URL]
	if !ok {
		var err error
		if seen, err = history.Seen(ctx, f.s, h.URL); err != nil {
			return err
		}
		f.seen[h.URL] = seen
	}
	b := []plat.Block{h.Block}
	if err := history.Load(ctx, f.s, b, []plat.Hash{h.Hash}); err != nil {
		return err
	}
	parts := storage.Snippet(b[0].Text, f.words, around)
	info := history.SpanOf(&h.Span, seen)
	if f.a.JSON {
		f.a.out.JSON(findOf(info, h.Score, parts))
		return nil
	}
	last := term.Clock(info.Seen)
	if h.Gone == 0 {
		last = "still there"
	}
	at := ref{url: h.URL, n: h.First}
	f.a.out.Print(term.Line(f.a.out, []term.Cell{term.Text(term.Clock(h.Since)), term.Text(last), term.Text(string(info.Label)), term.Text(at.String()).In(term.Bold)}, findColumns))
	if len(parts) > 0 {
		f.a.out.Print("    " + f.snippet(parts))
	}
	return nil
}

// snippet is on one line, what was found in bold.
func (f *finds) snippet(parts []storage.Part) string {
	var b strings.Builder
	for _, p := range parts {
		st := term.Plain
		if p.Match {
			st = term.Bold
		}
		b.WriteString(f.a.out.Paint(st, excerpt.Printable(p.Text)))
	}
	return b.String()
}

// find is a hit in JSON.
type find struct {
	history.SpanInfo
	Score   float64 `json:"score"`
	Snippet []piece `json:"snippet"`
}

// piece is a part of a snippet in JSON.
type piece struct {
	Text  string `json:"text"`
	Match bool   `json:"match"`
}

func findOf(info history.SpanInfo, score float64, parts []storage.Part) find {
	j := find{info, score, []piece{}}
	for _, p := range parts {
		j.Snippet = append(j.Snippet, piece(p))
	}
	return j
}
