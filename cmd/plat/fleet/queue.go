package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/uri"
)

func enqueueCommand(a *app.App) *cobra.Command {
	var list string
	var again bool
	var defaults queue.Seed
	cmd := &cobra.Command{
		Use:   "enqueue [URL…] [-f FILE]",
		Short: "Have workers visit URLs",
		Long: `enqueue puts URLs into the frontier, and those that are known already again. With
--store the archive learns of them at once, so that they outlive the frontier;
without, workers store them when they read the inbox. A known URL that is given
with a schedule has that from then on; those of a FILE only with --again.

FILE holds one URL a line, or an object of JSON; "#" begins a comment:

  {"url": "https://example.org/", "priority": 0.7, "scope": "host depth=2", "every": "24h"}

An object that says when to visit again (every, jitter, policy, budget, min, max)
takes none of these from the flags. Lines that are not URLs are printed and counted as refused;
all other lines are queued. A FILE may be of any length. Given again to the archive of --store
with the same flags while anything waits to be visited, it continues where it stopped;
--again starts over.

Any program can do the same: LPUSH plat:inbox with such a line. --json prints an
object with accepted and, with --store, new; refused and passed_over
(lines), if there are any; waiting (URLs), if the whole list was read before.`,
		Example: `  plat enqueue --redis redis://127.0.0.1:6390/0 https://example.com/
  plat enqueue -f seeds.txt --scope "prefix exclude=/login" --every 7d
  plat enqueue -f seeds.txt --scope host --budget 5000/day`,
		Annotations: flags.Heeds(flags.Naming, flags.Fleet),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return app.Fail(app.ExitUsage, "there is nothing to enqueue; give URLs, or a list of them with -f FILE")
			}
			return enqueue(cmd.Context(), a, args, list, defaults, again)
		},
	}
	cmd.Flags().StringVarP(&list, "file", "f", "", "`FILE` with URLs, - for standard input")
	cmd.Flags().BoolVar(&again, "again", false, "start the list from the beginning: visit all of its URLs again")
	flags.Seeds(cmd.Flags(), &defaults)
	return cmd
}

// enqueue takes URLs, and a list of any length.
func enqueue(ctx context.Context, a *app.App, urls []string, name string, defaults queue.Seed, again bool) error {
	jobs, err := seedJobs(a, urls, defaults)
	if err != nil {
		return err
	}
	list, err := openSeeds(a, name, defaults, again)
	if err != nil {
		return err
	}
	if list == nil {
		list = &seedList{in: io.NopCloser(strings.NewReader(""))}
	}
	defer list.in.Close()
	list.Full = func() { fmt.Fprintln(a.Stderr, "plat: the inbox is full; waiting for workers to take from it") }
	list.Progress = func(p intake.Progress) { a.Out.Progress(output.Intake(p)) }
	var p intake.Progress
	fresh := -1
	err = withQueue(ctx, a, func(q *queue.Queue) error {
		if a.NoStore { // workers tell the archive
			if err := q.Put(ctx, jobs); err != nil {
				return err
			}
			if name == "" {
				return nil
			}
			p, err = list.Push(ctx, q, list.in)
			return err
		}
		store, err := a.OpenStore(ctx, uri.Creates)
		if err != nil {
			return err
		}
		defer store.Close()
		if fresh, err = intake.Take(ctx, store, q, jobs); err != nil || name == "" {
			return err
		}
		p, err = list.Take(ctx, store, q, list.in)
		fresh += int(p.New)
		return err
	})
	a.Out.Progress("")
	if err != nil {
		if p.URLs > 0 { // these are visited nevertheless
			output.Enqueued(a.Out, len(jobs)+int(p.URLs), fresh, p, a.JSON)
		}
		if _, ok := errors.AsType[*app.Failure](err); ok {
			return err
		}
		return app.Fail(app.ExitStore, "%w", err)
	}
	output.Enqueued(a.Out, len(jobs)+int(p.URLs), fresh, p, a.JSON)
	if p.Refused > 0 {
		return app.Fail(app.ExitPartly, "%s of %s were refused", terminal.Counted(int(p.Refused), "line"), name)
	}
	return nil
}

