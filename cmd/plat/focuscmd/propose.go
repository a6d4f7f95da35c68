package focuscmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/focus/crawler"
	"plat/focus/searxng"
	"plat/segment/label"
	"plat/storage"
)

func proposeCommand(a *app.App) *cobra.Command {
	var w newCrawl
	var limit int
	var engine string
	cmd := &cobra.Command{
		Use:   "propose",
		Short: "Print pages to begin a focused crawl with, from the archive and a search engine",
		Long: `propose prints pages with which a focused crawl may begin: those of the archive whose
blocks have the topic's words, rare ones above all (plat search must have indexed them; plat serve does so by
itself), and with --searxng those that a SearXNG instance finds for the topic's name.

JSON, one object a page: url, source (archive or searxng), title, and of the archive's block
(its number), words and score.`,
		Example: `  plat focus propose --topic Q95
  plat focus propose --about "bird migration" --searxng http://127.0.0.1:8888/ --json | jq -r .url`,
		Args:        cobra.NoArgs,
		Annotations: flags.Heeds(flags.Naming, flags.Reaching),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return app.Fail(app.ExitUsage, "--limit %d: write 1 or more", limit)
			}
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				all, err := w.propose(ctx, a, store, engine, limit)
				if err != nil {
					return err
				}
				var t terminal.Table
				t.Head("source", "page")
				for _, p := range all {
					if a.JSON {
						a.Out.JSON(p)
						continue
					}
					t.Row(terminal.Text(p.Source), terminal.Text(titled(p.Title, p.URL)))
				}
				switch {
				case a.JSON:
				case len(all) == 0:
					a.Out.Print("no proposals: the archive has no pages with the topic's words; begin with URLs that you know")
				default:
					t.Print(a.Out)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	w.topicFlags(f)
	f.StringVar(&engine, "searxng", "", "`URL` of a SearXNG instance to ask, which must allow the format json")
	f.IntVar(&limit, "limit", 50, "most pages from each source")
	return cmd
}

// proposal is a page to begin with, as it is printed.
type proposal struct {
	URL    string   `json:"url"`
	Source string   `json:"source"`
	Title  string   `json:"title,omitempty"`
	Block  int32    `json:"block,omitempty"`
	Words  []string `json:"words,omitempty"`
	Score  float64  `json:"score,omitempty"`
}

func (w *newCrawl) propose(ctx context.Context, a *app.App, store storage.Store, engine string, limit int) ([]proposal, error) {
	t, err := w.subject(a)
	if err != nil {
		return nil, err
	}
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	found, err := crawler.Propose(ctx, store, d, t, limit)
	if err != nil {
		return nil, err
	}
	var all []proposal
	for _, p := range found {
		all = append(all, proposal{p.URL, "archive", p.Topic, p.Block, p.Words, p.Score})
	}
	if engine == "" {
		return all, nil
	}
	query := w.About
	if query == "" {
		query = strings.TrimSpace(t.Name("en"))
	}
	client, err := a.SearchClient(ctx, engine)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	results, err := searxng.Search(ctx, client, engine, query, limit)
	if err != nil {
		return nil, app.Fail(app.ExitError, "%w", err)
	}
	for _, r := range results {
		u, err := a.Canonical(r.URL)
		if err != nil {
			fmt.Fprintf(a.Stderr, "plat: left out: %v\n", err)
			continue
		}
		all = append(all, proposal{URL: u, Source: "searxng", Title: r.Title})
	}
	return all, nil
}
