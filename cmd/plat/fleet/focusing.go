package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/focus/crawler"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/segment/label"
	"plat/storage"
	"plat/workers"
)

// FocusCommand is plat focus run: up with nothing but focused crawls, until they are done.
func FocusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Visit the pages of focused crawls, until they are done",
		Long: `run is plat up without URLs of its own that ends when no focused crawl runs any more:
when each has had its pages, has run out of links, or finds nothing more. Stopped and
started again, crawls go on where they were. Meanwhile the archive is shown at
http://127.0.0.1:8632. plat up and plat worker run focused crawls too, and do not end.

It prints a line for every visit, as plat up does; with -q only failures.`,
		Example: `  plat focus run
  plat focus run --store sqlite:birds.db --delay 2s`,
		Args:        cobra.NoArgs,
		Annotations: flags.Heeds(flags.Cutting, flags.Keeping, flags.Rendering, flags.Reaching, flags.Naming, flags.Fleet, flags.Serving, flags.Telling),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			return up(ctx, a, nil, "", false, queue.Seed{}, func(store storage.Store) { go untilDone(ctx, a, store, stop) })
		},
	}
}

// untilDone shows the progress of the crawls, and calls stop when no crawl runs.
func untilDone(ctx context.Context, a *app.App, store storage.Crawls, stop func()) {
	defer stop()
	for first := true; ; first = false {
		running := 0
		line := ""
		for c, err := range store.Crawls(ctx) {
			if err != nil {
				running++ // try again
				break
			}
			if c.State != plat.CrawlRuns {
				continue
			}
			running++
			if r, err := crawler.ReadReport(ctx, store, c.ID); err == nil && r != nil {
				line += fmt.Sprintf("  %s: %s, %d on topic, %s waiting", excerpt.Printable(c.Name), terminal.Counted(r.Counts.Pages, "page"), r.Counts.Belong, terminal.Counted(r.Counts.Waiting, "link"))
			}
		}
		a.Out.Progress(line)
		if running == 0 || ctx.Err() != nil {
			a.Out.Progress("")
			if first && ctx.Err() == nil {
				fmt.Fprintln(a.Stderr, "plat: no focused crawl is running; plat focus new begins one, plat focus resume has one go on")
			}
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// steerCrawls runs focused crawls until stop is called.
func steerCrawls(ctx context.Context, store storage.Store, crew *workers.Crew, tabs int, log *slog.Logger) (stop func(), err error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	s := &crawler.Steerer{
		Store:    store,
		Compiler: &crawler.Compiler{Describer: d, Archive: store},
		Visit:    crew.Ask,
		Ahead:    max(16, 2*tabs),
		Log:      log,
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}, nil
}