// queueCommand returns the command queue. It is long because it has the help of each of its subcommands.
func queueCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Inspect and repair the crawl queue (the frontier)",
		Example: `  plat queue stats --redis redis://127.0.0.1:6390/0
  plat queue dead --store sqlite:plat.db --json
  plat queue retry --store sqlite:plat.db https://example.com/broken`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	type run = func(context.Context, *app.App, *queue.Queue, []string) error
	// Those that ask the archive alone need no Redis.
	sub := func(use, short, long, example string, args cobra.PositionalArgs, alone bool, run run) *cobra.Command {
		c := &cobra.Command{
			Use: use, Short: short, Long: long, Example: example, Args: args, Annotations: flags.Heeds(flags.Fleet),
			RunE: func(cmd *cobra.Command, args []string) error {
				do := func(q *queue.Queue) error {
					err := run(cmd.Context(), a, q, args)
					if _, ok := err.(*app.Failure); ok || err == nil {
						return err
					}
					return app.Fail(app.ExitStore, "%w", err)
				}
				if alone && a.Redis == "" {
					return do(nil)
				}
				return withQueue(cmd.Context(), a, do)
			},
		}
		cmd.AddCommand(c)
		return c
	}
	sub("stats", "How many URLs are queued, being visited, failed", `stats counts the jobs that the archive of --store lists, and what is in the window of
them that Redis has. --json prints an object with exists, paused, format
(of the frontier); jobs (hosts, backlog, due, later, dead: of the archive); queued, leased (URLs in the window),
size (its bound), hosts, ready_hosts, waiting_hosts; inbox, rejected (entries); added,
leases, done, retried, slowed, returned, buried, expired, too_late (since the
frontier exists); held_ms, oldest_ms.`,
		"  plat queue stats --redis redis://127.0.0.1:6390/0\n  plat queue stats --json", cobra.NoArgs, false, queueStats)
	var most int
	hosts := sub("hosts", "Which hosts have the most jobs", `hosts lists the hosts with the most jobs in the archive of --store. --json prints for each
an object with host; backlog (URLs never visited), timed (due or later),
dead; clock, before which it must not be visited.`, "  plat queue hosts --limit 5\n  plat queue hosts --json", cobra.NoArgs, true,
		func(ctx context.Context, a *app.App, _ *queue.Queue, _ []string) error {
			return queueHosts(ctx, a, most)
		})
	hosts.Flags().IntVar(&most, "limit", 20, "at most so many")
	var limit int
	dead := sub("dead", "Failed URLs, with their last error", `dead lists failed URLs: those that failed for good or too often, latest first. They
are not visited again until plat queue retry or plat enqueue. --json prints for
each an object with url, outcome, error, attempts, time.`, "  plat queue dead --limit 20\n  plat queue dead --json", cobra.NoArgs, true,
		func(ctx context.Context, a *app.App, _ *queue.Queue, _ []string) error {
			return queueDead(ctx, a, limit)
		})
	dead.Flags().IntVar(&limit, "limit", 0, "at most so many (0: all)")
	sub("retry [URL…]", "Visit failed URLs again, all of them if no URL is given", `retry gives failed URLs all their attempts again. It reports an error
if a named URL has not failed. --json prints an object with retried, the number of those that had
failed.`, "  plat queue retry https://example.com/broken\n  plat queue retry", cobra.ArbitraryArgs,
		true, queueRetry)
	var rejected int
	rej := sub("rejected", "Invalid entries of the inbox, with the reason", `rejected lists entries of the inbox that are not URLs, the latest first. --json
prints for each an object with entry, reason, time.`, "  plat queue rejected --limit 5\n  plat queue rejected --json", cobra.NoArgs, false,
		func(ctx context.Context, a *app.App, q *queue.Queue, _ []string) error {
			return queueRejected(ctx, a, q, rejected)
		})
	rej.Flags().IntVar(&rejected, "limit", 20, "at most so many")
	sub("rebuild", "Empty the window, so that it is filled again from the archive", `rebuild empties the window of jobs that Redis has; workers fill it again from their
archive at once. What is being visited and the inbox stay. --json prints an
object with emptied, the number of URLs that were in the window.`, "  plat queue rebuild --redis redis://127.0.0.1:6390/0\n  plat queue rebuild --json", cobra.NoArgs, false, queueRebuild)
	sub("workers", "Which workers run, and what they do", `workers lists the workers of the fleet, as they announce themselves every few
seconds: visits under way of at most so many tabs, memory of the process and its
browser, version. A worker that was silent for 20 seconds is lost; after an hour it is
removed. --json prints for each an object with name, state (idle, working, draining,
waiting for redis, store, room or an upgrade, lost), visits, tabs, memory (bytes), version, revision,
frontier (the format of the frontier that it understands), host, pid, started, seen.`,
		"  plat queue workers --redis redis://127.0.0.1:6390/0\n  plat queue workers --json", cobra.NoArgs, false, queueWorkers)
	var off bool
	drain := sub("drain", "Start no more visits, until drain --off", `drain stops all workers after the pages under way: they wait. With --off they continue.
--json prints an object with paused.`,
		"  plat queue drain\n  plat queue drain --off", cobra.NoArgs, false,
		func(ctx context.Context, a *app.App, q *queue.Queue, _ []string) error {
			return queueDrain(ctx, a, q, off)
		})
	drain.Flags().BoolVar(&off, "off", false, "go on")
	return cmd
}

