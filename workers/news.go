package workers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"plat/diff"
	"plat/diff/noise"
	"plat/diff/rules"
	"plat/plat"
	"plat/workers/softerror"
)

// The pause between two renderings of a page at a visit is the host's delay, and at least betweenLooks. A
// host with a longer delay than mostBetweenLooks is not asked for a second one.
const (
	betweenLooks     = 500 * time.Millisecond
	mostBetweenLooks = 15 * time.Second
)

// news are the differences of a page from the last version of its URL, weighed: those that are news,
// and the self-changes.
type news struct {
	changes    plat.Changes      // that are news
	count      map[plat.Kind]int // of them; nil for the first version
	own        []plat.SelfChange // by lineage
	suppressed bool              // there are only self-changes: the page is not a new version

	mask     *string         // of self-changes, encoded, for later visits; nil: unchanged
	looks    []plat.Manifest // files of further renderings, for each
	rendered int             // such renderings by this findNews
}

// findNews weighs the differences of a page from its last version: those that rules, earlier visits or
// further renderings prove to be self-changes are not news. looks are the files of further renderings
// that the visit has already.
func (w *Worker) findNews(ctx context.Context, a *attempt, snap *plat.Snapshot, page *dividedPage, last *lastVersion, looks ...plat.Manifest) (*news, error) {
	n := &news{changes: page.changes, count: page.count, looks: looks}
	n.changes.Blocks = slices.Clone(page.changes.Blocks)
	if last.version == nil {
		return n, nil
	}
	var set rules.Set
	if page.differs {
		var err error
		if set, err = w.rulesOf(ctx, a.URL); err != nil {
			return n, err
		}
	}
	when := w.opt.News.SecondLook
	if when == "" || a.delay > mostBetweenLooks {
		when = noise.Never
	}
	if when == noise.Never && len(set) == 0 || tooLong(page.Blocks) || page.differs && tooLong(last.version.Blocks) {
		if len(page.files) > 0 {
			n.addFiles(page, nil)
		}
		return n, nil
	}
	mask, err := learnedMask(ctx, w.store, last.version, a.memory.Noise)
	if err != nil {
		return n, err
	}
	mask.Visited()
	if page.differs {
		g := weighing{w, a, snap, page, last, n, when, &mask}
		if err := g.weigh(ctx, set); err != nil {
			return n, err
		}
	}
	text := mask.Encode()
	n.mask = &text
	return n, nil
}

// weighing is the state of findNews.
type weighing struct {
	w    *Worker
	a    *attempt
	snap *plat.Snapshot
	page *dividedPage
	last *lastVersion
	n    *news
	when noise.When
	mask *noise.Mask
}

// weigh weighs the changes of blocks, then those of files.
func (g *weighing) weigh(ctx context.Context, set rules.Set) error {
	old := noise.Look{Blocks: g.last.version.Blocks, At: g.last.version.Taken}
	if g.a.state.Outcome == plat.OutcomeUnchanged {
		old.Until = g.a.state.Last
	}
	now := noise.Look{Blocks: g.page.Blocks, At: g.w.fleetTime(g.snap.Taken)}
	given, err := g.w.given(ctx, set, g.page, g.last)
	if err != nil {
		return err
	}
	markup := g.n.changes.Differs
	weighed, err := noise.Weigh(g.when, old, now, &g.n.changes, g.mask, given, func() (*noise.Again, error) { return g.look(ctx) })
	if err != nil {
		return err
	}
	g.n.own = weighed.SelfChanges
	proven, err := g.files(ctx)
	if err != nil {
		return err
	}
	g.n.addFiles(g.page, given)
	g.n.suppressed = (weighed.All || !markup) && proven && !g.w.opt.News.KeepNoise
	return nil
}

// files marks each file with different bytes that has different bytes at every rendering. proven reports
// whether renderings of this visit show that of all of them.
func (g *weighing) files(ctx context.Context) (proven bool, err error) {
	at := map[string]*diff.File{}
	for i := range g.page.files {
		x := &g.page.files[i]
		if at[x.URL] = x; g.when != noise.Never && g.mask.KnowsFile(x.URL, x.New.Hash.String()) {
			x.Why = string(noise.Learned)
		}
	}
	if len(at) > 0 && len(g.n.looks) == 0 && g.mask.Spend(g.when) {
		if _, err := g.look(ctx); err != nil {
			return false, err
		}
	}
	for _, look := range g.n.looks {
		for _, x := range diff.OtherFiles(g.page.manifest, look) {
			if g.mask.LearnFile(x.URL, x.Old.Hash.String()); at[x.URL] != nil {
				at[x.URL].Why = string(noise.TwoLook)
			}
		}
	}
	own := map[string]*plat.SelfChange{} // by reason
	proven = true
	for _, x := range g.page.files {
		if proven = proven && x.Why == string(noise.TwoLook); x.Why == "" {
			continue
		}
		if own[x.Why] == nil {
			own[x.Why] = &plat.SelfChange{Kind: plat.Image, Why: x.Why}
		}
		i, _ := g.page.manifest.Index(x.URL)
		own[x.Why].New = append(own[x.Why].New, plat.Range{From: i, To: i + 1})
	}
	for _, x := range own {
		g.n.own = append(g.n.own, *x)
	}
	return proven, nil
}

