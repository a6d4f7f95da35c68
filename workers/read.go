package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"plat/diff"
	"plat/plat"
	"plat/segment"
	"plat/segment/boilerplate"
	"plat/storage/history"
)

// edition is the current page, compared with the last version.
type edition struct {
	page     plat.Page
	url      string            // its own
	manifest plat.Manifest     // of the files that were taken
	spans    []plat.Span       // the nodes of its blocks
	others   boilerplate.Pages // of its site
	how      segment.Params    // of the segmentation
	sum      plat.Hash         // of the layout
	leaves   int
	bytes    int64
	divided  bool              // at another level than the last version
	differs  bool              // from the last version
	itself   bool              // but all that differs the page does by itself
	begins   bool              // files are kept, of which the last version has none
	own      []plat.SelfChange // what of it that is
	changes  plat.Changes      // against it; none for the first version
	pairs    []int32           // blocks of it, see [diff.Result]
	files    []diff.File       // that are others than those of the last version; not among the changes until these are weighed
	count    map[plat.Kind]int // of changes; nil for the first version
	lineage  int32             // highest number assigned
}

// read segments the page, labels its blocks and compares it with the archive, unless
// that has been done already.
func (w *Worker) read(ctx context.Context, f *found, r *Report) (err error) {
	if f.now != nil {
		return nil
	}
	began := w.now()
	defer func() { r.Stages["read"] = w.now().Sub(began).Seconds() }()
	f.now, err = w.edition(ctx, f.snap, f.last)
	return err
}

// edition segments a snapshot, labels it and compares it with the last version. If
// the level is to change, the page is first compared at the last version's level, so
// that the change of level does not count as a change of the page.
func (w *Worker) edition(ctx context.Context, snap *plat.Snapshot, last *head) (*edition, error) {
	// Segment a known URL with its last version's parameters, so that versions are
	// comparable.
	how := segment.Params{Profile: w.opt.Profile, Level: w.opt.Level}
	if last.version != nil {
		how = segment.Params{Profile: segment.Profile(last.version.Profile), Level: last.version.Level, Adjust: last.version.Adjust}
	}
	others := w.templates.of(ctx, snap.URL).Except(snap.URL)
	now, err := w.cut(snap, how, others)
	if err != nil {
		return nil, err
	}
	if last.version == nil {
		now.differs, now.lineage = true, diff.First(now.page.Blocks)
		return now, nil
	}
	if err := w.compare(ctx, now, last); err != nil {
		return nil, err
	}
	if !now.differs || w.opt.Fixed {
		return now, nil
	}
	learnt, err := learnLevel(ctx, w.store, last.version)
	if err != nil || sameLevel(learnt, how.Adjust) {
		return now, err
	}
	how.Adjust = learnt
	again, err := w.cut(snap, how, others)
	if err != nil {
		return nil, err
	}
	if err := w.compare(ctx, again, last); err != nil {
		return nil, err
	}
	again.differs, again.count, again.divided = true, now.count, true
	return again, nil
}

// cut segments a snapshot and labels its blocks, also by what other pages of the site have.
func (w *Worker) cut(snap *plat.Snapshot, how segment.Params, others boilerplate.Pages) (*edition, error) {
	cut, err := segment.Segment(snap, how)
	if err != nil {
		return nil, err
	}
	if err := w.label.DescribeAmong(others, snap, &cut.Page, cut.Spans, cut.Visible()); err != nil {
		return nil, err
	}
	how.Level, how.Profile = cut.Level, cmp.Or(how.Profile, segment.Visual)
	e := &edition{page: cut.Page, others: others, url: snap.FinalURL, manifest: plat.ManifestOf(snap.Resources), spans: cut.Spans, how: how, sum: cut.Layout.Sum(), bytes: int64(len(cut.Layout.HTML))}
	for i := range e.page.Blocks {
		if b := &e.page.Blocks[i]; b.Leaf() {
			e.leaves++
			e.bytes += int64(len(b.Content) + len(b.Lead))
		}
	}
	return e, nil
}

// head is the loaded part of a URL's last version.
type head struct {
	version *plat.Version // nil: the URL has none
	next    int           // the number of the next version
	layout  *plat.Layout  // nil until needed
}

func (w *Worker) last(ctx context.Context, url string) (*head, error) {
	v, err := w.store.Version(ctx, url, 0)
	next := 1
	switch {
	case errors.Is(err, plat.ErrForgotten):
		var st plat.URLState
		if st, err = w.store.State(ctx, url); err == nil {
			next = st.Next()
		}
	case errors.Is(err, plat.ErrNotFound):
		err = nil
	case err == nil:
		next = v.N + 1
	}
	if err != nil {
		return nil, fmt.Errorf("load last version: %w", err)
	}
	return &head{version: v, next: next}, nil
}

// compare computes the changes since last. It loads only those contents of the last
// version that are not in the new one, usually none; the others are those of the new one.
func (w *Worker) compare(ctx context.Context, now *edition, last *head) error {
	old := last.version
	if err := history.Load(ctx, w.store, old.Blocks, diff.Needed(old.Blocks, now.page.Blocks)); err != nil {
		return fmt.Errorf("load last version: %w", err)
	}
	layout := &now.page.Layout
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
	history.Share(old.Blocks, now.page.Blocks)
	return nil
}