func queueStats(ctx context.Context, a *app.App, q *queue.Queue, _ []string) error {
	show := func(archive window.Records) error {
		s, err := window.ReadStats(ctx, q, archive)
		if err == nil {
			output.Frontier(a.Out, &s, "plat queue drain --off", a.JSON)
		}
		return err
	}
	if a.NoStore {
		if _, err := os.Stat(strings.TrimPrefix(a.Store, "sqlite:")); err != nil {
			return show(nil) // workers elsewhere have the archive
		}
	}
	return a.WithStore(ctx, uri.Reads, func(s storage.Store) error { return show(s) })
}

func queueHosts(ctx context.Context, a *app.App, limit int) error {
	return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
		all, err := s.HostCounts(ctx, limit)
		if err == nil {
			output.Hosts(a.Out, all, a.JSON)
		}
		return err
	})
}

func queueDead(ctx context.Context, a *app.App, limit int) error {
	return a.WithStore(ctx, uri.Reads, func(s storage.Store) error { return output.AllDead(a.Out, s.Dead(ctx), limit, a.JSON) })
}

func queueRejected(ctx context.Context, a *app.App, q *queue.Queue, limit int) error {
	list, err := q.Rejections(ctx, limit)
	if err == nil {
		output.Rejected(a.Out, list, a.JSON)
	}
	return err
}

func queueWorkers(ctx context.Context, a *app.App, q *queue.Queue, _ []string) error {
	all, err := q.Workers(ctx)
	if err == nil {
		output.Workers(a.Out, all, time.Now(), a.JSON)
	}
	return err
}

func queueRetry(ctx context.Context, a *app.App, q *queue.Queue, urls []string) error {
	for i := range urls {
		u, err := plat.Canonical(urls[i], a.Drop())
		if err != nil {
			return app.Fail(app.ExitUsage, "%w", err)
		}
		urls[i] = u
	}
	n := 0
	err := a.WithStore(ctx, uri.Creates, func(s storage.Store) (err error) {
		var tell intake.Frontier = intake.NoFrontier{}
		if q != nil {
			tell = q
		}
		n, err = intake.Revive(ctx, s, tell, urls)
		return err
	})
	if err != nil {
		return err
	}
	output.Counted(a.Out, n, "failed URL", "will be visited again", "retried", a.JSON)
	if n < len(urls) {
		return app.Fail(app.ExitPartly, "%d of the URLs named did not fail; plat queue dead lists those that did", len(urls)-n)
	}
	return nil
}

func queueDrain(ctx context.Context, a *app.App, q *queue.Queue, off bool) error {
	if err := q.Pause(ctx, !off); err != nil {
		return err
	}
	output.Paused(a.Out, !off, "plat queue drain --off", a.JSON)
	return nil
}

func queueRebuild(ctx context.Context, a *app.App, q *queue.Queue, _ []string) error {
	s, err := q.Stats(ctx)
	if err != nil {
		return err
	}
	if s.Newer() {
		return fmt.Errorf("%w: it has format %d, and this one understands %d; use the newer one", queue.ErrNewer, s.Format, queue.Format)
	}
	if err := q.Clear(ctx); err != nil {
		return err
	}
	output.Counted(a.Out, int(s.Queued), "URL", "left the window; workers fill it again", "emptied", a.JSON)
	return nil
}
