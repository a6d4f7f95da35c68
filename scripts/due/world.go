package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/sqlite"
)

// world simulates the pages: each changes at a rate of its own.
type world struct {
	*options
	began time.Time // the run
}

func (w *world) url(i int) string { return fmt.Sprintf("https://h%d.example/%d", i%w.hosts, i) }

// faster is the factor on the rate of changes from the middle on.
const faster = 3

// changed reports whether a page has changed since its last visit, by a random number.
func (w *world) changed(i int, days float64, now time.Time) bool {
	own := rand.New(rand.NewPCG(uint64(i), 1))
	rate := math.Exp(1.2*own.NormFloat64()) / w.perPage // a day
	if now.Sub(w.began) > w.warm+w.lasts/2 {
		rate *= faster
	}
	return rand.Float64() < -math.Expm1(-rate*days)
}

// seen sets the result of a visit, for a policy.
func seen(v *schedule.Visit, changed bool) {
	v.Outcome = plat.OutcomeUnchanged
	v.Blocks = []plat.Block{{Lineage: 1, TextLen: 500}}
	v.Old = v.Blocks
	if changed {
		v.Outcome = plat.OutcomeChanged
		v.Changes.Blocks = []plat.Change{{Kind: plat.Content}}
	}
}

// settled is the approximate offset of a settled threshold: earlier visits have found less than
// they would on unknown pages.
const settled = -0.35

// Of building the archive.
const (
	past    = 3                      // visits of each URL that were made before
	batch   = 10_000                 // URLs that are enlisted at a time
	buildIn = 400 * time.Microsecond // a URL, about
)

// fill builds the archive: every URL was visited, the last time at some moment of the time that
// a page has in the budget, and its next visit is due. The run begins when that should be done.
func (w *world) fill(ctx context.Context, s *sqlite.Store) error {
	began := time.Now()
	w.began = began.Add(time.Duration(w.urls) * buildIn).UTC().Truncate(time.Millisecond)
	r := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < w.urls; from += batch {
		fmt.Fprintf(os.Stderr, "\rarchive: %d of %d URLs", from, w.urls)
		jobs := make([]plat.Job, min(batch, w.urls-from))
		for i := range jobs {
			last := w.began.Add(-time.Duration(r.Float64() * float64(w.interval()))).Truncate(time.Millisecond)
			jobs[i] = plat.Job{URL: w.url(from + i), Due: last, Plan: w.plan()}
		}
		if _, err := s.Enlist(ctx, jobs, storage.Join); err != nil {
			return err
		}
		for i := range jobs {
			next, err := w.visited(from+i, &jobs[i], r.Float64())
			if err != nil {
				return err
			}
			v := plat.Visit{URL: jobs[i].URL, Time: jobs[i].Due, Outcome: plat.OutcomeUnchanged, Settles: jobs[i].Due, Next: next.Due, Memory: plat.Memory{Policy: next.Memory}.Encode()}
			if err := s.Record(ctx, v, 20_000); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(os.Stderr, "\r%d URLs of %d hosts: archive built in %v\n", w.urls, w.hosts, time.Since(began).Round(time.Second))
	wait(ctx, time.Until(w.began))
	return context.Cause(ctx)
}

// visited returns the policy's decision at the last visit of a URL, and if that time is past, the
// time that it was last put off to.
func (w *world) visited(i int, j *plat.Job, part float64) (next schedule.Next, err error) {
	p := schedule.Planner{Day: w.day}
	v := &schedule.Visit{State: plat.URLState{URL: j.URL, Plan: j.Plan}, Outcome: plat.OutcomeNew,
		Shared: &schedule.Shared{Steering: schedule.Steering{Pages: float64(w.urls), Offset: settled}}}
	for n := range past {
		v.Time = j.Due.Add(-time.Duration(past-1-n) * w.interval())
		v.Due = v.Time
		if n > 0 {
			seen(v, w.changed(i, w.perPage, w.began))
		}
		if next, err = p.Next(v); err != nil {
			return next, err
		}
		v.Memory = next.Memory
	}
	if w.policy != "fixed" && next.Due.Before(w.began) {
		next.Due = w.began.Add(time.Duration(part * 0.3 * float64(w.began.Sub(j.Due)))).Truncate(time.Millisecond)
	}
	return next, nil
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
