// Package watchcmd has the commands of plat for subscriptions: their pages, items and channels.
package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/plat"
	"plat/storage"
)

// Command is the command watch; run is its command that does the work.
func Command(a *app.App, run *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Subscribe to pages: new items only, in feeds and notifications",
		Long: `watch keeps subscriptions. plat up, or plat watch run, visits their pages, finds the
lists on them, and sends entries that were never there before: in feeds,
by webhooks, mail and other channels, at once or in digests. No selector is needed,
and the site needs no feed of its own.

An entry that only moved, that comes back, or whose counter has changed is no news.`,
		Example: `  plat watch test https://example.com/news/
  plat watch add https://example.com/news/ --every 1h
  plat watch run
  plat watch items`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(testCommand(a), addCommand(a), editCommand(a), listCommand(a), itemsCommand(a), readCommand(a), removeCommand(a), run, importCommand(a), exportCommand(a), channelCommand(a))
	return cmd
}

// found returns the subscription that text names: by its ID, the beginning of one, or the URL
// of its page.
func found(ctx context.Context, a *app.App, store storage.Store, text string) (*storage.Subscribed, error) {
	s, err := store.Subscription(ctx, text)
	if err == nil || !errors.Is(err, plat.ErrNotFound) {
		return s, err
	}
	var all []*storage.Subscribed
	u, _ := plat.Canonical(text, a.Drop())
	for s, err := range store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return nil, err
		}
		if s.URL == u || len(text) >= 3 && strings.HasPrefix(s.ID, text) {
			all = append(all, s)
		}
	}
	switch len(all) {
	case 0:
		return nil, app.Fail(app.ExitError, "no subscription %q; plat watch ls lists all", text)
	case 1:
		return store.Subscription(ctx, all[0].ID)
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return nil, app.Fail(app.ExitError, "%q names %d subscriptions: write one of %s", text, len(all), strings.Join(ids, ", "))
}

// warnOfChannels prints a warning for each named channel that does not exist: its messages wait.
func warnOfChannels(ctx context.Context, a *app.App, store storage.Store, names []string) error {
	known := map[string]bool{}
	if len(names) > 0 {
		for c, err := range store.Channels(ctx) {
			if err != nil {
				return err
			}
			known[c.Name] = true
		}
	}
	for _, name := range names {
		if !known[name] {
			fmt.Fprintf(a.Stderr, "plat: there is no channel %q yet: messages wait for plat watch channel add\n", name)
		}
	}
	return nil
}
