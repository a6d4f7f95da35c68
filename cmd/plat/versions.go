package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/export/tables"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/uri"
)

// missing adds advice to the error of a missing version.
func missing(ctx context.Context, s storage.Store, r ref, err error) error {
	return missingOr(ctx, s, r, err, "")
}

// missingOr is missing for a command that can do something else if the URL has no version.
func missingOr(ctx context.Context, s storage.Store, r ref, err error, or string) error {
	if !errors.Is(err, plat.ErrNotFound) {
		return app.About(r.String(), err)
	}
	next, code := "archive it first, with plat archive"+or, app.ExitError
	if state, err := s.State(ctx, r.url); err == nil {
		next = "plat versions lists those that are"
		switch {
		case state.Head == 0 && !state.ForgottenAt.IsZero():
			return &app.Failure{Code: app.ExitError, URL: r.String(), Err: fmt.Errorf("it was removed from the archive on %s; plat archive stores it again", state.ForgottenAt.Format(time.DateOnly))}
		case 0 < r.n && r.n <= state.Forgotten:
			return &app.Failure{Code: app.ExitError, URL: r.String(), Err: fmt.Errorf("it was removed from the archive, with all versions up to %d, on %s; %s", state.Forgotten, state.ForgottenAt.Format(time.DateOnly), next)}
		case state.Visits == 0:
			next = "it waits to be visited; run plat worker, or plat archive" + or
		case state.Head == 0:
			next = fmt.Sprintf("it was visited, but no visit found a page (the last one: %s)", state.Outcome) + or
		}
	} else if u := archivedAlike(ctx, s, r.url); u != "" {
		next = u + " is"
	} else if i := strings.LastIndexByte(r.url, '@'); i > 0 {
		if u, err := plat.Canonical(r.url[:i], nil); err == nil {
			state, err := s.State(ctx, u)
			switch {
			case err == nil && state.Head > 0:
				next = fmt.Sprintf("%s is: %s", u, afterAt(u))
				if !strings.ContainsAny(r.url[i:], "/?#") {
					code = app.ExitUsage // a version was meant
				}
			case i+1 == len(r.url):
				next, code = fmt.Sprintf("nor is %s: archive it first, with plat archive, then %s", u, afterAt(u)), app.ExitUsage
			}
		}
	}
	return &app.Failure{Code: code, URL: r.String(), Err: fmt.Errorf("%w in the archive; %s", plat.ErrNotFound, next)}
}

// archivedAlike returns a URL alike that has versions; empty if none has.
func archivedAlike(ctx context.Context, s storage.Store, url string) string {
	for _, u := range alike(url) {
		if state, err := s.State(ctx, u); err == nil && state.Head > 0 {
			return u
		}
	}
	return ""
}

// alike returns URLs that may have been meant: with the other scheme, and with and without "www." and a slash at the end.
func alike(url string) (all []string) {
	scheme, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	paths := []string{path}
	if bare, ok := strings.CutSuffix(path, "/"); ok {
		paths = append(paths, bare)
	} else if path != "" && !strings.Contains(path, "?") {
		paths = append(paths, path+"/")
	}
	hosts := []string{host, "www." + host}
	if bare, ok := strings.CutPrefix(host, "www."); ok {
		hosts[1] = bare
	}
	other := map[string]string{"https": "http", "http": "https"}[scheme]
	for _, p := range paths {
		for _, h := range hosts {
			for _, s := range []string{scheme, other} {
				if u := s + "://" + h + "/" + p; u != url {
					all = append(all, u)
				}
			}
		}
	}
	return all
}

const versionJSON = `url, version, taken, status, title, blocks, changes (number by kind, of
those that are news), held_back (of those that the page makes by itself), news, page_bytes, layout, level, profile, coverage, final_url, browser, width, height,
language, settled, unsettled, coarse (how many nodes it had, if too many), steps (hash of what was done before), picture, resources (manifest, kept, bytes, left_out), meta`

func versionsCommand(a *app.App) *cobra.Command {
	var rows app.RowFlags
	first := true
	cmd := &cobra.Command{
		Use:   "versions URL",
		Short: "List the versions of a URL",
		Long: `versions lists what the archive has of a URL, oldest first: when it was taken,
what changed against the version before, how many blocks and bytes it has. What the page
changes by itself is said apart. --first=false leaves out the first version.

` + app.RowsHelp + `

JSON, one object a version: ` + versionJSON + `.
With -o: file, format, rows.`,
		Example: `  plat versions https://example.com/
  plat versions https://example.com/ -o versions.parquet
  plat versions https://example.com/ --json | jq .taken`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := a.Canonical(args[0])
			if err == nil {
				err = rows.Check(a)
			}
			if err != nil {
				return err
			}
			return a.WithStore(cmd.Context(), uri.Reads, func(s storage.Store) error {
				l := &versionList{App: a, store: s, url: u, first: first}
				if !rows.Columns() {
					return l.print(cmd.Context())
				}
				return app.WriteRows(a, &rows, &tables.Versions, func(write func(*plat.Version) error) error { return l.each(cmd.Context(), write) })
			})
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&first, "first", true, "the first version too")
	rows.Add(cmd.Flags())
	return cmd
}

// versionList lists the versions of a URL.
type versionList struct {
	*app.App
	store storage.Store
	url   string
	first bool // the first version too
}

// each calls f for each version, with its block tree.
func (l *versionList) each(ctx context.Context, f func(*plat.Version) error) error {
	none := true
	for v, err := range l.store.Trees(ctx, l.url, 1, math.MaxInt) {
		if err != nil {
			return app.About(l.url, err)
		}
		if none = false; v.Previous() == 0 && !l.first {
			continue
		}
		if err := f(v); err != nil {
			return err
		}
	}
	if none {
		return missing(ctx, l.store, ref{url: l.url}, plat.ErrNotFound)
	}
	return nil
}

// print prints the versions as a table or JSON.
func (l *versionList) print(ctx context.Context) error {
	t := output.NewVersions()
	err := l.each(ctx, func(v *plat.Version) (err error) {
		if !l.JSON {
			t.Add(v)
			return nil
		}
		i := history.VersionOf(v)
		if i.Resources, err = history.ResourcesOf(ctx, l.store, v); err != nil {
			return app.About(l.url, err)
		}
		l.Out.JSON(i)
		return nil
	})
	if err == nil && !l.JSON {
		t.Print(l.Out)
	}
	return err
}
