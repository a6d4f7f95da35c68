package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plat/fixtures/freeport"
	"plat/fixtures/history"
	"plat/plat"
	"plat/queue/intake"
	"plat/queue/schedule"
)

// budget runs a fleet that keeps recorded pages up to date, at virtual time and with a budget, and
// prints the number of visits. In the middle Redis loses its data. It fails if the visits
// do not match the budget, if a page is left out, or if learned state is lost.
func budget(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("budget", flag.ExitOnError)
	length := flags.Duration("for", 10*time.Minute, "how long")
	day := flags.Duration("day", 10*time.Second, "how long a day of the pages lasts")
	visits := flags.Float64("visits", 25, "visits a day, of all pages")
	policy := flags.String("policy", "", "that of the budget by default")
	workers := flags.Int("workers", 4, "")
	kills := flags.Int("kills", 0, "workers killed, at random times")
	seed := flags.Uint64("seed", 1, "of these")
	set := flags.String("set", "news", "of recorded pages")
	flags.Parse(args)
	dir, bin, ferret, err := build(ctx, "budget")
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	past, err := servePast(ctx, dir, *set)
	if err != nil {
		return err
	}
	defer past.proc.kill()
	f, err := newFleet(ctx, dir, ferret, lease)
	defer f.stop()
	if err != nil {
		return err
	}
	r := &budgetRun{f: f, past: past, day: *day, perDay: *visits, kills: *kills, random: rand.New(rand.NewPCG(*seed, 5)), plan: plat.Plan{Schedule: plat.Schedule{Budget: fmt.Sprintf("%g/day", *visits), Policy: *policy}}}
	var jobs []plat.Job
	for _, u := range past.pages {
		jobs = append(jobs, plat.Job{URL: u, Priority: 0.5, Plan: r.plan})
	}
	if _, err := intake.Take(ctx, f.archive, f.queue, jobs); err != nil {
		return err
	}
	for range *workers {
		if _, err := f.worker(bin, append(past.reach, "--tabs", "1", "--lease", lease.String(), "--delay", "0", "--max-delay", "1s", "--sitemaps=false", "--min-memory", "0", "--day", day.String(), "--confirm-after", day.String())...); err != nil {
			return err
		}
	}
	if err := r.watch(ctx, *length); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, bin, "verify", "--store", f.uri).CombinedOutput()
	if err != nil {
		return fmt.Errorf("verify: %w\n%s", err, out)
	}
	fmt.Println("\nall versions of the archive can be restored")
	return nil
}

// past is a server of recorded pages.
type past struct {
	proc  *proc
	base  string // its address
	pages []string
	reach []string // flags of a worker that may visit it
}

func servePast(ctx context.Context, dir, set string) (*past, error) {
	data, ok := history.Dir()
	if !ok {
		return nil, errors.New("no recorded pages: set PLAT_DATA")
	}
	bin := filepath.Join(dir, "histserve")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, ".")
	build.Dir = filepath.Join(data, "history", "histserve")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build histserve: %w\n%s", err, out)
	}
	port, err := freeport.Port()
	if err != nil {
		return nil, err
	}
	p := &past{base: fmt.Sprintf("http://127.0.0.1:%d", port), reach: []string{"--allow-private", "127.0.0.0/8"}}
	p.proc = &proc{log: filepath.Join(dir, "histserve.log"), args: []string{bin, "-set", filepath.Join(data, "history", set), "-split", "dev", "-align", "-addr", fmt.Sprintf("127.0.0.1:%d", port)}}
	if err := p.proc.start(); err != nil {
		return nil, err
	}
	var all struct {
		Pages []struct {
			URL    string `json:"url"`
			Exists bool   `json:"exists"`
		}
	}
	if err := waitFor(20*time.Second, func() bool { return p.get("/__pages", &all) == nil }); err != nil {
		return nil, fmt.Errorf("histserve: %w: %s", err, tail(p.proc.log, 3))
	}
	for _, page := range all.Pages {
		u, err := url.Parse(page.URL)
		if err != nil {
			return nil, err
		}
		if page.Exists {
			p.pages = append(p.pages, page.URL)
		}
		if port := u.Port(); !slices.Contains(p.reach, port) {
			p.reach = append(p.reach, "--allow-port", port)
		}
	}
	return p, nil
}

