package output

import (
	"context"
	"fmt"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/export/tables"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
)

// Hits prints the results of a search, one by one.
type Hits struct {
	out    *terminal.Screen
	store  storage.Store
	words  string
	asJSON bool
	seen   map[string][]time.Time // of URLs, by version: see history.Seen
}

// NewHits returns a printer of the blocks in store that match words.
func NewHits(out *terminal.Screen, store storage.Store, words string, asJSON bool) *Hits {
	return &Hits{out: out, store: store, words: words, asJSON: asJSON, seen: map[string][]time.Time{}}
}

// Head prints the column headings.
func (f *Hits) Head() {
	if !f.asJSON {
		f.out.Print(terminal.Line(f.out, terminal.Head("first seen (UTC)", "last seen (UTC)", "label", "block"), findColumns))
	}
}

// around is the length of a snippet, characters: two lines of a terminal.
const around = 160

// findColumns are the widths of all but the last column.
var findColumns = []int{len("2006-01-02 15:04:05"), len("2006-01-02 15:04:05"), len(plat.LabelAdvertisement), 0}

// Row returns a hit with its text and a piece of it. The error is of the store.
func (f *Hits) Row(ctx context.Context, h *storage.Hit) (*tables.Hit, error) {
	seen, ok := f.seen[h.URL]
	if !ok {
		var err error
		if seen, err = history.Seen(ctx, f.store, h.URL); err != nil {
			return nil, err
		}
		f.seen[h.URL] = seen
	}
	b := []plat.Block{h.Block}
	if err := history.Load(ctx, f.store, b, []plat.Hash{h.Hash}); err != nil {
		return nil, err
	}
	asked := storage.Ask(f.words)
	r := &tables.Hit{SpanInfo: history.SpanOf(&h.Span, seen), Score: h.Score, Ranked: len(asked.All) > 0, Snippet: storage.Snippet(b[0].Text, f.words, around)}
	r.Text = &b[0].Text
	return r, nil
}

// Print prints a hit with a piece of its text. The error is of the store.
func (f *Hits) Print(ctx context.Context, h *storage.Hit) error {
	r, err := f.Row(ctx, h)
	if err != nil {
		return err
	}
	if f.asJSON {
		r.Text = nil
		f.out.JSON(findOf(r.SpanInfo, h.Score, r.Snippet))
		return nil
	}
	last := terminal.Clock(r.Seen)
	if h.Gone == 0 {
		last = "still there"
	}
	at := fmt.Sprintf("%s@%d", h.URL, h.First)
	f.out.Print(terminal.Line(f.out, []terminal.Cell{terminal.Text(terminal.Clock(h.Since)), terminal.Text(last), terminal.Text(string(r.Label)), terminal.Text(at).In(terminal.Bold)}, findColumns))
	if len(r.Snippet) > 0 {
		f.out.Print("    " + f.snippet(r.Snippet))
	}
	return nil
}

// snippet returns a snippet on one line, with the matches in bold.
func (f *Hits) snippet(parts []storage.Part) string {
	var b strings.Builder
	for _, p := range parts {
		st := terminal.Plain
		if p.Match {
			st = terminal.Bold
		}
		b.WriteString(f.out.Paint(st, excerpt.Printable(p.Text)))
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

// Summary is the last line of a search: "3 found", "1 to 20 of 132; the next with --offset 20".
func Summary(r *storage.Results, q *storage.Search) string {
	total := terminal.Count(int64(r.Total))
	if r.More {
		total = "more than " + total
	}
	last := q.Offset + len(r.Hits)
	switch {
	case r.Total == 0:
		if q.Words != "" {
			return "no results; words are searched as they are written, with their endings"
		}
		return "no results"
	case len(r.Hits) == 0:
		return fmt.Sprintf("%s found, no results after --offset %d", total, q.Offset)
	case last < r.Total:
		return fmt.Sprintf("%d to %d of %s; the next with --offset %d", q.Offset+1, last, total, last)
	}
	return total + " found"
}
