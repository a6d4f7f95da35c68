package workers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"plat/diff"
	"plat/diff/noise"
	"plat/plat"
)

// compareFiles compares the files of a page with those of its last version, once they were taken: an
// image that is another one under its URL is a change, like other words.
func (w *Worker) compareFiles(ctx context.Context, f *found) error {
	if f.now == nil || len(f.snap.Resources) == 0 || f.last.version == nil {
		return nil
	}
	f.now.manifest = plat.ManifestOf(f.snap.Resources)
	switch f.last.version.Resources {
	case f.now.manifest.Sum():
		return nil
	case plat.Hash{}:
		// They were not wanted before. From this version on they can be compared.
		f.now.differs, f.now.begins = true, true
		return nil
	}
	last, err := w.store.Manifest(ctx, f.last.version.Resources)
	if err != nil {
		return fmt.Errorf("load the files of the last version: %w", err)
	}
	if f.now.files = diff.OtherFiles(last, f.now.manifest); len(f.now.files) > 0 {
		f.now.differs = true
	}
	return nil
}

// weighFiles says of each file that is another one whether it is so by itself, at every look, and
// adds what is news to the changes. proven says that looks at this visit show that nothing is.
func (w *Worker) weighFiles(ctx context.Context, a *attempt, f *found, when noise.When, mask *noise.Mask, given *noise.Given, r *Report) (proven bool, err error) {
	at := map[string]*diff.File{}
	for i := range f.now.files {
		x := &f.now.files[i]
		if at[x.URL] = x; when != noise.Never && mask.KnowsFile(x.URL, x.New.Hash.String()) {
			x.Why = string(noise.Learned)
		}
	}
	if len(at) > 0 && len(f.looks) == 0 && mask.Spend(when) {
		if _, err := w.lookAgain(ctx, a, f); err != nil {
			return false, err
		}
		r.Looks += len(f.looks)
	}
	for _, look := range f.looks {
		for _, x := range diff.OtherFiles(f.now.manifest, look) {
			if mask.LearnFile(x.URL, x.Old.Hash.String()); at[x.URL] != nil {
				at[x.URL].Why = string(noise.TwoLook)
			}
		}
	}
	own := map[string]*plat.SelfChange{} // by reason
	proven = true
	for _, x := range f.now.files {
		if proven = proven && x.Why == string(noise.TwoLook); x.Why == "" {
			continue
		}
		if own[x.Why] == nil {
			own[x.Why] = &plat.SelfChange{Kind: plat.Image, Why: x.Why}
		}
		i, _ := f.now.manifest.Index(x.URL)
		own[x.Why].New = append(own[x.Why].New, plat.Range{From: i, To: i + 1})
	}
	for _, x := range own {
		f.now.own = append(f.now.own, *x)
	}
	f.now.show(given)
	return proven, nil
}

// show adds the files that are news to the changes, but for those of blocks that are ignored.
func (e *edition) show(given *noise.Given) {
	side, res := sideOf(e, 0), diff.Result{Changes: e.changes, Old: e.pairs}
	res.Show(e.files, &side, nil)
	e.changes = res.Changes
	if given != nil && given.Ignored != nil {
		e.changes.Blocks = slices.DeleteFunc(e.changes.Blocks, func(c plat.Change) bool {
			all, _, _ := given.Ignored(c)
			if all = all && c.Kind == plat.Image; all {
				e.own = append(e.own, plat.SelfChange{Lineage: c.Lineage, Kind: c.Kind, Why: string(noise.Ignored)})
			}
			return all
		})
	}
	slices.SortStableFunc(e.own, func(x, y plat.SelfChange) int {
		return cmp.Or(cmp.Compare(x.Lineage, y.Lineage), cmp.Compare(x.Why, y.Why))
	})
	e.count = e.changes.Count()
}

// lookedAt takes over what a second look has of the page beside its blocks. The first look took no
// picture where only files are others, which it could know too late.
func (w *Worker) lookedAt(f *found, again *plat.Snapshot) {
	if f.snap.Picture == nil {
		f.snap.Picture = again.Picture
	}
}

// besides is what a second look at a page is to take beside its blocks.
func (w *Worker) besides(f *found) func(*plat.Snapshot) plat.Attachments {
	if len(f.now.files) == 0 {
		return nil
	}
	return func(*plat.Snapshot) plat.Attachments {
		return plat.Attachments{Picture: w.opt.Pictures && f.snap.Picture == nil, Resources: w.opt.Resources}
	}
}

// pictured takes the picture of a page of which only files are others, if no look has.
func (w *Worker) pictured(ctx context.Context, a *attempt, f *found) error {
	if !w.opt.Pictures || f.snap.Picture != nil || len(f.now.files) == 0 || !f.now.differs || f.now.itself {
		return nil
	}
	snap, err := w.lookOnce(ctx, a, w.besides(f))
	if err == nil && refuse(snap) == nil && snap.FinalURL == f.snap.FinalURL {
		w.lookedAt(f, snap)
	}
	return context.Cause(ctx) // without a picture it is a version all the same
}

// sideOf is an edition as one side of a comparison with another look.
func sideOf(e *edition, lineages int32) diff.Side {
	return diff.Side{Layout: &e.page.Layout, Blocks: e.page.Blocks, Lineages: lineages, Coverage: e.page.Coverage, URL: e.url}
}
