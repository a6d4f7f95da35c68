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
	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
	"plat/watch/notify"
)

// WatchCommand is plat watch run: up for subscribed pages only.
func WatchCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Visit subscribed pages, find new items, and send notifications",
		Long: `run is plat up without URLs of its own: it visits subscribed pages and all other URLs
that are due in the archive, finds new items, sends notifications, and serves
subscriptions, items and feeds at http://127.0.0.1:8632/watch, until it is stopped.

Receivers on private addresses are reached only where --tell-private allows their
network, and channels that are commands run only with --tell-commands. It prints a
line for every visit, as plat up does; with -q only failures.`,
		Example: `  plat watch run
  plat watch run --store sqlite:news.db --listen 127.0.0.1:8700
  plat watch run --tell-private 10.0.0.0/8 --tell-commands`,
		Args:        cobra.NoArgs,
		Annotations: flags.Heeds(flags.Cutting, flags.Keeping, flags.Rendering, flags.Reaching, flags.Naming, flags.Fleet, flags.Serving, flags.Telling),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return up(cmd.Context(), a, nil, "", false, queue.Seed{}, func(storage.Store) {})
		},
	}
}

// followSubscriptions examines subscriptions and sends their notifications until stop is called.
// It never connects to the closed ports of this machine.
func followSubscriptions(ctx context.Context, a *app.App, store storage.Store, log *slog.Logger, closed []uint16) (stop func(), err error) {
	sender, err := a.Sender(app.ReadBuild().Version, closed...)
	if err != nil {
		return nil, err
	}
	wake := make(chan struct{}, 1)
	stored := func() {
		select {
		case wake <- struct{}{}:
		default: // it is awake
		}
	}
	f := &follow.Follower{
		Store: store, Log: log, Stored: stored,
		Enlist: func(ctx context.Context, jobs []plat.Job) error { return follow.EnlistFollowed(ctx, store, jobs) },
	}
	d := &follow.Digests{Store: store, Zone: time.Local, Log: log, Stored: stored}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	running.Go(func() { d.Run(ctx) })
	running.Go(func() {
		notify.Deliver(ctx, follow.Outbox{OutboxStore: store}, sender, notify.Loop{Wake: wake, Log: log, Day: a.Day})
	})
	return func() {
		cancel()
		running.Wait()
		if err := sender.Close(); err != nil {
			log.Warn(fmt.Sprintf("channels: %v", err))
		}
	}, nil
}
