package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/browser/egress"
	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/export"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/queue/crawl"
	"plat/storage"
	"plat/storage/uri"
	"plat/workers/visitor"
)

// Defaults of a crawl. They are smaller than those of plat up, because a user waits for its end.
const (
	crawlAttempts   = 3
	crawlRetryDelay = 10 * time.Second
	crawlThrottled  = 2
)

func crawlCommand(a *app.App) *cobra.Command {
	c := crawling{App: a}
	cmd := &cobra.Command{
		Use:   "crawl URL… [-o site.wacz]",
		Short: "Follow the links of sites, visit each page once, and end",
		Long: `crawl visits the URLs given and the pages that they link to, within the scope, each
once, and ends when no page is left. Interrupted, by Ctrl-C or a crash, the same command
continues where it was; --again starts over. A crawl that has ended begins anew: it visits all
pages again and stores what has changed.

The scope is host (the same host, the default), domain (also its other hosts), prefix (URLs that
begin as the given one does, up to its last slash), any or page, then include=REGEXP or
exclude=REGEXP: --scope "host exclude=/login". --depth 1 visits the pages that the given ones link
to, and no sitemap unless --sitemaps is given. There is no limit of pages without --limit.

robots.txt is obeyed (--robots=false disregards it), a host is visited by one tab at a time with
--delay between two visits, sitemaps are read, and endless parts of sites are left (docs/traps.md).
A failed page is tried 3 times in all, after 10 and 20 seconds, unless --attempts and --retry-delay
say otherwise; an unknown host once.

-o exports the pages of the crawl when it ends: .wacz or .warc.gz for players, .jsonl. Style sheets,
images and fonts are then kept too, unless --resources says otherwise (see plat export).

A terminal shows a line of progress; elsewhere there is one every 10 seconds. Failed pages are
printed, and at the end the pages by outcome. With --json there is an object a visit, with the
fields that plat archive prints, depth and again (it is tried again), and at the end
{"crawl": …} with urls, scope, limit, begun, pages, earlier (pages, before it was interrupted),
outcomes (pages by outcome), failed, put_off, not_visited, page_bytes, stored_bytes, picture_bytes,
resource_bytes, ms, export.

Exit codes: 0, 3 if pages failed, 11 if interrupted. A link that robots.txt disallows is no failure.`,
		Example: `  plat crawl https://example.com/
  plat crawl https://example.com/docs/ --scope prefix --depth 3 -o docs.wacz
  plat crawl https://example.com/ --limit 100 --json | jq -r 'select(.url) | .outcome + " " + .url'`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming, flags.Fleet), "redis", "redis-listen", "redis-password", "redis-prefix",
			"shards", "window", "lease", "check-cloaking", "day", "always-render"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Fail(app.ExitUsage, "there is nothing to crawl; give URLs, as plat crawl https://example.com/")
			}
			c.urls = args
			return c.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.scope, "scope", "host", "which links to follow: host, domain, prefix, any or page (none), then include=REGEXP, exclude=REGEXP")
	f.IntVar(&c.depth, "depth", anyDepth, "follow at most so many links from a given URL (default: any number)")
	f.Lookup("depth").DefValue = "0" // which help does not print
	f.IntVar(&c.limit, "limit", 0, "visit at most so many pages (default: any number)")
	f.StringVarP(&c.file, "output", "o", "", "`FILE` to export the pages to, .wacz or .warc.gz")
	f.BoolVar(&c.again, "again", false, "do not continue an interrupted crawl: visit all of its pages again")
	return cmd
}

// anyDepth is the depth of a crawl without a limit of depth.
const anyDepth = -1

// crawling is a run of plat crawl.
type crawling struct {
	*app.App
	urls  []string // given; canonical after check
	scope string   // with the depth after check
	depth int
	limit int
	file  string // to export to; empty: none
	again bool

	jobs []plat.Job // for the given URLs
}

// run crawls from the first page, or from where an earlier run was interrupted, to the last.
func (c *crawling) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	log, err := c.Logger(c.Stderr)
	if err != nil {
		return err
	}
	o, how, err := crewSettings(c.App, log)
	if err != nil {
		return err
	}
	archive, err := c.OpenToWrite(ctx)
	if err != nil {
		return err
	}
	defer archive.Close()
	list, err := c.openList(ctx)
	if err != nil {
		return err
	}
	defer list.close()
	store, err := crawl.Open(ctx, archive, list.Store, crawl.Options{Limit: c.limit})
	if err != nil {
		return app.Fail(app.ExitStore, "%w", err)
	}
	server, err := queue.Embed("127.0.0.1:0") // any port: only this process uses it
	if err != nil {
		return app.Fail(app.ExitError, "%w", err)
	}
	defer server.Close()
	q, err := openQueue(ctx, c.App, frontier{url: server.URL(), own: server})
	if err != nil {
		return err
	}
	defer q.Close()
	v, err := visitor.Open(ctx, store, o)
	if err != nil {
		return err
	}
	defer v.Close()
	v.Forbid(server.Port())
	list.over = false
	if err := c.begin(ctx, store, q); err != nil {
		return app.Fail(app.ExitStore, "%w", err)
	}

	visits, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := newCrawlRun(c, store, list, stop)
	how.Alone, how.MaxThrottled, how.Visited = true, crawlThrottled, r.visited
	how.GiveUp = func(err error) bool { return errors.Is(err, egress.ErrNoHost) }
	crew := v.Crew(q, how)
	c.greet(list, r.first)
	watched := r.watch(visits, crew)
	err = runUntilDrained(visits, c.App, log, crew)
	stop(nil)
	watched()
	c.Out.Progress("")
	if err != nil {
		return err
	}
	return r.end(ctx, errors.Is(context.Cause(visits), errOver))
}

