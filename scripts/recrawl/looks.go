package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"

	"plat/diff/noise"
	"plat/plat"
	"plat/workers"
)

var secondLook = flag.String("second-look", string(noise.New), "look once more at a page that has changed: never, new or always")

// looks counts the second looks of an archive's visits.
type looks struct {
	// ByVisit are the first, second and third visits of pages, and all after these.
	ByVisit [4]looked `json:"by_visit"`

	// Of the pages' masks, at the end.
	Pages     int `json:"pages"`
	Learned   int `json:"learned"` // pages with a learned place that varies
	MaskBytes int `json:"mask_bytes"`
	MaskMost  int `json:"mask_bytes_most"`

	mu   sync.Mutex
	seen map[string]int // visits, by URL
}

// looked counts visits, and their second looks.
type looked struct {
	Visits   int `json:"visits"`
	Rendered int `json:"rendered"`
	Changed  int `json:"changed"` // visits at which something differed
	Looks    int `json:"looks"`

	// Visits with second looks, by result.
	News   int `json:"looked_news"`
	Itself int `json:"looked_by_itself"` // all differences are self-changes
	Other  int `json:"looked_other"`     // the rest is not news: it has only moved, for example
}

// add counts a visit. Visits of one URL come in their order.
func (l *looks) add(r *workers.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]int{}
	}
	v := &l.ByVisit[min(l.seen[r.URL], len(l.ByVisit)-1)]
	l.seen[r.URL]++
	v.Visits++
	if !r.Skipped {
		v.Rendered++
	}
	if r.Version > 1 && r.Stored || len(r.SelfChanges) > 0 {
		v.Changed++
	}
	if v.Looks += r.Looks; r.Looks == 0 {
		return
	}
	switch {
	case (&plat.Version{Changes: r.Changes}).News():
		v.News++
	case !r.Stored || len(r.Changes) == 0:
		v.Itself++
	default:
		v.Other++
	}
}

// learned reads the masks of pages.
func (l *looks) learned(ctx context.Context, a *archive, places []place) error {
	for _, p := range places {
		st, err := a.store.State(ctx, p.url)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		m, err := plat.DecodeMemory(st.Memory)
		if err != nil {
			return fmt.Errorf("%s: %w", p.url, err)
		}
		mask, err := noise.DecodeMask(m.Noise)
		if err != nil {
			return fmt.Errorf("%s: %w", p.url, err)
		}
		l.Pages++
		l.MaskBytes += len(m.Noise)
		l.MaskMost = max(l.MaskMost, len(m.Noise))
		if mask.Varies() {
			l.Learned++
		}
	}
	return nil
}

// cost is the CPU time of plat and its browser for visits that are all rendered.
type cost struct {
	Visits int     `json:"visits"`
	Looks  int     `json:"looks"`
	CPU    float64 `json:"cpu_seconds"`
}

func (c cost) perVisit() float64 { return c.CPU / float64(max(1, c.Visits)) }

// compareCost visits pages with second looks and without, each in an archive of its own,
// and counts CPU time. They alternate in being first.
func (w *world) compareCost(ctx context.Context, pages []place, still bool) (with []workers.Report, err error) {
	both := []struct {
		to    *archive
		timed *rate
		cost  *cost
	}{{&w.always, &w.Always, &w.LooksOn}, {&w.never, nil, &w.LooksNever}}
	if w.never.worker == nil {
		both = both[:1]
	}
	w.turn++
	for i := range both {
		b := both[(i+w.turn)%len(both)]
		stop := w.meter()
		reports, err := w.visit(ctx, b.to, pages, still && b.timed != nil, b.timed)
		b.cost.CPU += stop()
		if err != nil {
			return nil, err
		}
		b.cost.Visits += len(reports)
		for i := range reports {
			b.cost.Looks += reports[i].Looks
		}
		if b.to == &w.always {
			with = reports
		}
	}
	return with, nil
}

// reportLooks prints the table of second looks of the sets.
func reportLooks(out io.Writer, results []*result) {
	fmt.Fprintf(out, "\nSecond looks (-second-look %s), by the visit of the page; and what the visits with some have found:\n", *secondLook)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tvisit\tvisits\trendered\tdiffer\tlooks\tof visits\tof rendered\tnews\tby itself\tother\t")
	for _, r := range results {
		for _, a := range []struct {
			name string
			*looks
		}{{r.Set, &r.Looks}, {r.Set + ", always rendered", &r.LooksAlways}} {
			for i, v := range a.ByVisit {
				visit := fmt.Sprint(i + 1)
				if i == len(a.ByVisit)-1 {
					visit = "later"
				}
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%.1f %%\t%.1f %%\t%d\t%d\t%d\t\n", a.name, visit, v.Visits, v.Rendered, v.Changed, v.Looks,
					100*float64(v.Looks)/float64(max(1, v.Visits)), 100*float64(v.Looks)/float64(max(1, v.Rendered)), v.News, v.Itself, v.Other)
			}
		}
	}
	w.Flush()
	for _, r := range results {
		l := &r.Looks
		fmt.Fprintf(out, "%s: something is known to vary on %d of %d pages; masks have %.1f bytes a page, at most %d\n", r.Set, l.Learned, l.Pages,
			float64(l.MaskBytes)/float64(max(1, l.Pages)), l.MaskMost)
		on, never := r.LooksOn, r.LooksNever
		fmt.Fprintf(out, "%s: CPU s a visit, always rendered: %.3f with %d looks at %d visits", r.Set, on.perVisit(), on.Looks, on.Visits)
		if never.Visits > 0 {
			fmt.Fprintf(out, ", %.3f without, %.3f times as much", never.perVisit(), on.perVisit()/never.perVisit())
		}
		fmt.Fprintln(out)
	}
}
