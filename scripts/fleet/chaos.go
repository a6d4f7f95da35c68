package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"plat"
	"plat/intake"
	"plat/window"
)

// chaosOptions set the size of a run and the number of faults.
type chaosOptions struct {
	hosts, pages, workers int
	kills                 int
	keep                  bool
	limit                 time.Duration
}

// delayOf is the crawl delay of a host: a tenth have their own.
func delayOf(base time.Duration) func(int) time.Duration {
	return func(host int) time.Duration {
		if host%10 == 3 {
			return 3 * base
		}
		return base
	}
}

const chaosDelay = 100 * time.Millisecond

func chaos(ctx context.Context, args []string) error {
	var o chaosOptions
	flags := flag.NewFlagSet("chaos", flag.ExitOnError)
	runs := flags.Int("runs", 10, "how often, each time with the next seed")
	seed := flags.Uint64("seed", 1, "of the first run")
	flags.IntVar(&o.hosts, "hosts", 40, "hosts of the site")
	flags.IntVar(&o.pages, "pages", 2000, "pages, over all hosts")
	flags.IntVar(&o.workers, "workers", 8, "workers")
	flags.IntVar(&o.kills, "kills", 24, "workers and browsers killed")
	flags.BoolVar(&o.keep, "keep", false, "keep logs and data")
	flags.DurationVar(&o.limit, "limit", 15*time.Minute, "for one run")
	flags.Parse(args)
	dir, err := os.MkdirTemp("", "plat-chaos-")
	if err != nil {
		return err
	}
	if !o.keep {
		defer os.RemoveAll(dir)
	}
	plat, ferret, err := build(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("%d pages on %d hosts, %d workers; a tenth of the pages is visited twice, changed.\n", o.pages, o.hosts, o.workers)
	fmt.Println("workers/browsers/redis/store: what was killed or stopped, and how often. jobs: visits that were to be, and those that")
	fmt.Println("the archive has settled. requests: for pages, by the site's log. at once, too soon: two requests of one host.")
	fmt.Printf("%5s %5s %8s %9s %6s %6s %6s %8s %9s %9s %8s %8s %9s %7s %6s  %s\n",
		"seed", "s", "workers", "browsers", "redis", "store", "jobs", "settled", "versions", "requests", "at once", "too soon", "closest", "verify", "left", "")
	failed := 0
	for i := range *runs {
		r := &chaosRun{o: o, seed: *seed + uint64(i), plat: plat, ferret: ferret, dir: filepath.Join(dir, fmt.Sprint(*seed+uint64(i)))}
		err := r.run(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		verdict := "ok"
		if err != nil {
			failed++
			verdict = "FAILED: " + err.Error()
		}
		fmt.Printf("%5d %5.0f %8d %9d %6s %6d %6d %8d %9d %9d %8d %8d %9s %7s %6d  %s\n",
			r.seed, r.took.Seconds(), r.killedWorkers, r.killedBrowsers, fmt.Sprintf("%d+%d", r.restarts, r.forgotten), r.storeStops,
			r.jobs, r.settled, r.versions, r.requests, r.atOnce, r.tooSoon, r.closest.Round(time.Millisecond), r.verify, r.left, verdict)
		if err == nil && !o.keep {
			os.RemoveAll(r.dir)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d runs failed", failed, *runs)
	}
	return nil
}

type chaosRun struct {
	o                 chaosOptions
	seed              uint64
	plat, ferret, dir string
	plats             []string // of the workers, in turn, if they are not all the same

	f    *fleet
	site *site
	rand *rand.Rand

	took                            time.Duration
	killedWorkers, killedBrowsers   int
	restarts, forgotten, storeStops int
	jobs, settled, versions         int
	requests, atOnce, tooSoon       int
	closest                         time.Duration
	earliest, latest                time.Time // of all versions
	verify                          string
	left                            int64
}

// run executes one run. It is long because its steps share all that it has
// started.
func (r *chaosRun) run(ctx context.Context) (err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, r.o.limit, errors.New("time limit exceeded"))
	defer cancel()
	r.rand = rand.New(rand.NewPCG(r.seed, 0))
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	delays := delayOf(chaosDelay)
	perHost := r.o.pages / r.o.hosts
	r.site = &site{
		hosts: r.o.hosts, pages: perHost,
		latency: func(host, page int) time.Duration { return time.Duration(5+(host*7+page*13)%60) * time.Millisecond },
		delay: func(host int) time.Duration {
			if d := delays(host); d != chaosDelay {
				return d
			}
			return 0
		},
		// The pages of every tenth host have a second edition.
		changes: func(host, _ int, edition int64) int64 {
			if host%10 == 5 {
				return edition
			}
			return 1
		},
	}
	r.site.edition.Store(1)
	if err := r.site.start(); err != nil {
		return err
	}
	defer r.site.stop()
	r.f, err = newFleet(ctx, r.dir, r.ferret, 4*time.Second)
	defer r.f.stop()
	if err != nil {
		return err
	}
	store, q := r.f.archive, r.f.queue
	var stopping atomic.Bool
	if r.plats == nil {
		r.plats = []string{r.plat}
	}
	for i := range r.o.workers {
		if _, err := r.f.worker(r.plats[i%len(r.plats)], "--tabs", "1", "--lease", "4s", "--window", "200", "--attempts", "50", "--retry-delay", "200ms",
			"--delay", chaosDelay.String(), "--max-delay", "1s", "--allow-private", "127.0.0.0/8", "--allow-port", fmt.Sprint(r.site.port),
			"--sitemaps=false", "--log-level", "info", "--min-memory", "0", "--settle-timeout", "1s"); err != nil {
			return err
		}
	}
	var all, again []plat.Job
	for h := range r.o.hosts {
		for p := range perHost {
			j := plat.Job{URL: r.site.url(h, p), Priority: 0.5}
			all = append(all, j)
			if h%10 == 5 {
				again = append(again, j)
			}
		}
	}
	if _, err := intake.Take(ctx, store, q, all); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}

	// Faults are injected while pages are visited, each after a number of
	// settled jobs.
	events := r.events(len(all))
	evil := make(chan error, 1)
	go func() { evil <- r.cause(ctx, events, &stopping) }()
	if _, err := r.f.done(ctx, evil); err != nil {
		return err
	}
	r.site.edition.Store(2)
	if _, err := intake.Take(ctx, store, q, again); err != nil {
		return fmt.Errorf("enqueue again: %w", err)
	}
	if _, err := r.f.done(ctx, nil); err != nil {
		return err
	}
	stopping.Store(true)
	r.took = time.Since(began)

	r.jobs = len(all) + len(again)
	wrong := ""
	expect := map[string]int{}
	for _, j := range all {
		expect[j.URL]++
	}
	for _, j := range again {
		expect[j.URL]++
	}
	found, err := inventory(ctx, r.f.uri)
	if err != nil {
		return err
	}
	for url, want := range expect {
		is := found[url]
		if is == nil {
			is = &page{}
		}
		r.settled += len(is.settles)
		r.versions += len(is.versions)
		for i, at := range is.taken {
			for k, other := range is.taken {
				if is.versions[i] < is.versions[k] && !at.Before(other) {
					wrong = fmt.Sprintf("%s: version %d is dated %v, version %d %v", url, is.versions[i], at, is.versions[k], other)
				}
			}
			if r.earliest.IsZero() || at.Before(r.earliest) {
				r.earliest = at
			}
			if at.After(r.latest) {
				r.latest = at
			}
		}
		jobs := map[time.Time]bool{}
		for _, at := range is.settles {
			if jobs[at] {
				wrong = fmt.Sprintf("%s: the job due %v is settled twice", url, at)
			}
			jobs[at] = true
		}
		slices.Sort(is.versions)
		for i, n := range is.versions {
			if n != i+1 {
				wrong = fmt.Sprintf("%s has versions %v", url, is.versions)
			}
		}
		if len(is.settles) != want || len(is.versions) != want {
			wrong = fmt.Sprintf("%s has %d settled visits and %d versions, want %d", url, len(is.settles), len(is.versions), want)
		}
	}
	if len(found) != len(expect) {
		wrong = fmt.Sprintf("%d URLs are known, want %d", len(found), len(expect))
	}
	r.requests, r.atOnce, r.tooSoon, r.closest = r.site.rudeness(delays)
	r.verify = "clean"
	out, err := exec.CommandContext(ctx, r.plat, "verify", "--store", r.f.uri, "-q").CombinedOutput()
	if err != nil {
		r.verify = "DAMAGE"
		wrong = "verify: " + strings.TrimSpace(string(out))
	}
	s, err := window.ReadStats(ctx, q, store)
	if err != nil {
		return err
	}
	r.left = s.Leased + s.Queued + s.Jobs.Backlog + s.Jobs.Due + s.Jobs.Later + s.Jobs.Dead
	switch {
	case wrong != "":
		return errors.New(wrong)
	case r.atOnce > 0 || r.tooSoon > 0:
		return errors.New("politeness limits of hosts were violated")
	case r.left > 0:
		return errors.New("the queue is not empty")
	}
	return nil
}

// event is a fault injected after a number of settled jobs.
type event struct {
	at   int64
	what func(context.Context) error
}

// events generates the run's faults.
func (r *chaosRun) events(jobs int) []event {
	at := func() int64 { return int64(float64(jobs) * (0.03 + 0.85*r.rand.Float64())) }
	var all []event
	for i := range r.o.kills {
		if i%3 == 2 {
			all = append(all, event{at(), r.killBrowser})
		} else {
			all = append(all, event{at(), r.killWorker})
		}
	}
	all = append(all,
		event{at(), func(ctx context.Context) error { r.restarts++; return r.restartRedis(ctx, false) }},
		event{at(), func(ctx context.Context) error { r.forgotten++; return r.restartRedis(ctx, true) }},
		event{at(), r.stopStore})
	return all
}

// cause injects each fault when its time has come. The site counts progress,
// because Redis counts from zero after losing its data.
func (r *chaosRun) cause(ctx context.Context, events []event, stopping *atomic.Bool) error {
	done := make([]bool, len(events))
	for left := len(events); left > 0 && !stopping.Load(); {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(50 * time.Millisecond):
		}
		n := int64(r.site.requests())
		for i, e := range events {
			if done[i] || n < e.at {
				continue
			}
			done[i] = true
			left--
			if err := e.what(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *chaosRun) victim() *proc { return r.f.workers[r.rand.IntN(len(r.f.workers))] }

func (r *chaosRun) killWorker(context.Context) error {
	w := r.victim()
	w.kill()
	r.killedWorkers++
	return w.start()
}

func (r *chaosRun) killBrowser(context.Context) error {
	w := r.victim()
	for _, pid := range children(w.pid()) {
		syscall.Kill(pid, syscall.SIGKILL)
		r.killedBrowsers++
	}
	return nil
}

func (r *chaosRun) restartRedis(_ context.Context, forget bool) error {
	r.f.redis.Kill()
	if forget {
		if err := r.f.redis.Forget(); err != nil {
			return err
		}
	}
	time.Sleep(time.Duration(r.rand.IntN(1500)) * time.Millisecond)
	return r.f.redis.Restart()
}

func (r *chaosRun) stopStore(ctx context.Context) error {
	r.storeStops++
	r.f.store.kill()
	pause(ctx, 10*time.Second)
	return r.f.store.start()
}
