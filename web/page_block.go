package web

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"plat/diff/rules"
	"plat/export/theme"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/cache"
)

// showBlock shows one lineage through time, or all of a URL, latest first.
func (s *Server) showBlock(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx, u, lineage, from := r.Context(), p.URL(), p.Number("lineage", 0, 1, math.MaxInt32), p.From()
	if p.Err != nil {
		return p.Err
	}
	state, err := s.stateOf(ctx, u)
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
		Kept    int // versions
		Feeds   []feedLink
		Rules   *rules.BlockRule // of one block
		Spans   []theme.Life
		Pager   pager
	}{Where: whereOf(u, state.Head), Heading: "Blocks through time", One: lineage > 0, Lineage: lineage, Total: len(all), Kept: state.Kept()}
	if lineage > 0 {
		data.Feeds = feedLinks(u, int32(lineage))
		set, err := s.rules(ctx)
		if err != nil {
			return err
		}
		data.Rules = set.OfBlock(u, int32(lineage))
		if last := all[len(all)-1].Block; last.Topic != "" {
			data.Heading = excerpt.Line(last.Topic, 100)
		} else {
			data.Heading = "Block " + strconv.Itoa(lineage)
		}
	}
	data.page = s.page(data.Heading+" – "+u, "archive")
	data.page.Feeds = data.Feeds
	data.Spans, err = theme.Lives(ctx, s.loadTexts, all, seen, from, perPage)
	if err != nil {
		return err
	}
	if more := from + perPage; more < len(all) {
		data.Pager.Next, data.Pager.NextName = link(r.URL.Path, "url", u, "lineage", p.Query.Get("lineage"), "from", strconv.Itoa(more)), "earlier block states"
	}
	if from > 0 {
		data.Pager.Prev, data.Pager.PrevName = link(r.URL.Path, "url", u, "lineage", p.Query.Get("lineage"), "from", strconv.Itoa(max(0, from-perPage))), "later block states"
	}
	return s.render(w, http.StatusOK, "block", data)
}

// lives returns the spans of a URL, ordered by their beginning, and when each
// version was last seen. Neither must be modified.
func (s *Server) lives(ctx context.Context, state *plat.URLState) ([]*storage.Span, []time.Time, error) {
	spans, err := cache.Remember(ctx, s.cache, "spans "+versionsKey(state), func(all []*storage.Span) int64 { return 600 * int64(len(all)) },
		func(ctx context.Context) ([]*storage.Span, error) { return history.Spans(ctx, s.Store, state.URL, 0) })
	if err != nil {
		return nil, nil, err
	}
	seen, err := s.seen(ctx, state)
	return spans, seen, err
}

// seen returns when each version of a URL was last seen.
func (s *Server) seen(ctx context.Context, state *plat.URLState) ([]time.Time, error) {
	return cache.Remember(ctx, s.cache, "seen "+strconv.Itoa(state.Visits)+" "+versionsKey(state), func(t []time.Time) int64 { return 24 * int64(len(t)) },
		func(ctx context.Context) ([]time.Time, error) { return history.Seen(ctx, s.Store, state.URL) })
}

// seenOf is seen for a URL whose state is not loaded.
func (s *Server) seenOf(ctx context.Context, url string) ([]time.Time, error) {
	state, err := s.Store.State(ctx, url)
	if err != nil {
		return nil, err
	}
	return s.seen(ctx, &state)
}
