package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"plat/plat"
	"plat/queue/intake"
)

// scale measures pages per second with increasing numbers of workers, on slow
// pages.
func scale(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("scale", flag.ExitOnError)
	latency := flags.Duration("latency", 500*time.Millisecond, "that a page takes to answer")
	seconds := flags.Int("seconds", 20, "of measurement for each number of workers")
	tabs := flags.Int("tabs", 1, "of each worker")
	flags.Parse(args)
	dir, bin, ferret, err := build(ctx, "scale")
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	s := &site{
		hosts: 200, pages: 100,
		latency: func(int, int) time.Duration { return *latency },
		delay:   func(int) time.Duration { return 0 },
		changes: func(int, int, int64) int64 { return 1 },
	}
	if err := s.start(); err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("pages answer after %v; %d tabs each\n%8s %9s %12s %9s %9s\n", *latency, *tabs, "workers", "pages/s", "× one worker", "linear", "CPU")
	one := 0.0
	for _, n := range []int{1, 2, 4, 8} {
		rate, cpu, err := measure(ctx, filepath.Join(dir, fmt.Sprint(n)), bin, ferret, s, n, *tabs, time.Duration(*seconds)*time.Second)
		if err != nil {
			return err
		}
		if n == 1 {
			one = rate
		}
		fmt.Printf("%8d %9.2f %12.2f %9.2f %8.0f%%\n", n, rate, rate/one, rate/one/float64(n), 100*cpu)
	}
	return nil
}

// measure returns the pages per second of n workers once all are active, and
// the share of the machine's CPU time used.
func measure(ctx context.Context, dir, bin, ferret string, s *site, n, tabs int, length time.Duration) (rate, cpu float64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, 0, err
	}
	f, err := newFleet(ctx, dir, ferret, 0)
	defer f.stop()
	if err != nil {
		return 0, 0, err
	}
	store, q := f.archive, f.queue
	var jobs []plat.Job
	for h := range s.hosts {
		for p := range s.pages / 4 {
			jobs = append(jobs, plat.Job{URL: s.url(h, p), Priority: 0.5})
		}
	}
	if _, err := intake.Take(ctx, store, q, jobs); err != nil {
		return 0, 0, err
	}
	for range n {
		if _, err := f.worker(bin, "--tabs", fmt.Sprint(tabs), "--delay", "0", "--robots=false", "--sitemaps=false",
			"--allow-private", "127.0.0.0/8", "--allow-port", fmt.Sprint(s.port), "--min-memory", "0"); err != nil {
			return 0, 0, err
		}
	}
	settled := func() int64 {
		st, err := q.Stats(ctx)
		if err != nil {
			return 0
		}
		return st.Done
	}
	if err := waitFor(3*time.Minute, func() bool { return settled() > int64(4*n) }); err != nil {
		return 0, 0, fmt.Errorf("workers do not start: %w\n%s", err, tail(f.workers[0].log, 5))
	}
	busy0, all0 := cpuTimes()
	began, from := time.Now(), settled()
	select {
	case <-time.After(length):
	case <-ctx.Done():
		return 0, 0, context.Cause(ctx)
	}
	rate = float64(settled()-from) / time.Since(began).Seconds()
	busy1, all1 := cpuTimes()
	return rate, (busy1 - busy0) / (all1 - all0), nil
}

// cpuTimes are the machine's, in ticks.
func cpuTimes() (busy, all float64) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 1
	}
	var name string
	var v [8]float64
	fmt.Sscan(string(b), &name, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7])
	for i, t := range v {
		all += t
		if i != 3 && i != 4 {
			busy += t
		}
	}
	return busy, all
}
