package watchcmd

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
	"plat/watch/view"
)

func listCommand(a *app.App) *cobra.Command {
	var which storage.Which
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "Print subscriptions: their state, unread items, the next visit",
		Long: `ls prints subscriptions. "state" is ok, paused, or an error: no list was found on
the page, most of it is gone, or its last visit failed.

JSON, one object a subscription: id, url, title, depth, group, tags, blocks, muted,
labels, kinds, match, except, tell, digest, paused, made, state, since, entries (of the
lists on the page), items, unread, latest, last and next visit, pages.`,
		Example: `  plat watch ls
  plat watch ls --tag work
  plat watch ls --json | jq -r 'select(.state != "ok") | .url'`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				var all []*storage.Subscribed
				for s, err := range store.Subscriptions(ctx, which) {
					if err != nil {
						return err
					}
					all = append(all, s)
				}
				return show(ctx, a, store, all)
			})
		},
	}
	whichFlags(cmd, &which)
	return cmd
}

func whichFlags(cmd *cobra.Command, which *storage.Which) {
	cmd.Flags().StringVar(&which.Group, "group", "", "only those of this group")
	cmd.Flags().StringVar(&which.Tag, "tag", "", "only those with this tag")
}

func itemsCommand(a *app.App) *cobra.Command {
	var which storage.Which
	var limit int
	var since string
	var unread bool
	cmd := &cobra.Command{
		Use:   "items [ID|URL…]",
		Short: "Print items, latest first",
		Long: `items prints what was found on subscribed pages, latest first: of all subscriptions, of
those named, of a group, or with a tag.

JSON, one object an item: id, subscription, kind (new, changed, removed, text, or present:
it stood there at the first look), title, url, excerpt, dated (as the page says), seen,
page, version, lineage.`,
		Example: `  plat watch items
  plat watch items https://example.com/news/ --limit 20
  plat watch items --tag work --since 24h --json | jq -r .url`,
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := storage.ItemQuery{Of: which, Limit: limit}
			if since != "" {
				t, err := terminal.Moment(since, time.Now())
				if err != nil {
					return app.Fail(app.ExitUsage, "--since: %w", err)
				}
				q.Since = t
			}
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				for _, arg := range args {
					s, err := found(ctx, a, store, arg)
					if err != nil {
						return err
					}
					q.Of.IDs = append(q.Of.IDs, s.ID)
				}
				all := store.Items(ctx, q)
				if unread {
					all = unreadItems(ctx, store, q)
				}
				var rows []view.Item
				for it, err := range all {
					if err != nil {
						return err
					}
					rows = append(rows, view.ItemOf(it))
				}
				output.Items(a.Out, rows, time.Now(), a.JSON)
				return nil
			})
		},
	}
	whichFlags(cmd, &which)
	cmd.Flags().IntVar(&limit, "limit", 50, "print at most so many")
	cmd.Flags().StringVar(&since, "since", "", "seen since a `TIME` (2026-01-31T15:04:05Z) or so long ago (24h, 7d)")
	cmd.Flags().BoolVar(&unread, "unread", false, "only unread items, see plat watch read")
	return cmd
}

// unreadItems yields the unread items of a query.
func unreadItems(ctx context.Context, store storage.Subscriptions, q storage.ItemQuery) iter.Seq2[*plat.Item, error] {
	return func(yield func(*plat.Item, error) bool) {
		readTo, left := map[string]time.Time{}, 0
		for s, err := range store.Subscriptions(ctx, q.Of) {
			if err != nil {
				yield(nil, err)
				return
			}
			readTo[s.ID] = s.ReadTo
			left += s.Unread
		}
		most, more := q.Most(), true
		q.Limit = unreadOnce
		for more && most > 0 && left > 0 {
			n := 0
			for it, err := range store.Items(ctx, q) {
				if err != nil {
					yield(nil, err)
					return
				}
				n++
				q.After = storage.PlaceOf(it)
				to, known := readTo[it.Subscription]
				if !known || !it.Seen.After(to) {
					continue
				}
				if !yield(it, nil) {
					return
				}
				left--
				if most--; most == 0 {
					return
				}
			}
			more = n == q.Limit
		}
	}
}

// unreadOnce is the number of items per query when unread items are selected.
const unreadOnce = 1000

func readCommand(a *app.App) *cobra.Command {
	var which storage.Which
	cmd := &cobra.Command{
		Use:   "read [ID|URL…]",
		Short: "Say that items have been read",
		Long: `read says that all items so far have been read: of the subscriptions named, of a group,
with a tag, or of all.

JSON: read (how many subscriptions).`,
		Example: `  plat watch read https://example.com/news/
  plat watch read --tag work`,
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				for _, arg := range args {
					s, err := found(ctx, a, store, arg)
					if err != nil {
						return err
					}
					which.IDs = append(which.IDs, s.ID)
				}
				var ids []string
				for s, err := range store.Subscriptions(ctx, which) {
					if err != nil {
						return err
					}
					ids = append(ids, s.ID)
				}
				now := time.Now().UTC()
				for _, id := range ids {
					if err := store.Read(ctx, id, now); err != nil {
						return err
					}
				}
				if a.JSON {
					a.Out.JSON(map[string]int{"read": len(ids)})
				} else {
					a.Out.Print(fmt.Sprintf("read: all items of %s", terminal.Counted(len(ids), "subscription")))
				}
				return nil
			})
		},
	}
	whichFlags(cmd, &which)
	return cmd
}

func removeCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID|URL…",
		Short: "End subscriptions, and remove their items",
		Long: `rm ends subscriptions: their items and what was to be told of them are removed. The
archive keeps the versions of the pages, and they are visited as before: plat schedule
set URL --never ends that.

JSON: removed (IDs).`,
		Example: `  plat watch rm https://example.com/news/
  plat watch rm 3k7qmxw2`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				var ids []string
				for _, arg := range args {
					s, err := found(ctx, a, store, arg)
					if err != nil {
						return err
					}
					if err := store.Unsubscribe(ctx, s.ID); err != nil {
						return err
					}
					ids = append(ids, s.ID)
				}
				if a.JSON {
					a.Out.JSON(map[string][]string{"removed": ids})
				} else {
					a.Out.Print(fmt.Sprintf("removed: %s", terminal.Counted(len(ids), "subscription")))
				}
				return nil
			})
		},
	}
}
