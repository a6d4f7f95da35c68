package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/terminal"
	"plat/export"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue/crawl"
	"plat/workers"
	"plat/workers/batch"
)

// crawlRun is a run of a crawl under way.
type crawlRun struct {
	*crawling
	store *crawl.Store
	list  *jobList
	stop  context.CancelCauseFunc // ends the run
	begun time.Time
	first crawl.Progress // at the beginning of the run

	mu     sync.Mutex
	totals batch.Totals // guarded by mu
}

// errOver is the cause of the end of a run whose crawl is over.
var errOver = errors.New("the crawl is over")

func newCrawlRun(c *crawling, store *crawl.Store, list *jobList, stop context.CancelCauseFunc) *crawlRun {
	r := &crawlRun{crawling: c, store: store, list: list, stop: stop, begun: time.Now()}
	r.first, _ = store.Progress(context.Background(), time.Now()) // zero if it cannot be read, for display
	return r
}

// visited counts and prints an attempt at a job.
func (r *crawlRun) visited(v workers.Visited) {
	if v.Kind != plat.RenderJob {
		return
	}
	p := batch.PageOf(v.Report, v.Tries, v.Err)
	if !v.Again {
		r.mu.Lock()
		r.totals.Add(&p)
		r.mu.Unlock()
	}
	switch failed := p.Error != "" && p.Outcome != plat.OutcomeDisallowed; {
	case r.JSON && (!r.Quiet || failed && !v.Again):
		r.Out.JSON(output.Crawled{Page: &p, Depth: v.Depth, Again: v.Again})
	case !r.JSON && failed && !v.Again:
		line := output.Page(r.Out, &p)
		if p.Status >= 400 { // which says it all
			line, _, _ = strings.Cut(line, "\n")
		}
		r.Out.Print(line)
	}
	if v.Again && v.Depth == 0 && v.Tries == 1 && !r.JSON && !r.Quiet {
		// Nothing else happens meanwhile, and the user may know why.
		r.Out.Progress("")
		fmt.Fprintf(r.Stderr, "plat: %s: %s; it is tried again\n", excerpt.Printable(v.URL), excerpt.Printable(strings.Join(strings.Fields(p.Error), " ")))
	}
	if err := r.Out.Err(); err != nil {
		r.stop(err) // the reader is gone
	}
}

// Intervals of a crawl's progress.
const (
	checkEvery = 200 * time.Millisecond
	lineEvery  = 10 * time.Second // without a terminal
	rateOver   = 30 * time.Second // the time of which the rate is
)

// watch shows the progress, and stops the run when the crawl is over. It returns a function that waits
// for the end of that.
func (r *crawlRun) watch(ctx context.Context, crew *workers.Crew) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(checkEvery)
		defer tick.Stop()
		var pace rate
		said := time.Now()
		for {
			select {
			case <-ctx.Done():
				r.ending(crew)
				return
			case <-tick.C:
			}
			underway := crew.Underway()
			line := !r.Quiet && !r.Out.Watched() && !r.JSON && time.Since(said) >= lineEvery
			if underway > 0 && !r.Out.Watched() && !line {
				continue
			}
			p, err := r.store.Progress(ctx, time.Now())
			if err != nil {
				continue // the crew waits for the archive, and says so
			}
			if underway == 0 && p.Over && crew.Underway() == 0 {
				r.stop(errOver)
				return
			}
			now := output.Crawling{Progress: p, Rate: pace.add(p.Done, time.Now()), Now: time.Now(), Next: crew.Next()}
			if err := crew.Ready(); err != nil {
				now.Trouble = err.Error()
			}
			if line {
				said = time.Now()
				fmt.Fprintf(r.Stderr, "plat: %s\n", output.CrawlProgress(now))
			}
			r.Out.Progress(output.CrawlProgress(now))
		}
	})
	return running.Wait
}

// ending shows that the visits under way are finished.
func (r *crawlRun) ending(crew *workers.Crew) {
	n := crew.Underway()
	if n == 0 || r.Quiet {
		return
	}
	p, err := r.store.Progress(context.Background(), time.Now())
	if err != nil {
		return
	}
	line := output.CrawlProgress(output.Crawling{Progress: p, Ending: n})
	if r.Out.Progress(line); !r.Out.Watched() {
		fmt.Fprintf(r.Stderr, "plat: %s\n", line)
	}
}

// end reports the run, and exports the pages if the crawl is over.
func (r *crawlRun) end(ctx context.Context, over bool) error {
	sum, err := r.store.Summary(context.WithoutCancel(ctx))
	if err != nil {
		return app.Fail(app.ExitStore, "%w", err)
	}
	if !over {
		said := fmt.Sprintf("%s visited, %s or more to go; run the command again to continue", terminal.Counted(sum.Pages, "page"), terminal.Count(int64(sum.Left)))
		if err := r.Out.Err(); err != nil {
			return app.Fail(app.ExitError, "%w; %s", err, said)
		}
		return app.Fail(app.ExitInterrupted, "interrupted; %s", said)
	}
	r.mu.Lock()
	e := &output.CrawlEnd{Summary: sum, URLs: r.urls, Scope: r.scope, Limit: r.limit, Begun: r.list.begun, Earlier: r.first.Done, Spent: time.Since(r.begun), Totals: r.totals}
	r.mu.Unlock()
	var failed error
	if r.file != "" {
		switch e.Export, failed = r.export(ctx, r.store); {
		case errors.Is(failed, export.ErrNothing):
			failed = nil
			if !r.Quiet {
				fmt.Fprintf(r.Stderr, "plat: no page was found, so there is no %s\n", r.file)
			}
		case failed != nil:
			failed = app.Fail(app.ExitError, "%w; all pages are archived: run the command again to export them", failed)
		}
	}
	r.list.over = failed == nil
	if !r.Quiet {
		output.CrawlSummary(r.Out, e, r.JSON)
		if e.Export != nil && !r.JSON {
			output.Exported(r.Out, *e.Export, 0, false)
		}
	}
	switch {
	case failed != nil:
		return failed
	case sum.Failed > 0:
		return &app.Failure{Code: app.ExitPartly}
	}
	return nil
}

// rate measures pages a second over the last time.
type rate struct {
	times []time.Time
	done  []int
}

// add adds a number of pages, and returns the rate; 0 if it is not known yet.
func (r *rate) add(done int, now time.Time) float64 {
	if n := len(r.times); n == 0 || now.Sub(r.times[n-1]) >= time.Second {
		r.times, r.done = append(r.times, now), append(r.done, done)
	}
	for len(r.times) > 1 && now.Sub(r.times[0]) > rateOver {
		r.times, r.done = r.times[1:], r.done[1:]
	}
	spent := now.Sub(r.times[0]).Seconds()
	if spent < 1 {
		return 0
	}
	return float64(done-r.done[0]) / spent
}
