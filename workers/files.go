package workers

import (
	"context"
	"fmt"

	"plat"
	"plat/diff"
)

// comparable is which files of a page are to be taken to be compared with those of its last
// version, as far as that has any.
func (w *Worker) comparable(last *head) plat.ResourceSet {
	if last.version == nil || last.version.Resources.IsZero() {
		return plat.NoResources
	}
	return w.opt.Resources
}

// compareFiles compares the files of a page with those of its last version, once they were taken: an
// image that is another one under its URL is a change, like other words.
func (w *Worker) compareFiles(ctx context.Context, f *found) error {
	if f.now == nil || f.now.divided || len(f.snap.Resources) == 0 || w.comparable(f.last) == plat.NoResources {
		return nil
	}
	f.now.manifest = plat.ManifestOf(f.snap.Resources)
	if f.now.manifest.Sum() == f.last.version.Resources {
		return nil
	}
	if err := w.loadFiles(ctx, f.last); err != nil || len(diff.OtherFiles(f.last.files, f.now.manifest)) == 0 {
		return err // what else differs was compared before
	}
	return w.compare(ctx, f.now, f.last)
}

// loadFiles loads the list of files of a last version, if it has one and that is not loaded.
func (w *Worker) loadFiles(ctx context.Context, last *head) (err error) {
	if last.files != nil || last.version.Resources.IsZero() {
		return nil
	}
	if last.files, err = w.store.Manifest(ctx, last.version.Resources); err != nil {
		return fmt.Errorf("load the files of the last version: %w", err)
	}
	return nil
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
	return diff.Side{Layout: &e.page.Layout, Blocks: e.page.Blocks, Lineages: lineages, Coverage: e.page.Coverage, URL: e.url, Files: e.manifest}
}
