package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"plat"
	"plat/listing"
	"plat/queue"
	"plat/schedule"
	"plat/storage"
	"plat/term"
	"plat/workers"
)

// seedFlags are those for what a URL does not say itself.
func seedFlags(cmd *cobra.Command, s *queue.Seed) {
	cmd.Flags().StringVar(&s.Scope, "scope", "", "which links to follow: page (none), prefix, host, domain or any, then depth=N, include=REGEXP, exclude=REGEXP")
	cmd.Flags().StringVar(&s.Every, "every", "", "visit again after this `TIME`: 90m, 24h, 7d (default: once)")
	cmd.Flags().Float64Var(&s.Jitter, "jitter", 0, "make each interval of --every longer or shorter by up to this share of it, 0 to 1")
	cmd.Flags().StringVar(&s.Policy, "policy", "", "what decides, with --every, when a URL is visited again: "+strings.Join(schedule.Policies(), ", ")+" (default: fixed)")
}

func (a *app) enqueueCommand() *cobra.Command {
	var list string
	var defaults queue.Seed
	var priority float32
	cmd := &cobra.Command{
		Use:   "enqueue [URL…] [-f FILE]",
		Short: "Have workers visit URLs",
		Long: `enqueue puts URLs into the frontier, and those that are known already again. With
--store the archive learns of them at once, so that they outlive the frontier;
without, workers tell it when they take them from the inbox.

FILE holds one URL a line, or an object of JSON; "#" begins a comment:

  {"url": "https://example.org/", "priority": 0.7, "scope": "host depth=2", "every": "24h"}

An object that says when to visit again (every, jitter, policy) takes none of these
from the flags.

Any program can do the same: LPUSH plat:inbox with such a line. --json prints an
object with accepted and, if the archive was told, new.`,
		Example: `  plat enqueue --redis redis://127.0.0.1:6390/0 https://example.com/
  plat enqueue -f seeds.txt --scope "prefix exclude=/login" --every 7d`,
		Annotations: heeds(naming, fleet),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return fail(exitUsage, "there is nothing to enqueue; give URLs, or a list of them with -f FILE")
			}
			jobs, err := a.seedJobs(args, list, defaults)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("priority") {
				if !(priority >= 0 && priority <= 1) {
					return fail(exitUsage, "priority %v: write 0 to 1", priority)
				}
				for i := range jobs {
					jobs[i].Priority = priority
				}
			}
			ctx := cmd.Context()
			return a.withQueue(ctx, func(q *queue.Queue) error {
				if a.Store != defaultStore {
					store, err := a.openStore(ctx, makes)
					if err != nil {
						return err
					}
					defer store.Close()
					n, err := workers.Take(ctx, store, q, jobs)
					if err != nil {
						return fail(exitStore, "%w", err)
					}
					return a.enqueued(len(jobs), n)
				}
				if err := q.Put(ctx, jobs); err != nil {
					return fail(exitStore, "%w", err)
				}
				return a.enqueued(len(jobs), -1)
			})
		},
	}
	cmd.Flags().StringVarP(&list, "file", "f", "", "`FILE` with URLs, - for standard input")
	cmd.Flags().Float32Var(&priority, "priority", 0.5, "0 to 1; higher goes first")
	seedFlags(cmd, &defaults)
	return cmd
}

// enqueued says what was done; fresh is -1 if that is not known yet.
func (a *app) enqueued(n, fresh int) error {
	if a.JSON {
		out := map[string]int{"accepted": n}
		if fresh >= 0 {
			out["new"] = fresh
		}
		a.out.JSON(out)
		return nil
	}
	if fresh < 0 {
		a.out.Print(term.Counted(n, "URL") + " queued")
	} else {
		a.out.Print(fmt.Sprintf("%s queued, %d of them new", term.Counted(n, "URL"), fresh))
	}
	return nil
}

// withQueue runs f on the frontier that the settings name.
func (a *app) withQueue(ctx context.Context, f func(*queue.Queue) error) error {
	q, err := a.openQueue(ctx, a.Redis)
	if err != nil {
		return err
	}
	defer q.Close()
	return f(q)
}

