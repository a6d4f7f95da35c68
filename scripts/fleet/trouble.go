package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/queue/intake"
)

// row is a fault and its result.
type row struct {
	what, became, said string
	err                error
}

// trouble exposes a fleet to faults of its environment, and reports the
// results.
func trouble(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("trouble", flag.ExitOnError)
	only := flags.String("run", "", "only these: hosts, redis, mongo or clocks")
	keep := flags.Bool("keep", false, "keep logs and data")
	flags.Parse(args)
	dir, plat, ferret, err := build(ctx, "trouble")
	if !*keep {
		defer os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	failed := 0
	fmt.Printf("%-44s %-62s %s\n", "what is wrong", "what became of it", "what plat says")
	for _, t := range []struct {
		name string
		run  func(context.Context, *scenario) ([]row, error)
	}{{"hosts", badHosts}, {"redis", wrongPassword}, {"mongo", noRights}, {"clocks", wrongClocks}} {
		if *only != "" && t.name != *only {
			continue
		}
		o := &scenario{dir: filepath.Join(dir, t.name), plat: plat, ferret: ferret}
		if err := os.MkdirAll(o.dir, 0o700); err != nil {
			return err
		}
		limit, cancel := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("time limit exceeded"))
		rows, err := t.run(limit, o)
		cancel()
		if err != nil {
			rows = append(rows, row{what: t.name, err: err})
		}
		for _, r := range rows {
			if r.err != nil {
				failed++
				r.became = "FAILED: " + r.err.Error()
			}
			fmt.Printf("%-44s %-62s %s\n", r.what, r.became, r.said)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d failed", failed)
	}
	return nil
}

// scenario is the environment of one fault.
type scenario struct {
	dir, plat, ferret string
}

// fleet starts Redis and a store.
func (o *scenario) fleet(ctx context.Context) (*fleet, error) {
	return newFleet(ctx, o.dir, o.ferret, 4*time.Second)
}

// hasty are the settings of a worker with short time limits.
func hasty(port int) []string {
	return []string{"--lease", "4s", "--retry-delay", "5ms", "--attempts", "3", "--delay", "20ms", "--max-delay", "1s",
		"--no-dns", "--allow-private", "127.0.0.0/8", "--allow-port", fmt.Sprint(port), "--load-timeout", "3s", "--timeout", "6s",
		"--settle-timeout", "1s", "--log-level", "info", "--min-memory", "0"}
}

// once checks that each of a site's pages was visited exactly once.
func (f *fleet) once(ctx context.Context, urls []string) error {
	s, err := f.done(ctx, nil)
	if err != nil {
		return err
	}
	found, err := f.inventory(ctx)
	if err != nil {
		return err
	}
	for _, u := range urls {
		p := found[u]
		if p == nil || len(p.settles) != 1 || !slices.Equal(p.versions, []int{1}) {
			return fmt.Errorf("%s has %+v, want one visit and one version", u, p)
		}
	}
	if s.Jobs.Dead > 0 {
		return fmt.Errorf("%d URLs failed", s.Jobs.Dead)
	}
	return nil
}

// take enqueues pages, each for one visit.
func (f *fleet) take(ctx context.Context, urls []string) error {
	var jobs []plat.Job
	for _, u := range urls {
		jobs = append(jobs, plat.Job{URL: u, Priority: 0.5})
	}
	_, err := intake.Take(ctx, f.archive, f.queue, jobs)
	return err
}

// logged returns the lines of a worker's log that contain a text.
func (p *proc) logged(text string) []string {
	b, _ := os.ReadFile(p.log)
	var all []string
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, text) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// said extracts the message of a log line.
func said(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	line := lines[0]
	if i := strings.Index(line, "msg="); i >= 0 {
		line = line[i+4:]
	}
	return short(line)
}

func short(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "?")
	if len(s) > 160 {
		s = s[:160] + "…"
	}
	return s
}

// runs reports whether a process has been running since it was started.
func (p *proc) runs() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}
