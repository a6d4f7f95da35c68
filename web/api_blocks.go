package web

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
)

// apiSpans lists the spans of a URL's blocks, ordered by their beginning: later
// versions only append, so positions in the list are stable cursors.
func (s *Server) apiSpans(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u, lineage, texts, limit := p.URL(), p.Number("lineage", 0, 1, math.MaxInt32), p.Flag("text"), p.Limit()
	var at struct{ Index int }
	p.Cursor(&at)
	if p.Err != nil {
		return p.Err
	}
	state, err := s.stateOf(r.Context(), u)
	if err != nil {
		return err
	}
	if state.Head == 0 {
		return replyList[history.SpanInfo](w, r, p, nil, nil)
	}
	spans, seen, err := s.lives(r.Context(), &state)
	if err != nil {
		return err
	}
	if lineage > 0 {
		spans = slices.DeleteFunc(slices.Clone(spans), func(sp *storage.Span) bool { return sp.Lineage != int32(lineage) })
	}
	from := min(max(0, at.Index), len(spans))
	to := min(from+limit, len(spans))
	shown, err := s.spanInfos(r.Context(), spans[from:to], seen, texts)
	if err != nil {
		return err
	}
	if to == len(spans) {
		return replyList(w, r, p, shown, nil)
	}
	at.Index = to
	return replyList(w, r, p, shown, at)
}

// spanInfos describes spans, with the text of their blocks if requested.
func (s *Server) spanInfos(ctx context.Context, spans []*storage.Span, seen []time.Time, texts bool) ([]history.SpanInfo, error) {
	blocks := make([]plat.Block, len(spans))
	for i, sp := range spans {
		blocks[i] = sp.Block
	}
	if texts {
		if err := s.loadTexts(ctx, blocks); err != nil {
			return nil, err
		}
	}
	infos := make([]history.SpanInfo, len(spans))
	for i, sp := range spans {
		infos[i] = history.SpanOf(sp, seen)
		if texts {
			infos[i].Text = &blocks[i].Text
		}
	}
	return infos, nil
}

// foundInfo is a block that matches a query.
type foundInfo struct {
	URL     string    `json:"url"`
	Version int       `json:"version"`
	Taken   time.Time `json:"taken"`
	history.BlockInfo
	SelfChange string `json:"by_itself,omitempty"` // why it is no news
}

// apiBlocks lists the blocks that satisfy all conditions. With a time in since, it omits
// self-changes unless all is set. The cursor names the last block of the page; within a URL, new
// versions only come before it.
func (s *Server) apiBlocks(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	q := storage.BlockQuery{
		Host: strings.ToLower(p.Text("host", maxText)), URL: p.Text("prefix", maxText), Labels: p.Labels(), Topic: p.Text("topic", maxWords),
		Since: p.Moment("since"), Until: p.Moment("until"), Head: p.Flag("head"),
	}
	texts, all, limit := p.Flag("text"), p.Flag("all") || q.Since.IsZero(), p.Limit()
	// Of version Version of URL, Given blocks have been returned already.
	var last struct {
		URL     string
		Version int
		Given   int
	}
	resumed := p.Cursor(&last)
	if p.Err != nil {
		return p.Err
	}
	var found []plat.Block
	var items []foundInfo
	var next any
	at := last
	at.Given = 0
	for f, err := range s.Store.Find(r.Context(), q) {
		if err != nil {
			return err
		}
		if resumed && (f.URL < last.URL || f.URL == last.URL && f.N > last.Version) {
			continue
		}
		if f.URL != at.URL || f.N != at.Version {
			at.URL, at.Version, at.Given = f.URL, f.N, 0
		}
		if resumed && f.URL == last.URL && f.N == last.Version && at.Given < last.Given {
			at.Given++
			continue
		}
		if len(items) == limit {
			next = at // also where only such follow that are left out
			break
		}
		at.Given++
		if f.SelfChange != "" && !all {
			continue
		}
		found = append(found, f.Block)
		items = append(items, foundInfo{URL: f.URL, Version: f.N, Taken: f.Taken.UTC(), BlockInfo: history.InfoOf(&f.Block), SelfChange: f.SelfChange})
	}
	if texts {
		if err := s.loadTexts(r.Context(), found); err != nil {
			return err
		}
		for i := range found {
			items[i].BlockInfo = history.InfoOf(&found[i])
			items[i].Text = &found[i].Text
		}
	}
	return replyList(w, r, p, items, next)
}

// maxWords limits the words of a search, in bytes.
const maxWords = 1 << 10
