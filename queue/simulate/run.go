package simulate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"plat/queue/schedule"
)

// Result measures a policy on a trace. Means are over the pages that could have been visited, each
// from its creation.
type Result struct {
	Visits    int           // without the first of each page
	Budget    int           // visits that were earned while there were pages
	Fresh     float64       // mean part of the time that the copy is equal to the page
	Staleness float64       // mean harmonic number of the changes that the copy lacks
	Captured  float64       // part of all changes, without the first of each page, whose result a visit saw
	Delay     [2]float64    // days from a change to the visit that sees it or a later one: median, 90 % are shorter
	Wasted    float64       // part of the visits that found no change
	Asked     float64       // checks whether a due visit is worth it, per visit
	Planning  time.Duration // time in the policy

	// BlockStaleness is the mean part of the lasting content of a page that its copy lacks, or has
	// in an older state; see docs/schedule.md. Only if the trace has Blocks.
	BlockStaleness float64
	Blocks         bool
}

// checksPerVisit is the number of checks whether visits are due, per visit of the budget.
const checksPerVisit = 3

// Run replays a trace with a policy of package schedule. A budget of visits, so many per change of
// the trace, is earned evenly in time. Visits are due when the policy says, and are made or put
// off as in a fleet: see [schedule.Wait]. The first visit of a page is at its creation, and does
// not count. Policies that learn from visits receive the signals.
func Run(ctx context.Context, t *Trace, visitsPerChange float64, policy string, signals Signals) (r Result, err error) {
	p, err := schedule.LearningPolicy(policy)
	if err != nil {
		return r, err
	}
	budget := max(0, int(visitsPerChange*float64(t.Versions())))
	s := &site{world: newWorld(t), policy: p, pages: make([]model, len(t.Pages)), signals: signals.of(t)}
	s.perDay = schedule.Budget{Visits: float64(budget) / (t.To - t.From)}
	began := time.Now()
	for i := range checksPerVisit * budget {
		if i%1000 == 0 && ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		part := (float64(i) + 0.5) / float64(checksPerVisit*budget)
		s.step(t.From+part*(t.To-t.From), part*float64(budget))
	}
	r.Planning, r.Budget, r.Visits = time.Since(began), int(math.Round(float64(budget)-s.free)), s.visits
	r.Asked = float64(s.asked) / float64(max(1, s.visits))
	r.Wasted = float64(s.wasted) / float64(max(1, s.visits))
	s.measure(&r)
	return r, nil
}

// site is a world that a policy visits.
type site struct {
	*world
	policy  schedule.Learning
	perDay  schedule.Budget
	pages   []model
	signals []signal        // that are still to come, by time
	shared  schedule.Shared // by all pages: they are of one site
	usual   schedule.Turning
	earned  float64 // visits
	visits  int
	wasted  int
	asked   int // number of checks whether a due visit is worth it
	steps   int
	free    float64 // earned before there was a page
}

// model is the policy's knowledge of a page.
type model struct {
	schedule.Model
	at  float64 // of the last visit
	due float64 // of the next; it may be put off then
}

// step makes the due visits, when so many visits have been earned since the beginning.
func (s *site) step(now, earned float64) {
	for _, page := range s.find(now) {
		m := &s.pages[page]
		m.Burst, m.at = &s.shared.Burst, s.Pages[page].Changes[0].At
		if s.blocks != nil {
			m.Blocks.Usual = &s.usual
		}
		s.shared.Pages++
		m.due = m.at + s.policy.After(&m.Model, &s.shared.Steering, s.perDay)
	}
	for ; len(s.signals) > 0 && s.signals[0].at <= now; s.signals = s.signals[1:] {
		if m := &s.pages[s.signals[0].page]; s.signals[0].at > m.at {
			m.Signal, m.due = schedule.OfSitemap, now // of several, the latest says as much
		}
	}
	s.known = slices.DeleteFunc(s.known, func(page int) bool { return s.Until(page) < now })
	pages := len(s.known)
	s.shared.Pages = float64(pages)
	if pages == 0 {
		s.free, s.earned = s.free+earned-s.earned, earned // there was no page to visit
		return
	}
	s.shared.Earned(earned - s.earned)
	s.earned = earned
	s.steps++
	for k := range pages {
		page := s.known[(k+s.steps*7919)%pages] // the order rotates, so that no page is always first
		m := &s.pages[page]
		if now < m.due {
			continue
		}
		s.asked++
		if wait := s.policy.Wait(&m.Model, now-m.at, &s.shared.Steering, s.perDay); wait > 0 {
			m.due = m.at + wait
			continue
		}
		copied := s.copied(page)
		changed := s.visit(page, now)
		if s.visits++; !changed {
			s.wasted++
		}
		s.shared.Beyond++
		m.Visit(now-m.at, changed)
		m.Blocks.Visit(now-m.at, parts(copied, s.copied(page)))
		m.at = now
		m.due = now + s.policy.After(&m.Model, &s.shared.Steering, s.perDay)
	}
}

