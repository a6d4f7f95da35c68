package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"plat"
	"plat/draw"
	"plat/excerpt"
	"plat/history"
)

// change is one change of a comparison, as the page shows it.
type change struct {
	history.ChangeInfo
	Index int
	Moved string // old and new position
	Words []history.Word
}

// twoVersions returns the requested versions, the earlier first; by default the
// last one and the one before it. Head is the number of the last version.
func (s *Server) twoVersions(ctx context.Context, u string, p *params) (old, now, head int, err error) {
	if p.err != nil {
		return 0, 0, 0, p.err
	}
	state, err := s.Store.State(ctx, u)
	if err != nil {
		return 0, 0, 0, err
	}
	now = p.number("new", state.Head, 1, maxVersion)
	old = p.number("old", now-1, 1, maxVersion)
	switch {
	case p.err != nil:
		err = p.err
	case state.Head == 0:
		err = missing(plat.ErrNotFound, "no visit of that URL has found a page yet")
	case old == 0:
		err = bad("version 1 is the first, with no earlier version to compare")
	case old == now:
		err = bad("both versions are the same; choose two")
	}
	return min(old, now), max(old, now), state.Head, err
}

// showDiff shows two versions side by side, their blocks coloured by kind of
// change.
func (s *Server) showDiff(w http.ResponseWriter, r *http.Request, p *params) error {
	ctx, u := r.Context(), p.url()
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
		Changes        []change
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
		x := change{ChangeInfo: c, Index: i, Words: excerpt.Words(c.Words)}
		if c.Kind == plat.Moved && c.Old >= 0 && c.New >= 0 {
			x.Moved = before.Blocks[c.Old].Box.String() + " → " + after.Blocks[c.New].Box.String()
		}
		data.Changes = append(data.Changes, x)
	}
	for _, k := range plat.Kinds {
		if slices.ContainsFunc(d.Changes, func(c history.ChangeInfo) bool { return c.Kind == k }) {
			data.Legend = append(data.Legend, draw.KindEntry(k))
		}
	}
	over := func(v *plat.Version, of map[int]int) (draw.Overlay, error) {
		kind := func(i int) string {
			if c, ok := of[i]; ok {
				return draw.KindClass(d.Changes[c].Kind)
			}
			return draw.KindClass(plat.Same)
		}
		to := func(i int) string {
			if c, ok := of[i]; ok {
				return "#c" + strconv.Itoa(c)
			}
			return link("/block", "url", u, "lineage", strconv.Itoa(int(v.Blocks[i].Lineage)))
		}
		return s.overlay(ctx, v, false, draw.View{Class: kind, Href: to})
	}
	if data.Old, err = over(before, was); err != nil {
		return err
	}
	if data.New, err = over(after, is); err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "diff", data)
}

// compared returns the changes between two versions; the result must not be
// modified.
func (s *Server) compared(ctx context.Context, u string, old, now int) (*history.Diff, error) {
	bytes := func(d *history.Diff) int64 {
		n := int64(500)
		for i := range d.Changes {
			n += 300
			for _, w := range d.Changes[i].Words {
				n += 40 + int64(len(w.Text))
			}
			for _, t := range []*string{d.Changes[i].OldText, d.Changes[i].NewText} {
				if t != nil {
					n += int64(len(*t))
				}
			}
		}
		return n
	}
	return remember(ctx, s.cache, fmt.Sprintf("diff %d %d %s", old, now, u), bytes, func(ctx context.Context) (*history.Diff, error) {
		c, err := history.Between(ctx, s.Store, u, old, now)
		if err != nil {
			return nil, err
		}
		d := c.Info()
		return &d, nil
	})
}
