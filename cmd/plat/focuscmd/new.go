package focuscmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/focus"
	"plat/focus/crawler"
	"plat/focus/topic"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/segment/label"
	"plat/storage"
)

// newCrawl holds the flags of a new crawl.
type newCrawl struct {
	crawler.Settings
	file, topic string
	schedule    queue.Seed
}

func newCommand(a *app.App) *cobra.Command {
	var w newCrawl
	cmd := &cobra.Command{
		Use:   "new URL…",
		Short: "Begin a focused crawl",
		Long: `new begins a focused crawl at the URLs given. What is looked for is said by --about in a
few words or sentences, by --topic from the topics that plat has (plat focus topics) or
from those in --file: a YAML file with names, descriptions, terms and examples of topics,
which may be texts, archived pages or blocks.

Orders, by which links are followed:
` + orderList() + `
JSON: an object with id, name and state.`,
		Example: `  plat focus new --about "bird migration: routes, ringing, stopover sites" https://example.org/
  plat focus new --topic Q95 --pages 5000 --per-host 200 https://example.org/ https://example.net/links
  plat focus new --file topics.yaml --topic cats --every 7d https://example.org/`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := w.fill(a, args); err != nil {
				return err
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error { return w.begin(ctx, a, store) })
		},
	}
	f := cmd.Flags()
	w.topicFlags(f)
	f.StringVar(&w.Name, "name", "", "`NAME` of the crawl; that of the topic")
	f.IntVar(&w.Pages, "pages", crawler.DefaultPages, "most `PAGES` that are visited; 0: no limit")
	f.IntVar(&w.PerHost, "per-host", 0, "most `PAGES` of one host; 0: no limit")
	f.StringVar(&w.Order, "order", focus.Orders()[0], "by which links are followed: "+strings.Join(focus.Orders(), ", "))
	f.Float64Var(&w.Least, "least", .5, "`CHANCE` of belonging to the topic from which a page is stored, 0 to 1")
	f.BoolVar(&w.Keep, "keep", false, "store versions also of pages that do not belong")
	f.String("near", "", "`SOURCES` of related words; ignored")
	f.SetOutput(a.Stderr) // cobra prints deprecations on standard output, which can be JSON
	if err := f.MarkDeprecated("near", "it has no effect: related words did not help crawls to find more pages"); err != nil {
		panic(err)
	}
	f.StringVar(&w.Scope, "scope", "any", "which links may be followed, from any of the URLs: host, domain, prefix or any, then include=REGEXP, exclude=REGEXP")
	flags.Schedule(f, &w.schedule)
	return cmd
}

// topicFlags declares the flags for the topic.
func (w *newCrawl) topicFlags(f *pflag.FlagSet) {
	f.StringVar(&w.About, "about", "", "topic of the crawl, in `WORDS`")
	f.StringVar(&w.topic, "topic", "", "`ID` or name of a topic, see plat focus topics; of --file its first one")
	f.StringVar(&w.file, "file", "", "YAML `FILE` with topics")
}

func orderList() string {
	var b strings.Builder
	for _, o := range focus.Orders() {
		fmt.Fprintf(&b, "  %-11s %s\n", o, focus.AboutOrder(o))
	}
	return b.String()
}

// fill completes the crawl from its flags and checks it.
func (w *newCrawl) fill(a *app.App, urls []string) error {
	for _, text := range urls {
		u, err := a.Canonical(text)
		if err != nil {
			return err
		}
		w.Seeds = append(w.Seeds, u)
	}
	if w.Least == 0 {
		return app.Fail(app.ExitUsage, "--least 0: write more than 0, up to 1")
	}
	w.schedule.URL = w.Seeds[0]
	j, err := w.schedule.Job(a.Drop())
	if err != nil {
		return app.Fail(app.ExitUsage, "%w", err)
	}
	w.Revisit = j.Schedule
	if w.Subject, err = w.choose(a); err != nil {
		return err
	}
	return usage(w.Fill())
}

// usage marks errors of settings that no crawl can begin or resume with as usage errors.
func usage(err error) error {
	if errors.Is(err, crawler.ErrSettings) || errors.Is(err, crawler.ErrGoOn) {
		return app.Fail(app.ExitUsage, "%w", err)
	}
	return err
}

