package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat"
	"plat/address"
	"plat/cmd/plat/app"
	"plat/listing"
	"plat/retention"
	"plat/settings/flags"
	"plat/storage"
	"plat/storage/uri"
	"plat/term"
)

func forgetCommand(a *app.App) *cobra.Command {
	var before string
	var dry, yes bool
	var cut storage.Cut
	cmd := &cobra.Command{
		Use:   "forget URL|PREFIX*|HOST…",
		Short: "Remove pages, or their old versions, from the archive for good",
		Long: `forget removes from the archive what it has of a page (a URL), of all pages whose URLs
begin with a text (with a * behind it), or of all pages of a host (a name without ://):
versions, visits, pictures, and what was found in them by searches and subscriptions.
The jobs of these pages are ended, and links to them are not followed any more; plat archive
URL takes one anew. That they were removed, and when, is kept with their URLs.

With --before or --keep-last only old versions are removed, and the visits before the
oldest that is kept. --before removes the versions that others had replaced by then:
what stood on the page at that time stays. --keep-last N keeps at least the last N.
The numbers of versions stay as they are.

What other pages have too is kept. In a SQLite file nothing of the rest is left, nor in
its free space: the file is written anew, which takes the time and the space of a copy.
With MongoDB what was written within the last hour is removed by the next plat gc, because
a visit under way may still rely on it.

Copies elsewhere (exports, backups, feeds that others have read) are yours to remove.

Without --yes, a host or a * only says what it would remove, as does --dry-run. To forget
old versions always, run plat up or plat worker with --keep-last or --keep-for.

JSON, one object a page: url, versions, visits, items (of subscriptions), forgotten (the last
number that is gone), whole; and last one with total true, the sums, dry_run, pages, bytes_before, bytes_after
(on disk), removed (blocks, layouts, versions, pictures, manifests, resources, bytes), until (when plat gc may
remove the rest).`,
		Example: `  plat forget https://example.com/imprint
  plat forget https://example.com/news/* --before 2025-01-01 --dry-run
  plat forget example.com --keep-last 10 --yes`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if cut.Before, err = term.Moment(before, time.Now()); err != nil {
				return app.Fail(app.ExitUsage, "--before %w", err)
			}
			if cmd.Flags().Changed("keep-last") && cut.KeepLast < 1 {
				return app.Fail(app.ExitUsage, "--keep-last %d: write 1 or more; without --before and --keep-last the whole page is removed", cut.KeepLast)
			}
			f := &forgetter{a: a, cut: cut, dry: dry}
			for _, arg := range args {
				w, err := toForget(a, arg)
				if err != nil {
					return err
				}
				f.which = append(f.which, w)
				f.dry = f.dry || w.URL == "" && !yes
			}
			f.asks = f.dry && !dry
			u := uri.Writes
			if f.dry {
				u = uri.Reads
			}
			return a.WithStore(cmd.Context(), u, func(s storage.Store) error { return f.run(cmd.Context(), s) })
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "only versions that others had replaced by this `TIME`: 2026-01-31, 2026-01-31T15:04:05Z, or 90d (ago)")
	cmd.Flags().IntVar(&cut.KeepLast, "keep-last", 0, "only older versions than the last `N`")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove what a host or a * names")
	return cmd
}

// toForget reads an argument: a URL, a prefix or a host.
func toForget(a *app.App, arg string) (w retention.Which, err error) {
	prefix, many := strings.CutSuffix(arg, "*")
	switch {
	case many && !strings.Contains(prefix, "://"):
		return w, app.Fail(app.ExitUsage, "%q: write the beginning of URLs, with its scheme, before the *", arg)
	case many:
		w.Prefix = prefix
	case !strings.Contains(arg, "://"):
		u, err := plat.Canonical("http://"+arg, nil)
		if err != nil || strings.TrimPrefix(u, "http://"+plat.HostOf(u)) != "/" {
			return w, app.Fail(app.ExitUsage, "%q: write a host, as example.com, or a URL with its scheme", arg)
		}
		w.Host = plat.HostOf(u)
	default:
		w.URL, err = a.Canonical(arg)
	}
	return w, err
}

// A forgetter is one call of plat forget.
type forgetter struct {
	a     *app.App
	which []retention.Which
	cut   storage.Cut
	dry   bool
	asks  bool // it is dry because --yes is missing
}

func (f *forgetter) run(ctx context.Context, s storage.Store) error {
	list := listing.NewForgotten(f.a.Out, f.a.JSON, f.dry, f.cut)
	before, err := s.Size(ctx)
	if err != nil {
		return err
	}
	for _, w := range f.which {
		if w.URL != "" {
			main, err := address.Of(ctx, s, w.URL)
			if err != nil {
				return err
			}
			if main != w.URL {
				fmt.Fprintf(f.a.Stderr, "plat: %s is archived as %s\n", w.URL, main)
			}
			w.URL = main
		}
		_, err := retention.Sweep(ctx, s, w, f.cut, f.dry, list.Add)
		if w.URL != "" && errors.Is(err, plat.ErrNotFound) {
			return &app.Failure{Code: app.ExitError, URL: w.URL, Err: fmt.Errorf("%w in the archive: there is nothing to forget; plat stats lists its sites", plat.ErrNotFound)}
		}
		if err != nil {
			return err
		}
	}
	var swept storage.Swept
	if !f.dry && list.Pages > 0 {
		f.a.Out.Progress("removing what nothing refers to any more")
		swept, err = s.GC(ctx, time.Now().Add(-storage.CommitTime))
		if err == nil {
			err = s.Vacuum(ctx)
		}
		f.a.Out.Progress("")
		if err != nil {
			return fmt.Errorf("they are forgotten, but their bytes are still there: %w; remove them with plat gc", err)
		}
	}
	after, err := s.Size(ctx)
	if err != nil {
		return err
	}
	list.Print(swept, before, after)
	if f.asks && list.Pages > 0 {
		return app.Fail(app.ExitUsage, "nothing was removed: add --yes to remove it")
	}
	return nil
}
