package workers

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"plat"
	"plat/diff"
	"plat/noise"
)

// SecondLook says when a page with a change that nothing explains is looked at once more,
// to see whether it changes by itself. Empty is LookNever.
type SecondLook string

const (
	LookNever  SecondLook = "never"
	LookNew    SecondLook = "new"    // at first; later at most at one visit in twenty
	LookAlways SecondLook = "always" // at each such change
)

// SecondLooks are all values of a SecondLook.
var SecondLooks = []SecondLook{LookNever, LookNew, LookAlways}

// betweenLooks is how long after the first look the second begins at least.
const betweenLooks = 500 * time.Millisecond

// weigh takes out of the changes what the page does by itself, and takes over what it
// learns of that.
func (w *Worker) weigh(ctx context.Context, a *attempt, f *found, r *Report) error {
	if w.opt.SecondLook == "" || w.opt.SecondLook == LookNever || f.last.version == nil {
		return nil
	}
	mask, _ := noise.DecodeMask(a.memory.Noise) // a cache
	mask.Visited()
	if f.now.differs {
		if err := w.judge(ctx, a, f, r, &mask); err != nil {
			return err
		}
	}
	a.weighed, a.noise = true, mask.Encode()
	return nil
}

func (w *Worker) judge(ctx context.Context, a *attempt, f *found, r *Report, mask *noise.Mask) error {
	c := &f.now.changes
	old := noise.Look{Blocks: f.last.version.Blocks, At: f.last.version.Taken}
	now := noise.Look{Blocks: f.now.page.Blocks, At: w.fleetTime(f.snap.Taken)}
	verdicts := noise.Judge(old, now, c.Blocks, nil, mask)
	// Where a page does vary, what two looks share may be chance: one of eight quotes.
	for range 2 {
		if !noise.News(c, verdicts) || r.Looks > 0 && !mask.Varies() || w.opt.SecondLook != LookAlways && !mask.Looks() {
			break
		}
		var again *noise.Again
		err := span(ctx, "second look", func(ctx context.Context) (err error) { again, err = w.lookAgain(ctx, a, f); return err })
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || again == nil {
			break
		}
		r.Looks++
		mask.Looked()
		mask.Learn(now, again)
		verdicts = noise.Either(verdicts, noise.Judge(old, now, c.Blocks, again, mask))
	}
	mask.Meet(old, now, c.Blocks)
	f.now.itself = noise.ByItself(*c, verdicts, mask)
	r.ByItself = map[plat.Kind]int{}
	kept := c.Blocks[:0]
	for i, b := range c.Blocks {
		if why := verdicts[i].Why; why == "" || why == noise.Order {
			b.Kind = cmp.Or(verdicts[i].Kind, b.Kind)
			kept = append(kept, b)
		} else {
			r.ByItself[b.Kind]++
		}
	}
	if c.Blocks = kept; f.now.itself {
		*c = plat.Changes{}
	}
	f.now.count = c.Count()
	return nil
}

// lookAgain looks at the page once more, after the host's delay; nil if it leads elsewhere
// now. Its failure is not that of the visit.
func (w *Worker) lookAgain(ctx context.Context, a *attempt, f *found) (*noise.Again, error) {
	if !sleep(ctx, nil, max(betweenLooks, a.delay)) {
		return nil, context.Cause(ctx)
	}
	snap, err := w.render.Render(ctx, a.URL, nil)
	if err != nil || refuse(snap) != nil || snap.FinalURL != f.snap.FinalURL {
		return nil, err
	}
	second, err := w.cut(snap, f.now.how)
	if err != nil {
		return nil, fmt.Errorf("second look: %w", err)
	}
	first := diff.Side{Layout: &f.now.page.Layout, Blocks: f.now.page.Blocks, Lineages: f.now.lineage, Coverage: f.now.page.Coverage}
	res := diff.Compare(first, diff.Side{Layout: &second.page.Layout, Blocks: second.page.Blocks, Coverage: second.page.Coverage})
	return &noise.Again{Look: noise.Look{Blocks: second.page.Blocks, At: w.fleetTime(snap.Taken)}, Changes: res.Changes}, nil
}
