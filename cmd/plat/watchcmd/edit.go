package watchcmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
)

func editCommand(a *app.App) *cobra.Command {
	var w wishes
	var pause, resume bool
	cmd := &cobra.Command{
		Use:   "edit ID|URL",
		Short: "Change a subscription",
		Long: `edit changes what flags name, and keeps the rest: --tag "" removes all tags. With --every
or --budget the page gets a new schedule. With a new --depth the pages are examined
again, and known entries are not sent again.

JSON: the subscription, as plat watch ls --json.`,
		Example: `  plat watch edit https://example.com/news/ --tag work --tell team
  plat watch edit 3k7qmxw2 --pause
  plat watch edit 3k7qmxw2 --match 'archive' --every 30m`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if pause && resume {
				return app.Fail(app.ExitUsage, "--pause and --resume: write one of both")
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				s, err := found(ctx, a, store, args[0])
				if err != nil {
					return err
				}
				if w.Feeds, err = feeds(a, w.Feeds); err != nil {
					return err
				}
				if err := w.change(cmd.Flags(), &s.Subscription); err != nil {
					return err
				}
				if pause || resume {
					s.Paused = pause
				}
				if err := w.visits(ctx, a, store, cmd.Flags().Changed("feed"), s); err != nil {
					return err
				}
				if err := store.Subscribe(ctx, &s.Subscription); err != nil {
					return err
				}
				if err := warnOfChannels(ctx, a, store, w.Tell); err != nil {
					return err
				}
				return show(ctx, a, store, []*storage.Subscribed{s})
			})
		},
	}
	w.flags(cmd.Flags())
	cmd.Flags().BoolVar(&pause, "pause", false, "examine nothing until it is resumed; the page is visited as before")
	cmd.Flags().BoolVar(&resume, "resume", false, "go on")
	return cmd
}

// visits schedules the visits of a changed subscription's page and feeds.
func (w *wishes) visits(ctx context.Context, a *app.App, store storage.Store, feeds bool, s *storage.Subscribed) error {
	if w.Seed == (queue.Seed{}) && !feeds {
		return nil
	}
	j, err := job(a, s.URL, w.Seed)
	if err != nil {
		return err
	}
	jobs, err := follow.JobsOf(ctx, store, j, &s.Subscription)
	if err != nil {
		return err
	}
	return follow.Enlist(ctx, store, time.Now(), jobs...)
}

// change applies the given flags to a subscription.
func (w *wishes) change(f *pflag.FlagSet, s *plat.Subscription) error {
	if err := w.fill(); err != nil {
		return err
	}
	n := &w.Subscription
	for name, set := range map[string]func(){
		"title": func() { s.Title = n.Title }, "depth": func() { s.Depth = n.Depth }, "kinds": func() { s.Kinds = n.Kinds },
		"match": func() { s.Match = n.Match }, "except": func() { s.Except = n.Except }, "block": func() { s.Blocks = n.Blocks },
		"mute": func() { s.Muted = n.Muted }, "label": func() { s.Labels = n.Labels }, "group": func() { s.Group = n.Group },
		"tag": func() { s.Tags = n.Tags }, "feed": func() { s.Feeds = n.Feeds }, "tell": func() { s.Tell = n.Tell }, "digest": func() { s.Digest = n.Digest },
	} {
		if f.Changed(name) {
			set()
		}
	}
	if err := follow.Check(s); err != nil {
		return app.Fail(app.ExitUsage, "%w", err)
	}
	return nil
}
