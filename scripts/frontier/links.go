package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"plat/scripts/procs"
	"strconv"
	"time"
)

// fanOut is the number of pages to which only one page leads for certain: those links make a
// tree, so that every page can be reached from the first.
const fanOut = 3

// linked returns the pages that page n of a site links to.
func linked(n, pages, links int, seed uint64) (all []int) {
	for i := n*fanOut + 1; i <= n*fanOut+fanOut && i < pages; i++ {
		all = append(all, i)
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	for len(all) < links && pages > 1 {
		all = append(all, 1+r.IntN(pages-1)) // the first page is the start page, under a second URL
	}
	return all
}

func links(ctx context.Context, args []string) error {
	flags := newFlags("links", "", "-pages 1000", "-pages 60000 -- --tabs 4")
	pages := flags.Int("pages", 60_000, "pages of the site")
	each := flags.Int("links", 20, "links of each page")
	skip := flags.Int("skip", 200, "first visits that do not count: everything warms up")
	seed := flags.Uint64("seed", 1, "of the links")
	limit := flags.Duration("limit", 3*time.Hour, "for the crawl")
	idle := flags.Duration("idle", 30*time.Second, "without a visit, after which the crawl has ended")
	keep := flags.Bool("keep", false, "keep log and archive")
	flags.Parse(args)
	dir, err := os.MkdirTemp("", "plat-frontier-")
	if err != nil {
		return err
	}
	if *keep {
		fmt.Println("log and archive:", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	bin, err := procs.BuildPlat(ctx, dir)
	if err != nil {
		return err
	}
	s, err := newSite(func(host string, n int) []byte {
		if n < 0 || n >= *pages {
			return nil
		}
		return smallPage(host, n, linked(n, *pages, *each, *seed))
	})
	if err != nil {
		return err
	}
	defer s.stop()
	p, err := start(bin, dir, filepath.Join(dir, "plat.db"), s.port, append([]string{"http://site.localhost:" + strconv.Itoa(s.port) + "/", "--scope", "host"}, flags.Args()...)...)
	if err != nil {
		return err
	}
	defer p.kill()
	fmt.Printf("plat up URL --scope host: one host with %d pages of %d links each, one visit at a time.\n", *pages, *each)
	t := tenths{want: *pages, skip: *skip, site: s, proc: p, used: []float64{0}}
	fmt.Printf("%6s %9s %9s %9s %12s\n", "tenth", "visits", "s", "visits/s", "CPU s/visit")
	last, seen := time.Now(), 0
	err = p.wait(ctx, *limit, func() bool {
		requests, found := s.count()
		if requests > seen {
			seen, last = requests, time.Now()
		}
		t.print(false)
		return found >= *pages || time.Since(last) > *idle
	})
	if err != nil {
		return err
	}
	t.print(true)
	requests, found := s.count()
	if err := p.stop(); err != nil {
		return fmt.Errorf("plat ended with %w: %s", err, p.tail())
	}
	if len(t.rates) > 1 {
		fmt.Printf("last tenth / first tenth: %.2f\n", t.rates[len(t.rates)-1]/t.rates[0])
	}
	if found < *pages || requests > found {
		return fmt.Errorf("%d of %d pages were visited, with %d requests", found, *pages, requests)
	}
	return nil
}

// tenths prints the rate of visits for each tenth of a crawl, as soon as it is over.
type tenths struct {
	want, skip int
	site       *site
	proc       *proc

	times []time.Time // of requests at the bounds of tenths
	used  []float64   // CPU s at that time
	rates []float64
}

// print prints tenths that are over. CPU time is that at the moment of the call, so it
// is to be called often.
func (t *tenths) print(ended bool) {
	t.site.mu.Lock()
	n := len(t.site.requests)
	var bound []time.Time
	for i := range 11 {
		if at := t.bound(i); n > at {
			bound = append(bound, t.site.requests[at])
		}
	}
	t.site.mu.Unlock()
	for len(t.times) < len(bound) {
		i := len(t.times)
		t.times = append(t.times, bound[i])
		if i == 0 {
			t.used[0] = t.proc.cpu()
			continue
		}
		t.used = append(t.used, t.proc.cpu())
		visits, s := float64(t.bound(i)-t.bound(i-1)), bound[i].Sub(bound[i-1]).Seconds()
		t.rates = append(t.rates, visits/s)
		fmt.Printf("%6d %9.0f %9.1f %9.1f %12.3f\n", i, visits, s, visits/s, (t.used[i]-t.used[i-1])/visits)
	}
	if ended && len(t.rates) < 10 {
		fmt.Printf("the crawl ended after %d visits\n", n)
	}
}

// bound is the number of the request with which a tenth ends.
func (t *tenths) bound(i int) int { return t.skip + (t.want-1-t.skip)*i/10 }