func (a *app) queueCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Inspect and repair the crawl queue (the frontier)",
		Example: `  plat queue stats --redis redis://127.0.0.1:6390/0
  plat queue dead --json | head
  plat queue retry https://example.com/broken`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	sub := func(use, short, long, example string, args cobra.PositionalArgs, run func(context.Context, *queue.Queue, []string) error) *cobra.Command {
		c := &cobra.Command{
			Use: use, Short: short, Long: long, Example: example, Args: args, Annotations: heeds(fleet),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.withQueue(cmd.Context(), func(q *queue.Queue) error {
					if err := run(cmd.Context(), q, args); err != nil {
						if _, ok := err.(*failure); ok {
							return err
						}
						return fail(exitStore, "%w", err)
					}
					return nil
				})
			},
		}
		cmd.AddCommand(c)
		return c
	}
	sub("stats", "How many URLs are queued, being visited, failed", `stats counts what is in the frontier. --json prints an object with exists, paused;
known, queued, later, leased, dead (URLs); ready_hosts, waiting_hosts; inbox,
rejected (entries); added, leases, done, retried, slowed, returned, buried,
expired, too_late (since the frontier exists); held_ms, oldest_ms.`,
		"  plat queue stats --redis redis://127.0.0.1:6390/0\n  plat queue stats --json", cobra.NoArgs, a.queueStats)
	var limit int
	dead := sub("dead", "Failed URLs, with their last error", `dead lists failed URLs (dead letters): those that failed for good or too often, latest first. They are not
visited again until plat queue retry or plat enqueue. --json prints for each an
object with url, outcome, error, attempts, time.`, "  plat queue dead --limit 20\n  plat queue dead --json", cobra.NoArgs,
		func(ctx context.Context, q *queue.Queue, _ []string) error { return a.queueDead(ctx, q, limit) })
	dead.Flags().IntVar(&limit, "limit", 0, "at most so many (0: all)")
	sub("retry [URL…]", "Visit failed URLs once more, all of them if none is given", `retry gives failed URLs all their attempts again. That they are to be visited is
known to Redis alone: to have it survive Redis too, use plat enqueue. It fails if
one that is named has not failed. --json prints an object with retried, the number of
those that had failed.`, "  plat queue retry https://example.com/broken\n  plat queue retry", cobra.ArbitraryArgs,
		a.queueRetry)
	var rejected int
	rej := sub("rejected", "Entries of the inbox that could not be used, and why", `rejected lists entries of the inbox that are no URLs, the latest first. --json
prints for each an object with entry, reason, time.`, "  plat queue rejected --limit 5\n  plat queue rejected --json", cobra.NoArgs,
		func(ctx context.Context, q *queue.Queue, _ []string) error { return a.queueRejected(ctx, q, rejected) })
	rej.Flags().IntVar(&rejected, "limit", 20, "at most so many")
	sub("rebuild", "Rebuild the frontier from the archive", `rebuild throws the frontier away and fills it with what the archive knows: which
URLs there are, how they are visited, and when each is due. What is being visited
is given out again once its lease has surely ended. The inbox stays. --json
prints an object with rebuilt, the number of URLs.`, "  plat queue rebuild --store mongodb://mongo/plat\n  plat queue rebuild --store sqlite:plat.db --redis redis://127.0.0.1:6390/0", cobra.NoArgs, a.queueRebuild)
	var off bool
	drain := sub("drain", "Give out no more jobs, until drain --off", `drain stops all workers after the pages under way: they wait. With --off they go on.
--json prints an object with paused.`,
		"  plat queue drain\n  plat queue drain --off", cobra.NoArgs,
		func(ctx context.Context, q *queue.Queue, _ []string) error { return a.queueDrain(ctx, q, off) })
	drain.Flags().BoolVar(&off, "off", false, "go on")
	return cmd
}

func (a *app) counted(n int, what, name string) error {
	if a.JSON {
		a.out.JSON(map[string]int{name: n})
	} else {
		a.out.Print(fmt.Sprintf("%s %s", humanize.Comma(int64(n)), what))
	}
	return nil
}

func (a *app) queueStats(ctx context.Context, q *queue.Queue, _ []string) error {
	s, err := q.Stats(ctx)
	if err == nil {
		listing.Frontier(a.out, &s, "plat queue drain --off", a.JSON)
	}
	return err
}

func (a *app) queueDead(ctx context.Context, q *queue.Queue, limit int) error {
	dead, err := q.Dead(ctx)
	if limit > 0 && len(dead) > limit {
		dead = dead[:limit]
	}
	if err == nil {
		listing.Dead(a.out, dead, a.JSON)
	}
	return err
}

func (a *app) queueRejected(ctx context.Context, q *queue.Queue, limit int) error {
	list, err := q.Rejections(ctx, limit)
	if err == nil {
		listing.Rejected(a.out, list, a.JSON)
	}
	return err
}

func (a *app) queueRetry(ctx context.Context, q *queue.Queue, urls []string) error {
	for i := range urls {
		u, err := plat.Canonical(urls[i], a.Drop())
		if err != nil {
			return fail(exitUsage, "%w", err)
		}
		urls[i] = u
	}
	n, err := q.Revive(ctx, urls...)
	if err != nil {
		return err
	}
	if err := a.counted(n, "failed URLs will be visited again", "retried"); err != nil {
		return err
	}
	if n < len(urls) {
		return fail(exitPartly, "%d of the %d URLs named have not failed; plat queue dead lists those that have", len(urls)-n, len(urls))
	}
	return nil
}

func (a *app) queueDrain(ctx context.Context, q *queue.Queue, off bool) error {
	if err := q.Pause(ctx, !off); err != nil {
		return err
	}
	if a.JSON {
		a.out.JSON(map[string]bool{"paused": !off})
	} else if off {
		a.out.Print("jobs are given out again")
	} else {
		a.out.Print("no more jobs are given out; go on with plat queue drain --off")
	}
	return nil
}

func (a *app) queueRebuild(ctx context.Context, q *queue.Queue, _ []string) error {
	return a.withStore(ctx, reads, func(s storage.Store) error {
		if err := q.Clear(ctx); err != nil {
			return fail(exitStore, "%w", err)
		}
		n, err := q.Rebuild(ctx, s.States(ctx, "", ""), false)
		if err != nil {
			return fail(exitStore, "%w", err)
		}
		return a.counted(n, "URLs are in the frontier again", "rebuilt")
	})
}
