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
	"time"

	"plat/plat"
	"plat/queue/intake"
	"plat/queue/schedule"
	"plat/queue/window"
	"plat/scripts/earlier"
)

// chaosOptions set the size of a run and the number of faults.
type chaosOptions struct {
	hosts, pages, workers int
	kills                 int
	keep                  bool
	policy                string
	focused               bool // with a focused crawl
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

const (
	chaosDelay = 100 * time.Millisecond
	chaosLease = 4 * time.Second
)

func chaos(ctx context.Context, args []string) error {
	var o chaosOptions
	flags := flag.NewFlagSet("chaos", flag.ExitOnError)
	runs := flags.Int("runs", 10, "how often, each time with the next seed")
	seed := flags.Uint64("seed", 1, "of the first run")
	flags.IntVar(&o.hosts, "hosts", 40, "hosts of the site")
	flags.IntVar(&o.pages, "pages", 2000, "pages, over all hosts")
	flags.IntVar(&o.workers, "workers", 8, "workers")
	flags.StringVar(&o.policy, "policy", schedule.Default, "of the budget that all pages share; none: they have no schedule")
	flags.IntVar(&o.kills, "kills", 24, "workers and browsers killed")
	flags.BoolVar(&o.keep, "keep", false, "keep logs and data")
	flags.BoolVar(&o.focused, "focused", true, "with a focused crawl, and another one before that nothing disturbs")
	store := flags.String("store", "mongodb", "mongodb, or sqlite: all workers write to one file")
	with := flags.String("earlier", "", "a commit: every other worker is the plat of that commit")
	flags.DurationVar(&o.limit, "limit", 15*time.Minute, "for one run")
	flags.Parse(args)
	dir, plat, ferret, err := build(ctx, "chaos")
	if !o.keep {
		defer os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	if *store == "sqlite" {
		ferret = ""
	} else if *store != "mongodb" {
		return fmt.Errorf("unknown store %q; use mongodb or sqlite", *store)
	}
	plats := []string{plat}
	if *with != "" {
		_, old, err := earlier.Plat(ctx, filepath.Join(".work", "chaos"), *with)
		if err != nil {
			return err
		}
		plats = append(plats, old)
		fmt.Printf("Every other worker is the plat of %s.\n", *with)
	}
	fmt.Printf("%d pages on %d hosts, %d workers; a seventh of the pages is visited twice: edited, with a counter of views, or both.\n", o.pages, o.hosts, o.workers)
	fmt.Println("workers/browsers/redis/store: what was killed or stopped, and how often. jobs: visits that were to be, and those that")
	fmt.Println("the archive has settled. news: versions that are. looks: second looks of finished visits. cut: second visits that ended after the")
	fmt.Println("request of the first, of the second, of the third look, and were made again. requests: for pages, by the site's log. at once, too")
	fmt.Println("soon: two requests of one host. budget: pages that it knows, and with what all remember. untaught: pages whose policy does not know the last visit.")
	fmt.Println("focused: pages of the topic among the first 50, 100 and 200 of a focused crawl, and of one that nothing disturbs; processes")
	fmt.Println("that have asked for its pages, one after the other.")
	fmt.Printf("%5s %5s %8s %9s %6s %6s %6s %8s %9s %6s %6s %9s %9s %8s %8s %9s %7s %6s %9s %8s  %-26s %s\n",
		"seed", "s", "workers", "browsers", "redis", "store", "jobs", "settled", "versions", "news", "looks", "cut", "requests", "at once", "too soon", "closest", "verify", "left", "budget", "untaught", "focused", "")
	failed := 0
	for i := range *runs {
		r := &chaosRun{o: o, seed: *seed + uint64(i), plat: plat, plats: plats, ferret: ferret, dir: filepath.Join(dir, fmt.Sprint(*seed+uint64(i)))}
		err := r.run(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		verdict := "ok"
		if err != nil {
			failed++
			verdict = "FAILED: " + err.Error()
		}
		fmt.Printf("%5d %5.0f %8d %9d %6s %6d %6d %8d %9d %6d %6d %9s %9d %8d %8d %9s %7s %6d %9s %8d  %-26s %s\n",
			r.seed, r.took.Seconds(), r.killedWorkers, r.killedBrowsers, fmt.Sprintf("%d+%d", r.restarts, r.forgotten), r.storeStops,
			r.jobs, r.settled, r.versions, r.news, r.looks, fmt.Sprintf("%d+%d+%d", r.cut[0], r.cut[1], r.cut[2]), r.requests, r.atOnce, r.tooSoon, r.closest.Round(time.Millisecond), r.verify, r.left, fmt.Sprintf("%.0f %.0f", r.known, r.restored), r.untaught, r.harvests(), verdict)
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
	jobs, settled, versions, news   int
	lookCounts
	requests, atOnce, tooSoon int
	closest                   time.Duration
	earliest, latest          time.Time // of all versions
	verify                    string
	left                      int64
	known, restored           float64 // pages, by the budget; with the memories of all pages
	untaught                  int     // pages whose policy does not know the last visit

	calm, fired *focusedRun // focused crawls: before the faults, and under them
	steered     int         // processes that steered fired
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
		changes: func(host, page int, edition int64) int64 {
			if fateOf(host, page).edits() {
				return edition
			}
			return 1
		},
		counts: func(host, page int) bool { return fateOf(host, page).counts() },
	}
	r.site.edition.Store(1)
	if err := r.site.start(); err != nil {
		return err
	}
	defer r.site.stop()
	ports := []string{"--allow-port", fmt.Sprint(r.site.port)}
	if r.o.focused {
		r.calm, r.fired = &focusedRun{site: newTopical(2)}, &focusedRun{site: newTopical(3)}
		for _, c := range []*focusedRun{r.calm, r.fired} {
			if err := c.site.start(); err != nil {
				return err
			}
			defer c.site.stop()
			ports = append(ports, "--allow-port", fmt.Sprint(c.site.port))
		}
	}
	r.f, err = newFleet(ctx, r.dir, r.ferret, chaosLease)
	defer r.f.stop()
	if err != nil {
		return err
	}
	var stopping atomic.Bool
	if r.plats == nil {
		r.plats = []string{r.plat}
	}
	for i := range r.o.workers {
		if _, err := r.f.worker(r.plats[i%len(r.plats)], append(slices.Clip(ports), "--tabs", "1", "--lease", chaosLease.String(), "--window", "200", "--attempts", "50", "--retry-delay", "200ms",
			"--delay", chaosDelay.String(), "--max-delay", "1s", "--allow-private", "127.0.0.0/8",
			"--sitemaps=false", "--log-level", "info", "--min-memory", "0", "--settle-timeout", "1s")...); err != nil {
			return err
		}
	}
	fates := map[string]fate{}
	var all, again []plat.Job
	looks := 0
	for h := range r.o.hosts {
		for p := range perHost {
			j, f := plat.Job{URL: r.site.url(h, p), Priority: 0.5, Plan: r.o.plan()}, fateOf(h, p)
			all, fates[j.URL] = append(all, j), f
			if f != once {
				again = append(again, j)
				looks += f.looks()
			}
		}
	}
	r.f.scheduled = r.o.policy != "none"
	// Faults are injected while pages are visited, each after a number of requests: half of
	// the kills at the first visits, and half at the second, with their second looks.
	kills := r.o.kills / 2
	first := r.events(len(all), r.o.kills-kills)
	if r.o.focused {
		if err := r.focus(ctx); err != nil {
			return err
		}
		first = append(first, event{r.at(len(all)), r.killSteerer}, event{r.at(len(all)), r.killSteerer})
	}
	if err := r.round(ctx, all, first, &stopping); err != nil {
		return err
	}
	r.site.edition.Store(2)
	second := time.Now()
	if err := r.round(ctx, again, r.events(len(again)+looks, kills), &stopping); err != nil {
		return err
	}
	stopping.Store(true)
	if r.o.focused {
		if err := r.fired.done(ctx, r.f); err != nil {
			return err
		}
		_, r.steered = r.f.steers(r.fired.id)
	}
	r.took = time.Since(began)
	r.jobs = len(all) + len(again)
	r.cut = r.site.cuts(second, chaosLease)
	for _, w := range r.f.workers {
		n, err := looked(w.log)
		if err != nil {
			return err
		}
		r.looks += n
	}
	wrong, err := r.count(ctx, fates)
	if err != nil {
		return err
	}
	r.requests, r.atOnce, r.tooSoon, r.closest = r.site.rudeness(delays)
	if r.o.focused {
		r.focusedRudeness()
	}
	r.verify = "clean"
	out, err := exec.CommandContext(ctx, r.plat, "verify", "--store", r.f.uri, "-q").CombinedOutput()
	if err != nil {
		r.verify = "DAMAGE"
		wrong = "verify: " + strings.TrimSpace(string(out))
	}
	s, err := window.ReadStats(ctx, r.f.queue, r.f.archive)
	if err != nil {
		return err
	}
	r.left = s.Leased + s.Queued + s.Jobs.Backlog + s.Jobs.Due + s.Jobs.Dead
	if !r.f.scheduled {
		r.left += s.Jobs.Later
	} else if err := r.learned(ctx); err != nil {
		return err
	}
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

// plan returns the plan of all pages: with a policy, a budget too small for any visit during the
// run, so that each visit is an explicit request.
func (o *chaosOptions) plan() plat.Plan {
	if o.policy == "none" {
		return plat.Plan{}
	}
	return plat.Plan{Schedule: plat.Schedule{Budget: "100/week", Policy: o.policy, Min: time.Hour}}
}

// learned checks the learned state of the fleet. The budget knows its pages, except some that were
// visited by workers just before they died. Each page remembers its last visit, except one whose
// commit was interrupted: the process that completes it has the version, but not the learned state,
// as MongoDB without transactions cannot write both at once. That may be the last visit of each
// worker that is killed, and of all workers while the store is away.
func (r *chaosRun) learned(ctx context.Context) error {
	pages := 0
	var remember []*schedule.Visit
	for st, err := range r.f.archive.States(ctx, "", "") {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(st.URL, r.site.url(0, 0)[:len("http://127.1.")]) {
			continue // of the focused crawls
		}
		if st, err = r.f.archive.State(ctx, st.URL); err != nil {
			return err
		}
		m, err := plat.DecodeMemory(st.Memory)
		if err != nil {
			return fmt.Errorf("%s: %w", st.URL, err)
		}
		v := &schedule.Visit{State: st, Due: st.Due, Time: time.Now(), Memory: m.Policy}
		remember = append(remember, v)
		b := schedule.Believe(v)
		if b.Last.Before(st.Last.Add(-time.Second)) {
			r.note("%s was visited at %v, and its policy knows of %v", st.URL, st.Last, b.Last)
			r.untaught++
		}
		pages++
	}
	if most := r.killedWorkers + r.o.workers*r.storeStops; r.untaught > most {
		return fmt.Errorf("of %d pages the policy does not know the last visit; %d workers were killed, and the store was away %d times", r.untaught, r.killedWorkers, r.storeStops)
	}
	v := &schedule.Visit{State: plat.URLState{URL: r.site.url(0, 0), Plan: r.o.plan()}}
	shared, err := r.f.queue.Share(ctx, v, schedule.Learned{})
	if err != nil {
		return err
	}
	if r.known = shared.Pages; pages >= manyPages && r.known < 0.95*float64(pages) || r.known > 1.05*float64(pages) {
		return fmt.Errorf("the budget knows %.0f of %d pages", r.known, pages)
	}
	if r.restored, err = r.remembered(ctx, remember); err != nil {
		return err
	}
	// The learned state of a visit is shared after its commit: not by a worker that was killed in
	// between, and not while Redis is away. The other workers restore a Redis that has lost its data;
	// the rest comes from the memories of pages.
	lost := r.o.workers*(r.restarts+r.forgotten) + r.killedWorkers
	if least := max(float64(pages-lost), 0.9*float64(pages)); r.known < least || r.restored < least || r.restored > 1.05*float64(pages) {
		return fmt.Errorf("the budget knows %.0f of %d pages, and %.0f with what all of them remember; %.0f are the least: %d may be lost, and never more than a tenth", r.known, pages, r.restored, least, lost)
	}
	return nil
}

// manyPages are so many that those which may be lost, some dozens in any run, are few.
const manyPages = 1000

// almostNothing is the weight of a visit that only restores the memory of its page: with weight
// zero, Share would only read.
const almostNothing = 1e-6

// remembered restores the budget from the memories of all pages, as their next visits would, and
// returns the number of pages that it knows then. It changes the budget.
func (r *chaosRun) remembered(ctx context.Context, pages []*schedule.Visit) (known float64, err error) {
	for _, v := range pages {
		shared, err := r.f.queue.Share(ctx, v, schedule.Learned{Visits: almostNothing})
		if err != nil {
			return 0, err
		}
		known = shared.Pages
	}
	return known, nil
}

// round has jobs done while faults are injected.
func (r *chaosRun) round(ctx context.Context, jobs []plat.Job, events []event, stopping *atomic.Bool) error {
	before := int64(r.site.requests())
	if _, err := intake.Take(ctx, r.f.archive, r.f.queue, jobs); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}
	evil := make(chan error, 1)
	go func() { evil <- r.cause(ctx, before, events, stopping) }()
	r.note("%d jobs are taken", len(jobs))
	_, err := r.f.done(ctx, evil)
	r.note("they are done")
	return err
}

// note writes a line to the run's own log, beside those of the workers.
func (r *chaosRun) note(format string, args ...any) {
	f, err := os.OpenFile(filepath.Join(r.dir, "run.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(f, time.Now().UTC().Format(time.RFC3339Nano)+" "+format+"\n", args...)
}

// count compares the archive with its expected content. wrong is the last difference.
func (r *chaosRun) count(ctx context.Context, fates map[string]fate) (wrong string, err error) {
	found, err := r.f.inventory(ctx)
	if err != nil {
		return "", err
	}
	for url, f := range fates {
		is := found[url]
		if is == nil {
			is = &page{}
		}
		r.settled += len(is.settles)
		r.versions += len(is.versions)
		r.news += is.news
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
		if what := f.check(is); what != "" {
			wrong = url + " " + what
			fmt.Println("   ", wrong)
		}
	}
	if r.o.focused {
		what, err := r.checkFocused(ctx, found)
		if err != nil {
			return "", err
		}
		if what != "" {
			wrong = what
		}
	}
	if len(found) != len(fates) {
		wrong = fmt.Sprintf("%d URLs are known, want %d", len(found), len(fates))
	}
	return wrong, nil
}
