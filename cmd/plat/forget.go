package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/queue/aliases"
	"plat/storage"
	"plat/storage/retention"
	"plat/storage/uri"
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
(on disk; null if bytes of what was forgotten are still there, as bytes_left says), removed (blocks, layouts, versions, pictures, manifests, resources, bytes), until (when plat gc may
remove the rest).`,
		Example: `  plat forget https://example.com/imprint
  plat forget https://example.com/news/* --before 2025-01-01 --dry-run
  plat forget example.com --keep-last 10 --yes`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if cut.Before, err = terminal.Moment(before, time.Now()); err != nil {
				return app.Fail(app.ExitUsage, "--before %w", err)
			}
			if cmd.Flags().Changed("before") && cut.Before.IsZero() {
				return app.Fail(app.ExitUsage, "--before is empty: write a time; without --before and --keep-last the whole page is removed")
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
			return a.With(cmd.Context(), u, f.run)
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "only versions replaced by this `TIME`: 2026-01-31, 2026-01-31T15:04:05Z, or 90d (ago)")
	cmd.Flags().IntVar(&cut.KeepLast, "keep-last", 0, "only older versions than the last `N`")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove what a host or a * names")
	app.OnCommandLine(cmd, "before", "keep-last", "dry-run", "yes")
	return cmd
}

// toForget reads an argument: a URL, a prefix or a host.
func toForget(a *app.App, arg string) (w retention.Which, err error) {
	prefix, many := strings.CutSuffix(arg, "*")
	switch {
	case many:
		w.Prefix, err = canonicalPrefix(prefix)
		if err != nil {
			return w, app.Fail(app.ExitUsage, "%q: %w", arg, err)
		}
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

// canonicalPrefix returns the canonical form of the beginning of URLs.
func canonicalPrefix(prefix string) (string, error) {
	scheme, rest, ok := strings.Cut(prefix, "://")
	host, path, slash := strings.Cut(rest, "/")
	if !ok || !slash {
		return "", errors.New("write the beginning of URLs, with their scheme and whole host, before the *, as https://example.com/*")
	}
	u, err := plat.Canonical(scheme+"://"+host+"/", nil)
	return u + path, err
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
	if err := f.resolve(ctx, s); err != nil {
		return err // before anything is removed
	}
	list := output.NewForgotten(f.a.Out, f.a.JSON, f.dry, f.cut)
	before, err := s.Size(ctx)
	if err != nil {
		return err
	}
	swept, left, err := f.sweep(ctx, s, list)
	after, failed := s.Size(ctx)
	if err == nil {
		err = failed
	}
	if err != nil && list.Pages == 0 {
		return err
	}
	list.Print(swept, before, after, left)
	switch {
	case err != nil:
		return err
	case f.asks && list.Pages > 0:
		return app.Fail(app.ExitUsage, "nothing was removed: add --yes to remove it")
	}
	return f.orphans(ctx, s, list)
}

// resolve replaces the named pages by their main URLs, adds their other addresses, and refuses
// pages that are not in the archive.
func (f *forgetter) resolve(ctx context.Context, s storage.Store) error {
	var others []retention.Which
	for i := range f.which {
		w := &f.which[i]
		if w.URL == "" {
			if any, err := w.Any(ctx, s); err != nil || !any {
				return cmp.Or(err, f.unknown(ctx, s, *w))
			}
			continue
		}
		main, err := f.main(ctx, s, w.URL)
		if err != nil {
			return err
		}
		if main != w.URL {
			fmt.Fprintf(f.a.Stderr, "plat: %s is archived as %s\n", w.URL, main)
			w.URL = main
		}
		if !f.cut.Whole() {
			continue
		}
		addresses, err := storage.Others(ctx, s, main, maxAddresses)
		if err != nil {
			return err
		}
		for _, other := range addresses {
			others = append(others, retention.Which{URL: other})
		}
	}
	f.which = append(f.which, others...)
	return nil
}

// main returns the URL under which a page is archived, from exact records only. The guesses of
// reading commands must not lead to the removal of a different page.
func (f *forgetter) main(ctx context.Context, s storage.Store, url string) (string, error) {
	st, err := storage.MainOf(ctx, s.State, url)
	if !errors.Is(err, plat.ErrNotFound) {
		return st.URL, err
	}
	next := "plat stats lists its sites"
	if other, err := aliases.Of(ctx, s, url); err == nil && other != url {
		next = "did you mean " + other + "?"
	}
	return "", &app.Failure{Code: app.ExitError, URL: url, Err: fmt.Errorf("%w in the archive: nothing was forgotten; %s", plat.ErrNotFound, next)}
}

// maxAddresses is more than a page has other addresses.
const maxAddresses = 100_000

// unknown returns an error for a host or a prefix without URLs, with a similar host if there is
// one.
func (f *forgetter) unknown(ctx context.Context, s storage.Store, w retention.Which) error {
	if w.Host == "" {
		return app.About(w.Prefix+"*", fmt.Errorf("no URL of the archive begins so; nothing was forgotten"))
	}
	sites, err := s.Stats(ctx)
	if err != nil {
		return err
	}
	near := "plat stats lists its sites"
	for _, x := range sites {
		if host, _, ok := strings.Cut(x.Host, ":"); ok && host == w.Host {
			near = "it has " + x.Host + ", a different host: write it with its port"
		}
	}
	return app.About(w.Host, fmt.Errorf("the archive has no URL of this host, and nothing was forgotten; %s", near))
}

// sweep forgets versions and removes their bytes, also those that an interrupted or failed run
// has left. left is set if bytes remain.
func (f *forgetter) sweep(ctx context.Context, s storage.Store, list *output.Forgotten) (swept storage.Swept, left bool, err error) {
	for _, w := range f.which {
		if _, err = retention.Sweep(ctx, s, w, f.cut, f.dry, list.Add); err != nil {
			break
		}
	}
	if f.dry || err != nil && list.Pages == 0 {
		return swept, false, err
	}
	f.a.Out.Progress("removing unreferenced data")
	swept, failed := s.GC(ctx, time.Now().Add(-storage.CommitTime))
	if failed == nil {
		failed = s.Vacuum(ctx)
	}
	f.a.Out.Progress("")
	if failed != nil {
		failed = fmt.Errorf("the versions are forgotten, but their bytes are still there: %w; remove them with plat gc", failed)
		if err != nil {
			failed = fmt.Errorf("%w; %w", err, failed)
		}
		return swept, true, failed
	}
	return swept, false, err
}

// orphans prints the subscriptions that have lost their page.
func (f *forgetter) orphans(ctx context.Context, s storage.Store, list *output.Forgotten) error {
	if f.dry || !f.cut.Whole() || list.Pages == 0 {
		return nil
	}
	for sub, err := range s.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return err
		}
		st, err := s.State(ctx, sub.URL)
		if err == nil && st.Gone() && st.Due.IsZero() {
			fmt.Fprintf(f.a.Stderr, "plat: the subscription %s is to %s, which is not visited any more; plat watch rm %s removes it, plat archive stores it again\n", sub.ID, sub.URL, sub.ID)
		}
	}
	return nil
}
