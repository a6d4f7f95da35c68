package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plat"
	"plat/queue"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/window"
)

// A crawl is a set of URLs, and what is found when one is visited.
type crawl struct {
	seeds []plat.Job
	links map[string][]plat.Job // of a focused crawl; nil: none
}

// order compares the order of visits through windows of several sizes with that of one
// queue that knows all URLs, under the same politeness and rate, in virtual time.
func order(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("order", flag.ExitOnError)
	urls := flags.Int("urls", 100_000, "URLs")
	hosts := flags.Int("hosts", 500, "hosts")
	rate := flags.Int("rate", 100, "visits per second, at most")
	delay := flags.Duration("delay", time.Second, "between two visits of a host")
	seed := flags.Uint64("seed", 1, "of the priorities")
	flags.Parse(args)

	fmt.Printf("%d URLs on %d hosts, random priorities, %d visits/s, %v between two of a host.\n", *urls, *hosts, *rate, *delay)
	fmt.Println("differ: share of visits that are not among as many of the exact queue. mass: priority collected, against the exact queue.")
	fmt.Printf("%-10s %8s %12s %12s %12s %9s %9s %9s\n", "order", "window", "differ 1 %", "10 %", "50 %", "mass 1 %", "10 %", "50 %")
	for _, focused := range []bool{false, true} {
		c := makeCrawl(*urls, *hosts, *seed, focused)
		exact := exactOrder(c, *rate, *delay)
		name := "random"
		if focused {
			name = "focused"
		}
		for _, size := range []int{2000, 500} {
			got, err := windowOrder(ctx, c, size, *rate, *delay, len(exact))
			if err != nil {
				return err
			}
			fmt.Printf("%-10s %8d %s\n", name, size, compare(c, got, exact))
		}
	}
	return nil
}

func url(host, page int) string { return fmt.Sprintf("https://h%d.test/%d", host, page) }

// makeCrawl makes URLs with random priorities. In a focused crawl a fiftieth of them are
// seeds, and each page leads to fifty others whose priorities are near its own.
func makeCrawl(urls, hosts int, seed uint64, focused bool) *crawl {
	r := rand.New(rand.NewPCG(seed, seed))
	all := make([]plat.Job, urls)
	for i := range all {
		all[i] = plat.Job{URL: url(r.IntN(hosts), i), Priority: float32(r.IntN(1001)) / 1000}
	}
	if !focused {
		return &crawl{seeds: all}
	}
	const each = 50
	c := &crawl{seeds: all[:urls/each], links: map[string][]plat.Job{}}
	rest := slices.Clone(all[urls/each:])
	for parent := 0; len(rest) > 0; parent++ {
		n := min(each, len(rest))
		for i := range rest[:n] {
			p := float64(all[parent].Priority) + 0.15*r.NormFloat64()
			rest[i].Priority = float32(int(1000*max(0, min(1, p)))) / 1000
			all[urls/each+parent*each+i].Priority = rest[i].Priority // of its links
		}
		c.links[all[parent].URL], rest = rest[:n], rest[n:]
	}
	return c
}

// exactOrder returns the order of one queue: at each time the best URL of the hosts that
// may be visited.
func exactOrder(c *crawl, rate int, delay time.Duration) (order []string) {
	type entry struct {
		plat.Job
		seq int
	}
	queues, clocks := map[string][]entry{}, map[string]time.Duration{}
	seq, left := 0, 0
	add := func(jobs []plat.Job) {
		for _, j := range jobs {
			h := plat.HostOf(j.URL)
			e := entry{j, seq}
			q := queues[h]
			i, _ := slices.BinarySearchFunc(q, e, func(a, b entry) int {
				return cmp.Or(storage.Rank(a.Priority)-storage.Rank(b.Priority), a.seq-b.seq)
			})
			queues[h] = slices.Insert(q, i, e)
			seq++
			left++
		}
	}
	add(c.seeds)
	for now := time.Duration(0); left > 0; now += time.Second / time.Duration(rate) {
		best := ""
		for h, q := range queues {
			if len(q) == 0 || clocks[h] > now {
				continue
			}
			if best == "" {
				best = h
				continue
			}
			// Hosts of equal priority come by how long they have been ready.
			if b := queues[best][0]; cmp.Or(storage.Rank(q[0].Priority)-storage.Rank(b.Priority), cmp.Compare(clocks[h], clocks[best]), cmp.Compare(h, best)) < 0 {
				best = h
			}
		}
		if best == "" {
			continue
		}
		u := queues[best][0].URL
		queues[best] = queues[best][1:]
		clocks[best] = now + delay
		left--
		order = append(order, u)
		add(c.links[u])
	}
	return order
}

