// Package focuscmd has the commands of plat for focused crawls: their topics, runs and results.
package focuscmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/focus/crawler"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
)

// Command is the command focus; run is its command that does the work.
func Command(a *app.App, run *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "focus COMMAND",
		Short: "Crawl only pages on a topic",
		Long: `focus keeps focused crawls. Given a topic and some URLs to begin with, plat focus run, or
plat up, visits first what probably belongs to the topic, also where it lies behind pages
that do not, and learns from each page where more of it is. Versions are stored of the
pages that belong; others are noted, so that they are not asked for again.`,
		Example: `  plat focus new --about "bird migration: routes, ringing, stopover sites" https://example.org/
  plat focus run
  plat focus status`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCommand(a), proposeCommand(a), run, statusCommand(a), whyCommand(a), labelCommand(a), exportCommand(a), stateCommand(a, "stop", plat.CrawlPaused),
		stateCommand(a, "resume", plat.CrawlRuns), removeCommand(a), topicsCommand(a))
	return cmd
}

// found returns the crawl that text names: by its ID, the beginning of one, or its name.
func found(ctx context.Context, store storage.Crawls, text string) (*plat.Crawl, error) {
	c, err := store.Crawl(ctx, text)
	if err == nil || !errors.Is(err, plat.ErrNotFound) {
		return c, err
	}
	var all []*plat.Crawl
	for c, err := range store.Crawls(ctx) {
		if err != nil {
			return nil, err
		}
		if len(text) >= 3 && strings.HasPrefix(c.ID, text) || strings.EqualFold(c.Name, text) {
			all = append(all, c)
		}
	}
	switch len(all) {
	case 0:
		return nil, app.Fail(app.ExitError, "no focused crawl %q; plat focus status lists all", text)
	case 1:
		return all[0], nil
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return nil, app.Fail(app.ExitError, "%q names %d focused crawls: write one of %s", text, len(all), strings.Join(ids, ", "))
}

// change changes the crawl that text names.
func change(ctx context.Context, store storage.Crawls, text string, edit func(c *plat.Crawl) error) (*plat.Crawl, error) {
	c, err := found(ctx, store, text)
	if err != nil {
		return nil, err
	}
	return crawler.Change(ctx, store, c.ID, edit)
}

func stateCommand(a *app.App, name string, to plat.CrawlState) *cobra.Command {
	short, long := "Ask for no more pages of a focused crawl", "stop has a focused crawl ask for no more pages. plat focus resume has it go on. One that is\ndone stays done."
	if to == plat.CrawlRuns {
		short, long = "Have a focused crawl go on", `resume has a focused crawl go on that was stopped, or that was done. One that had all its
pages wants another --pages, one whose hosts had theirs another --per-host. One that found
nothing more looks at as many URLs again as at its beginning before it gives up.`
	}
	cmd := &cobra.Command{
		Use:     name + " CRAWL",
		Short:   short,
		Long:    long + "\n\nJSON: an object with id, name and state.",
		Example: fmt.Sprintf("  plat focus %[1]s birds\n  plat focus %[1]s k3qz7 --json", name),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var how crawler.Resumption
			for name, into := range map[string]**int{"pages": &how.Pages, "per-host": &how.PerHost} {
				f := cmd.Flags().Lookup(name)
				if f == nil || !f.Changed {
					continue
				}
				n, err := cmd.Flags().GetInt(name)
				if err != nil || n < 0 {
					return app.Fail(app.ExitUsage, "--%s %d: write 0 or more; 0 is no limit", name, n)
				}
				*into = &n
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				c, err := found(ctx, store, args[0])
				if err == nil && to == plat.CrawlRuns {
					c, err = crawler.Resume(ctx, store, c.ID, how)
				} else if err == nil {
					c, err = crawler.Stop(ctx, store, c.ID)
				}
				if err != nil {
					return usage(err)
				}
				printState(a, c)
				return nil
			})
		},
	}
	if to == plat.CrawlRuns {
		cmd.Flags().Int("pages", 0, "most `PAGES` that are visited in all, with those of before; 0: no limit (default: as before)")
		cmd.Flags().Int("per-host", 0, "most `PAGES` of one host; 0: no limit (default: as before)")
	}
	return cmd
}

func printState(a *app.App, c *plat.Crawl) {
	if a.JSON {
		a.Out.JSON(struct {
			ID    string          `json:"id"`
			Name  string          `json:"name,omitempty"`
			State plat.CrawlState `json:"state"`
		}{c.ID, c.Name, c.State})
		return
	}
	a.Out.Print(excerpt.Printable(fmt.Sprintf("%s  %s  %s", c.ID, c.State, c.Name)))
}

func removeCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rm CRAWL…",
		Short: "Remove focused crawls; versions stay",
		Long: `rm removes focused crawls and what they know of pages. Versions that were stored stay
in the archive.

JSON, one object a crawl: id, name, state (removed).`,
		Example: `  plat focus rm birds
  plat focus rm k3qz7 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				for _, arg := range args {
					c, err := found(ctx, store, arg)
					if err != nil {
						return err
					}
					if err := store.RemoveCrawl(ctx, c.ID); err != nil {
						return err
					}
					c.State = "removed"
					printState(a, c)
				}
				return nil
			})
		},
	}
}

// titled names a page: by its title too, if it has one.
func titled(title, url string) string {
	if title == "" {
		return url
	}
	return title + "  " + url
}
