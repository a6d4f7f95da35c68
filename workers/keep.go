package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/plat"
	"plat/queue/traps"
	"plat/segment/article"
	"plat/storage"
)

// keep stores the result of a visit: a new version, or an unchanged visit.
//
// Another worker may store a version of the URL meanwhile: then the page is compared
// with that one, which is usually equal, but for what the page does by itself.
func (w *Worker) keep(ctx context.Context, a *attempt, f *found, r *Report) (err error) {
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Status: f.snap.Status, Bytes: f.snap.Bytes, Duration: w.now().Sub(a.start)}
	began := w.now()
	defer func() { r.Stages["store"] = w.now().Sub(began).Seconds() }()
	for tries := 3; ; tries-- {
		if !f.now.differs || f.now.itself {
			r.Outcome, r.Version = plat.OutcomeUnchanged, f.last.version.N
			v.Outcome, v.Version = r.Outcome, r.Version
			w.plan(a, &v, w.learnt(ctx, a, f, r.Version), f.now, f.last, r)
			return w.record(ctx, v, f.now.bytes, r)
		}
		c := w.commit(a.Job, f.snap, f.now, f.last, v)
		w.plan(a, &c.Visit, w.learnt(ctx, a, f, c.Version.N), f.now, f.last, r)
		var written storage.Written
		err := span(ctx, "store", func(ctx context.Context) (err error) { written, err = w.store.Commit(ctx, c); return err })
		if err == nil {
			r.Outcome, r.Version, r.Stored = c.Visit.Outcome, c.Version.N, true
			r.Changes, r.StoredBytes, r.NewBlocks, r.Next = c.Version.Changes, written.Bytes, written.Blocks, c.Visit.Next
			r.Pictures, r.Resources = written.Pictures, written.Resources
			return nil
		}
		if r.settledBy(err) {
			r.Outcome, r.Version = plat.OutcomeUnchanged, c.Version.N-1
			return nil
		}
		if !errors.Is(err, plat.ErrConflict) || tries == 0 {
			return fmt.Errorf("store: %w", err)
		}
		if f.last, err = w.last(ctx, a.URL); err != nil {
			return err
		}
		if f.now, err = w.edition(ctx, f.snap, f.last); err != nil {
			return err
		}
		if err = w.compareFiles(ctx, f); err != nil {
			return err
		}
		r.SelfChanges = nil
		if err = w.weigh(ctx, a, f, r); err != nil {
			return err
		}
	}
}

// record stores a visit that found no new version.
func (w *Worker) record(ctx context.Context, v plat.Visit, pageBytes int64, r *Report) error {
	err := span(ctx, "store", func(ctx context.Context) error { return w.store.Record(ctx, v, pageBytes) })
	if r.settledBy(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("record the visit: %w", err)
	}
	r.Next = v.Next
	return nil
}

// alias records that a page is archived under another URL. The URL is not visited
// again on its own.
func (w *Worker) alias(ctx context.Context, a *attempt, f *found, main string, r *Report) error {
	r.Outcome, r.Main = plat.OutcomeAlias, main
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Status: f.snap.Status, Bytes: f.snap.Bytes, Duration: w.now().Sub(a.start),
		Outcome: r.Outcome, Main: main, Settles: a.Due}
	if a.memory.Doubt != "" {
		v.Memory = plat.NoMemory // no later visit is its first
	}
	return w.record(ctx, v, f.now.bytes, r)
}

// keptHeaders are the stored response headers, those that describe the page.
var keptHeaders = map[string]bool{"content-language": true, "content-type": true, "etag": true, "last-modified": true, "link": true, "x-robots-tag": true}

// commit assembles the store's commit.
func (w *Worker) commit(job plat.Job, snap *plat.Snapshot, now *edition, last *head, visit plat.Visit) *storage.Commit {
	v := &plat.Version{
		URL: job.URL, N: last.next, Oldest: last.version == nil, Taken: w.fleetTime(snap.Taken), Layout: now.sum, Blocks: now.page.Blocks,
		Level: now.how.Level, Adjust: now.how.Adjust, Profile: string(now.how.Profile), Coverage: now.page.Coverage, Lineages: now.lineage,
		Capture: plat.Capture{
			FinalURL: snap.FinalURL, Status: snap.Status, ContentType: snap.ContentType, Title: snap.Title, Language: snap.Language,
			Browser: snap.Browser, Width: int(snap.Viewport.W), Height: int(snap.Viewport.H),
			PageBytes: now.bytes, WireBytes: snap.Bytes, Duration: snap.Timing.Total, Settled: snap.Settled, Steps: snap.Steps, Coarse: snap.Coarse,
		},
		Meta: w.opt.Meta.Apply(job.URL, snap), Article: article.Read(snap, &now.page).Keep(&now.page),
	}
	for _, h := range snap.Header {
		if keptHeaders[strings.ToLower(h[0])] {
			v.Capture.Header = append(v.Capture.Header, h)
		}
	}
	c := &storage.Commit{Version: v, Layout: now.page.Layout, Picture: snap.Picture, Resources: snap.Resources, Visit: visit, Fingerprint: traps.Fingerprint(snap.Title, now.page.Blocks)}
	c.Visit.Outcome = plat.OutcomeNew
	if old := last.version; old != nil {
		v.Changes, v.SelfChanges = now.count, now.own
		c.Visit.Outcome, c.LayoutBase = plat.OutcomeChanged, old.Layout
	}
	if now.leaves == 0 {
		c.Visit.Outcome = plat.OutcomeBlank // worth reporting: often it is a consent or login wall
	}
	c.Visit.Version = v.N
	if snap.Picture != nil {
		v.Picture = plat.HashOf(snap.Picture.Data)
	}
	v.Resources = plat.ManifestOf(snap.Resources).Sum()
	return c
}
