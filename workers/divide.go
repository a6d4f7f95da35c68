package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"plat/diff"
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
	"plat/segment/boilerplate"
	"plat/storage/history"
)

// dividedPage is a page, divided into labelled blocks and compared with the last version of its URL.
type dividedPage struct {
	plat.Page
	url      string            // of the page, after redirects
	manifest plat.Manifest     // of the captured files
	spans    []plat.Span       // the nodes of the blocks
	reading  *article.Reading  // of its main text; nil once the article is known
	article  *plat.Article     // as it is stored
	others   boilerplate.Pages // of the site
	how      segment.Params    // of the segmentation
	sum      plat.Hash         // of the layout
	leaves   int
	bytes    int64
	took     time.Duration // to divide and compare

	// Against the last version. Without one, the page differs and has no changes.
	differs bool
	changes plat.Changes      // of blocks
	pairs   []int32           // blocks of the last version, see [diff.Result]
	files   []diff.File       // with different bytes; not among the changes until these are weighed
	count   map[plat.Kind]int // of changes; nil for the first version
	lineage int32             // highest number assigned
}

// divide divides a page into labelled blocks and compares them, and its files, with the last version, unless the
// rendering has done so for its blocks. It adds the time to r, unless that is nil.
func (w *Worker) divide(ctx context.Context, seen *rendering, last *lastVersion, r *Report) (*dividedPage, error) {
	page := seen.page
	if page == nil {
		var err error
		if page, err = w.dividePage(ctx, seen.snap, last); err != nil {
			return nil, err
		}
	}
	if r != nil {
		r.Stages["read"] = page.took.Seconds()
	}
	return page, w.compareFiles(ctx, seen.snap, page, last)
}

// dividePage segments a snapshot, labels it and compares it with the last version. If
// the level is to change, the page is first compared at the last version's level, so
// that the change of level does not count as a change of the page.
func (w *Worker) dividePage(ctx context.Context, snap *plat.Snapshot, last *lastVersion) (page *dividedPage, err error) {
	began := w.now()
	defer func() {
		if page != nil {
			page.took = w.now().Sub(began)
		}
	}()
	// Segment a known URL with its last version's parameters, so that versions are
	// comparable.
	how := segment.Params{Profile: w.opt.Segmentation.Profile, Level: w.opt.Segmentation.Level}
	if last.version != nil {
		how = segment.Params{Profile: segment.Profile(last.version.Profile), Level: last.version.Level, Adjust: last.version.Adjust}
	}
	others := w.templates.of(ctx, snap.URL).Except(snap.URL)
	now, err := w.segment(snap, how, others)
	if err != nil {
		return nil, err
	}
	if last.version == nil {
		now.differs, now.lineage = true, diff.First(now.Blocks)
		return now, nil
	}
	if err := w.compare(ctx, now, last); err != nil {
		return nil, err
	}
	if !now.differs || w.opt.Segmentation.Fixed {
		return now, nil
	}
	learnt, err := learnLevel(ctx, w.store, last.version)
	if err != nil || sameLevel(learnt, how.Adjust) {
		return now, err
	}
	how.Adjust = learnt
	again, err := w.segment(snap, how, others)
	if err != nil {
		return nil, err
	}
	if err := w.compare(ctx, again, last); err != nil {
		return nil, err
	}
	again.differs, again.count = true, now.count
	return again, nil
}

// segment divides a snapshot and labels its blocks, also by the blocks of other pages of the site.
func (w *Worker) segment(snap *plat.Snapshot, how segment.Params, others boilerplate.Pages) (*dividedPage, error) {
	cut, err := w.label.Divide(snap, how, others)
	if err != nil {
		return nil, err
	}
	how.Level, how.Profile = cut.Level, cmp.Or(how.Profile, segment.Visual)
	e := &dividedPage{Page: cut.Page, others: others, url: snap.FinalURL, manifest: plat.ManifestOf(snap.Resources), spans: cut.Spans, reading: cut.Reading, how: how, sum: cut.Layout.Sum()}
	e.leaves, e.bytes = e.Size()
	return e, nil
}

// lastVersion is the last version of a URL, without the contents of its blocks.
type lastVersion struct {
	version *plat.Version // nil if absent
	next    int           // the number of the next version
	layout  *plat.Layout  // nil until needed
}

// lastVersion loads the last version of a URL, without its contents.
func (w *Worker) loadLast(ctx context.Context, st *plat.URLState) (*lastVersion, error) {
	v, err := w.store.Last(ctx, st)
	if errors.Is(err, plat.ErrForgotten) || errors.Is(err, plat.ErrNotFound) {
		return &lastVersion{next: st.Next()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load last version: %w", err)
	}
	return &lastVersion{version: v, next: v.N + 1}, nil
}

// compare computes the changes since last. It loads only those contents of the last
// version that the new one does not have: usually a few.
func (w *Worker) compare(ctx context.Context, now *dividedPage, last *lastVersion) error {
	old := last.version
	if err := history.Load(ctx, w.store, old.Blocks, diff.Needed(old.Blocks, now.Blocks)); err != nil {
		return fmt.Errorf("load last version: %w", err)
	}
	layout := &now.Layout
	if old.Layout != now.sum {
		if last.layout == nil {
			l, err := w.store.Layout(ctx, old.Layout)
			if err != nil {
				return fmt.Errorf("load last layout: %w", err)
			}
			last.layout = &l
		}
		layout = last.layout
	}
	res := diff.Compare(
		diff.Side{Layout: layout, Blocks: old.Blocks, Lineages: old.Lineages, Coverage: old.Coverage},
		sideOf(now, 0))
	now.differs, now.changes, now.count, now.lineage, now.pairs = res.Differs, res.Changes, res.Count(), res.Lineages, res.Old
	history.Share(old.Blocks, now.Blocks)
	return nil
}

// compareFiles compares the captured files of a page with those of its last version: an image with different bytes
// under the same URL is a change, as different words are.
func (w *Worker) compareFiles(ctx context.Context, snap *plat.Snapshot, page *dividedPage, last *lastVersion) error {
	if len(snap.Resources) == 0 || last.version == nil {
		return nil
	}
	page.manifest = plat.ManifestOf(snap.Resources)
	switch last.version.Resources {
	case page.manifest.Sum():
		return nil
	case plat.Hash{}:
		return nil // they were not wanted before; if nothing else differs, the last version gets them: see attach
	}
	old, err := w.store.Manifest(ctx, last.version.Resources)
	if err != nil {
		return fmt.Errorf("load the files of the last version: %w", err)
	}
	if page.files = diff.OtherFiles(old, page.manifest); len(page.files) > 0 {
		page.differs = true
	}
	return nil
}

// sideOf returns a page as one side of a comparison with a second rendering.
func sideOf(e *dividedPage, lineages int32) diff.Side {
	return diff.Side{Layout: &e.Layout, Blocks: e.Blocks, Lineages: lineages, Coverage: e.Coverage, URL: e.url}
}