// check completes the settings, before anything is opened.
func (c *crawling) check() error {
	switch {
	case c.limit < 0:
		return app.Fail(app.ExitUsage, "--limit %d: write 1 or more, or leave it out", c.limit)
	case c.depth < anyDepth:
		return app.Fail(app.ExitUsage, "--depth %d: write 0 or more, or leave it out", c.depth)
	case c.depth != anyDepth && strings.Contains(c.scope, "depth="):
		return app.Fail(app.ExitUsage, "--depth and depth= in --scope both say how deep; leave one of them out")
	case c.depth == 0:
		c.scope = "page"
	case c.depth > 0:
		c.scope += fmt.Sprintf(" depth=%d", c.depth)
	}
	var err error
	if c.jobs, err = seedJobs(c.App, c.urls, queue.Seed{Scope: c.scope}); err != nil {
		return err
	}
	for i := range c.jobs {
		c.urls[i] = c.jobs[i].URL
	}
	if err := c.checkFile(); err != nil {
		return err
	}
	c.AlwaysRender = true // the links of each page are wanted
	if !c.Given("attempts") {
		c.Attempts = crawlAttempts
	}
	if !c.Given("retry-delay") {
		c.RetryDelay = crawlRetryDelay
	}
	if strings.Contains(c.scope, "depth=") && !c.Given("sitemaps") {
		c.Sitemaps = false // they list pages of any depth
	}
	return nil
}

// checkFile checks that the export can be written, which the user learns before hours of visits.
func (c *crawling) checkFile() error {
	switch format := export.FormatOf(c.file); {
	case c.file == "":
		return nil
	case format == "" || format == export.HTML:
		return app.Fail(app.ExitUsage, "-o %s: write a name that ends in .wacz, .warc.gz or .jsonl", c.file)
	case format != export.Lines && !c.Given("resources"):
		c.Resources = string(plat.AllResources)
	}
	switch st, err := os.Stat(filepath.Dir(c.file)); {
	case err != nil:
		return app.Fail(app.ExitUsage, "-o %s: %w; make the folder first", c.file, errors.Unwrap(err))
	case !st.IsDir():
		return app.Fail(app.ExitUsage, "-o %s: %s is not a folder", c.file, filepath.Dir(c.file))
	}
	if st, err := os.Stat(c.file); err == nil && st.IsDir() {
		return app.Fail(app.ExitUsage, "-o %s: it is a folder; name a file in it", c.file)
	}
	return nil
}

// begin enlists the given URLs, unless an earlier run has.
func (c *crawling) begin(ctx context.Context, store *crawl.Store, q *queue.Queue) error {
	now, err := q.Now(ctx)
	if err != nil {
		return err
	}
	for i := range c.jobs {
		c.jobs[i].Due = now
	}
	e, err := store.Enlist(ctx, c.jobs, storage.IfNew)
	if err != nil {
		return err
	}
	return q.Offer(ctx, e.Jobs)
}

// greet says what is crawled.
func (c *crawling) greet(list *jobList, p crawl.Progress) {
	if c.Quiet {
		return
	}
	if list.resumed {
		fmt.Fprintf(c.Stderr, "plat: continuing the crawl of %s: %s done, %s queued (--again starts over)\n",
			terminal.Clock(list.begun), terminal.Counted(p.Done, "page"), terminal.Count(int64(p.Left)))
		return
	}
	what := excerpt.Printable(c.urls[0])
	if n := len(c.urls) - 1; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
	}
	limit := "any number of pages"
	if c.limit > 0 {
		limit = "at most " + terminal.Counted(c.limit, "page")
	}
	fmt.Fprintf(c.Stderr, "plat: crawling %s, scope %s, %s, into %s\n", what, c.scope, limit, strings.TrimPrefix(uri.Redacted(c.Store), "sqlite:"))
}

// export writes the pages of the crawl to the file.
func (c *crawling) export(ctx context.Context, store *crawl.Store) (*export.Summary, error) {
	j := export.Job{
		Store: store.Store, Format: export.FormatOf(c.file), File: c.file,
		Version: app.ReadBuild().Version, Begun: time.Now(), Advanced: func(sum export.Summary) { output.Exporting(c.Out, sum) },
	}
	for st, err := range store.Pages(ctx) {
		if err != nil {
			return nil, err
		}
		j.Wanted = append(j.Wanted, export.Wanted{URL: st.URL, N: st.Head, One: true})
	}
	if len(j.Wanted) == 0 {
		return nil, export.ErrNothing
	}
	sum, err := export.Run(ctx, j)
	c.Out.Progress("")
	if err != nil {
		return nil, err
	}
	return &sum, nil
}
