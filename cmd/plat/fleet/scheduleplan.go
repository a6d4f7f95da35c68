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
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/uri"
)

// planOptions are the parameters of a plan.
type planOptions struct {
	slot, period string
	visits       int
	apply        bool
}

func schedulePlanCommand(a *app.App) *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan URL",
		Short: "Choose the hours or days in which a page is best visited",
		Long: `plan looks whether the changes of a page repeat from period to period, in the versions
that the archive has: whether news come in the same hours of the days, or days of the
weeks. If so it chooses the slots of a period in which so many visits find most, exactly:
plan-dp those that find most, plan those whose pages resemble each other least. It
measures each plan on the last period, which it was not made of, beside visits at even
intervals. A plan is chosen only if changes repeat, by a test, and if it was better than
even intervals there.

Three periods are needed, the last ones, in which most slots were visited. A visit comes
at the minute of its slot at which visits came before, in UTC; weeks begin on Mondays.
--apply makes the chosen plan the schedule of the URL. Plan anew now and then: pages
change their habits.

JSON: url, slot_ns, slots, periods, until, at_ns, visited, news (by slot), correlation,
p, periodic, plans (method, slots, accuracy, freshness, gap), chosen, why, every and
chosen_slots (of the schedule), applied.`,
		Example: `  plat schedule plan https://example.com/
  plat schedule plan https://example.com/ --slot 24h --period 7d --visits 3
  plat schedule plan https://example.com/ --visits 6 --apply`,
		Args:        cobra.ExactArgs(1),
		Annotations: flags.Ignoring(flags.Heeds(flags.Naming, flags.Fleet), append([]string{"day", "redis", "redis-prefix", "shards"}, unscheduled...)...),
		RunE: func(cmd *cobra.Command, args []string) error {
			urls, err := scheduledURLs(a, args)
			if err != nil {
				return err
			}
			options, err := o.season()
			if err != nil {
				return app.Fail(app.ExitUsage, "%w", err)
			}
			return planSeason(cmd.Context(), a, urls[0], options, o.apply)
		},
	}
	cmd.Flags().StringVar(&o.slot, "slot", "1h", "the `TIME` of a slot")
	cmd.Flags().StringVar(&o.period, "period", "24h", "the `TIME` after which changes may repeat: 24h, 7d")
	cmd.Flags().IntVar(&o.visits, "visits", 0, "visits in a period (default: in a third of the slots)")
	cmd.Flags().BoolVar(&o.apply, "apply", false, "make the chosen plan the schedule of the URL")
	return cmd
}

// season returns the parsed parameters of the plan.
func (o *planOptions) season() (s forecast.SeasonOptions, err error) {
	var period time.Duration
	if s.Slot, err = queue.ParseInterval(o.slot); err != nil {
		return s, err
	}
	if period, err = queue.ParseInterval(o.period); err != nil {
		return s, err
	}
	s.Slots, s.Visits = int(period/s.Slot), o.visits
	switch {
	case period%s.Slot != 0 || s.Slots < 2 || s.Slots > schedule.MaxSlots:
		return s, errors.New("a --period must be 2 to 1000 times its --slot")
	case s.Visits < 0 || s.Visits > s.Slots:
		return s, errors.New("--visits must be 1 to the number of slots of a period")
	case s.Visits == 0:
		s.Visits = max(1, s.Slots/3)
	}
	return s, nil
}

func planSeason(ctx context.Context, a *app.App, u string, o forecast.SeasonOptions, apply bool) error {
	mode := uri.Reads
	if apply {
		mode = uri.Writes
	}
	return a.WithStore(ctx, mode, func(store storage.Store) error {
		s, err := forecast.SeasonOf(ctx, store, u, o)
		if errors.Is(err, plat.ErrNotFound) {
			return unscheduledURL(u, err)
		} else if err != nil {
			return app.About(u, err)
		}
		applied := apply && s.Schedule().Slots != ""
		if applied {
			c := &forecast.Setter{Archive: store, Now: time.Now().UTC(), Schedule: s.Schedule()}
			n, _, err := c.URLs(ctx, []string{u})
			if err != nil {
				return app.About(u, err)
			}
			if n.Passed > 0 {
				return app.About(u, errors.New("it is not visited, so it can have no schedule; plat schedule set URL --every 24h has it visited"))
			}
		}
		output.Season(a.Out, s, applied, a.JSON)
		return nil
	})
}
