package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"plat/plat"
)

// orderOptions set the size of the comparison.
type orderOptions struct {
	urls, hosts, rate   int
	delay               time.Duration
	seed                uint64
	visits, seeds, each int // of the focused crawl
}

func order(ctx context.Context, args []string) error {
	var o orderOptions
	flags := newFlags("order", "", "-urls 3000 -hosts 100 -visits 1000 -windows 200,1000", "-windows 500,2000,8000 -focused=false")
	flags.IntVar(&o.urls, "urls", 100_000, "with random priorities; half of them are visited")
	flags.IntVar(&o.hosts, "hosts", 500, "of the URLs")
	flags.IntVar(&o.rate, "rate", 100, "visits a second")
	flags.DurationVar(&o.delay, "delay", time.Second, "of each host")
	flags.Uint64Var(&o.seed, "seed", 1, "of priorities")
	sizes := flags.String("windows", "2000", "URLs in the window (the default of plat up is 2,000)")
	fixed := flags.Bool("fixed", true, "measure a list whose priorities are known from its beginning")
	focused := flags.Bool("focused", true, "measure a crawl that finds URLs as it goes")
	flags.IntVar(&o.visits, "visits", 20_000, "of the focused crawl")
	flags.IntVar(&o.seeds, "seeds", 500, "of the focused crawl")
	flags.IntVar(&o.each, "each", 5, "new URLs that each visit of the focused crawl finds")
	flags.Parse(args)
	windows, err := numbers(*sizes)
	if err != nil {
		return err
	}
	fmt.Printf("%d hosts, delay %v, %d visits a second, by the crawl's own clock. differ: share of the first visits that are not among as\n", o.hosts, o.delay, o.rate)
	fmt.Println("many first visits of one exact queue under the same politeness. priority: their sum of priorities, as a share of that queue's.")
	if *fixed {
		fmt.Printf("\n%d URLs with random priorities; shares of all URLs\n", o.urls)
		if err := o.compare(ctx, windows, o.list(), nil, o.urls, o.urls/2, []float64{0.01, 0.1, 0.5}); err != nil {
			return err
		}
	}
	if *focused {
		fmt.Printf("\nfocused: %d seeds, each visit finds %d new URLs with priorities like its own; shares of %d visits\n", o.seeds, o.each, o.visits)
		return o.compare(ctx, windows, o.roots(), o.children, o.visits, o.visits, []float64{0.01, 0.1, 0.5, 1})
	}
	return nil
}

func (o *orderOptions) list() (all []plat.Job) {
	r := rand.New(rand.NewPCG(o.seed, 0))
	for i := range o.urls {
		all = append(all, plat.Job{URL: fmt.Sprintf("https://h%d.test/%d", r.IntN(o.hosts), i), Priority: r.Float32()})
	}
	return all
}

func (o *orderOptions) roots() (all []plat.Job) {
	r := rand.New(rand.NewPCG(o.seed, 1))
	for i := range o.seeds {
		all = append(all, plat.Job{URL: fmt.Sprintf("https://h%d.test/%d", i%o.hosts, i), Priority: r.Float32()})
	}
	return all
}

// children are the URLs that a visit finds, always the same of a URL: half of them on
// its host, their priorities around its own, drawn a little towards the middle.
func (o *orderOptions) children(url string, priority float32) (all []plat.Job) {
	f := fnv.New64a()
	f.Write([]byte(url))
	r := rand.New(rand.NewPCG(o.seed, f.Sum64()))
	for range o.each {
		host := plat.HostOf(url)
		if r.IntN(2) == 0 {
			host = fmt.Sprintf("h%d.test", r.IntN(o.hosts))
		}
		p := 0.8*priority + 0.1 + 0.3*(r.Float32()-0.5)
		all = append(all, plat.Job{URL: fmt.Sprintf("https://%s/%x", host, r.Uint64()), Priority: max(0, min(1, p))})
	}
	return all
}

// finds returns the jobs that a visit finds.
type finds func(url string, priority float32) []plat.Job

// A trail is the order of a crawl's visits.
type trail struct {
	urls       []string
	priorities map[string]float32 // of all URLs that were found
}

func (t *trail) found(jobs []plat.Job) {
	for i := range jobs {
		t.priorities[jobs[i].URL] = jobs[i].Priority
	}
}

// compare prints a row for each window. Shares are of whole; visits is where the crawls
// end.
func (o *orderOptions) compare(ctx context.Context, windows []int, first []plat.Job, find finds, whole, visits int, shares []float64) error {
	exact := o.exactly(first, find, visits)
	fmt.Printf("%9s %9s %9s", "window", "visits", "clock s")
	for _, s := range shares {
		fmt.Printf("  %14s", fmt.Sprintf("first %g %%", 100*s))
	}
	fmt.Printf("\n%9s %9s %9s", "", "", "")
	for range shares {
		fmt.Printf("  %6s %8s", "differ", "priority")
	}
	fmt.Println()
	for _, size := range windows {
		got, took, err := o.crawl(ctx, size, first, find, visits)
		if err != nil {
			return err
		}
		fmt.Printf("%9d %9d %9.1f", size, len(got.urls), took.Seconds())
		for _, s := range shares {
			n := min(int(s*float64(whole)), len(got.urls), len(exact.urls))
			differ, mass := got.against(exact, n)
			fmt.Printf("  %5.1f%% %8.4f", 100*differ, mass)
		}
		fmt.Println()
	}
	return nil
}

// against compares the first n visits with those of a second crawl.
func (t *trail) against(other *trail, n int) (differ, mass float64) {
	is := map[string]bool{}
	sum, otherSum := 0.0, 0.0
	for _, u := range other.urls[:n] {
		is[u] = true
		otherSum += float64(other.priorities[u])
	}
	for _, u := range t.urls[:n] {
		if !is[u] {
			differ++
		}
		sum += float64(t.priorities[u])
	}
	return differ / float64(max(1, n)), sum / otherSum
}

// exactly is the crawl of one queue of all URLs.
func (o *orderOptions) exactly(first []plat.Job, find finds, visits int) *trail {
	t := &trail{priorities: map[string]float32{}}
	now := time.Unix(0, 0)
	q := newExact(o.delay)
	q.put(now, first)
	t.found(first)
	idle := 0
	for credit := 0; len(t.urls) < visits && idle < 60_000; now = now.Add(time.Millisecond) {
		idle++
		for credit += o.rate; credit >= 1000 && len(t.urls) < visits; credit -= 1000 {
			url := q.take(now)
			if url == "" {
				continue
			}
			idle = 0
			t.urls = append(t.urls, url)
			if find != nil {
				jobs := find(url, t.priorities[url])
				t.found(jobs)
				q.put(now, jobs)
			}
		}
	}
	return t
}

// crawl is the crawl of plat, through a window.
func (o *orderOptions) crawl(ctx context.Context, size int, first []plat.Job, find finds, visits int) (*trail, time.Duration, error) {
	t := &trail{priorities: map[string]float32{}}
	c, err := newCrawl(ctx, size, o.delay)
	if err != nil {
		return nil, 0, err
	}
	defer c.close()
	if err := c.fill(ctx, first); err != nil {
		return nil, 0, err
	}
	t.found(first)
	err = c.run(ctx, o.rate, func(url string) (bool, error) {
		t.urls = append(t.urls, url)
		if find != nil {
			jobs := find(url, t.priorities[url])
			t.found(jobs)
			if err := c.enlist(ctx, jobs); err != nil {
				return false, err
			}
		}
		return len(t.urls) < visits, nil
	})
	if err == nil {
		err = c.left()
	}
	return t, c.now.Sub(c.begun), err
}