// windowOrder returns the order in which plat's frontier gives URLs out.
func windowOrder(ctx context.Context, c *crawl, size, rate int, delay time.Duration, n int) (order []string, err error) {
	dir, err := os.MkdirTemp("", "plat-order-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(filepath.Join(dir, "a.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	redis, err := queue.Embed("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer redis.Close()
	now := time.Now().UTC().Truncate(time.Second)
	redis.SetTime(now)
	q, err := queue.Open(ctx, queue.Options{URL: redis.URL(), Size: size})
	if err != nil {
		return nil, err
	}
	defer q.Close()
	if _, err := q.Begin(ctx, 0); err != nil {
		return nil, err
	}
	add := func(jobs []plat.Job) error {
		jobs = slices.Clone(jobs)
		for i := range jobs {
			jobs[i].Due = now
		}
		e, err := store.Enlist(ctx, jobs, storage.IfNew)
		if err == nil && len(e.Jobs) < 1000 {
			err = q.Offer(ctx, e.Jobs)
		}
		return err
	}
	for part := range slices.Chunk(c.seeds, 20_000) {
		if err := add(part); err != nil {
			return nil, err
		}
	}
	loader := window.NewLoader(store, q, slog.New(slog.DiscardHandler), nil)
	next := now
	for len(order) < n && ctx.Err() == nil {
		for !now.Before(next) {
			wait, err := loader.Tick(ctx)
			if err != nil {
				return nil, err
			}
			next = next.Add(wait)
		}
		l, _, err := q.Lease(ctx, "w")
		if err != nil {
			return nil, err
		}
		if l != nil {
			order = append(order, l.URL)
			v := plat.Visit{URL: l.URL, Time: now, Outcome: plat.OutcomeUnchanged, Settles: l.Due, Rest: delay, Unkept: true}
			if err := add(c.links[l.URL]); err != nil {
				return nil, err
			}
			if err := store.Record(ctx, v, 0); err != nil {
				return nil, err
			}
			if err := q.Done(ctx, l, delay); err != nil {
				return nil, err
			}
		}
		now = now.Add(time.Second / time.Duration(rate))
		redis.SetTime(now)
	}
	return order, ctx.Err()
}

// compare says how two orders differ in their first hundredth, tenth and half.
func compare(c *crawl, got, exact []string) string {
	priority := map[string]float64{}
	note := func(jobs []plat.Job) {
		for _, j := range jobs {
			priority[j.URL] = float64(j.Priority)
		}
	}
	note(c.seeds)
	for _, jobs := range c.links {
		note(jobs)
	}
	var differ, mass [3]float64
	for i, part := range []int{100, 10, 2} {
		n := len(exact) / part
		in := map[string]bool{}
		var all, collected float64
		for k := range n {
			in[exact[k]] = true
			all += priority[exact[k]]
			collected += priority[got[k]]
		}
		for _, u := range got[:n] {
			if !in[u] {
				differ[i]++
			}
		}
		differ[i] /= float64(n)
		mass[i] = collected / all
	}
	return fmt.Sprintf("%11.2f%% %11.2f%% %11.2f%% %9.4f %9.4f %9.4f", 100*differ[0], 100*differ[1], 100*differ[2], mass[0], mass[1], mass[2])
}
