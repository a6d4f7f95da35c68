package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"plat/export/draw"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/cache"
)

// change is one change of a comparison, as the page shows it.
type change struct {
	history.ChangeInfo
	URL   string
	Index int
	Moved string // old and new position
	Words []history.Word
	Files []history.FileInfo
}

// twoVersions returns the requested versions, the earlier first; by default the
// last one and the one before it. Head is the number of the last version.
func (s *Server) twoVersions(ctx context.Context, u string, p *api.Params) (old, now, head int, err error) {
	if p.Err != nil {
		return 0, 0, 0, p.Err
	}
	state, err := s.Store.State(ctx, u)
	if err != nil {
		return 0, 0, 0, err
	}
	now = p.Number("new", state.Head, 1, api.MaxVersion)
	old = p.Number("old", now-1, 1, api.MaxVersion)
	switch {
	case p.Err != nil:
		err = p.Err
	case state.Head == 0 && !state.ForgottenAt.IsZero():
		err = fmt.Errorf("versions of %s: %w", u, plat.ErrForgotten)
	case state.Head == 0:
		err = api.NotFound("no visit of that URL has found a page yet")
	case old < state.Oldest() && !p.Query.Has("old"):
		err = api.BadRequest("version %d is the oldest that is kept, with no earlier version to compare", now)
	case old == now:
		err = api.BadRequest("both versions are the same; choose two")
	}
	return min(old, now), max(old, now), state.Head, err
}

// showDiff shows two versions side by side, their blocks coloured by kind of
// change.
func (s *Server) showDiff(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx, u := r.Context(), p.URL()
	old, now, head, err := s.twoVersions(ctx, u, p)
	if err != nil {
		return err
	}
	before, err := s.version(ctx, u, old)
	if err != nil {
		return err
	}
	after, err := s.version(ctx, u, now)
	if err != nil {
		return err
	}
	d, err := s.compared(ctx, u, old, now)
	if err != nil {
		return err
	}
	data := struct {
		page
		Where          where
		D              *history.Diff
		Earlier, Later int
		Legend         []draw.Entry
		Old, New       draw.Overlay
		Changes        []change // that are news
		Held           []change // self-changes
	}{page: s.page(fmt.Sprintf("Version %d and version %d of %s", old, now, u), "archive"), Where: whereOf(u, now), D: d}
	if old > 1 && old == now-1 {
		data.Earlier = old - 1
	}
	if now < head && old == now-1 {
		data.Later = now + 1
	}
	was, is := make(map[int]int), make(map[int]int) // block to change
	for i, c := range d.Changes {
		if c.Old >= 0 {
			was[int(c.Old)] = i
		}
		if c.New >= 0 {
			is[int(c.New)] = i
		}
		x := change{ChangeInfo: c, URL: u, Index: i, Words: history.Excerpt(c.Words), Files: d.FilesOf(c.New)}
		if c.Kind == plat.Moved && c.Old >= 0 && c.New >= 0 {
			x.Moved = before.Blocks[c.Old].Box.String() + " → " + after.Blocks[c.New].Box.String()
		}
		if c.SelfChange != "" {
			data.Held = append(data.Held, x)
		} else {
			data.Changes = append(data.Changes, x)
		}
	}
	for _, k := range plat.Kinds {
		if slices.ContainsFunc(data.Changes, func(c change) bool { return c.Kind == k }) {
			data.Legend = append(data.Legend, draw.KindEntry(k))
		}
	}
	if len(data.Held) > 0 {
		data.Legend = append(data.Legend, draw.SelfChangeEntry)
	}
	if data.Old, err = s.overChanges(ctx, before, d, was); err != nil {
		return err
	}
	if data.New, err = s.overChanges(ctx, after, d, is); err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "diff", data)
}

// overChanges draws a version of a comparison. of are its changes by block.
func (s *Server) overChanges(ctx context.Context, v *plat.Version, d *history.Diff, of map[int]int) (draw.Overlay, error) {
	class := func(i int) string {
		c, ok := of[i]
		switch {
		case !ok:
			return draw.KindClass(plat.Same)
		case d.Changes[c].SelfChange != "":
			return draw.SelfChangeEntry.Class
		}
		return draw.KindClass(d.Changes[c].Kind)
	}
	to := func(i int) string {
		if c, ok := of[i]; ok {
			return "#c" + strconv.Itoa(c)
		}
		return link("/block", "url", v.URL, "lineage", strconv.Itoa(int(v.Blocks[i].Lineage)))
	}
	return s.overlay(ctx, v, false, draw.View{Class: class, Href: to})
}

// compared returns the changes between two versions; the result must not be
// modified.
func (s *Server) compared(ctx context.Context, u string, old, now int) (*history.Diff, error) {
	st, err := s.Store.State(ctx, u)
	for _, n := range []int{old, now} {
		if err == nil {
			err = storage.Kept(&st, &n)
		}
	}
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("diff %d %d %d %s", old, now, st.Forgotten, u)
	if max(old, now) == st.Head { // a visit may add resources to it, which are compared then
		key = fmt.Sprintf("last %d %s", st.Visits, key)
	}
	return cache.Remember(ctx, s.cache, key, (*history.Diff).Bytes, func(ctx context.Context) (*history.Diff, error) {
		c, err := history.Explained(ctx, s.Store, u, old, now)
		if err != nil {
			return nil, err
		}
		d := c.Info()
		return &d, nil
	})
}