func (p *past) get(path string, to any) error {
	resp, err := http.Get(p.base + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(to)
}

// goOn moves the time of the pages.
func (p *past) goOn(by time.Duration) error {
	resp, err := http.Post(p.base+"/__at?step="+by.String(), "", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// lease is short, as is the longest delay of a host, so that workers wait for little of the time
// when Redis has lost its data.
const lease = 3 * time.Second

// budgetRun is a fleet that is watched.
type budgetRun struct {
	f      *fleet
	past   *past
	day    time.Duration
	perDay float64
	plan   plat.Plan
	kills  int // still to come
	random *rand.Rand
}

// kill kills a worker, with a chance that makes as many kills as are left of the run, and starts
// it again.
func (r *budgetRun) kill(step, left time.Duration) error {
	if r.kills == 0 || r.random.Float64() > float64(r.kills)*float64(step)/float64(max(left, step)) {
		return nil
	}
	r.kills--
	w := r.f.workers[r.random.IntN(len(r.f.workers))]
	w.kill()
	return w.start()
}

// share returns the state that the fleet shares.
func (r *budgetRun) share(ctx context.Context) (*schedule.Shared, error) {
	v := &schedule.Visit{State: plat.URLState{URL: r.past.pages[0], Plan: r.plan}, Day: r.day}
	return r.f.queue.Share(ctx, v, schedule.Learned{})
}

// watch prints the progress of the budget, and clears Redis in the middle.
func (r *budgetRun) watch(ctx context.Context, length time.Duration) error {
	fmt.Printf("%d pages, %g visits a day, a day lasts %v\n\n%6s %8s %9s %7s %9s %8s %8s %9s\n", len(r.past.pages), r.perDay, r.day, "day", "visits", "in budget", "pages", "threshold", "versions", "put off", "least a page")
	began, last := time.Now(), time.Now()
	lines, forgot := 10, false
	var begun time.Time // when all pages had been visited once
	earlier := 0        // visits until then
	for line := 1; line <= lines; {
		pause(ctx, 200*time.Millisecond)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		now := time.Now()
		if err := r.past.goOn(time.Duration(float64(now.Sub(last)) / float64(r.day) * float64(24*time.Hour)).Truncate(time.Second)); err != nil {
			return err
		}
		step := now.Sub(last)
		last = now
		pages, err := r.pages(ctx)
		if err != nil {
			return err
		}
		total, least := 0, pages[0].Visits
		for _, p := range pages {
			total, least = total+p.Visits, min(least, p.Visits)
		}
		if begun.IsZero() {
			if least > 0 && len(pages) == len(r.past.pages) {
				begun, earlier, began = now, total, now
			} else if now.Sub(began) > 2*time.Minute {
				return fmt.Errorf("after two minutes not all pages have been visited: %s", tail(r.f.workers[0].log, 3))
			}
			continue
		}
		if err := r.kill(step, begun.Add(length).Sub(now)); err != nil {
			return err
		}
		if !forgot && now.Sub(begun) > length/2 {
			forgot = true
			if err := r.forget(ctx); err != nil {
				return err
			}
		}
		if now.Sub(begun) < length*time.Duration(line)/time.Duration(lines) {
			continue
		}
		line++
		if err := r.print(ctx, now.Sub(begun), total-earlier, least, pages, line > lines); err != nil {
			return err
		}
	}
	return nil
}

// print prints a line, and after the last one checks the results.
func (r *budgetRun) print(ctx context.Context, took time.Duration, made, least int, pages []plat.URLState, end bool) error {
	s, err := r.share(ctx)
	if err != nil {
		return err
	}
	st, err := r.f.queue.Stats(ctx)
	if err != nil {
		return err
	}
	versions := 0
	for _, p := range pages {
		versions += p.Head
	}
	days := float64(took) / float64(r.day)
	part := float64(made) / (days * r.perDay)
	fmt.Printf("%6.1f %8d %8.1f%% %7.0f %9.3f %8d %8d %9d\n", days, made, 100*part, s.Pages, s.Factor(), versions, st.PutOff, least)
	switch {
	case !end:
		return nil
	case part < 0.95 || part > 1.05:
		return fmt.Errorf("%d visits, %.1f %% of the budget", made, 100*part)
	case least < 2:
		return errors.New("a page is left out")
	}
	return nil
}

// forget restarts Redis without its data, and checks that the next visits restore the shared
// state.
func (r *budgetRun) forget(ctx context.Context) error {
	was, err := r.share(ctx)
	if err != nil {
		return err
	}
	r.f.redis.Kill()
	if err := r.f.redis.Forget(); err != nil {
		return err
	}
	if err := r.f.redis.Restart(); err != nil {
		return err
	}
	fmt.Println("       Redis has lost its data")
	err = waitFor(2*time.Minute, func() bool {
		pause(ctx, 200*time.Millisecond)
		return ctx.Err() != nil || r.visited(ctx)
	})
	if err != nil {
		return fmt.Errorf("nobody visits any more: %s", tail(r.f.workers[0].log, 3))
	}
	// The next visit of a site restores its shared state: the first visit may be of a different site.
	var now *schedule.Shared
	err = waitFor(2*time.Minute, func() bool {
		pause(ctx, 200*time.Millisecond)
		now, err = r.share(ctx)
		return ctx.Err() != nil || err != nil || now.Days > 0
	})
	if err != nil {
		return fmt.Errorf("what was learned of %s: %w", r.past.pages[0], err)
	}
	if now.Pages < was.Pages*0.9 || now.Days < was.Days*0.9 || now.Burst == (schedule.Burst{}) {
		return fmt.Errorf("of %+v is left %+v", was, now)
	}
	return nil
}

// visited reports whether a worker has visited a page since Redis was restarted.
func (r *budgetRun) visited(ctx context.Context) bool {
	st, err := r.f.queue.Stats(ctx)
	return err == nil && st.Done > 0
}

// pages are the states of all pages that were visited.
func (r *budgetRun) pages(ctx context.Context) (all []plat.URLState, err error) {
	for st, err := range r.f.archive.States(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(st.URL, "http") && slices.Contains(r.past.pages, st.URL) {
			all = append(all, st)
		}
	}
	if len(all) == 0 {
		err = errors.New("the archive has no pages")
	}
	return all, err
}
