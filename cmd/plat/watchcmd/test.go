package watchcmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/queue/links"
	"plat/storage"
	"plat/storage/uri"
	"plat/watch"
)

func testCommand(a *app.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "test URL",
		Short: "Show which lists are found on a page, their entries, and why",
		Long: `test renders a page, and prints the lists that a subscription would watch for new entries,
with the reasons; then the lists that it would not, and why. If the archive has the page,
each of these has the number of its block: plat watch add URL --block NUMBER watches it.
If the site has feeds of its own, it prints how many of their entries are in the lists:
plat watch add URL --feed FEED watches a feed beside the page. Nothing is stored.

The history of a page says more than one version: a list whose entries differ in every
version is then left out, and so is one that appears as a whole.

Lists are named as the page shows them: by the text above them and by their first entries.

JSON: url, lists (kind, heading, why, entries: title, url, dated, excerpt), further (lists that
are watched for additions alone: kind, heading, first, titles of the first three, entries),
passed (heading, first, titles, entries, why, block), feeds (url, entries, found, error).`,
		Example: `  plat watch test https://example.com/news/
  plat watch test https://example.com/news/ --json | jq '.lists[].entries[].title'`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming), "fixed", "screenshot", "resources", "meta-rules", "tabs"),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.CheckCut(); err != nil {
				return err
			}
			typed, err := a.Typed(args)
			if err != nil {
				return err
			}
			u, err := a.Canonical(typed[0])
			if err != nil {
				return err
			}
			r, err := a.Renderer(cmd.Context())
			if err != nil {
				return err
			}
			defer r.Close()
			snap, err := r.Render(cmd.Context(), u, func(*plat.Snapshot) plat.Attachments { return plat.Attachments{} })
			if err != nil {
				return app.About(u, err)
			}
			if snap.Status >= 400 {
				return app.About(u, fmt.Errorf("the server answered with status %d, so this is not the page%s", snap.Status, a.Forbidden(snap.Status)))
			}
			lists, err := listsOf(a, snap)
			if err != nil {
				return app.About(u, err)
			}
			known := number(cmd.Context(), a, u, lists)
			output.Lists(a.Out, u, known, lists, compared(cmd.Context(), r.Client(), snap, lists), all, a.JSON)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "print all entries, not the first of each list")
	return cmd
}

// number gives passed lists the numbers of their blocks in the archive's last version of the page, and reports whether the
// archive has one. Without an archive there are no numbers.
func number(ctx context.Context, a *app.App, u string, lists *watch.Lists) (known bool) {
	_ = a.WithStore(ctx, uri.Reads, func(store storage.Store) error {
		head, err := headLists(ctx, store, u, &plat.Subscription{})
		if err != nil || head == nil {
			return err
		}
		known = true
		for i := range lists.Passed {
			p := &lists.Passed[i]
			if at := slices.IndexFunc(head.Passed, func(h watch.Passed) bool { return h.First == p.First }); at >= 0 {
				p.Block = head.Passed[at].Block
			}
		}
		return nil
	})
	return known
}

// Limits of a site's feeds.
const (
	maxFeeds = 5
	maxLinks = 1000    // of the page, in which its feeds are looked for
	maxFeed  = 5 << 20 // bytes
	feedTime = 20 * time.Second
)

// compared reads the feeds that a page names, and looks for their entries in its lists.
func compared(ctx context.Context, site *http.Client, snap *plat.Snapshot, lists *watch.Lists) []output.SiteFeed {
	ctx, cancel := context.WithTimeout(ctx, feedTime)
	defer cancel()
	out := []output.SiteFeed{}
	page := &links.Page{Snapshot: snap}
	for _, l := range page.Links(nil, maxLinks) {
		if l.Kind != links.Feed || len(out) == maxFeeds {
			continue
		}
		f := output.SiteFeed{URL: l.URL}
		read, err := readFeed(ctx, site, l.URL)
		if err != nil {
			f.Error = err.Error()
		} else {
			f.Entries = len(read.Items)
			for _, it := range read.Items {
				if lists.Has(it.Title, it.Link) {
					f.Found++
				}
			}
		}
		out = append(out, f)
	}
	return out
}

func readFeed(ctx context.Context, site *http.Client, u string) (*gofeed.Feed, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	res, err := site.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered with status %d", res.StatusCode)
	}
	return gofeed.NewParser().Parse(io.LimitReader(res.Body, maxFeed))
}

// listsOf finds the lists of a page as a subscription would.
func listsOf(a *app.App, snap *plat.Snapshot) (*watch.Lists, error) {
	cut, err := a.Divide(snap)
	if err != nil {
		return nil, err
	}
	return watch.Find(&watch.Page{URL: snap.URL, Base: snap.Base(), Layout: &cut.Page.Layout, Blocks: cut.Page.Blocks}, watch.Options{})
}
