package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/storage"
	"plat/storage/uri"
	"plat/web"
	"plat/workers"
	"plat/workers/visitor"
)

func workerCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Visit URLs from the frontier, together with other workers",
		Long: `worker takes URLs from the frontier in Redis, visits them politely and stores
what is new, until it is stopped. Any number of workers may run, on any number
of machines: a host is never visited by two at once, nor sooner than it permits.

The first SIGTERM or SIGINT drains: nothing new is begun, and pages under way are
finished, for at most --grace; then, or at the second signal, they are released.

If Redis or the archive cannot be reached, the worker waits until it is back. If Redis
has lost its data, the worker refills it from the archive.

--listen serves /healthz, /readyz, /metrics (Prometheus) and POST /api/v1/urls,
which accepts URLs, one a line, or JSON (from remote machines only with a
--token). OTEL_EXPORTER_OTLP_ENDPOINT is the receiver of traces
(OpenTelemetry over HTTP). It prints nothing but its log: JSON with
--log-format json.`,
		Example: `  plat worker --redis redis://redis:6379/0 --store mongodb://mongo/plat
  plat worker --redis redis://:secret@10.0.0.5/0 --store mongodb://10.0.0.6/plat --tabs 4 --listen 0.0.0.0:9090`,
		Args:        cobra.NoArgs,
		Annotations: flags.Ignoring(flags.Heeds(flags.Cutting, flags.Keeping, flags.Rendering, flags.Reaching, flags.Naming, flags.Fleet, flags.Serving, flags.Telling), "segment"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.Redis == "" {
				return app.Fail(app.ExitConfig, "there is no frontier; name it with --redis redis://HOST:PORT/0, or run plat up, which has its own")
			}
			return work(cmd.Context(), a, frontier{url: a.Redis}, nil, nil, func(storage.Store) {})
		},
	}
	return cmd
}

func upCommand(a *app.App) *cobra.Command {
	var list string
	var again bool
	var defaults queue.Seed
	cmd := &cobra.Command{
		Use:   "up [URL…]",
		Short: "Run everything in this process: frontier, worker, archive",
		Long: `up is a whole fleet in one process: a Redis inside it, a worker, and the archive
that --store names. It visits the URLs given and all that the archive knows to be
due, then waits for more, and meanwhile shows the archive at http://127.0.0.1:8632
(see plat serve). Started again, it continues where it stopped: the
archive lists all that is to be visited.

FILE holds one URL a line, or JSON (see plat enqueue); it may be of any length, and
is read while the first of its URLs are visited. Given again with the same flags
while anything waits to be visited, it continues where it stopped; --again starts over.

More URLs come from plat enqueue --redis redis://127.0.0.1:6390/0 URL, from any
program that pushes them on the list plat:inbox there, or by POST /api/v1/urls.

Both ports listen on loopback only, unless you say otherwise with --listen and a
--token, or --redis-listen and a --redis-password.

It prints a line for every visit, as plat archive does (with --json an object), and says on
standard error when everything that is due is visited. With -q it prints only failures. To visit
a site once, use plat crawl.`,
		Example: `  plat up https://example.com/ --scope "host depth=2" --every 24h
  plat up https://example.com/ --scope host --budget 200/day
  plat up -f seeds.txt --store mongodb://127.0.0.1/plat --tabs 4
  curl -d '{"url": "https://example.org/", "priority": 0.9}' http://127.0.0.1:8632/api/v1/urls
  redis-cli -p 6390 LPUSH plat:inbox https://example.org/`,
		Annotations: flags.Heeds(flags.Cutting, flags.Keeping, flags.Rendering, flags.Reaching, flags.Naming, flags.Fleet, flags.Serving, flags.Telling),
		RunE: func(cmd *cobra.Command, args []string) error {
			return up(cmd.Context(), a, args, list, again, defaults, func(storage.Store) {})
		},
	}
	cmd.Flags().StringVarP(&list, "file", "f", "", "`FILE` with URLs, - for standard input")
	cmd.Flags().BoolVar(&again, "again", false, "start the list from the beginning: visit all of its URLs again")
	flags.Seeds(cmd.Flags(), &defaults)
	return cmd
}

