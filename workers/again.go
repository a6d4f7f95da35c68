package workers

import (
	"context"
	"errors"
	"time"

	"plat/diff"
	"plat/diff/noise"
	"plat/diff/rules"
	"plat/plat"
	"plat/workers/softerror"
)

// How long after the first look the second begins: as long as the host asks for. Where it
// asks for more, there is none.
const (
	betweenLooks     = 500 * time.Millisecond
	mostBetweenLooks = 15 * time.Second
)

// weigh takes out of the changes those that the page makes by itself, and takes over what it
// learns of them.
func (w *Worker) weigh(ctx context.Context, a *attempt, f *found, r *Report) error {
	if f.last.version == nil {
		return nil
	}
	var set rules.Set
	if f.now.differs {
		var err error
		if set, err = w.rulesOf(ctx, a.URL); err != nil {
			return err
		}
	}
	when := w.opt.SecondLook
	if when == "" || a.delay > mostBetweenLooks {
		when = noise.Never
	}
	if when == noise.Never && len(set) == 0 || tooLong(f.now.page.Blocks) || f.now.differs && tooLong(f.last.version.Blocks) {
		if len(f.now.files) > 0 {
			f.now.show(nil)
		}
		return nil
	}
	mask, err := learnedMask(ctx, w.store, f.last.version, a.memory.Noise)
	if err != nil {
		return err
	}
	mask.Visited()
	if f.now.differs {
		old := noise.Look{Blocks: f.last.version.Blocks, At: f.last.version.Taken}
		if a.state.Outcome == plat.OutcomeUnchanged {
			old.Until = a.state.Last
		}
		now := noise.Look{Blocks: f.now.page.Blocks, At: w.fleetTime(f.snap.Taken)}
		given, err := w.given(ctx, set, f)
		if err != nil {
			return err
		}
		markup := f.now.changes.Differs
		found, err := noise.Weigh(when, old, now, &f.now.changes, &mask, given, func() (*noise.Again, error) { return w.lookAgain(ctx, a, f) })
		if err != nil {
			return err
		}
		r.Looks, f.now.own = r.Looks+found.Looks, found.SelfChanges
		proven, err := w.weighFiles(ctx, a, f, when, &mask, given, r)
		if err != nil {
			return err
		}
		f.now.itself = (found.All || !markup) && proven && !f.now.begins && !w.opt.KeepNoise
		r.SelfChanges = plat.SuppressedKinds(f.now.own)
	}
	a.weighed, a.noise = true, mask.Encode()
	return nil
}

// lookAgain looks at the page once more, after the host's delay. A failure is not that of
// the visit: the answer is nil, as it is if the page leads elsewhere now.
func (w *Worker) lookAgain(ctx context.Context, a *attempt, f *found) (again *noise.Again, err error) {
	_ = span(ctx, "second look", func(ctx context.Context) error {
		snap, err := w.lookOnce(ctx, a, w.besides(f))
		if failed := new(plat.VisitError); errors.As(err, &failed) && failed.Outcome == plat.OutcomeCrashed {
			// A browser that dies says nothing of the page, and without a look all is news.
			snap, err = w.lookOnce(ctx, a, w.besides(f))
		}
		if err != nil || refuse(snap) != nil || snap.FinalURL != f.snap.FinalURL {
			return err
		}
		second, err := w.cut(snap, f.now.how, f.now.others)
		if err != nil || tooLong(second.page.Blocks) {
			return err
		}
		res := diff.Compare(sideOf(f.now, f.now.lineage), sideOf(second, 0))
		if hardly(f, snap, second, res.Changes.Blocks) {
			return nil
		}
		w.lookedAt(f, snap)
		f.looks = append(f.looks, second.manifest)
		again = &noise.Again{Look: noise.Look{Blocks: second.page.Blocks, At: w.fleetTime(snap.Taken)}, Changes: res.Changes}
		return nil
	})
	return again, context.Cause(ctx)
}

// lookOnce renders the page after the pause between looks.
func (w *Worker) lookOnce(ctx context.Context, a *attempt, besides func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	if !sleep(ctx, nil, max(betweenLooks, a.delay)) {
		return nil, context.Cause(ctx)
	}
	return w.render.Render(ctx, a.URL, besides)
}

// hardly reports whether a second look shows hardly the page that the first shows: what
// differs then is not what the page changes by itself.
func hardly(f *found, snap *plat.Snapshot, second *edition, changes []plat.Change) bool {
	first := &plat.Version{Blocks: f.now.page.Blocks, Capture: plat.Capture{FinalURL: f.snap.FinalURL}}
	sign := softerror.Of(first, second.page.Blocks, changes, snap, softerror.Failed(snap))
	return sign.Outcome != "" && sign.Outcome != plat.OutcomeReplaced
}
