package focuscmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/focus/crawler"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/segment/label"
	"plat/storage"
)

func whyCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "why CRAWL URL",
		Short: "Explain why a page was visited, or waits: its links and the evidence",
		Long: `why goes through a focused crawl again until it asked for the URL, and prints what was
known then: the links to it, and what each thing that was known adds to its expectation
(log-odds; with the order blocks). Pages whose visits began later are left out, and what
people said later. Of a page that was visited it prints the words of the topic that it has,
as the topic was then, and what the page is found to be now, as export does. A link that
waits is explained by what is known now.

JSON: an object with url, state, n (its place in the order of asking), expected (what was
expected then), score (what is expected by what is known; of a link that waits that is all),
from, links (page, relevance, match, rw), reasons (name, value, counts: log-odds that it
adds), title, outcome, relevance, belongs, label (what people say: yes or no), seed, same
(another address of a page that was visited), redirected_from (the address that led there),
words (name, value: how often, counts: what it adds to the cosine).`,
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
				why, err := crawler.Explain(ctx, store, &crawler.Compiler{Describer: d, Archive: store}, c, u)
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

func showWhy(a *app.App, w *crawler.Explanation) {
	say := func(format string, args ...any) { a.Out.Print(excerpt.Printable(fmt.Sprintf(format, args...))) }
	a.Out.Print(a.Out.Paint(terminal.Bold, excerpt.Printable(w.URL+"  "+w.State)))
	if w.State == "unknown" {
		say("the crawl has seen no link to it")
		return
	}
	switch {
	case w.N > 0:
		say("page %d that was asked for, expected %.2f", w.N, w.Asked)
	case w.RedirectedFrom != "":
		say("%s leads to it, and was asked for", w.RedirectedFrom)
	default:
		say("expected %.2f", w.Score)
	}
	if w.Seed {
		say("it is one of the URLs that the crawl began with")
	}
	for _, l := range w.Links {
		say("linked from %s (relevance %.2f; the link's text matches %.2f)", l.Page, l.Relevance, l.Match)
	}
	if len(w.Links) == 0 && w.From != "" {
		say("linked from %s", w.From)
	}
	if len(w.Reasons) > 0 {
		var t terminal.Table
		t.Head(">adds", ">value", "evidence")
		for _, r := range w.Reasons {
			t.Row(terminal.Number(fmt.Sprintf("%+.2f", r.Counts)), terminal.Number(fmt.Sprintf("%.2f", r.Value)), terminal.Text(r.Name))
		}
		t.Print(a.Out)
	}
	if w.State == "visited" {
		showFound(a, w, say)
	}
}

// showFound prints the result of the visit of a page.
func showFound(a *app.App, w *crawler.Explanation, say func(format string, args ...any)) {
	switch {
	case w.Outcome.Failed():
		say("there was no page: %s", w.Outcome)
		return
	case w.Outcome == plat.OutcomeAlias:
		say("it is a second URL of a page that is archived")
		return
	case w.Outcome == plat.OutcomeCloaked:
		say("readers get a different text than crawlers: this describes the text for readers")
	}
	if w.Same {
		say("it is a second URL of a visited page, and is not counted again")
	}
	belongs := "does not belong to the topic"
	if w.Belongs {
		belongs = "belongs to the topic"
	}
	if w.Label != "" {
		say("people say %s: it %s", w.Label, belongs)
	} else {
		say("relevance %.2f: it %s", w.Relevance, belongs)
	}
	if len(w.Words) > 0 {
		var t terminal.Table
		t.Head(">adds", ">times", "word of the topic (stem)")
		for _, r := range w.Words[:min(15, len(w.Words))] {
			t.Row(terminal.Number(fmt.Sprintf("%.3f", r.Counts)), terminal.Number(fmt.Sprintf("%.0f", r.Value)), terminal.Text(r.Name))
		}
		t.Print(a.Out)
	}
}