// up runs a whole fleet in this process, which visits URLs, those of the named list, and all that
// are due in the archive. It calls opened with the archive.
func up(ctx context.Context, a *app.App, urls []string, list string, again bool, defaults queue.Seed, opened func(storage.Store)) error {
	if a.Redis != "" {
		return app.Fail(app.ExitUsage, "up has a Redis of its own, at --redis-listen; to use the one of --redis run plat worker")
	}
	jobs, err := seedJobs(a, urls, defaults)
	if err != nil {
		return err
	}
	seeds, err := openSeeds(a, list, defaults, again)
	if err != nil {
		return err
	}
	if err := needPassword(a); err != nil {
		return err
	}
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return err
	}
	server, err := queue.EmbedWithPassword(a.RedisListen, a.RedisPassword, log)
	if err != nil {
		return app.Fail(app.ExitStore, "%w with --redis-listen", err)
	}
	defer server.Close()
	if a.Listen == "" {
		a.Listen = flags.DefaultListen
	}
	if err := needToken(a); err != nil {
		return err
	}
	defer warnOfOthers(a)()
	return work(ctx, a, frontier{url: server.URL(), own: server}, jobs, seeds, opened)
}

// needPassword sees that the frontier of plat up is not everybody's.
func needPassword(a *app.App) error {
	host, _, err := net.SplitHostPort(a.RedisListen)
	switch {
	case err != nil:
		return app.Fail(app.ExitUsage, "redis-listen %q: write an address and a port, as 127.0.0.1:6390", a.RedisListen)
	case a.RedisPassword == "" && !web.LoopbackNames(host):
		return app.Fail(app.ExitConfig, "redis-listen %s: other machines can reach it, so it needs a password of %d characters or more; give one with PLAT_REDIS_PASSWORD or PLAT_REDIS_PASSWORD_FILE", a.RedisListen, minToken)
	case a.RedisPassword != "" && len(a.RedisPassword) < minToken:
		return app.Fail(app.ExitUsage, "redis-password: it has %d characters; write %d or more", len(a.RedisPassword), minToken)
	}
	return nil
}

// work runs a worker until a signal stops it. A worker with its own Redis serves the archive too.
func work(ctx context.Context, a *app.App, f frontier, seeds []plat.Job, list *seedList, opened func(storage.Store)) error {
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return err
	}
	o, how, err := crewSettings(a, log)
	if err != nil {
		return err
	}
	keep, err := retentionOf(a)
	if err != nil {
		return err
	}
	traced, err := startTracing(ctx, a.Env.Get, app.ReadBuild().Version)
	if err != nil {
		return app.Fail(app.ExitConfig, "%w", err)
	}
	defer traced()
	// It listens first, so that health checks get an answer during the wait.
	serving, err := listenAt(a)
	if err != nil {
		return err
	}
	defer serving.stop()
	var store storage.Store
	if err := patiently(ctx, a, log, f.alone(), func() (err error) { store, err = a.OpenToWrite(ctx); return err }); err != nil {
		return err
	}
	defer store.Close()
	ours := listeners(f, serving)
	following, err := followSubscriptions(ctx, a, store, log, ours)
	if err != nil {
		return err
	}
	defer following()
	var q *queue.Queue
	if err := patiently(ctx, a, log, f.alone(), func() (err error) { q, err = openQueue(ctx, a, f); return err }); err != nil {
		return err
	}
	defer q.Close()
	v, err := visitor.Open(ctx, store, o)
	if err != nil {
		return err
	}
	defer v.Close()
	v.Forbid(ours...)
	says := &speaker{App: a}
	if how.Alone = f.alone(); f.alone() {
		how.Visited = says.visited
	}
	crew := v.Crew(q, how)
	steering, err := steerCrawls(ctx, store, crew, v.Tabs(), log)
	if err != nil {
		return err
	}
	defer steering()
	defer retain(ctx, store, keep, log)()
	opened(store)
	if _, err := intake.Take(ctx, store, q, seeds); err != nil {
		return app.Fail(app.ExitStore, "%w", err)
	}
	if list != nil {
		list.Yield = v.Yield
		defer list.takeAll(ctx, a, log, store, q)()
	}
	serving.take(q, store, f)
	showing, err := serving.showAll(ctx, a, f.alone(), store, ours)
	if err != nil {
		return err
	}
	defer showing()
	serving.work(crew, how.Metrics)
	if !a.Quiet {
		greet(a, v.Tabs(), f.url, serving)
	}
	if f.alone() {
		defer says.watchIdle(ctx, crew, q, store)()
	}
	return runUntilDrained(ctx, a, log, crew)
}

