package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/queue"
	"plat/queue/forecast"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/uri"
)

// unscheduled are flags of a fleet that say nothing of when URLs are visited.
var unscheduled = []string{"redis-listen", "redis-password", "window", "lease", "attempts", "retry-delay", "grace", "robots-meta", "sitemaps",
	"traps", "max-urls", "max-segments", "max-repeats", "max-length", "delay", "max-delay", "min-disk", "min-memory"}

func scheduleCommand(a *app.App) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "schedule [URL…]",
		Short: "Show when URLs are visited again, and why",
		Long: `schedule shows what is believed of URLs: how often they change, with what chance
they have changed by now, when they are visited next and why, and their past visits
on a line of time: which found something, which nothing, which failed. A visit finds
something if a reader would call it a change.

Without URLs it lists those that are visited next, the first first; for that it reads
the states of all URLs.

With --redis it goes by what the fleet shares now: how many pages have the same
budget, and how far visits are ahead of it. Without, by what it was at the last visit
of each URL. What is shared is only read.

JSON, one object a URL: url, policy, budget, every, slots; changes_every_days (0:
nothing is known), still_days (from the last change seen to the last visit), chance,
last, known (last visit from which something was learned), due (when it is asked
whether the URL is worth a visit), next, why; pages (that share the budget), factor;
signal (of a change, since known) and sources (of signals on its site: recall, false,
told); counts (visits, first, news, nothing, failed); and for URLs that are named
visits: time, result (first, news, nothing, failed), news, outcome, version, stored.`,
		Example: `  plat schedule
  plat schedule https://example.com/
  plat schedule https://example.com/ --redis redis://127.0.0.1:6390/0
  plat schedule https://example.com/ --json | jq '.visits[] | select(.news) | .time'`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Naming, flags.Fleet), unscheduled...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return app.Fail(app.ExitUsage, "--limit %d: write 0 for all, or more", limit)
			}
			urls, err := scheduledURLs(a, args)
			if err != nil {
				return err
			}
			return showSchedule(cmd.Context(), a, urls, limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "list at most so many URLs (0: all)")
	cmd.AddCommand(scheduleSetCommand(a), schedulePlanCommand(a), scheduleRebuildCommand(a))
	return cmd
}

// scheduledURLs reads arguments, and the length of a day.
func scheduledURLs(a *app.App, args []string) (urls []string, err error) {
	if a.Day < time.Second {
		return nil, app.Fail(app.ExitUsage, "a day of %s: write a second or more", a.Day)
	}
	for _, arg := range args {
		u, err := a.Canonical(arg)
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}

// showSchedule prints the forecasts for URLs; without any, for the URLs that are visited next.
func showSchedule(ctx context.Context, a *app.App, urls []string, limit int) error {
	return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
		return withClock(ctx, a, func(q *queue.Queue, now time.Time) error {
			r := &forecast.Reader{Archive: s, Now: now, Day: a.Day}
			if q != nil {
				r.Share = func(ctx context.Context, v *schedule.Visit, l schedule.Learned) (*schedule.Shared, error) {
					shared, err := q.Share(ctx, v, l)
					if err != nil {
						err = app.Fail(app.ExitStore, "%w", err)
					}
					return shared, err
				}
			}
			if len(urls) == 0 {
				all, err := r.Next(ctx, limit, a.Advance("looked at URL"))
				a.Out.Progress("")
				if err == nil {
					output.Outlooks(a.Out, all, r.Now, a.JSON)
				}
				return err
			}
			for i, u := range urls {
				if st, err := s.State(ctx, u); err == nil && st.Gone() && st.Due.IsZero() {
					return app.About(u, fmt.Errorf("it was removed from the archive on %s; plat schedule set %s --every 24h has it visited again", st.ForgottenAt.Format(time.DateOnly), u))
				}
				o, err := r.Of(ctx, u)
				if err != nil {
					return unscheduledURL(u, err)
				}
				if i > 0 && !a.JSON {
					a.Out.Print("")
				}
				output.Outlook(a.Out, o, r.Now, a.JSON)
				if a.Out.Err() != nil {
					return a.Out.Err()
				}
			}
			return nil
		})
	})
}

// unscheduledURL adds advice to the error of a URL that is not in the archive.
func unscheduledURL(u string, err error) error {
	if errors.Is(err, plat.ErrNotFound) {
		err = fmt.Errorf("%w in the archive; plat up %s --every 24h has it visited, as does plat enqueue where workers run", plat.ErrNotFound, u)
	}
	return app.About(u, err)
}

func scheduleRebuildCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild [URL…]",
		Short: "Rebuild, from the visits in the archive, the model of how URLs change",
		Long: `rebuild makes the memory of policies again, of the URLs given or of all: what visits
have shown of how often a page changes. It goes by the visits that the archive has,
visits by hand included. Use it where memories were lost, or when URLs have another
policy.

When each URL is visited next stays as it is, and so does what was remembered of a
fleet's budgets and sites. Workers may run: a visit that ends meanwhile is learned from
too. A page that is being visited may keep what its visit had read before; run rebuild
once more for it. No other part of the archive is written.

JSON: rebuilt, as_they_were (numbers of URLs).`,
		Example: `  plat schedule rebuild --store sqlite:plat.db
  plat schedule rebuild https://example.com/ --json`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Naming, flags.Fleet), append([]string{"redis", "redis-prefix", "shards"}, unscheduled...)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			urls, err := scheduledURLs(a, args)
			if err != nil {
				return err
			}
			return a.WithStore(ctx, uri.Writes, func(s storage.Store) error {
				r := &forecast.Rebuilder{Archive: s, Day: a.Day}
				n, at, err := r.URLs(ctx, urls, a.Advance("memories rebuilt: URL"))
				a.Out.Progress("")
				if err != nil {
					return unscheduledURL(at, err)
				}
				output.Rebuilt(a.Out, n, a.JSON)
				return nil
			})
		},
	}
}
