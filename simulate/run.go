package simulate

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// A Policy says which page is visited next. It knows pages by their numbers.
type Policy interface {
	// Found notes that a page has come to be known, and was visited then.
	Found(page int, at float64)
	// Visited notes a visit, and whether the page was another than at the visit before.
	Visited(page int, at float64, changed bool)
	// Worth is how much a visit at a time is worth: the page with the most is visited.
	Worth(page int, at float64) float64
}

// Result is what a policy has reached. Means of pages are over those that could have been
// visited, each from when it came to be.
type Result struct {
	Visits    int           // without the first of each page
	Fresh     float64       // mean part of the time that the copy is equal to the page
	Staleness float64       // mean harmonic number of the changes that the copy lacks
	Captured  float64       // part of all changes, without the first of each page, of which a visit saw the result
	Delay     [2]float64    // days from a change to the visit that sees it or a later one: median, 90 % are shorter
	Wasted    float64       // part of the visits that found nothing new
	Planning  time.Duration // time in the policy
}

// Run replays a trace: visits are made at even times, as many per change as asked for, and
// each goes to the page that the policy says. A page is known, and visited once, when it comes
// to be; that visit is not counted.
func Run(ctx context.Context, t *Trace, visitsPerChange float64, p Policy) (Result, error) {
	n := int(visitsPerChange * float64(t.Versions()))
	w := newWorld(t)
	var r Result
	for i := range n {
		if i%1000 == 0 && ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		now := t.From + (float64(i)+0.5)*(t.To-t.From)/float64(n)
		began := time.Now()
		for _, page := range w.find(now) {
			p.Found(page, t.Pages[page].Changes[0].At)
		}
		if len(w.known) == 0 {
			continue
		}
		best, most := w.known[0], 0.0
		for k, page := range w.known {
			if worth := p.Worth(page, now); k == 0 || worth > most {
				best, most = page, worth
			}
		}
		r.Planning += time.Since(began)
		changed := w.visit(best, now)
		if r.Visits++; !changed {
			r.Wasted++
		}
		p.Visited(best, now, changed)
	}
	w.measure(&r)
	return r, nil
}

// world is a trace as it goes on, with the copies that visits have made.
type world struct {
	*Trace
	pages  []copyOf
	order  []int // pages by when they come to be
	known  []int // those that have
	delays []float64
}

// copyOf is what is known of a page.
type copyOf struct {
	at        float64 // up to when it is counted
	now, seen int     // indices of changes: of the page, and of the copy
	fresh     float64 // days
	missed    float64 // days times harmonic number
	captured  int
}

func newWorld(t *Trace) *world {
	w := &world{Trace: t, pages: make([]copyOf, len(t.Pages))}
	for i := range t.Pages {
		w.order = append(w.order, i)
	}
	slices.SortStableFunc(w.order, func(a, b int) int {
		return cmp.Compare(t.Pages[a].Changes[0].At, t.Pages[b].Changes[0].At)
	})
	return w
}

// find returns the pages that have come to be since the last call.
func (w *world) find(now float64) []int {
	n := len(w.known)
	for len(w.known) < len(w.order) && w.Pages[w.order[len(w.known)]].Changes[0].At <= now {
		page := w.order[len(w.known)]
		w.pages[page].at = w.Pages[page].Changes[0].At
		w.known = append(w.known, page)
	}
	return w.known[n:]
}

// advance counts what has happened to a page up to a time.
func (w *world) advance(page int, to float64) {
	c, changes := &w.pages[page], w.Pages[page].Changes
	for c.at < to {
		next := to
		if c.now+1 < len(changes) {
			next = min(to, changes[c.now+1].At)
		}
		if changes[c.now].State == changes[c.seen].State {
			c.fresh += next - c.at
		}
		c.missed += (next - c.at) * harmonic(c.now-c.seen)
		c.at = next
		for c.now+1 < len(changes) && changes[c.now+1].At <= c.at {
			c.now++
		}
	}
}

// visit copies a page, and reports whether it was another.
func (w *world) visit(page int, at float64) (changed bool) {
	w.advance(page, at)
	c, changes := &w.pages[page], w.Pages[page].Changes
	changed = changes[c.now].State != changes[c.seen].State
	if c.now > c.seen {
		c.captured++
	}
	for _, missed := range changes[c.seen+1 : c.now+1] {
		w.delays = append(w.delays, at-missed.At)
	}
	c.seen = c.now
	return changed
}

// measure takes over what was reached at the end.
func (w *world) measure(r *Result) {
	pages, changes, captured := 0.0, 0, 0
	for _, page := range w.known {
		w.advance(page, w.To)
		life := w.To - w.Pages[page].Changes[0].At
		if life <= 0 {
			continue
		}
		c := &w.pages[page]
		pages++
		r.Fresh += c.fresh / life
		r.Staleness += c.missed / life
		changes += len(w.Pages[page].Changes) - 1
		captured += c.captured
		for _, missed := range w.Pages[page].Changes[c.seen+1:] {
			w.delays = append(w.delays, w.To-missed.At) // at least
		}
	}
	r.Fresh /= max(1, pages)
	r.Staleness /= max(1, pages)
	r.Captured = float64(captured) / float64(max(1, changes))
	r.Wasted /= float64(max(1, r.Visits))
	slices.Sort(w.delays)
	if n := len(w.delays); n > 0 {
		r.Delay = [2]float64{w.delays[n/2], w.delays[n*9/10]}
	}
}

// harmonic is 1 + 1/2 + … + 1/n.
func harmonic(n int) (sum float64) {
	for i := 1; i <= n; i++ {
		sum += 1 / float64(i)
	}
	return sum
}
