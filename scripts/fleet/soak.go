package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plat/fixtures/freeport"
	"plat/plat"
	"plat/queue/intake"
)

// soak runs one worker at full speed over changing pages, and prints its
// resource use over time. It is long because of its flags and its table.
func soak(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("soak", flag.ExitOnError)
	length := flags.Duration("for", 20*time.Minute, "how long")
	every := flags.Duration("every", time.Minute, "between two lines")
	tabs := flags.Int("tabs", 3, "of the worker")
	flags.Parse(args)
	dir, bin, ferret, err := build(ctx, "soak")
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	began := time.Now()
	s := &site{
		hosts: 20, pages: 10,
		latency: func(int, int) time.Duration { return 0 },
		delay:   func(int) time.Duration { return 0 },
		changes: func(host, page int, _ int64) int64 {
			return int64(time.Since(began)/time.Minute) + int64(host+page)%3
		},
	}
	if err := s.start(); err != nil {
		return err
	}
	defer s.stop()
	f, err := newFleet(ctx, dir, ferret, 0)
	defer f.stop()
	if err != nil {
		return err
	}
	store, q := f.archive, f.queue
	var jobs []plat.Job
	for h := range s.hosts {
		for p := range s.pages {
			jobs = append(jobs, plat.Job{URL: s.url(h, p), Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Every: 5 * time.Second}}})
		}
	}
	if _, err := intake.Take(ctx, store, q, jobs); err != nil {
		return err
	}
	port, err := freeport.Port()
	if err != nil {
		return err
	}
	w, err := f.worker(bin, "--tabs", fmt.Sprint(*tabs), "--delay", "0", "--sitemaps=false", "--allow-private", "127.0.0.0/8",
		"--allow-port", fmt.Sprint(s.port), "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--min-memory", "0")
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, "tmp0")
	fmt.Printf("%6s %8s %8s %10s %10s %6s %10s %8s %9s\n", "min", "visits", "pages/s", "worker MB", "Chrome MB", "files", "goroutines", "tmp", "processes")
	last, at := int64(0), time.Now()
	tick := time.NewTicker(*every)
	defer tick.Stop()
	for time.Since(began) < *length {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		st, err := q.Stats(ctx)
		if err != nil {
			return err
		}
		group := descendants(w.pid())
		chrome := 0.0
		for _, pid := range group {
			chrome += pss(pid)
		}
		files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.pid()))
		inTmp := 0
		filepath.WalkDir(tmp, func(string, fs.DirEntry, error) error { inTmp++; return nil })
		fmt.Printf("%6.1f %8d %8.1f %10.0f %10.0f %6d %10s %8d %9d\n", time.Since(began).Minutes(), st.Done, float64(st.Done-last)/time.Since(at).Seconds(),
			pss(w.pid()), chrome, len(files), metric(port, "go_goroutines"), inTmp, len(group))
		last, at = st.Done, time.Now()
	}
	return nil
}

// descendants are a process's children and, recursively, theirs.
func descendants(pid int) []int {
	var all []int
	for _, c := range children(pid) {
		all = append(append(all, c), descendants(c)...)
	}
	return all
}

// pss is a process's proportional set size in MB.
func pss(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kb / 1000
		}
	}
	return 0
}

// metric returns a metric of the worker.
func metric(port int, name string) string {
	r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", port))
	if err != nil {
		return "?"
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(v)
		}
	}
	return "?"
}