// warnOfOthers says if a different process with a frontier of its own visits the URLs of an archive in a file,
// until the function returned is called. A fleet shares a frontier instead.
func warnOfOthers(a *app.App) (stop func()) {
	path, ok := a.SQLite()
	if !ok {
		return func() {}
	}
	lock, holder, err := app.Take(path + "-visits")
	if err == nil && holder != "" {
		fmt.Fprintf(a.Stderr, "plat: %s visits the URLs of this archive too: pages may be visited twice, and hosts sooner than they permit; stop one of the two\n", holder)
	}
	return lock.Release // where no lock can be made, no archive can be opened
}

// crewSettings returns the options of visits, and those of the crew that makes them.
func crewSettings(a *app.App, log *slog.Logger) (o visitor.Options, how workers.CrewOptions, err error) {
	if o, err = a.VisitOptions(0, log); err != nil {
		return o, how, err
	}
	if how, err = a.CrewOptions(log); err != nil {
		return o, how, err
	}
	if a.RobotsMeta {
		o.Worker.Permission.ObeyMeta = how.Agent
	}
	how.Worker = self()
	return o, how, nil
}

// self describes this process to the fleet.
func self() queue.Worker {
	build := app.ReadBuild()
	host, _ := os.Hostname() // empty if unknown
	return queue.Worker{Version: build.Version, Revision: build.Revision, Host: host, PID: os.Getpid()}
}

// listeners are the ports where this process listens.
func listeners(f frontier, serving *service) (ports []uint16) {
	if f.own != nil {
		ports = append(ports, f.own.Port())
	}
	if serving.Service != nil {
		ports = append(ports, serving.Port())
	}
	return ports
}

// greet prints the resources of a worker.
func greet(a *app.App, tabs int, redis string, serving *service) {
	fmt.Fprintf(a.Stderr, "plat: up to %d tabs, frontier %s, archive %s", tabs, uri.Redacted(redis), uri.Redacted(a.Store))
	if serving.Service != nil {
		fmt.Fprintf(a.Stderr, ", http://%s", serving.Address())
	}
	fmt.Fprintln(a.Stderr)
}

// runUntilDrained runs a crew. The end of ctx drains it; its grace or the second
// signal ends it.
func runUntilDrained(ctx context.Context, a *app.App, log *slog.Logger, crew *workers.Crew) error {
	drain := make(chan struct{})
	hard, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	asked := app.SecondSignal(ctx)
	defer context.AfterFunc(ctx, func() {
		close(drain)
		log.Info("draining", "grace", a.Grace)
		select {
		case <-asked:
		case <-time.After(a.Grace):
		case <-hard.Done():
		}
		end()
	})()
	if err := crew.Run(hard, drain); err != nil {
		return app.Fail(app.ExitBrowser, "%w; see the log", err)
	}
	return nil
}

// patiently calls open until it succeeds: a server may start later than the worker, or a right
// may be granted later. It returns an invalid setting at once, and every error if alone.
func patiently(ctx context.Context, a *app.App, log *slog.Logger, alone bool, open func() error) error {
	said := time.Time{}
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		err := open()
		if err == nil || alone || app.CodeOf(ctx, err) != app.ExitStore || ctx.Err() != nil {
			return err
		}
		if time.Since(said) > time.Minute {
			said = time.Now()
			log.Error("waiting", "error", app.Sentence(err))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}
