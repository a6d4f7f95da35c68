package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
	"plat/watch/view"
)

// wishes are the flags of a subscription.
type wishes struct {
	plat.Subscription
	queue.Seed
	labels, kinds []string
	blocks, muted []int // as pflag shows an empty list without a default
}

func (w *wishes) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&w.Title, "title", "", "`TEXT` that it is shown as (default: the title of the page)")
	f.IntVar(&w.Subscription.Depth, "depth", 1, "1: the page; 2: also the pages that its items link to; 3: also those that theirs do")
	f.StringArrayVar(&w.Feeds, "feed", nil, "`URL` of a feed of the site, whose entries are items too, each once; may be given again")
	f.StringSliceVar(&w.kinds, "kinds", nil, "items: new, changed, removed entries, or all text that is added (new)")
	f.StringArrayVar(&w.Match, "match", nil, "only items whose added text matches this `REGEXP`; may be repeated, one match suffices")
	f.StringArrayVar(&w.Except, "except", nil, "no items that match this `REGEXP`; may be repeated")
	f.IntSliceVar(&w.blocks, "block", nil, "only in the block of this `NUMBER`, as plat show prints it; may be given again")
	f.IntSliceVar(&w.muted, "mute", nil, "nothing in the block of this `NUMBER`; may be given again")
	f.StringSliceVar(&w.labels, "label", nil, "only in blocks with this label, as main or table; may be given again")
	f.StringVar(&w.Group, "group", "", "`NAME` of the folder that it is in")
	f.StringSliceVar(&w.Tags, "tag", nil, "`NAMES` of tags; each has feeds of its own")
	f.StringSliceVar(&w.Tell, "tell", nil, "`NAMES` of channels for notifications, see plat watch channel")
	f.StringVar(&w.Digest, "digest", "", "tell at these times only, as \"daily 07:30\" or \"weekly mon 07:30\" (default: at once)")
	flags.Schedule(f, &w.Seed)
	every := f.Lookup("every")
	every.Usage = strings.Replace(every.Usage, "(default: once)", "(default: hourly, unless the page has a schedule)", 1)
}

// lineages returns the numbers of blocks.
func lineages(numbers []int) (all []int32) {
	for _, n := range numbers {
		all = append(all, int32(min(max(n, math.MinInt32), math.MaxInt32)))
	}
	return all
}

// fill completes the subscription from its flags and checks it.
func (w *wishes) fill() error {
	s := &w.Subscription
	s.Kinds, s.Labels = nil, nil
	for _, k := range follow.Names(w.kinds) {
		s.Kinds = append(s.Kinds, plat.ItemKind(k))
	}
	for _, l := range follow.Names(w.labels) {
		s.Labels = append(s.Labels, plat.Label(l))
	}
	s.Blocks, s.Muted = lineages(w.blocks), lineages(w.muted)
	s.Tags, s.Tell = follow.Names(s.Tags), follow.Names(s.Tell)
	checked := *s
	checked.Feeds = nil // not canonical yet
	if err := follow.Check(&checked); err != nil {
		return app.Fail(app.ExitUsage, "%w", err)
	}
	return nil
}

