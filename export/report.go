package export

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"plat/export/draw"
	"plat/export/theme"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
)

// Limits of a report: the number of latest versions that are drawn, and of
// latest block contents shown in full.
const (
	drawnVersions  = 60
	listedContents = 500
	atOnce         = 50 // contents in memory
)

//go:embed report.html
var reportFile string

var reportTemplate = template.Must(theme.New().Parse(reportFile))

// report writes the history of one URL.
type report struct {
	store storage.Store
	out   io.Writer
}

// Report writes the history of a URL as one self-contained page: its versions
// on a time line, each with its changes and, for the latest ones, a small
// picture with the blocks over it; then the blocks through time. It holds one version in memory
// at a time. version is the version of plat. It
// returns [plat.ErrNotFound] if the URL has no version.
func Report(ctx context.Context, w io.Writer, store storage.Store, u, version string) error {
	r := &report{store: store, out: w}
	state, err := store.State(ctx, u)
	if err != nil {
		return err
	}
	times, err := store.Times(ctx, u)
	if err != nil {
		return err
	}
	top := struct {
		Title, Version string
		State          plat.URLState
		Sheet          template.CSS
		Line           *draw.Timeline
		Drawn          int
	}{
		"History of " + u, version, state, template.CSS(theme.Sheet),
		draw.NewTimeline(times, func(n int) string { return fmt.Sprintf("#v%d", n) }), min(len(times), drawnVersions),
	}
	if err := r.part("report-top", top); err != nil {
		return err
	}
	for v, err := range store.Trees(ctx, u, 1, math.MaxInt) {
		if err != nil {
			return err
		}
		e, err := r.edition(ctx, v, v.N > len(times)-drawnVersions)
		if err != nil {
			return err
		}
		if err := r.part("report-version", e); err != nil {
			return err
		}
	}
	if err := r.blocks(ctx, &state); err != nil {
		return err
	}
	return r.part("report-bottom", top)
}

// part executes one template of the page. No text of any page in it can reorder the text after
// it, or control a terminal that displays the report.
func (r *report) part(name string, data any) error {
	var b bytes.Buffer
	if err := reportTemplate.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	_, err := r.out.Write(excerpt.HTML(b.Bytes()))
	return err
}

// edition is a version in a report.
type edition struct {
	V       *plat.Version
	Blocks  int
	Drawing template.HTML // empty if not drawn
	Legend  []draw.Entry
	Changes []history.ChangeInfo
	Quiet   int // number of changes that are not listed
}

// edition describes a version compared to its predecessor, and draws it if
// drawn is set.
func (r *report) edition(ctx context.Context, v *plat.Version, drawn bool) (*edition, error) {
	e := &edition{V: v, Blocks: history.Leaves(v)}
	colours := draw.ColourLabels(v)
	if old := v.Previous(); old > 0 {
		c, err := history.Between(ctx, r.store, v.URL, old, v.N)
		if err != nil {
			return nil, err
		}
		d := c.Info()
		colours = draw.ColourKinds(v, &d)
		for _, c := range d.Changes {
			if c.SelfChange != "" || c.Kind == plat.Volatile || c.Kind == plat.Invisible || c.Kind == plat.Advertisement {
				e.Quiet++
				continue
			}
			c.Words = history.Excerpt(c.Words)
			e.Changes = append(e.Changes, c)
		}
	}
	if !drawn {
		return e, nil
	}
	d, err := draw.New(ctx, r.store, v, colours)
	if err != nil {
		return nil, err
	}
	e.Legend = d.Legend
	e.Drawing, err = d.Inline()
	return e, err
}

// blocks writes the contents of the URL's blocks, the latest first.
func (r *report) blocks(ctx context.Context, state *plat.URLState) error {
	all, err := history.Spans(ctx, r.store, state.URL, 0)
	if err != nil {
		return err
	}
	seen, err := history.Seen(ctx, r.store, state.URL)
	if err != nil {
		return err
	}
	data := struct{ Total, Listed int }{len(all), min(len(all), listedContents)}
	if err := r.part("report-blocks", data); err != nil {
		return err
	}
	load := func(ctx context.Context, blocks []plat.Block) error {
		return history.LoadIntact(ctx, r.store, blocks, nil)
	}
	for from := 0; from < data.Listed; from += atOnce {
		lives, err := theme.Lives(ctx, load, all, seen, from, min(atOnce, data.Listed-from))
		if err != nil {
			return err
		}
		for _, x := range lives {
			if err := r.part("report-block", x); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeReport writes the history of the one selected URL.
func (r *run) writeReport(ctx context.Context) error {
	for c, err := range r.urls(ctx, r.Store) {
		if err != nil {
			return err
		}
		r.sum.URLs, r.sum.Versions = 1, c.state.Head
		return r.toFile(r.File, func(w io.Writer) error {
			return about(c.state.URL, 0, Report(ctx, w, r.Store, c.state.URL, r.Version))
		})
	}
	return ErrNothing
}
