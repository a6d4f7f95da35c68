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

const versionJSON = `url, version, taken, status, title, blocks, changes (number by kind, of
those that are news), held_back (of those that the page makes by itself), news, page_bytes, layout, level, profile, coverage, final_url, browser, width, height,
language, settled, unsettled, coarse (how many nodes it had, if too many), steps (hash of what was done before), picture, resources (manifest, kept, bytes, left_out), meta`

func versionsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "versions URL",
		Short: "List the versions of a URL",
		Long: `versions lists what the archive has of a URL, oldest first: when it was taken,
what changed against the version before, how many blocks and bytes it has. What the page
changes by itself is said apart.

JSON, one object a version: ` + versionJSON + `.`,
		Example: `  plat versions https://example.com/
  plat versions https://example.com/ --json | jq .taken`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			u, err := a.Canonical(args[0])
			if err != nil {
				return err
			}
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				t, none := output.NewVersions(), true
				for v, err := range s.Trees(ctx, u, 1, math.MaxInt) {
					if err != nil {
						return app.About(u, err)
					}
					none = false
					if a.JSON {
						i := history.VersionOf(v)
						if i.Resources, err = history.ResourcesOf(ctx, s, v); err != nil {
							return app.About(u, err)
						}
						a.Out.JSON(i)
						continue
					}
					t.Add(v)
				}
				switch {
				case none:
					return missing(ctx, s, ref{url: u}, plat.ErrNotFound)
				case !a.JSON:
					t.Print(a.Out)
				}
				return nil
			})
		},
	}
}
