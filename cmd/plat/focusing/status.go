package focusing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat"
	"plat/cmd/plat/app"
	"plat/settings/flags"
	"plat/steer"
	"plat/storage"
	"plat/term"
)

func statusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status [CRAWL]",
		Short: "Print focused crawls, or how far one is",
		Long: `status prints all focused crawls, or of one how much of what it visited belongs to the
topic, its hosts, and the links that wait with what is expected of them.

JSON, one object a crawl: id, name, state, reason, order, pages (most), made, seeds, labels
(how many), report. That is of the last moments: time, terms, counts (asked, pages, belong,
missing, waiting, dropped, capped, targets), curve (pages, belong), sites (host, pages,
belong), waiting (url, score, from), missing (examples that are not in the archive), left
(hosts that show readers other text than crawlers).`,
		Example: `  plat focus status
  plat focus status birds
  plat focus status birds --json | jq '.report.counts.belong'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				var all []*steer.Status
				for c, err := range chosen(ctx, store, args) {
					if err != nil {
						return err
					}
					s, err := steer.StatusOf(ctx, store, c)
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

func showAll(a *app.App, all []*steer.Status) {
	if len(all) == 0 {
		a.Out.Print("no focused crawls; plat focus new begins one")
		return
	}
	var t term.Table
	t.Head("ID", ">on topic", ">pages", ">waiting", "state", "crawl")
	for _, s := range all {
		on, pages, waiting := "-", "-", "-"
		if s.Report != nil {
			n := &s.Report.Counts
			on, pages, waiting = term.Count(int64(n.Belong)), term.Count(int64(n.Pages)), term.Count(int64(n.Waiting))
		}
		state := term.Text(string(s.State))
		if s.State == plat.CrawlRuns {
			state = state.In(term.Green)
		}
		t.Row(term.Text(s.ID), term.Number(on), term.Number(pages), term.Number(waiting), state, term.Text(s.Name).AtMost(60))
	}
	t.Print(a.Out)
}

func showOne(a *app.App, s *steer.Status) {
	head := fmt.Sprintf("%s  %s  %s", s.ID, s.State, s.Name)
	if s.Reason != "" {
		head += ": " + s.Reason
	}
	a.Out.Print(a.Out.Paint(term.Bold, head))
	if s.Report == nil {
		a.Out.Print("it has not begun; plat focus run, or plat up, runs it")
		return
	}
	r := s.Report
	share := "-"
	if r.Counts.Pages > 0 {
		share = fmt.Sprintf("%.0f %%", 100*float64(r.Counts.Belong)/float64(r.Counts.Pages))
	}
	a.Out.Print(fmt.Sprintf("%s of %s on topic (%s), %d without a page, %s waiting", term.Count(int64(r.Counts.Belong)), term.Counted(r.Counts.Pages, "page"), share, r.Counts.Missing, term.Counted(r.Counts.Waiting, "link")))
	a.Out.Print("terms: " + term.Shorten(strings.Join(r.Terms, ", "), 100))
	a.Out.Print("")
	var sites term.Table
	sites.Head(">on topic", ">pages", "host")
	for _, x := range r.Sites[:min(10, len(r.Sites))] {
		sites.Row(term.Number(term.Count(int64(x.Belong))), term.Number(term.Count(int64(x.Pages))), term.Text(x.Host))
	}
	sites.Print(a.Out)
	if len(r.Left) > 0 {
		a.Out.Print("left, as readers are shown other text: " + term.Shorten(strings.Join(r.Left, ", "), 200))
	}
	if len(r.Waiting) == 0 {
		return
	}
	a.Out.Print("")
	var links term.Table
	links.Head(">expected", "link that waits")
	for _, x := range r.Waiting[:min(10, len(r.Waiting))] {
		links.Row(term.Number(fmt.Sprintf("%.2f", x.Score)), term.Text(x.URL))
	}
	links.Print(a.Out)
}

func labelCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "label CRAWL yes|no|none URL…",
		Short: "Say whether pages belong to the topic; the crawl learns from it",
		Long: `label says whether pages belong to the topic of a focused crawl: yes, no, or none to take
it back. The crawl learns the words of these pages and judges all others by them, those
that were visited too. What was stored stays as it is.

JSON: an object with id, name and state.`,
		Example: `  plat focus label birds yes https://example.org/ringing
  plat focus label birds no https://example.org/shop https://example.org/login`,
		Args:        cobra.MinimumNArgs(3),
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "yes" && args[1] != "no" && args[1] != "none" {
				return app.Fail(app.ExitUsage, "%q: write yes, no or none", args[1])
			}
			var said []steer.Saying
			for _, text := range args[2:] {
				u, err := a.Canonical(text)
				if err != nil {
					return err
				}
				said = append(said, steer.Saying{URL: u, Belongs: args[1]})
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				c, err := change(ctx, store, args[0], func(c *plat.Crawl) error {
					steer.Label(c, time.Now(), said...)
					return nil
				})
				if err != nil {
					return err
				}
				printState(a, c)
				return nil
			})
		},
	}
}

func exportCommand(a *app.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "export CRAWL",
		Short: "Print the pages of a focused crawl, in the order of their visits",
		Long: `export prints the pages that a focused crawl has found to belong to its topic, with
--all also the others, in the order in which it asked for them.

JSON, one object a page: n, url, title, relevance, belongs, label (what people say: yes or
no), expected, from (the page whose link led there), outcome, version (0: none is stored),
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
				verdicts := steer.VerdictsOf(c)
				var t term.Table
				t.Head(">n", ">relevance", ">version", "outcome", "page")
				for p, err := range store.Asked(ctx, c.ID, 0, false) {
					if err != nil {
						return err
					}
					if p.Visited.IsZero() || !all && !verdicts.Belongs(p) {
						continue
					}
					if a.JSON {
						a.Out.JSON(verdicts.Page(p))
						continue
					}
					name := p.URL
					if p.Title != "" {
						name = p.Title + "  " + p.URL
					}
					t.Row(term.Number(term.Count(int64(p.N))), term.Number(fmt.Sprintf("%.2f", p.Relevance)), term.Number(term.Count(int64(p.Version))), term.Text(string(p.Outcome)), term.Text(name))
				}
				if !a.JSON {
					t.Print(a.Out)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also pages that do not belong, and those that failed")
	return cmd
}
