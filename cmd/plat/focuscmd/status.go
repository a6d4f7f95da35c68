package focuscmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/focus/crawler"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
)

func statusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status [CRAWL]",
		Short: "Print focused crawls, or how far one is",
		Long: `status prints all focused crawls, or of one how much of what it visited belongs to the
topic, its hosts, what is under way, and the links that wait with what is expected of them.

JSON, one object a crawl: id, name, state, reason, topic (in words), order, pages (most),
per_host, least, keep, near, scope, made, seeds, labels (how many), unheeded (people have
said since the report what belongs), report. That is of the last moments: time, terms,
counts (asked, pages, belong, missing, waiting, dropped, capped, targets), curve (pages,
belong), sites (host, pages, belong), pending (how many pages are under way), oldest (of
these: url, asked, and of the last attempt tried, outcome, next), waiting (url, score,
from), missing (examples that are not in the archive), left (hosts that show readers other
text than crawlers).`,
		Example: `  plat focus status
  plat focus status birds
  plat focus status birds --json | jq '.report.counts.belong'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				var all []*crawler.Status
				for c, err := range chosen(ctx, store, args) {
					if err != nil {
						return err
					}
					s, err := crawler.StatusOf(ctx, store, c)
					if err != nil {
						return err
					}
					all = append(all, s)
				}
				switch {
				case a.JSON:
					for _, s := range all {
						a.Out.JSON(s)
					}
				case len(args) == 1:
					showOne(a, all[0])
				default:
					showAll(a, all)
				}
				return nil
			})
		},
	}
}

// chosen yields the crawl that args names, or all.
func chosen(ctx context.Context, store storage.Crawls, args []string) func(yield func(*plat.Crawl, error) bool) {
	if len(args) == 0 {
		return store.Crawls(ctx)
	}
	return func(yield func(*plat.Crawl, error) bool) { yield(found(ctx, store, args[0])) }
}

func showAll(a *app.App, all []*crawler.Status) {
	if len(all) == 0 {
		a.Out.Print("no focused crawls; plat focus new begins one")
		return
	}
	var t terminal.Table
	t.Head("ID", ">on topic", ">pages", ">waiting", "state", "crawl")
	for _, s := range all {
		on, pages, waiting := "-", "-", "-"
		if s.Report != nil {
			n := &s.Report.Counts
			on, pages, waiting = terminal.Count(int64(n.Belong)), terminal.Count(int64(n.Pages)), terminal.Count(int64(n.Waiting))
		}
		state := terminal.Text(string(s.State))
		if s.State == plat.CrawlRuns {
			state = state.In(terminal.Green)
		}
		t.Row(terminal.Text(s.ID), terminal.Number(on), terminal.Number(pages), terminal.Number(waiting), state, terminal.Text(s.Name).AtMost(60))
	}
	t.Print(a.Out)
}

func showOne(a *app.App, s *crawler.Status) {
	say := func(format string, args ...any) { a.Out.Print(excerpt.Printable(fmt.Sprintf(format, args...))) }
	head := fmt.Sprintf("%s  %s  %s", s.ID, s.State, s.Name)
	if s.Reason != "" {
		head += ": " + s.Reason
	}
	a.Out.Print(a.Out.Paint(terminal.Bold, excerpt.Printable(head)))
	say("looks for %s", terminal.Shorten(s.Topic, 100))
	say("%s", strings.Join(settings(s), ", "))
	if s.Report == nil {
		say("it has not begun; plat focus run, or plat up, runs it")
		return
	}
	r := s.Report
	share := "-"
	if r.Counts.Pages > 0 {
		share = fmt.Sprintf("%.0f %%", 100*float64(r.Counts.Belong)/float64(r.Counts.Pages))
	}
	say("%s of %s on topic (%s), %d without a page, %s waiting, %d under way", terminal.Count(int64(r.Counts.Belong)), terminal.Counted(r.Counts.Pages, "page"), share, r.Counts.Missing,
		terminal.Counted(r.Counts.Waiting, "link"), r.Pending)
	if s.Unheeded {
		say("later labels are not counted yet: plat up and workers count them, and plat focus run after the crawl is resumed")
	}
	say("terms: %s", terminal.Shorten(strings.Join(r.Terms, ", "), 100))
	if len(r.Missing) > 0 {
		say("examples that are not in the archive, and are left out: %s", strings.Join(r.Missing, ", "))
	}
	if len(r.Left) > 0 {
		say("left, as readers are shown other text: %s", terminal.Shorten(strings.Join(r.Left, ", "), 200))
	}
	sites, pending, links := terminal.Table{}, terminal.Table{}, terminal.Table{}
	sites.Head(">on topic", ">pages", "host")
	for _, x := range r.Sites[:min(10, len(r.Sites))] {
		sites.Row(terminal.Number(terminal.Count(int64(x.Belong))), terminal.Number(terminal.Count(int64(x.Pages))), terminal.Text(x.Host))
	}
	pending.Head("asked for", "last attempt", "under way")
	for _, p := range r.Oldest[:min(10, len(r.Oldest))] {
		pending.Row(terminal.Text(terminal.Clock(p.Asked)), terminal.Text(attempt(&p)), terminal.Text(p.URL))
	}
	links.Head(">expected", "link that waits")
	for _, x := range r.Waiting[:min(10, len(r.Waiting))] {
		links.Row(terminal.Number(fmt.Sprintf("%.2f", x.Score)), terminal.Text(x.URL))
	}
	for _, t := range []struct {
		rows  int
		table *terminal.Table
	}{{len(r.Sites), &sites}, {len(r.Oldest), &pending}, {len(r.Waiting), &links}} {
		if t.rows > 0 {
			a.Out.Print("")
			t.table.Print(a.Out)
		}
	}
}

// settings returns the options of a crawl, in words.
func settings(s *crawler.Status) []string {
	all := []string{"order " + s.Order, "scope " + s.Scope, "at most " + terminal.Counted(s.Pages, "page")}
	if s.Pages == 0 {
		all[2] = "any number of pages"
	}
	if s.PerHost > 0 {
		all = append(all, terminal.Count(int64(s.PerHost))+" of one host")
	}
	all = append(all, fmt.Sprintf("belonging from %.2f", s.Least))
	if s.Keep {
		all = append(all, "all pages kept")
	}
	return all
}

// attempt returns the result of the last attempt to visit a page.
func attempt(p *crawler.Pending) string {
	switch {
	case p.Outcome == "":
		return "-"
	case p.Next.IsZero():
		return string(p.Outcome)
	}
	return fmt.Sprintf("%s, again at %s", p.Outcome, terminal.Clock(p.Next))
}

func labelCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "label CRAWL yes|no|none URL…",
		Short: "Say whether pages belong to the topic; the crawl learns from it",
		Long: `label says whether pages belong to the topic of a focused crawl: yes, no, or none to take
