package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plat/plat"
)

// hosts is long because its steps share their counts.
func hosts(ctx context.Context, args []string) error {
	flags := newFlags("hosts", "", "-big 20000 -hosts 500 -rate 200 -for 10s", "-window 20000")
	big := flags.Int("big", 1_000_000, "URLs of the big host")
	small := flags.Int("hosts", 10_000, "small hosts")
	each := flags.Int("each", 10, "URLs of each small host")
	rate := flags.Int("rate", 2000, "visits a second")
	size := flags.Int("window", 0, "URLs in the window, 0: the default of plat up")
	delay := flags.Duration("delay", time.Second, "of each host")
	lasts := flags.Duration("for", time.Minute, "how long the crawl is, by its own clock")
	first := flags.Bool("big-first", true, "the big host's URLs are enlisted before the others")
	flags.Parse(args)
	c, err := newCrawl(ctx, *size, *delay)
	if err != nil {
		return err
	}
	defer c.close()
	const bigHost = "big.test"
	var bigs, smalls []plat.Job
	for i := range *big {
		bigs = append(bigs, plat.Job{URL: fmt.Sprintf("https://%s/%d", bigHost, i), Priority: 0.5})
	}
	for i := range *small * *each {
		smalls = append(smalls, plat.Job{URL: fmt.Sprintf("https://h%d.test/%d", i%*small, i / *small), Priority: 0.5})
	}
	parts := [][]plat.Job{bigs, smalls}
	if !*first {
		slices.Reverse(parts)
	}
	began := time.Now()
	for _, p := range parts {
		if err := c.fill(ctx, p); err != nil {
			return err
		}
	}
	fmt.Printf("%d URLs of one host, %d of each of %d others; window %d, delay %v, %d visits a second by the crawl's own clock.\n", *big, *each, *small, c.queue.Size(), *delay, *rate)
	fmt.Printf("enlisted in %.1f s\n", time.Since(began).Seconds())

	began = time.Now()
	firsts := map[string]time.Duration{}
	visits, ofBig, bigFirst := 0, 0, time.Duration(0)
	fmt.Printf("%8s %9s %14s %14s\n", "clock s", "visits", "hosts visited", "of the big one")
	said := time.Duration(0)
	err = c.run(ctx, *rate, func(url string) (bool, error) {
		at := c.now.Sub(c.begun)
		visits++
		host := plat.HostOf(url)
		if host == bigHost {
			if ofBig == 0 {
				bigFirst = at
			}
			ofBig++
		} else if _, is := firsts[host]; !is {
			firsts[host] = at
		}
		if at-said >= *lasts/10 {
			said = at
			fmt.Printf("%8.1f %9d %14d %14d\n", at.Seconds(), visits, len(firsts), ofBig)
		}
		return at < *lasts, nil
	})
	if err != nil {
		return err
	}
	took := c.now.Sub(c.begun)
	fmt.Printf("%d visits in %.1f s by the crawl's clock, %.1f s by the machine's: %.0f a second of %d\n", visits, took.Seconds(), time.Since(began).Seconds(), float64(visits)/took.Seconds(), *rate)
	var times []time.Duration
	for _, at := range firsts {
		times = append(times, at)
	}
	slices.Sort(times)
	fmt.Printf("%-44s %8s %8s %8s %8s %8s\n", "", "min", "median", "99 %", "max", "never")
	if len(times) > 0 {
		fmt.Printf("%-44s %8.2f %8.2f %8.2f %8.2f %8d\n", "first visit of a small host, s", times[0].Seconds(), part(times, 0.5).Seconds(), part(times, 0.99).Seconds(), times[len(times)-1].Seconds(), *small-len(times))
	}
	fair := float64(*small+1) / float64(*rate)
	fmt.Printf("%-44s %8s %8.2f %8.2f %8.2f\n", "if all hosts had taken turns exactly, s", "0.00", fair/2, fair*0.99, fair)
	may := min(*big, int(took / *delay)+1)
	fmt.Printf("the big host: first visit after %.2f s, %d visits; its delay would allow %d (%.0f %%)\n", bigFirst.Seconds(), ofBig, may, 100*float64(ofBig)/float64(may))
	fmt.Printf("visits sooner than the host's delay: %d; jobs given out twice: %d\n", c.tooSoon, c.twice)
	if len(times) < *small && visits > 2*(*small) {
		fmt.Printf("%d hosts were not visited\n", *small-len(times))
	}
	return c.left()
}
