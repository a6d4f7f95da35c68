package focusing

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/label"
	"plat/settings/flags"
	"plat/steer"
	"plat/storage"
	"plat/term"
)

func whyCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "why CRAWL URL",
		Short: "Print why a page was visited, or waits: the link that led there and what speaks for it",
		Long: `why goes through a focused crawl again until it asked for the URL, and prints what was
known then: the links to it, and what each thing that is known adds to its expectation
(log-odds; with the order blocks). Of a page that was visited it prints the words of the
topic that it has.

JSON: an object with url, state, score, links (page, relevance, match, rw), reasons (name,
value, counts), relevance, belongs, words (name, value: how often, counts: share of the
cosine), n, from, title, outcome.`,
		Example: `  plat focus why birds https://example.org/ringing
  plat focus why birds https://example.org/ringing --json | jq '.reasons[0]'`,
		Args:        cobra.ExactArgs(2),
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := a.Canonical(args[1])
			if err != nil {
				return err
			}
			d, err := label.New(label.Options{})
			if err != nil {
				return err
			}
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				c, err := found(ctx, store, args[0])
				if err != nil {
					return err
				}
				why, err := steer.Explain(ctx, store, &steer.Compiler{Describer: d, Archive: store, Words: &steer.Words{Describer: d, Archive: store}}, c, u)
				if err != nil {
					return err
				}
				if a.JSON {
					a.Out.JSON(why)
					return nil
				}
				showWhy(a, why)
				return nil
			})
		},
	}
}

func showWhy(a *app.App, w *steer.Explanation) {
	a.Out.Print(a.Out.Paint(term.Bold, w.URL+"  "+w.State))
	if w.State == "unknown" {
		a.Out.Print("the crawl has seen no link to it")
		return
	}
	if w.N > 0 {
		a.Out.Print(fmt.Sprintf("page %d that was asked for, expected %.2f", w.N, w.Asked))
	}
	if len(w.Links) == 0 {
		a.Out.Print("it is one of the URLs that the crawl began with")
	}
	for _, l := range w.Links {
		a.Out.Print(fmt.Sprintf("linked from %s (relevance %.2f; the link's text matches %.2f)", l.Page, l.Relevance, l.Match))
	}
	if len(w.Reasons) > 0 {
		var t term.Table
		t.Head(">adds", ">value", "what is known")
		for _, r := range w.Reasons {
			t.Row(term.Number(fmt.Sprintf("%+.2f", r.Counts)), term.Number(fmt.Sprintf("%.2f", r.Value)), term.Text(r.Name))
		}
		t.Print(a.Out)
	}
	if w.State != "visited" {
		return
	}
	if w.Outcome.Failed() {
		a.Out.Print(fmt.Sprintf("there was no page: %s", w.Outcome))
		return
	}
	belongs := "does not belong to the topic"
	if w.Belongs {
		belongs = "belongs to the topic"
	}
	a.Out.Print(fmt.Sprintf("relevance %.2f: it %s", w.Relevance, belongs))
	if len(w.Words) > 0 {
		var t term.Table
		t.Head(">adds", ">times", "word of the topic (stem)")
		for _, r := range w.Words[:min(15, len(w.Words))] {
			t.Row(term.Number(fmt.Sprintf("%.3f", r.Counts)), term.Number(fmt.Sprintf("%.0f", r.Value)), term.Text(r.Name))
		}
		t.Print(a.Out)
	}
}
