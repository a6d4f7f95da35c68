package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/plat"
	"plat/queue/traps"
	"plat/storage"
	"plat/workers/softerror"
)

// storeVisit stores the result of a visit: a new version, or an unchanged visit, with the time of the
// next one. It renders the page once more if the version lacks its picture, or to prove that its scripts do not
// depend on clock and chance. Of an unchanged page, the last version gets the picture and the files that it lacks.
//
// A different worker may store a version of the URL meanwhile: then the page is compared with that one,
// which usually is equal, but for self-changes.
func (w *Worker) storeVisit(ctx context.Context, a *attempt, p *result, r *Report) (err error) {
	if err := w.addPicture(ctx, a, p); err != nil {
		return err
	}
	v := w.visitOf(a, p)
	began := w.now()
	defer func() { r.Stages["store"] = w.now().Sub(began).Seconds() }()
	for tries := 3; ; tries-- {
		if !p.isVersion() {
			if err := w.attach(ctx, a, p, r); errors.Is(err, plat.ErrConflict) && tries > 0 {
				if p, err = w.compareAgain(ctx, a, p, r); err != nil {
					return err
				}
				continue
			} else if err != nil {
				return fmt.Errorf("store: %w", err)
			}
			r.Outcome, r.Version, r.Seems = plat.OutcomeUnchanged, p.last.version.N, p.last.version.Seems()
			v.Outcome, v.Version = r.Outcome, r.Version
			w.plan(a, &v, w.learnSkip(ctx, a, p, r.Version), p, r)
			return w.record(ctx, v, p.page.bytes, r)
		}
		c := w.commit(a.Job, p, v)
		w.plan(a, &c.Visit, w.learnSkip(ctx, a, p, c.Version.N), p, r)
		var written storage.Written
		err := span(ctx, "store", func(ctx context.Context) (err error) { written, err = w.store.Commit(ctx, c); return err })
		if err == nil {
			r.Outcome, r.Version, r.Stored, r.Seems = c.Visit.Outcome, c.Version.N, true, c.Version.Seems()
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
		if p, err = w.compareAgain(ctx, a, p, r); err != nil {
			return err
		}
	}
}

// What a version that is not new may get.
const (
	addedPicture   = "picture"
	addedResources = "resources"
)

// attach adds the picture and the files of an unchanged page to its last version, if that has none, because they were
// not wanted before. Those of a page that lacks a style sheet or a script this time are left to a later visit.
func (w *Worker) attach(ctx context.Context, a *attempt, p *result, r *Report) error {
	last := p.last.version
	var x storage.Attachment
	var added []string
	if p.snap.Picture != nil && last.Picture.IsZero() {
		x.Picture, added = p.snap.Picture, append(added, addedPicture)
	}
	if len(p.snap.Resources) > 0 && last.Resources.IsZero() {
		x.Resources, added = p.snap.Resources, append(added, addedResources)
	}
	if len(added) == 0 || a.lessons.suspicion.lacks(a, p.snap) {
		return nil
	}
	err := span(ctx, "attach", func(ctx context.Context) error {
		written, err := w.store.Attach(ctx, a.URL, last.N, &x)
		r.Pictures, r.Resources = written.Pictures, written.Resources
		return err
	})
	if err == nil {
		r.Added = added
	}
	return err
}

// compareAgain compares the page with the version that a different worker has stored since.
func (w *Worker) compareAgain(ctx context.Context, a *attempt, was *result, r *Report) (*result, error) {
	var last *lastVersion
	state, err := w.stateOf(ctx, a.URL)
	if err == nil {
		last, err = w.loadLast(ctx, &state)
	}
	if err != nil {
		return nil, err
	}
	page, err := w.divide(ctx, &rendering{snap: was.snap}, last, nil)
	if err != nil {
		return nil, err
	}
	news, err := w.findNews(ctx, a, was.snap, page, last, was.news.looks...)
	if err != nil {
		return nil, err
	}
	a.lessons.addMask(news)
	r.addNews(news)
	return &result{snap: was.snap, page: page, last: last, news: news, check: was.check}, nil
}

// addPicture captures the picture of a page of which only files are news, if no rendering has.
func (w *Worker) addPicture(ctx context.Context, a *attempt, p *result) error {
	if !w.opt.Capture.Pictures || p.snap.Picture != nil || len(p.page.files) == 0 || !p.isVersion() {
		return nil
	}
	snap, err := w.renderAgain(ctx, a, w.missing(p.snap, p.page))
	if err == nil && Refuse(snap) == nil && snap.FinalURL == p.snap.FinalURL {
		takePicture(p.snap, snap)
	}
	return context.Cause(ctx) // without a picture it is a version all the same
}

// visitOf returns a visit with a page, without its outcome.
func (w *Worker) visitOf(a *attempt, p *result) plat.Visit {
	return plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Status: p.snap.Status, Bytes: p.snap.Bytes, Duration: w.now().Sub(a.start)}
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

// storeAlias records that a page is archived under a different URL. The URL is not visited again.
func (w *Worker) storeAlias(ctx context.Context, a *attempt, p *result, main string, r *Report) error {
	r.Outcome, r.Main = plat.OutcomeAlias, main
	return w.storeEnd(ctx, a, p, main, r)
}

// storeUnwanted records a visit of a page that no focused crawl wants. The URL is not visited again.
func (w *Worker) storeUnwanted(ctx context.Context, a *attempt, p *result, o plat.Outcome, r *Report) error {
	r.Outcome = o
	return w.storeEnd(ctx, a, p, "", r)
}

// storeEnd records the last visit of a URL.
func (w *Worker) storeEnd(ctx context.Context, a *attempt, p *result, main string, r *Report) error {
	v := w.visitOf(a, p)
	v.Outcome, v.Main, v.Settles = r.Outcome, main, a.Due
	if a.memory.Doubt != "" {
		v.Memory = plat.NoMemory // no later visit is its first
	}
	return w.record(ctx, v, p.page.bytes, r)
}

// keptHeaders are the stored response headers, those that describe the page.
var keptHeaders = map[string]bool{"content-language": true, "content-type": true, "etag": true, "last-modified": true, "link": true, "x-robots-tag": true}

// Limits of what a version says of its page in clear, in characters: its documents have at most 16 MB.
const (
	maxTitle    = 10_000
	maxLanguage = 200
)

// commit assembles the store's commit.
func (w *Worker) commit(job plat.Job, p *result, visit plat.Visit) *storage.Commit {
	snap, now, last := p.snap, p.page, p.last
	if now.reading != nil { // it has copies of all texts, which are not held while the version is stored
		now.article, now.reading = now.reading.Article(&now.Page).Keep(&now.Page), nil
	}
	v := &plat.Version{
		URL: job.URL, N: last.next, Oldest: last.version == nil, Taken: w.fleetTime(snap.Taken), Layout: now.sum, Blocks: now.Blocks,
		Level: now.how.Level, Adjust: now.how.Adjust, Profile: string(now.how.Profile), Coverage: now.Coverage, Lineages: now.lineage,
		Capture: plat.Capture{
			FinalURL: snap.FinalURL, Status: snap.Status, ContentType: snap.ContentType, Title: firstChars(snap.Title, maxTitle), Language: firstChars(snap.Language, maxLanguage),
			Browser: snap.Browser, Width: int(snap.Viewport.W), Height: int(snap.Viewport.H),
			PageBytes: now.bytes, WireBytes: snap.Bytes, Duration: snap.Timing.Total, Settled: snap.Settled, Steps: snap.Steps, Coarse: snap.Coarse,
		},
		Meta: w.opt.Capture.Meta.Apply(job.URL, snap), Article: now.article,
	}
	if softerror.Login(now.Blocks) {
		if v.Meta == nil {
			v.Meta = map[string]string{}
		}
		v.Meta[plat.MetaSeems] = string(plat.OutcomeLogin)
	}
	for _, h := range snap.Header {
		if keptHeaders[strings.ToLower(h[0])] {
			v.Capture.Header = append(v.Capture.Header, h)
		}
	}
	c := &storage.Commit{Version: v, Layout: now.Layout, Picture: snap.Picture, Resources: snap.Resources, Visit: visit, Fingerprint: traps.Fingerprint(snap.Title, now.Blocks)}
	c.Visit.Outcome = plat.OutcomeNew
	if old := last.version; old != nil {
		v.Changes, v.SelfChanges = p.news.count, p.news.own
		for i := range p.news.changes.Blocks {
			if ch := &p.news.changes.Blocks[i]; ch.New >= 0 && ch.Kind != plat.Same {
				v.Blocks[ch.New].Change = ch.Kind
			}
		}
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