func addCommand(a *app.App) *cobra.Command {
	var w wishes
	cmd := &cobra.Command{
		Use:   "add URL…",
		Short: "Subscribe to pages",
		Long: `add subscribes to pages, and has them visited: every hour, unless a schedule says
otherwise (--every, --budget), or the page has one already. Visits are made by plat up,
plat watch run, or workers on the same archive. What stands on a page at its first visit
is known, and nobody is told of it. A page may have several subscriptions; add says so.

The lists on a page are found by themselves; plat watch test shows which. Where there is
none, the subscription says "choose what to watch", and tells only what is added to the
page's other lists until you name a block by --block: plat watch test URL and plat show
URL print the blocks' numbers. The URL may be that of a feed (RSS, Atom, JSON Feed, a
sitemap of news); with --feed a feed is watched beside the page, and what both have is
told once.

JSON, one object a subscription: as plat watch ls --json.`,
		Example: `  plat watch add https://example.com/news/
  plat watch add https://example.com/jobs --match 'archivist|librarian' --every 6h
  plat watch add https://example.com/status --block 33 --kinds text
  plat watch add https://example.com/blog/ --feed https://example.com/blog/feed.xml
  plat watch add https://example.com/blog/ --tag work --tell team --digest "daily 07:30"`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := w.fill(); err != nil {
				return err
			}
			args, err := a.Typed(args)
			if err != nil {
				return err
			}
			for _, arg := range args { // before the archive is made
				if _, err := a.Canonical(arg); err != nil {
					return err
				}
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				var all []*storage.Subscribed
				for _, arg := range args {
					s, err := add(ctx, a, store, arg, w)
					if err != nil {
						return err
					}
					all = append(all, s)
				}
				if err := warnOfChannels(ctx, a, store, w.Tell); err != nil {
					return err
				}
				if err := foresee(ctx, store, all); err != nil {
					return err
				}
				if a.JSON {
					return show(ctx, a, store, all)
				}
				for _, s := range all {
					a.Out.Print(fmt.Sprintf("%s  %s", s.ID, s.URL))
				}
				if err := further(ctx, a, store, all); err != nil {
					return err
				}
				return hints(ctx, a, store, all)
			})
		},
	}
	w.flags(cmd.Flags())
	return cmd
}

// add subscribes to one page.
func add(ctx context.Context, a *app.App, store storage.Store, text string, w wishes) (*storage.Subscribed, error) {
	u, err := a.Canonical(text)
	if err != nil {
		return nil, err
	}
	j, err := job(a, u, w.Seed)
	if err != nil {
		return nil, err
	}
	s := w.Subscription
	s.URL = u
	if s.Feeds, err = feeds(a, w.Feeds); err != nil {
		return nil, err
	}
	err = follow.Subscribe(ctx, store, j, time.Now(), &s)
	if errors.Is(err, follow.ErrCannot) {
		err = app.Fail(app.ExitUsage, "%w", err)
	}
	if err != nil {
		return nil, err
	}
	return store.Subscription(ctx, s.ID)
}

// further names other subscriptions of the pages: two subscriptions of one page report each item twice.
func further(ctx context.Context, a *app.App, store storage.Store, added []*storage.Subscribed) error {
	for i, s := range added {
		if a.Quiet || i == someHints {
			return nil
		}
		for other, err := range store.Subscriptions(ctx, storage.Which{URL: s.URL}) {
			if err != nil {
				return err
			}
			if other.ID != s.ID {
				fmt.Fprintf(a.Stderr, "plat: %s has another subscription, %s; plat watch rm %s ends that one, plat watch edit changes it\n", excerpt.Printable(s.URL), other.ID, other.ID)
				break
			}
		}
	}
	return nil
}

// feeds returns canonical URLs.
func feeds(a *app.App, all []string) (out []string, err error) {
	for _, f := range all {
		if f == "" {
			continue
		}
		u, err := a.Canonical(f)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return follow.Names(out), nil
}

// job returns the visit of a page, with its schedule.
func job(a *app.App, u string, seed queue.Seed) (plat.Job, error) {
	seed.URL = u
	j, err := seed.Job(a.Drop())
	if err != nil {
		err = app.Fail(app.ExitUsage, "%w", err)
	}
	return j, err
}

// someTitles is the number of subscriptions up to which titles of pages are read from their last versions.
const someTitles = 500

// show prints subscriptions.
func show(ctx context.Context, a *app.App, store storage.Store, all []*storage.Subscribed) error {
	var rows []view.Subscription
	for _, s := range all {
		st, err := store.State(ctx, s.URL)
		if err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
		row, err := view.Read(ctx, store, s, &st)
		if err != nil {
			return err
		}
		if len(all) <= someTitles && s.Title == "" && st.Head > 0 {
			if v, err := store.Version(ctx, st.URL, st.Head); err == nil {
				row.Page = v.Capture.Title
			}
		}
		rows = append(rows, row)
	}
	output.Subscriptions(a.Out, rows, time.Now(), a.JSON)
	return nil
}
