package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/revalidate"
	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/segment/label"
	"plat/storage/sqlite"
	"plat/workers"
)

type world struct {
	*result
	places []place
	skip   archive
	always archive
	never  archive // always rendered, without second looks; no worker if the other archives have no second looks either
	turn   int     // of the last two
	check  *revalidate.Checker
	tabs   []context.Context // of bare Chrome

	bareChrome int // its process

	failing map[string]bool // URLs that show an error page
}

// at is the time of a step: snapshot k of the last ones, and from there in even
// steps to the next.
func at(times []time.Time, k, step int) time.Time {
	i := max(0, len(times)-*snapshots+k)
	t := times[min(i, len(times)-1)]
	next := t.Add(24 * time.Hour)
	if i+1 < len(times) {
		next = times[i+1]
	}
	return t.Add(next.Sub(t) / time.Duration(*between+2) * time.Duration(step))
}

// open starts the browsers and makes the archives.
func (w *world) open(ctx context.Context) (stop func(), err error) {
	var ends []func()
	stop = func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	where, err := os.MkdirTemp("", "plat-recrawl-")
	if err != nil {
		return nil, err
	}
	ends = append(ends, func() { os.RemoveAll(where) })
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: fixtures.NoNames{}})
	if err != nil {
		return nil, err
	}
	ends = append(ends, func() { guard.Close() })
	pool, err := browser.New(ctx, browser.Options{Guard: guard, Chrome: *chrome, Tabs: *tabs})
	if err != nil {
		return nil, err
	}
	ends = append(ends, func() { pool.Close() })
	client := guard.Client()
	ends = append(ends, client.CloseIdleConnections)
	w.check = revalidate.NewChecker(client, revalidate.Options{UserAgent: pool.UserAgent(), Language: "en-US,en"})
	describer, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(*seed, *seed))
	skipping := &workers.Skipping{Check: w.check, Setup: pool.Browser, Chance: func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return dice.Float64()
	}}
	for _, a := range []struct {
		to   *archive
		name string
		skip *workers.Skipping
		look noise.When
		sum  *looks
	}{{&w.skip, "skip.db", skipping, noise.When(*secondLook), &w.Looks}, {&w.always, "always.db", nil, noise.When(*secondLook), &w.LooksAlways}, {&w.never, "never.db", nil, noise.Never, nil}} {
		if a.to == &w.never && noise.When(*secondLook) == noise.Never {
			continue
		}
		store, err := sqlite.Open(filepath.Join(where, a.name), sqlite.Options{})
		if err != nil {
			return nil, err
		}
		ends = append(ends, func() { store.Close() })
		*a.to = archive{store, workers.New(render{pool, a.skip != nil}, store, describer, workers.Options{Skip: a.skip, News: workers.News{SecondLook: a.look}}), a.sum}
	}
	end, err := w.openBare(ctx)
	ends = append(ends, end)
	return stop, err
}

// openBare starts bare Chrome and its tabs. end ends it, also after an error.
func (w *world) openBare(ctx context.Context) (end func(), err error) {
	path, err := browser.Find(*chrome)
	if err != nil {
		return func() {}, err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 1024), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), chromedp.Flag("disable-component-update", true))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, end := chromedp.NewExecAllocator(ctx, opts...)
	main, _ := chromedp.NewContext(alloc)
	if err := chromedp.Do(main); err != nil {
		return end, err
	}
	w.bareChrome = chromedp.FromContext(main).Browser.Process().Pid
	for range *tabs {
		tab, _ := chromedp.NewContext(main)
		if err := chromedp.Do(tab); err != nil {
			return end, err
		}
		w.tabs = append(w.tabs, tab)
	}
	return end, nil
}

// step visits all pages that exist, n times.
func (w *world) step(ctx context.Context, still bool, n int) error {
	var now []place
	for _, p := range w.places {
		// A page that redirects to one that is not in the record has no
		// content.
		r, err := http.Get(p.url)
		if err != nil {
			return err
		}
		r.Body.Close()
		if r.StatusCode == http.StatusOK && !w.failing[p.url] {
			now = append(now, p)
		}
	}
	visits := slices.Repeat(now, n)
	reports, err := w.visit(ctx, &w.skip, visits, still, &w.Still)
	if err != nil {
		return err
	}
	w.Visits += len(visits)
	skipped := map[string]bool{} // by URL: the last visit was
	for i, p := range visits {
		r := &reports[i]
		skipped[p.url] = r.Skipped
		if r.Version == 0 {
			// A script redirected to an error page: not a visit that finds nothing new.
			w.failing[p.url] = true
		}
		if r.Skipped {
			w.Skipped++
			w.Skips.Visits++
			w.Skips.Seconds += r.Duration.Seconds()
		} else if still {
			w.StillOff++
		}
	}
	if still && n > 1 {
		if err := w.bare(ctx, slices.Repeat(now, *navigate)); err != nil {
			return err
		}
	}
	always, err := w.compareCost(ctx, now, still)
	if err != nil {
		return err
	}
	w.Compared += len(now)
	for i, p := range now {
		if always[i].Stored {
			w.Changed++
		}
		same, err := w.same(ctx, p.url)
		if err != nil {
			return err
		}
		if !same && skipped[p.url] {
			w.Missed++
			log.Printf("missed: %s", p.page.ID)
		} else if !same {
			w.Unsteady++
		}
	}
	return nil
}