// world is a trace at a point of virtual time, with the copies made by visits.
type world struct {
	*Trace
	pages  []copyOf
	order  []int // pages by time of creation
	found  int   // number of pages created so far
	known  []int // those of them that still have data
	delays []float64
	blocks *blocks
}

// copyOf is the state of a page and of its copy.
type copyOf struct {
	at        float64 // up to when it is counted
	now, seen int     // indices of changes: of the page, and of the copy
	fresh     float64 // days
	missed    float64 // days times harmonic number
	captured  int
}

func newWorld(t *Trace) *world {
	w := &world{Trace: t, pages: make([]copyOf, len(t.Pages)), blocks: newBlocks(t)}
	for i := range t.Pages {
		w.order = append(w.order, i)
	}
	slices.SortStableFunc(w.order, func(a, b int) int {
		return cmp.Compare(t.Pages[a].Changes[0].At, t.Pages[b].Changes[0].At)
	})
	return w
}

// find returns the pages that were created since the last call.
func (w *world) find(now float64) []int {
	n := w.found
	for w.found < len(w.order) && w.Pages[w.order[w.found]].Changes[0].At <= now {
		page := w.order[w.found]
		w.found++
		w.pages[page].at = w.Pages[page].Changes[0].At
		w.known = append(w.known, page)
	}
	return w.order[n:w.found]
}

// advance counts the days and changes of a page up to a time.
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
		w.blocks.count(page, c.now, c.seen, next-c.at)
		c.at = next
		for c.now+1 < len(changes) && changes[c.now+1].At <= c.at {
			c.now++
		}
	}
}

// copied returns the state of a page's copy.
func (w *world) copied(page int) *Change { return &w.Pages[page].Changes[w.pages[page].seen] }

// visit copies a page, and reports whether it had changed.
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

// measure sets the measures at the end of the trace.
func (w *world) measure(r *Result) {
	pages, changes, captured := 0.0, 0, 0
	for _, page := range w.order[:w.found] {
		until := w.Until(page)
		w.advance(page, until)
		life := until - w.Pages[page].Changes[0].At
		if life <= 0 {
			continue
		}
		c := &w.pages[page]
		pages++
		r.Fresh += c.fresh / life
		r.Staleness += c.missed / life
		if r.Blocks = w.blocks != nil; r.Blocks {
			r.BlockStaleness += w.blocks.pages[page].stale / life
		}
		changes += len(w.Pages[page].Changes) - 1
		captured += c.captured
		for _, missed := range w.Pages[page].Changes[c.seen+1:] {
			w.delays = append(w.delays, until-missed.At) // at least
		}
	}
	r.Fresh /= max(1, pages)
	r.Staleness /= max(1, pages)
	r.BlockStaleness /= max(1, pages)
	r.Captured = float64(captured) / float64(max(1, changes))
	slices.Sort(w.delays)
	if n := len(w.delays); n > 0 {
		r.Delay = [2]float64{w.delays[n/2], w.delays[n*9/10]}
	}
}

// harmonic returns 1 + 1/2 + … + 1/n.
func harmonic(n int) (sum float64) {
	for i := 1; i <= n; i++ {
		sum += 1 / float64(i)
	}
	return sum
}
