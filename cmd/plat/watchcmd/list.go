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
	"plat/export/tables"
	"plat/plat"
	"plat/storage"
	"plat/watch/view"
)

func listCommand(a *app.App) *cobra.Command {
	var which storage.Which
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "Print subscriptions: state, unread items, next visit, title, channels",
		Long: `ls prints subscriptions. "state" is ok, new (not visited yet), paused, "choose what to
watch" (no list of news was found on the page: only what is added to other lists is told
until you choose a block), or a fault: most of its list is gone, its last visit failed, or
a feed fails. Lines below the table say since when pages and feeds fail, and why.

JSON, one object a subscription: id, url, title, page_title (of the page's last version,
where no title is given and there are at most 500 subscriptions), depth, group, tags, feeds, blocks, muted,
labels, kinds, match, except, tell, digest, paused, made, state, hint (what to do about
it), since, faults (url, feed, error and since of each page or feed that fails), entries (of the lists on the page), items, unread, latest, last and next
visit, schedule, pages.`,
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
				if err := show(ctx, a, store, all); err != nil || a.JSON {
					return err
				}
				return hints(ctx, a, store, all)
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
	var rows app.RowFlags
	var limit int
	var since string
	var unread bool
	cmd := &cobra.Command{
		Use:   "items [ID|URL…]",
		Short: "Print items, latest first",
		Long: `items prints what was found on subscribed pages, latest first: of all subscriptions, of
those named, of a group, or with a tag. Subscriptions without a list of news are
named on standard error, with what to do.

` + app.RowsHelp + `

JSON, one object an item: id, subscription, kind (new, changed, removed, text, or present:
it stood there at the first look), title, url, excerpt, dated (as the page says), seen,
page, version, lineage. With -o: file, format, rows.`,
		Example: `  plat watch items
  plat watch items https://example.com/news/ --limit 20
  plat watch items --limit 0 -o items.csv
  plat watch items --tag work --since 24h --json | jq -r .url`,
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := rows.Check(a); err != nil {
				return err
			}
			if rows.File != "" && !cmd.Flags().Changed("limit") {
				limit = 0
			}
			if limit < 0 {
				return app.Fail(app.ExitUsage, "--limit %d: write 0 for all, or more", limit)
			}
			q := storage.ItemQuery{Of: which}
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
				if limit < itemsOnce {
					q.Limit = limit
				}
				all := allItems(ctx, store, q)
				if unread {
					q.Limit = 0
					all = unreadItems(ctx, store, q)
				}
				if err := printItems(a, all, limit, &rows); err != nil {
					return err
				}
				return hintsOf(ctx, a, store, q.Of)
			})
		},
	}
	whichFlags(cmd, &which)
	cmd.Flags().IntVar(&limit, "limit", 50, "print at most so many (0: all, as with -o)")
	cmd.Flags().StringVar(&since, "since", "", "seen since a `TIME` (2026-01-31T15:04:05Z) or so long ago (24h, 7d)")
	cmd.Flags().BoolVar(&unread, "unread", false, "only unread items, see plat watch read")
	rows.Add(cmd.Flags())
	return cmd
}

// printItems prints items, at most limit (0: all).
func printItems(a *app.App, all iter.Seq2[*plat.Item, error], limit int, rows *app.RowFlags) error {
	each := func(f func(*plat.Item) error) error {
		n := 0
		for it, err := range all {
			if err == nil {
				err = f(it)
			}
			if n++; err != nil || n == limit {
				return err
			}
		}
		return nil
	}
	if rows.Columns() {
		return app.WriteRows(a, rows, &tables.Items, each)
	}
	if a.JSON {
		return each(func(it *plat.Item) error {
			a.Out.JSON(view.ItemOf(it))
			return a.Out.Err()
		})
	}
	var shown []view.Item
	err := each(func(it *plat.Item) error {
		shown = append(shown, view.ItemOf(it))
		return nil
	})
	if err == nil {
		output.Items(a.Out, shown)
	}
	return err
}

// allItems yields all items of a query, read by its limit.
func allItems(ctx context.Context, store storage.Subscriptions, q storage.ItemQuery) iter.Seq2[*plat.Item, error] {
	return func(yield func(*plat.Item, error) bool) {
		if q.Limit == 0 {
			q.Limit = itemsOnce
		}
		for more := true; more; {
			n := 0
			for it, err := range store.Items(ctx, q) {
				if !yield(it, err) || err != nil {
					return
				}
				n++
				q.After = storage.PlaceOf(it)
			}
			more = n == q.Limit
		}
	}
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
		if left == 0 {
			return
		}
		for it, err := range allItems(ctx, store, q) {
			if err != nil {
				yield(nil, err)
				return
			}
			to, known := readTo[it.Subscription]
			if !known || !it.Seen.After(to) {
				continue
			}
			if left--; !yield(it, nil) || left == 0 {
				return
			}
		}
	}
}

// itemsOnce is the number of items per query.
const itemsOnce = 1000

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
