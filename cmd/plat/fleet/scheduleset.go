package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/queue"
	"plat/queue/forecast"
	"plat/storage"
	"plat/storage/uri"
)

// setOptions say which URLs get which schedule.
type setOptions struct {
	queue.Seed
	prefix string
	never  bool
}

func scheduleSetCommand(a *app.App) *cobra.Command {
	var o setOptions
	cmd := &cobra.Command{
		Use:   "set [URL…]",
		Short: "Change when known URLs are visited again",
		Long: `set gives the URLs named, or all that begin with --prefix, another schedule. With
--every a URL is visited so long after its last visit; with --budget its policy is
asked at once, which may put the visit off. With --never it is not visited again.

The first visit of a URL, and a retry of a visit that failed, are made when they were
to be. What was learned of the URLs is kept. Workers may run: a URL that is being
visited is visited once more after that. A URL that is named is visited from then on,
also if it was visited by hand alone, or given up; of those with a --prefix only the
ones that are visited get the schedule. URLs that the archive does not know stay
unknown: plat up URL --every 24h, or plat enqueue, has them visited. No Redis is needed.

JSON: set, as_they_were (they have this schedule), passed_over (they are not visited:
by hand alone, given up, or another address of a page).`,
		Example: `  plat schedule set https://example.com/ --every 12h
  plat schedule set --prefix https://example.com/news/ --budget 200/day/host --max 7d
  plat schedule set --prefix https://example.com/old/ --never`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Naming, flags.Fleet), append([]string{"day"}, unscheduled...)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			urls, err := scheduledURLs(a, args)
			if err != nil {
				return err
			}
			s, err := o.schedule(a, urls)
			if err != nil {
				return err
			}
			return setSchedule(cmd.Context(), a, urls, o.prefix, s)
		},
	}
	flags.Schedule(cmd.Flags(), &o.Seed)
	cmd.Flags().StringVar(&o.prefix, "prefix", "", "all URLs that begin with `TEXT`, such as https://example.com/")
	cmd.Flags().BoolVar(&o.never, "never", false, "do not visit them again")
	return cmd
}

// schedule is the one to be set.
func (o *setOptions) schedule(a *app.App, urls []string) (s plat.Schedule, err error) {
	if (len(urls) > 0) == (o.prefix != "") {
		return s, app.Fail(app.ExitUsage, "name URLs, or all that begin alike with --prefix")
	}
	o.URL = "https://example.com/" // any
	j, err := o.Job(a.Drop())
	switch s = j.Schedule; {
	case err != nil:
	case o.never && s != (plat.Schedule{}):
		err = errors.New("--never and a schedule: write one of both")
	case !o.never && s == (plat.Schedule{}):
		err = errors.New("write when they are visited: --every 24h or --budget 5000/day; or --never")
	}
	if err != nil {
		return s, app.Fail(app.ExitUsage, "%w", err)
	}
	return s, nil
}

func setSchedule(ctx context.Context, a *app.App, urls []string, prefix string, s plat.Schedule) error {
	return a.WithStore(ctx, uri.Writes, func(store storage.Store) error {
		return withClock(ctx, a, func(_ *queue.Queue, now time.Time) error {
			c := &forecast.Setter{Archive: store, Now: now, Schedule: s}
			var n forecast.Set
			var at string
			var err error
			if prefix != "" {
				n, at, err = c.Prefix(ctx, prefix, a.Advance("schedules set: URL"))
			} else {
				n, at, err = c.URLs(ctx, urls)
			}
			a.Out.Progress("")
			if err != nil {
				return unscheduledURL(at, err)
			}
			if n == (forecast.Set{}) {
				return app.Fail(app.ExitError, "no URL of the archive begins with %s; write it as plat urls does", prefix)
			}
			output.ScheduleSet(a.Out, n, a.JSON)
			return nil
		})
	})
}
