package fleet

import (
	"context"
	"log/slog"
	"sync"

	"github.com/spf13/cobra"

	"plat"
	"plat/cmd/plat/app"
	"plat/follow"
	"plat/queue"
	"plat/settings/flags"
	"plat/storage"
)

// WatchCommand is plat watch run: up with nothing but what is subscribed to.
func WatchCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Visit subscribed pages, find what is new, and tell of it",
		Long: `run is plat up without URLs of its own: it visits what the archive knows to be due,
which subscribed pages are, finds what is new on them, tells of it, and shows
subscriptions, items and feeds at http://127.0.0.1:8632/watch, until it is stopped.`,
		Example: `  plat watch run
  plat watch run --store sqlite:news.db --listen 127.0.0.1:8700`,
		Args:        cobra.NoArgs,
		Annotations: flags.Heeds(flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming, flags.Fleet, flags.Serving),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return up(cmd.Context(), a, nil, "", false, queue.Seed{})
		},
	}
}

// followSubscriptions examines subscriptions until stop is called.
func followSubscriptions(ctx context.Context, store storage.Store, log *slog.Logger) (stop func()) {
	f := &follow.Follower{
		Store: store, Log: log,
		Enlist: func(ctx context.Context, jobs []plat.Job) error {
			_, err := store.Enlist(ctx, jobs, storage.IfNew)
			return err
		},
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
