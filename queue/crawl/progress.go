package crawl

import (
	"context"
	"fmt"
	"iter"
	"time"

	"plat/plat"
)

// Progress is the state of a crawl, in pages.
type Progress struct {
	Done   int // their visits have ended
	Failed int // of these
	Left   int // known, not visited yet, and within the limit, including Again
	Again  int // of these: a visit has failed, and is tried again later
	PutOff int // not visited, because URLs like them brought nothing new

	// Over reports that no visit is left to make. A visit that has begun may still add some.
	Over bool
}

// Progress returns the state of the crawl at now. It reads no jobs.
func (s *Store) Progress(ctx context.Context, now time.Time) (Progress, error) {
	c, err := s.list.Counts(ctx, now)
	if err != nil {
		return Progress{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Done: s.counts.done, Failed: s.counts.failed, PutOff: len(s.putOff)}
	timed := int(c.Due+c.Later) - p.PutOff
	p.Left = max(0, int(c.Backlog)+timed)
	if s.limit > 0 {
		p.Left = min(p.Left, max(0, s.limit-len(s.admitted)+s.open))
	}
	p.Again = min(p.Left, max(0, timed))
	p.Over = p.Left == 0
	return p, nil
}

// Summary counts all URLs of a crawl.
type Summary struct {
	Outcomes map[plat.Outcome]int // of the visited pages
	Pages    int                  // visited
	Failed   int                  // of these; links that robots.txt disallows are not among them
	Left     int                  // not visited
	PutOff   int                  // not visited, because URLs like them brought nothing new
}

// Summary reads the whole list.
func (s *Store) Summary(ctx context.Context) (Summary, error) {
	sum := Summary{Outcomes: map[plat.Outcome]int{}}
	for st, err := range s.list.States(ctx, "", "") {
		if err != nil {
			return sum, fmt.Errorf("read the list of the crawl: %w", err)
		}
		if st.Kind != plat.RenderJob {
			continue
		}
		switch endOf(&st) {
		case waiting:
			sum.Left++
		case putOff:
			sum.PutOff++
		case visited:
			sum.Pages++
			sum.Outcomes[outcomeOf(&st)]++
			if isFailure(&st) {
				sum.Failed++
			}
		}
	}
	return sum, nil
}

// Pages yields the URLs of the crawl under which the archive has a page, sorted.
func (s *Store) Pages(ctx context.Context) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		for job, err := range s.list.States(ctx, "", "") {
			if err == nil && (job.Kind != plat.RenderJob || endOf(&job) != visited || outcomeOf(&job) == plat.OutcomeAlias || job.Outcome.Failed()) {
				continue
			}
			st := job
			if err == nil {
				st, err = s.Store.State(ctx, job.URL)
			}
			if err == nil && st.Head == 0 {
				continue
			}
			if !yield(st, err) || err != nil {
				return
			}
		}
	}
}

// An end is the state of a URL in the crawl.
type end int

const (
	waiting end = iota // for its first visit, or the next attempt
	putOff             // not worth a visit
	visited            // or found to be an alias, without a visit
)

func endOf(st *plat.URLState) end {
	switch {
	case st.Due.IsZero():
		return visited
	case !st.NotBefore.IsZero() && st.Attempts+st.Throttled == 0:
		return putOff
	}
	return waiting
}

// outcomeOf returns the outcome of a visited URL.
func outcomeOf(st *plat.URLState) plat.Outcome {
	if st.Outcome == "" || st.Main != "" {
		return plat.OutcomeAlias
	}
	return st.Outcome
}

// isFailure reports whether a visit counts as failed. robots.txt that disallows a link is obeyed, not a
// failure; a user who gives a URL wants it.
func isFailure(st *plat.URLState) bool {
	return st.Outcome.Failed() && st.Main == "" && !(st.Outcome == plat.OutcomeDisallowed && st.Depth > 0)
}