it back. The crawl learns the words of these pages and judges all others by them, those
that were visited too: plat up and workers do that within seconds, plat focus run while the
crawl runs. What was stored stays as it is. Pages that the crawl has not visited yet count
once it has.

JSON: an object with id, name and state.`,
		Example: `  plat focus label birds yes https://example.org/ringing
  plat focus label birds no https://example.org/shop https://example.org/login`,
		Args:        cobra.MinimumNArgs(3),
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "yes" && args[1] != "no" && args[1] != "none" {
				return app.Fail(app.ExitUsage, "%q: write yes, no or none", args[1])
			}
			var said []crawler.PageLabel
			for _, text := range args[2:] {
				u, err := a.Canonical(text)
				if err != nil {
					return err
				}
				said = append(said, crawler.PageLabel{URL: u, Belongs: args[1]})
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				c, err := change(ctx, store, args[0], func(c *plat.Crawl) error {
					crawler.Label(c, time.Now(), said...)
					return nil
				})
				if err != nil {
					return err
				}
				if err := sayUnknown(ctx, a, store, c, said); err != nil {
					return err
				}
				printState(a, c)
				return nil
			})
		},
	}
}

// sayUnknown prints a warning for each labelled page that the crawl has not requested.
func sayUnknown(ctx context.Context, a *app.App, store storage.Store, c *plat.Crawl, said []crawler.PageLabel) error {
	unknown, err := crawler.Unknown(ctx, store, c.ID, said)
	for _, u := range unknown {
		fmt.Fprintf(a.Stderr, "plat: %s is not one of its pages yet: the label counts after its visit\n", excerpt.Printable(u))
	}
	return err
}

func exportCommand(a *app.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "export CRAWL",
		Short: "Print the pages of a focused crawl, in the order of their visits",
		Long: `export prints the pages that a focused crawl has found to belong to its topic, with
--all also the others, in the order in which it asked for them.

JSON, one object a page: n, url, title, relevance, belongs, same (another address of a page
that was visited), label (what people say: yes or no), expected, from (the page whose link led there), outcome, version (0: none is stored),
visited.`,
		Example: `  plat focus export birds
  plat focus export birds --all --json | jq -r 'select(.relevance > 0.8) | .url'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				c, err := found(ctx, store, args[0])
				if err != nil {
					return err
				}
				report, err := crawler.ReadReport(ctx, store, c.ID)
				if err != nil {
					return err
				}
				verdicts := crawler.VerdictsOf(c, report)
				var t terminal.Table
				t.Head(">n", ">relevance", ">version", "outcome", "page")
				for p, err := range store.Asked(ctx, c.ID, 0, false) {
					if err != nil {
						return err
					}
					x := verdicts.Page(p)
					if p.Visited.IsZero() || !all && (x.Same || !x.Belongs) {
						continue
					}
					if a.JSON {
						a.Out.JSON(x)
						continue
					}
					t.Row(terminal.Number(terminal.Count(int64(p.N))), terminal.Number(fmt.Sprintf("%.2f", x.Relevance)), terminal.Number(terminal.Count(int64(p.Version))), terminal.Text(string(p.Outcome)), terminal.Text(titled(p.Title, p.URL)))
				}
				if !a.JSON {
					t.Print(a.Out)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also pages that do not belong, those that failed, and other addresses of pages")
	return cmd
}