// addFiles adds the files that are news to the changes, except in blocks that a rule ignores.
func (n *news) addFiles(page *dividedPage, given *noise.Given) {
	side, res := sideOf(page, 0), diff.Result{Changes: n.changes, Old: page.pairs}
	res.Show(page.files, &side, nil)
	n.changes = res.Changes
	if given != nil && given.Ignored != nil {
		n.changes.Blocks = slices.DeleteFunc(n.changes.Blocks, func(c plat.Change) bool {
			all, _, _ := given.Ignored(c)
			if all = all && c.Kind == plat.Image; all {
				n.own = append(n.own, plat.SelfChange{Lineage: c.Lineage, Kind: c.Kind, Why: string(noise.Ignored)})
			}
			return all
		})
	}
	slices.SortStableFunc(n.own, func(x, y plat.SelfChange) int {
		return cmp.Or(cmp.Compare(x.Lineage, y.Lineage), cmp.Compare(x.Why, y.Why))
	})
	n.count = n.changes.Count()
}

// look renders the page again, after the host's delay. If that fails, or leads to a different URL or to an
// error page, the result is nil: the visit continues without it.
func (g *weighing) look(ctx context.Context) (again *noise.Again, err error) {
	w := g.w
	_ = span(ctx, "second look", func(ctx context.Context) error {
		snap, err := w.renderAgain(ctx, g.a, w.missing(g.snap, g.page))
		if failed := new(plat.VisitError); errors.As(err, &failed) && failed.Outcome == plat.OutcomeCrashed {
			// A crash of the browser says nothing of the page, and without a second rendering every change is news.
			snap, err = w.renderAgain(ctx, g.a, w.missing(g.snap, g.page))
		}
		if err != nil || Refuse(snap) != nil || snap.FinalURL != g.snap.FinalURL {
			return err
		}
		second, err := w.segment(snap, g.page.how, g.page.others)
		if err != nil || tooLong(second.Blocks) {
			return err
		}
		res := diff.Compare(sideOf(g.page, g.page.lineage), sideOf(second, 0))
		if g.hardlyThePage(snap, second, res.Changes.Blocks) {
			return nil
		}
		takePicture(g.snap, snap)
		g.n.looks = append(g.n.looks, second.manifest)
		g.n.rendered++
		again = &noise.Again{Look: noise.Look{Blocks: second.Blocks, At: w.fleetTime(snap.Taken)}, Changes: res.Changes}
		return nil
	})
	return again, context.Cause(ctx)
}

// hardlyThePage reports whether a second rendering shows an error, a login or half of the page that the first
// shows: then its differences are not self-changes.
func (g *weighing) hardlyThePage(snap *plat.Snapshot, second *dividedPage, changes []plat.Change) bool {
	first := &plat.Version{Blocks: g.page.Blocks, Capture: plat.Capture{FinalURL: g.snap.FinalURL}}
	sign := softerror.Of(first, second.Blocks, changes, snap, softerror.Failed(snap))
	return sign.Outcome != "" && sign.Outcome != plat.OutcomeReplaced
}

// renderAgain renders the page after the pause between renderings.
func (w *Worker) renderAgain(ctx context.Context, a *attempt, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	if !sleep(ctx, nil, max(betweenLooks, a.delay)) {
		return nil, context.Cause(ctx)
	}
	return w.renderURL(ctx, a, evidence)
}

// missing returns the attachments that a second rendering captures: files that differ, and the picture if
// the first has none, because only files differ and that was found too late; nil if there is nothing to capture.
func (w *Worker) missing(snap *plat.Snapshot, page *dividedPage) func(*plat.Snapshot) plat.Attachments {
	if len(page.files) == 0 {
		return nil
	}
	return func(*plat.Snapshot) plat.Attachments {
		return plat.Attachments{Picture: w.opt.Capture.Pictures && snap.Picture == nil, Resources: w.opt.Capture.Resources}
	}
}

// takePicture gives a snapshot without a picture that of a later rendering.
func takePicture(snap, later *plat.Snapshot) {
	if snap.Picture == nil {
		snap.Picture = later.Picture
	}
}
