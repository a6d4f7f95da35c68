package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/queue/intake"
)

// seedJobs parses URLs of the command line; defaults are their options.
func seedJobs(a *app.App, urls []string, defaults queue.Seed) ([]plat.Job, error) {
	if err := defaults.Check(); err != nil {
		return nil, app.Fail(app.ExitUsage, "%w", err)
	}
	urls, err := a.Typed(urls)
	if err != nil {
		return nil, err
	}
	var jobs []plat.Job
	for _, u := range urls {
		j, err := queue.ParseSeed(u, defaults, a.Drop())
		if err != nil {
			return nil, app.Fail(app.ExitUsage, "%w", err)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// seedList is a list of URLs named by -f; visits begin while it is read.
type seedList struct {
	intake.List
	name string
	in   io.ReadCloser
	said int // refused lines that were shown
}

// maxSaid is the maximum number of printed lines that were refused; all are counted.
const maxSaid = 20

// openSeeds opens a list, nil if name is empty.
func openSeeds(a *app.App, name string, defaults queue.Seed, again bool) (*seedList, error) {
	if name == "" {
		return nil, nil
	}
	in, err := a.OpenList(name)
	if err != nil {
		return nil, err
	}
	l := &seedList{name: name, in: in}
	l.Again = again
	settings, err := json.Marshal(map[string]any{"seed": defaults, "drop": a.Drop()})
	if err != nil {
		return nil, err
	}
	l.Settings = string(settings)
	l.Parse = func(text string) (plat.Job, error) { return queue.ParseSeed(text, defaults, a.Drop()) }
	l.Refused = func(line int, err error) {
		if l.said++; l.said <= maxSaid {
			fmt.Fprintf(a.Stderr, "plat: %s line %d: %s\n", name, line, excerpt.Printable(app.Sentence(err)))
		}
		if l.said == maxSaid {
			fmt.Fprintf(a.Stderr, "plat: %s: other lines that are refused are only counted\n", name)
		}
	}
	return l, nil
}

// takeAll reads a list beside a working crew. It returns a function that waits for its end.
func (l *seedList) takeAll(ctx context.Context, a *app.App, log *slog.Logger, store intake.ListStore, q intake.Frontier) (wait func()) {
	say := func(p intake.Progress, ended bool, err error) {
		if !a.Quiet {
			fmt.Fprintf(a.Stderr, "plat: %s: %s\n", l.name, output.Taken(p, ended, err))
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer l.in.Close()
		l.Logged(ctx, log.With("list", l.name), store, q, l.in, say)
	}()
	return func() {
		cancel()
		<-done
	}
}
