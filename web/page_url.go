package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"plat/export/draw"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/cache"
	"plat/web/layout"
)

// versionRow is a version in the list of a URL.
type versionRow struct {
	URL        string
	N          int
	Taken      time.Time
	Changes    map[plat.Kind]int // that are news
	Suppressed map[plat.Kind]int // self-changes
	Share      int               // percentage of its blocks that changed
	Blocks     int
	PageBytes  int64
	Seems      plat.Outcome // see [plat.Version.Seems]
}

// maxOthers is the maximum number of displayed second URLs of a page.
const maxOthers = 20

// showURL shows the versions of a URL, latest first, on a time line.
func (s *Server) showURL(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx, u := r.Context(), p.URL()
	if p.Err != nil {
		return p.Err
	}
	state, err := s.Store.State(ctx, u)
	if err != nil {
		return err
	}
	from := p.Number("from", state.Head, 1, max(1, state.Head))
	if p.Err != nil {
		return p.Err
	}
	data := struct {
		page
		Where    where
		State    plat.URLState
		Gone     bool     // all of it was forgotten
		Kept     int      // versions
		Others   []string // addresses of the page
		Before   int      // the last version but one
		Line     *draw.Timeline
		Again    *schedulePart
		Versions []versionRow
		Feeds    []feedLink
		Pager    pager
	}{page: s.page(u, "archive"), Where: whereOf(u, 0), State: state, Gone: state.Gone(), Kept: state.Kept(), Before: max(0, state.Kept()-1), Feeds: feedLinks(u, 0)}
	data.page.Feeds = data.Feeds
	if data.Gone {
		return s.render(w, http.StatusGone, "url", data)
	}
	if data.Others, err = storage.Others(ctx, s.Store, state.URL, maxOthers); err != nil {
		return err
	}
	if state.Head > 0 {
		times, err := s.times(ctx, &state)
		if err != nil {
			return err
		}
		data.Line = draw.NewTimeline(times, func(n int) string { return link("/version", "url", u, "version", strconv.Itoa(n)) })
	}
	if data.Again, err = s.schedulePart(ctx, &state); err != nil {
		return err
	}
	from = min(from, state.Head)
	first := max(state.Oldest(), from-perPage+1)
	rows, err := s.versionRows(ctx, u, first, from)
	if err != nil {
		return err
	}
	for _, row := range slices.Backward(rows) {
		data.Versions = append(data.Versions, row)
	}
	if first > state.Oldest() {
		data.Pager.Next, data.Pager.NextName = link("/url", "url", u, "from", strconv.Itoa(first-1)), "older versions"
	}
	if from < state.Head {
		data.Pager.Prev, data.Pager.PrevName = link("/url", "url", u, "from", strconv.Itoa(min(state.Head, from+perPage))), "newer versions"
	}
	return s.render(w, http.StatusOK, "url", data)
}

// versionRows describes the versions first..last of a URL. It reads trees in
// one pass, because a store may keep each as a difference to the previous one.
func (s *Server) versionRows(ctx context.Context, u string, first, last int) ([]versionRow, error) {
	key := func(n int) string { return "row " + strconv.Itoa(n) + " " + u }
	var rows []versionRow
	for n := first; n <= last; n++ {
		row, ok := cache.Peek[versionRow](s.cache, key(n))
		if !ok {
			break
		}
		rows = append(rows, row)
	}
	for v, err := range s.Store.Trees(ctx, u, first+len(rows), last) {
		if err != nil {
			return nil, err
		}
		row := versionRow{URL: u, N: v.N, Taken: v.Taken, Changes: v.Changes, Suppressed: plat.SuppressedKinds(v.SelfChanges), Blocks: history.Leaves(v), PageBytes: v.Capture.PageBytes, Seems: v.Seems()}
		changed := 0
		for _, c := range v.Changes {
			changed += c
		}
		row.Share = min(100, 100*changed/max(1, row.Blocks))
		cache.Put(s.cache, key(v.N), row, int64(300+len(u)))
		rows = append(rows, row)
	}
	return rows, nil
}

// feedLinks lists the feeds of a URL, or of one of its lineages.
func feedLinks(u string, lineage int32) []feedLink {
	of, name := "", "changes of "+u
	if lineage > 0 {
		of = strconv.Itoa(int(lineage))
		name = "changes of block " + of + " of " + u
	}
	var all []feedLink
	for _, f := range layout.Formats {
		all = append(all, feedLink{Name: f.Name, Title: f.Name + ": " + name, Type: f.Media, Href: link("/feed/"+f.Path, "url", u, "lineage", of)})
	}
	return all
}
