package watchcmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/storage"
	"plat/watch/follow"
)

func removeCommand(a *app.App) *cobra.Command {
	var stop bool
	cmd := &cobra.Command{
		Use:   "rm ID|URL…",
		Short: "End subscriptions, and remove their items",
		Long: `rm ends subscriptions: their items and what was to be told of them are removed. The
archive keeps the versions of the pages. It prints the pages that go on being visited.

With --stop the pages are visited as before the subscription: by the schedule of their
crawl, or no more. Pages that another subscription has, and those whose schedule a user or
a crawl chose, are visited as they were: plat schedule set URL --never ends that. So are
pages subscribed to with a plat from before 2026-11-30, which did not note who chose.

JSON: removed (IDs), visited (url, schedule, watched: a subscription chose the schedule),
stopped (url, schedule now).`,
		Example: `  plat watch rm https://example.com/news/
  plat watch rm 3k7qmxw2 --stop`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				var ended []*storage.Subscribed
				for _, arg := range args {
					s, err := found(ctx, a, store, arg)
					if err != nil {
						return err
					}
					ended = append(ended, s)
				}
				return remove(ctx, a, store, ended, stop)
			})
		},
	}
	cmd.Flags().BoolVar(&stop, "stop", false, "also end the visits that the subscriptions have begun")
	return cmd
}

// remove ends subscriptions, and with stop the visits that they have begun.
func remove(ctx context.Context, a *app.App, store storage.Store, ended []*storage.Subscribed, stop bool) error {
	visited, err := follow.Remaining(ctx, store, ended...)
	if err != nil {
		return err
	}
	gone := output.Ended{Removed: []string{}, Visited: visited}
	if stop { // first: repeated after an interruption, it would not find the pages of subscriptions that have ended
		if gone.Stopped, err = follow.Stop(ctx, store, time.Now(), visited); err != nil {
			return err
		}
		gone.Visited = slices.DeleteFunc(visited, func(v follow.Visited) bool { return v.Watched })
	}
	for _, s := range ended {
		if err := store.Unsubscribe(ctx, s.ID); err != nil {
			return fmt.Errorf("%s: %w", s.URL, err)
		}
		gone.Removed = append(gone.Removed, s.ID)
	}
	output.SubscriptionsEnded(a.Out, &gone, a.JSON)
	return nil
}
