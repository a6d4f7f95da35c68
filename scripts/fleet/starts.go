package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// starts starts fresh fleets, each with a Redis and a store of its own that have no data, and prints the time from
// the start of the workers to the first visit and to its version. It fails if a first visit is later than worst.
func starts(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("starts", flag.ExitOnError)
	runs := flags.Int("runs", 50, "how often")
	workers := flags.Int("workers", 3, "workers of a fleet")
	worst := flags.Duration("worst", 3*time.Second, "that a first visit may take")
	flags.Parse(args)
	dir, plat, ferret, err := build(ctx, "starts")
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	var visits, versions []time.Duration
	for i := range *runs {
		run := filepath.Join(dir, fmt.Sprint(i))
		visit, version, err := start(ctx, run, plat, ferret, *workers)
		if err != nil {
			return fmt.Errorf("start %d: %w", i+1, err)
		}
		fmt.Printf("start %2d: first visit after %5.2f s, version after %5.2f s\n", i+1, visit.Seconds(), version.Seconds())
		visits, versions = append(visits, visit), append(versions, version)
		os.RemoveAll(run)
	}
	if len(visits) == 0 {
		return nil
	}
	slices.Sort(visits)
	slices.Sort(versions)
	middle, last := len(visits)/2, len(visits)-1
	fmt.Printf("%d starts of %d workers: first visit after %.2f s in the median, %.2f at worst; its version after %.2f and %.2f\n", len(visits), *workers,
		visits[middle].Seconds(), visits[last].Seconds(), versions[middle].Seconds(), versions[last].Seconds())
	if visits[last] > *worst {
		return fmt.Errorf("a first visit began after %v", visits[last])
	}
	return nil
}

// start starts one fleet, with the URL of a page in its inbox, and returns when the page was visited, and its version
// stored, after the start of the workers.
func start(ctx context.Context, dir, bin, ferret string, workers int) (visit, version time.Duration, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, 0, err
	}
	s := &site{
		hosts: 1, pages: 1,
		latency: func(int, int) time.Duration { return 0 },
		delay:   func(int) time.Duration { return 0 },
		changes: func(int, int, int64) int64 { return 1 },
	}
	if err := s.start(); err != nil {
		return 0, 0, err
	}
	defer s.stop()
	f, err := newFleet(ctx, dir, ferret, 0)
	defer f.stop()
	if err != nil {
		return 0, 0, err
	}
	if err := f.redis.Do(ctx, "LPUSH", "plat:inbox", s.url(0, 0)); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for range workers {
		if _, err := f.worker(bin, "--allow-private", "127.0.0.0/8", "--allow-port", fmt.Sprint(s.port), "--min-memory", "0"); err != nil {
			return 0, 0, err
		}
	}
	stored := func() bool {
		st, err := f.archive.State(ctx, s.url(0, 0))
		return err == nil && st.Head > 0
	}
	if err := waitFor(2*time.Minute, stored); err != nil {
		return 0, 0, fmt.Errorf("no version: %w\n%s", err, tail(f.workers[0].log, 5))
	}
	version = time.Since(began)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.log {
		if r.look {
			return r.begin.Sub(began), version, nil
		}
	}
	return 0, 0, errors.New("a version of a page that no browser has asked for")
}