// choose returns the chosen topic, nil for --about.
func (w *newCrawl) choose(a *app.App) (*topic.Topic, error) {
	if w.About != "" {
		if w.topic != "" || w.file != "" {
			return nil, app.Fail(app.ExitUsage, "--about is the topic: leave out --topic and --file")
		}
		return nil, nil
	}
	tree := topic.Ready()
	if w.file != "" {
		f, err := os.Open(w.file)
		if err != nil {
			return nil, app.Fail(app.ExitUsage, "--file: %w", err)
		}
		defer f.Close()
		own, err := topic.Parse(f)
		if err != nil {
			return nil, app.Fail(app.ExitUsage, "--file %s: %w", w.file, err)
		}
		if w.topic == "" && len(own.Roots) > 0 {
			return own.Roots[0], nil
		}
		if tree, err = tree.Join(own); err != nil {
			return nil, app.Fail(app.ExitUsage, "--file %s: %w", w.file, err)
		}
	}
	if w.topic == "" {
		return nil, app.Fail(app.ExitUsage, "give a topic: --about WORDS, or --topic, see plat focus topics")
	}
	t, err := tree.Find(w.topic)
	if err != nil {
		return nil, app.Fail(app.ExitUsage, "--topic: %w", err)
	}
	return t, nil
}

// subject returns the topic, also for --about.
func (w *newCrawl) subject(a *app.App) (*topic.Topic, error) {
	t, err := w.choose(a)
	if err != nil || t != nil {
		return t, err
	}
	return &topic.Topic{ID: "topic", Description: w.About}, nil
}

// begin stores the crawl, after trying whether its topic can be compiled.
func (w *newCrawl) begin(ctx context.Context, a *app.App, store storage.Store) error {
	d, err := label.New(label.Options{})
	if err != nil {
		return err
	}
	c, missing, err := crawler.Begin(ctx, store, &crawler.Compiler{Describer: d, Archive: store}, &w.Settings, time.Now())
	for _, m := range missing {
		fmt.Fprintf(a.Stderr, "plat: the example %s is not in the archive and is left out\n", excerpt.Printable(m))
	}
	if err != nil {
		return usage(err)
	}
	printState(a, c)
	if !a.JSON && !a.Quiet {
		fmt.Fprintln(a.Stderr, "plat: plat focus run visits its pages, as do plat up and workers")
	}
	return nil
}

func topicsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "topics [NAME]",
		Short: "Print the ready topics, or one of them",
		Long: `topics prints the topics that plat has: the first two levels of the Chinese Library
Classification, with names in English and Chinese. With an ID or a name it prints that
topic, its terms and those below it.

JSON, one object a topic: id, parent, names, description, terms.`,
		Example: `  plat focus topics
  plat focus topics TP
  plat focus topics 天文学`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			tree := topic.Ready()
			all := tree.All()
			if len(args) == 1 {
				t, err := tree.Find(args[0])
				if err != nil {
					return app.Fail(app.ExitUsage, "%w", err)
				}
				all = append([]*topic.Topic{t}, t.Topics...)
			}
			if a.JSON {
				for _, t := range all {
					a.Out.JSON(struct {
						ID          string              `json:"id"`
						Parent      string              `json:"parent,omitempty"`
						Names       map[string]string   `json:"names"`
						Description string              `json:"description,omitempty"`
						Terms       map[string][]string `json:"terms,omitempty"`
					}{t.ID, t.Parent, t.Names, t.Description, t.Terms})
				}
				return nil
			}
			var table terminal.Table
			table.Head("ID", "English", "中文", "terms")
			for _, t := range all {
				depth := strings.Repeat("  ", len(tree.Path(t))-1)
				terms := strings.Join(t.Terms["en"], ", ")
				if len(args) == 0 {
					terms = terminal.Shorten(terms, 50)
				}
				table.Row(terminal.Text(depth+t.ID), terminal.Text(t.Name("en")), terminal.Text(t.Name("zh")), terminal.Text(terms).In(terminal.Faint))
			}
			table.Print(a.Out)
			return nil
		},
	}
}
