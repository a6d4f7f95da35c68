package fleet

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/queue"
	"plat/storage"
	"plat/storage/uri"
	"plat/web"
)

func serveCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Show the archive in a browser, and serve it to programs",
		Long: `serve shows the archive as web pages: its sites and URLs, the versions of each on a
time line, a version's picture with its blocks drawn over it, what changed between
two, one block through time, a replay of a page as it looked, and search for
words with the dates when they came and went; and under /watch the subscriptions, what
is new on their pages, and a picker of blocks.

For programs there are JSON (/api/v1, described by /api/v1/openapi.yaml), feeds of
what changed (/feed/atom, rss, json) and of items (/watch/feed.atom), Memento (/timegate/URL, /timemap/link/URL),
/metrics and /healthz.

It listens on loopback only, unless --listen says otherwise; then a --token is
needed, and whoever asks must give it: programs as a bearer token, browsers as the
password. POST /api/v1/segment divides HTML or the page at a URL into blocks, in a
browser that starts with the first request, as plat segment does. With --redis the page
Fleet shows that frontier, and POST /api/v1/urls gives it URLs. plat up serves the same
while it visits pages.

It prints the address on standard error, and its log.`,
		Example: `  plat serve
  plat serve --store mongodb://mongo/plat --redis redis://redis:6379/0
  PLAT_TOKEN_FILE=/run/secrets/token plat serve --listen 0.0.0.0:8632`,
		Args: cobra.NoArgs,
		Annotations: flags.Ignoring(flags.Heeds(flags.Serving, flags.Naming, flags.Fleet, flags.Rendering, flags.Reaching), "always-render",
			"header", "header-everywhere", "cookies", "auth", "steps", "steps-evaluate", "step-pictures", "sessions", "sessions-key-file", "redis-listen", "redis-password", "lease", "attempts", "retry-delay", "grace",
			"robots-meta", "sitemaps", "traps", "max-urls", "max-segments", "max-repeats", "max-length", "delay", "max-delay", "min-disk", "min-memory"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if a.Listen == "" {
				a.Listen = flags.DefaultListen
			}
			if err := needToken(a); err != nil {
				return err
			}
			use := uri.Reads
			if a.Redis != "" {
				use = uri.Creates
			}
			return a.WithStore(ctx, use, func(store storage.Store) error {
				var q *queue.Queue
				if a.Redis != "" {
					var err error
					if q, err = openQueue(ctx, a, frontier{url: a.Redis}); err != nil {
						return err
					}
					defer q.Close()
				}
				s, err := listenAt(a)
				if err != nil {
					return err
				}
				defer s.stop()
				s.Change(func(o *web.Options) { o.Take, o.Add, o.Ready = nil, nil, nil })
				if q != nil {
					s.take(q, store, frontier{})
				}
				showing, err := s.showAll(ctx, a, true, store, []uint16{s.Port()})
				if err != nil {
					return err
				}
				defer showing()
				if !a.Quiet {
					fmt.Fprintf(a.Stderr, "plat: archive %s at http://%s\n", uri.Redacted(a.Store), s.Address())
				}
				select {
				case <-ctx.Done():
					return nil
				case <-s.Ended():
					return app.Fail(app.ExitError, "it serves no more")
				}
			})
		},
	}
}

// needToken refuses to serve an archive to other machines without a token.
func needToken(a *app.App) error {
	host, _, err := net.SplitHostPort(a.Listen)
	switch {
	case err != nil:
		return app.Fail(app.ExitUsage, "listen %q: write an address and a port, as %s", a.Listen, flags.DefaultListen)
	case a.Token == "" && !web.LoopbackNames(host):
		return app.Fail(app.ExitConfig, "listen %s: other machines can reach it, so it needs a token of %d characters or more; give one with PLAT_TOKEN or PLAT_TOKEN_FILE", a.Listen, minToken)
	}
	return nil
}
