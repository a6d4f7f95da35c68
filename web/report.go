package web

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"math"

	"plat"
	"plat/draw"
	"plat/excerpt"
	"plat/history"
	"plat/storage"
)

// How much a report shows: the last versions are drawn, and the contents that
// blocks had last are told in full.
const (
	drawnVersions = 60
	toldContents  = 500
)

// Report writes the history of a URL as one page that needs nothing else: its
// versions on a time line, each with what changed and, of the last ones, its
// picture made small with the blocks over it; then the blocks through time. One
// version is held in memory at a time. plat.ErrNotFound if there is none.
func Report(ctx context.Context, w io.Writer, store storage.Store, u, version string) error {
	s := New(Options{Store: store, Version: version})
	state, err := store.State(ctx, u)
	if err != nil {
		return err
	}
	times, err := store.Times(ctx, u)
	if err != nil {
		return err
	}
	part := func(name string, data any) error { return templates["report"].ExecuteTemplate(w, name, data) }
	top := struct {
		page
		State plat.URLState
		Sheet template.CSS
		Line  *draw.Timeline
		Drawn int
	}{s.page("History of "+u, ""), state, template.CSS(sheet), draw.NewTimeline(times, func(n int) string { return fmt.Sprintf("#v%d", n) }), min(len(times), drawnVersions)}
	if err := part("report-top", top); err != nil {
		return err
	}
	for v, err := range store.Trees(ctx, u, 1, math.MaxInt) {
		if err != nil {
			return err
		}
		e, err := s.edition(ctx, v, v.N > len(times)-drawnVersions)
		if err != nil {
			return err
		}
		if err := part("report-version", e); err != nil {
			return err
		}
	}
	if err := s.reportBlocks(ctx, &state, part); err != nil {
		return err
	}
	return part("report-bottom", top)
}

// edition is a version in a report.
type edition struct {
	V       *plat.Version
	Blocks  int
	Drawing template.HTML // empty: it is not drawn
	Legend  []draw.Entry
	Changes []change
	Quiet   int // changes that are only counted
}

// edition describes a version against the one before it, and draws it if drawn.
func (s *Server) edition(ctx context.Context, v *plat.Version, drawn bool) (*edition, error) {
	e := &edition{V: v, Blocks: history.Leaves(v)}
	by := draw.ByLabel
	if v.N > 1 {
		by = draw.ByKind
		d, err := s.compared(ctx, v.URL, v.N-1, v.N)
		if err != nil {
			return nil, err
		}
		for _, c := range d.Changes {
			if c.Kind == plat.Volatile || c.Kind == plat.Invisible || c.Kind == plat.Advertisement {
				e.Quiet++
				continue
			}
			e.Changes = append(e.Changes, change{ChangeInfo: c, Words: excerpt.Words(c.Words)})
		}
	}
	if !drawn {
		return e, nil
	}
	colours, err := s.colours(ctx, v, by)
	if err != nil {
		return nil, err
	}
	d, err := draw.New(ctx, s.Store, v, colours)
	if err != nil {
		return nil, err
	}
	e.Legend = d.Legend
	e.Drawing, err = d.Inline()
	return e, err
}

// reportBlocks writes the contents that the blocks of a URL had, the latest first.
func (s *Server) reportBlocks(ctx context.Context, state *plat.URLState, part func(name string, data any) error) error {
	all, seen, err := s.lives(ctx, state)
	if err != nil {
		return err
	}
	data := struct{ Total, Told int }{len(all), min(len(all), toldContents)}
	if err := part("report-blocks", data); err != nil {
		return err
	}
	for from := 0; from < data.Told; from += perPage {
		rows, err := s.lifeRows(ctx, all, seen, from)
		if err != nil {
			return err
		}
		for _, row := range rows[:min(len(rows), data.Told-from)] {
			if err := part("report-block", row); err != nil {
				return err
			}
		}
	}
	return nil
}
