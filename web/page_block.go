package web

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"plat"
	"plat/diff"
	"plat/excerpt"
	"plat/history"
	"plat/storage"
)

// lifeRow is a span, as the history of a block shows it.
type lifeRow struct {
	*storage.Span
	Topic string
	Label plat.Label
	Place string
	Seen  time.Time // the last visit that found it there
	X, W  float64   // its life on a line of 1000 for that of the URL
	Words []history.Word
}

// showBlock shows one lineage through time, or all of a URL, latest first.
func (s *Server) showBlock(w http.ResponseWriter, r *http.Request, p *params) error {
	ctx, u, lineage, from := r.Context(), p.url(), p.number("lineage", 0, 1, math.MaxInt32), p.from()
	if p.err != nil {
		return p.err
	}
	state, err := s.Store.State(ctx, u)
	if err != nil {
		return err
	}
	all, seen, err := s.lives(ctx, &state)
	if err != nil {
		return err
	}
	if lineage > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(sp *storage.Span) bool { return sp.Lineage != int32(lineage) })
		if len(all) == 0 {
			return fmt.Errorf("lineage %d of %s: %w", lineage, u, plat.ErrNotFound)
		}
	}
	data := struct {
		page
		Where   where
		Heading string
		One     bool
		Lineage int
		Total   int
		Head    int
		Feeds   []feedLink
		Spans   []lifeRow
		Pager   pager
	}{Where: whereOf(u, state.Head), Heading: "Blocks through time", One: lineage > 0, Lineage: lineage, Total: len(all), Head: state.Head}
	if lineage > 0 {
		data.Feeds = feedLinks(u, int32(lineage))
		if last := all[len(all)-1].Block; last.Topic != "" {
			data.Heading = excerpt.Line(last.Topic, 100)
		} else {
			data.Heading = "Block " + strconv.Itoa(lineage)
		}
	}
	data.page = s.page(data.Heading+" – "+u, "archive")
	data.page.Feeds = data.Feeds
	data.Spans, err = s.lifeRows(ctx, all, seen, from)
	if err != nil {
		return err
	}
	if more := from + perPage; more < len(all) {
		data.Pager.Next, data.Pager.NextName = link(r.URL.Path, "url", u, "lineage", p.query.Get("lineage"), "from", strconv.Itoa(more)), "earlier contents"
	}
	if from > 0 {
		data.Pager.Prev, data.Pager.PrevName = link(r.URL.Path, "url", u, "lineage", p.query.Get("lineage"), "from", strconv.Itoa(max(0, from-perPage))), "later contents"
	}
	return s.render(w, http.StatusOK, "block", data)
}

// lives returns the spans of a URL in the order in which they began, and when
// each version was seen last. Neither must be written to.
func (s *Server) lives(ctx context.Context, state *plat.URLState) ([]*storage.Span, []time.Time, error) {
	head := strconv.Itoa(state.Head)
	spans, err := remember(ctx, s.cache, "spans "+head+" "+state.URL, func(all []*storage.Span) int64 { return 600 * int64(len(all)) },
		func(ctx context.Context) ([]*storage.Span, error) { return history.Spans(ctx, s.Store, state.URL, 0) })
	if err != nil {
		return nil, nil, err
	}
	seen, err := s.seen(ctx, state)
	return spans, seen, err
}

// seen says when each version of a URL was seen last.
func (s *Server) seen(ctx context.Context, state *plat.URLState) ([]time.Time, error) {
	return remember(ctx, s.cache, "seen "+strconv.Itoa(state.Visits)+" "+strconv.Itoa(state.Head)+" "+state.URL, func(t []time.Time) int64 { return 24 * int64(len(t)) },
		func(ctx context.Context) ([]time.Time, error) { return history.Seen(ctx, s.Store, state.URL) })
}

// seenOf is seen of a URL of which nothing is known yet.
func (s *Server) seenOf(ctx context.Context, url string) ([]time.Time, error) {
	state, err := s.Store.State(ctx, url)
	if err != nil {
		return nil, err
	}
	return s.seen(ctx, &state)
}

// lifeRows describes a page of spans, the latest first, each with what its words
// changed against the content that the lineage had before.
func (s *Server) lifeRows(ctx context.Context, all []*storage.Span, seen []time.Time, from int) ([]lifeRow, error) {
	start, end := seen[0], seen[len(seen)-1]
	if first := all[0].Since; first.Before(start) {
		start = first
	}
	whole := max(float64(end.Sub(start)), 1)
	before := map[*storage.Span]*storage.Span{}
	latest := map[int32]*storage.Span{}
	for _, sp := range all {
		before[sp] = latest[sp.Lineage]
		latest[sp.Lineage] = sp
	}
	var shown []*storage.Span
	for i := len(all) - 1 - from; i >= 0 && len(shown) < perPage; i-- {
		shown = append(shown, all[i])
	}
	texts, err := s.texts(ctx, shown, before)
	if err != nil {
		return nil, err
	}
	rows := make([]lifeRow, len(shown))
	for i, sp := range shown {
		row := lifeRow{Span: sp, Topic: excerpt.Line(sp.Block.Topic, 100), Label: sp.Block.Label, Place: sp.Block.Box.String(), Seen: seen[min(sp.Last, len(seen))-1]}
		till := end
		if sp.Gone > 0 {
			till = sp.Until
		}
		row.X = 1000 * float64(sp.Since.Sub(start)) / whole
		row.W = max(3, 1000*float64(till.Sub(sp.Since))/whole)
		now := texts[sp.Hash]
		if was := before[sp]; was == nil {
			row.Words = []history.Word{{Op: diff.Equal.String(), Text: now}}
		} else {
			for _, x := range diff.Words(texts[was.Hash], now) {
				row.Words = append(row.Words, history.Word{Op: x.Op.String(), Text: x.Text})
			}
		}
		row.Words = excerpt.Words(row.Words)
		rows[i] = row
	}
	return rows, nil
}

// texts loads the texts of spans and of those before them.
func (s *Server) texts(ctx context.Context, shown []*storage.Span, before map[*storage.Span]*storage.Span) (map[plat.Hash]string, error) {
	var blocks []plat.Block
	texts := map[plat.Hash]string{}
	for _, sp := range shown {
		for _, x := range []*storage.Span{sp, before[sp]} {
			if x == nil {
				continue
			}
			if _, ok := texts[x.Hash]; !ok {
				texts[x.Hash] = ""
				blocks = append(blocks, x.Block)
			}
		}
	}
	if err := s.loadTexts(ctx, blocks); err != nil {
		return nil, err
	}
	for i := range blocks {
		texts[blocks[i].Hash] = blocks[i].Text
	}
	return texts, nil
}