// visit visits pages concurrently, but never one page twice at once, and adds
// to r if they are timed.
func (w *world) visit(ctx context.Context, a *archive, pages []place, timed bool, r *rate) ([]workers.Report, error) {
	reports := make([]workers.Report, len(pages))
	errs := make([]error, len(pages))
	turns := map[string]*sync.Mutex{}
	for _, p := range pages {
		turns[p.url] = &sync.Mutex{}
	}
	start := time.Now()
	parallel(len(pages), *tabs+1, func(_, i int) {
		turn := turns[pages[i].url]
		turn.Lock()
		defer turn.Unlock()
		reports[i], errs[i] = a.worker.Visit(ctx, plat.Job{URL: pages[i].url})
		if a.looks != nil {
			a.looks.add(&reports[i])
		}
	})
	took := time.Since(start)
	for i, err := range errs {
		var failed *plat.VisitError
		if err != nil && (!errors.As(err, &failed) || failed.Retry) {
			return nil, fmt.Errorf("%s: %w", pages[i].url, err)
		}
	}
	if timed {
		r.Visits += len(pages)
		r.Seconds += took.Seconds()
	}
	return reports, ctx.Err()
}

// bare navigates to pages.
func (w *world) bare(ctx context.Context, pages []place) error {
	errs := make([]error, len(pages))
	start := time.Now()
	parallel(len(pages), *tabs, func(worker, i int) {
		c, done := context.WithTimeout(w.tabs[worker], 20*time.Second)
		defer done()
		errs[i] = chromedp.Do(c, chromedp.Navigate(pages[i].url))
	})
	w.Bare.Seconds += time.Since(start).Seconds()
	for _, err := range errs {
		if err == nil { // a page may navigate away while loading
			w.Bare.Visits++
		}
	}
	return ctx.Err()
}

// same reports whether the last versions of a URL have the same blocks.
func (w *world) same(ctx context.Context, url string) (bool, error) {
	var sums [2]plat.Hash
	for i, a := range []*archive{&w.skip, &w.always} {
		v, err := a.store.Version(ctx, url, 0)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		all := slices.Clone(v.Layout[:])
		for _, b := range v.Blocks {
			all = fmt.Appendf(all, "%x %v\n", b.Hash[:], b.Hidden)
		}
		sums[i] = plat.HashOf(all)
	}
	return sums[0] == sums[1], nil
}

// reasons counts the pages by their final reason.
func (w *world) reasons(ctx context.Context) error {
	for _, p := range w.places {
		st, err := w.skip.store.State(ctx, p.url)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if st.Memory == "" {
			w.Reasons["no page: it leads to an error page"]++
			continue
		}
		w.Memory += len(st.Memory)
		m, err := plat.DecodeMemory(st.Memory)
		if err != nil {
			return fmt.Errorf("%s: %w", p.url, err)
		}
		s, err := revalidate.Decode([]byte(m.Skip))
		if err != nil {
			return fmt.Errorf("%s: %w", p.url, err)
		}
		why := "scripts, still learning"
		switch {
		case s.Ended != revalidate.NoReason:
			why = "never: " + s.Ended.String()
		case s.Unfit != revalidate.NoReason:
			why = "not now: " + s.Unfit.String()
		case s.Sourced && s.Inert && !s.Scripts:
			why = "inert"
		case s.Proven:
			why = "scripts, proven"
		}
		w.Reasons[why]++
		if *list {
			log.Printf("%s: %s", p.page.ID, why)
		}
	}
	return nil
}

// render is the pool as a worker uses it.
type render struct {
	pool  *browser.Pool
	loads bool
}

func (r render) Render(ctx context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return r.pool.Render(ctx, browser.Request{URL: u, Decide: evidence, Loads: r.loads})
}

func (r render) RenderMoved(ctx context.Context, u string, clock time.Time, seed uint64) (*plat.Snapshot, error) {
	return r.pool.Render(ctx, browser.Request{URL: u, Loads: true, Clock: clock, Seed: seed})
}
