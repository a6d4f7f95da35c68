package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat"
	"plat/storage"
)

// missing says what to do about a version that is not there.
func missing(ctx context.Context, s storage.Store, r ref, err error) error {
	if !errors.Is(err, plat.ErrNotFound) {
		return about(r.String(), err)
	}
	next := "archive it first, with plat archive"
	if state, err := s.State(ctx, r.url); err == nil {
		next = "plat versions lists those that are"
		switch {
		case state.Visits == 0:
			next = "it waits to be visited; run plat worker, or plat archive"
		case state.Head == 0:
			next = fmt.Sprintf("it was visited, but no visit found a page (the last one: %s)", state.Outcome)
		}
	} else if i := strings.LastIndexByte(r.url, '@'); i > 0 {
		if u, err := plat.Canonical(r.url[:i], nil); err == nil {
			if state, err := s.State(ctx, u); err == nil && state.Head > 0 {
				next = fmt.Sprintf("%s is: write a version of it as %s@N, N being a number", u, u)
			}
		}
	}
	return about(r.String(), fmt.Errorf("%w in the archive; %s", plat.ErrNotFound, next))
}

// versionInfo is a version in JSON, without its blocks.
type versionInfo struct {
	URL       string            `json:"url"`
	Version   int               `json:"version"`
	Taken     time.Time         `json:"taken"`
	Status    int               `json:"status"`
	Title     string            `json:"title"`
	Blocks    int               `json:"blocks"`
	Changes   map[plat.Kind]int `json:"changes"`
	PageBytes int64             `json:"page_bytes"`
	Layout    string            `json:"layout"`
	Level     int               `json:"level"`
	Profile   string            `json:"profile"`
	Coverage  float64           `json:"coverage"`
	FinalURL  string            `json:"final_url"`
	Browser   string            `json:"browser"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Language  string            `json:"language"`
	Unsettled bool              `json:"unsettled"`
	Picture   string            `json:"picture,omitempty"`
	Meta      map[string]string `json:"meta"`
}

func versionOf(v *plat.Version) versionInfo {
	i := versionInfo{
		URL: v.URL, Version: v.N, Taken: v.Taken, Status: v.Capture.Status, Title: v.Capture.Title, Blocks: leaves(v),
		Changes: changesOf(v), PageBytes: v.Capture.PageBytes, Layout: v.Layout.String(), Level: v.Level, Profile: v.Profile,
		Coverage: v.Coverage, FinalURL: v.Capture.FinalURL, Browser: v.Capture.Browser, Width: v.Capture.Width,
		Height: v.Capture.Height, Language: v.Capture.Language, Unsettled: v.Capture.Unsettled, Meta: v.Meta,
	}
	if !v.Picture.IsZero() {
		i.Picture = v.Picture.String()
	}
	if i.Meta == nil {
		i.Meta = map[string]string{}
	}
	return i
}

const versionJSON = `url, version, taken, status, title, blocks, changes (number by kind),
page_bytes, layout, level, profile, coverage, final_url, browser, width, height,
language, unsettled, picture, meta`

func (a *app) versionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "versions URL",
		Short: "List the versions of a URL",
		Long: `versions lists what the archive has of a URL, oldest first: when it was taken,
what changed against the version before, how many blocks and bytes it has.

JSON, one object a version: ` + versionJSON + `.`,
		Example: `  plat versions https://example.com/
  plat versions https://example.com/ --json | jq .taken`,
		Annotations: heeds(naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			u, err := a.canonical(args[0])
			if err != nil {
				return err
			}
			return a.withStore(ctx, reads, func(s storage.Store) error {
				t := table{}
				t.head(">n", "taken (UTC)", ">blocks", ">bytes", ">status", "changes")
				none := true
				for v, err := range s.Versions(ctx, u) {
					if err != nil {
						return about(u, err)
					}
					full, err := s.Version(ctx, u, v.N)
					if err != nil {
						return about(u, err)
					}
					none = false
					if a.json {
						a.out.json(versionOf(full))
						continue
					}
					what := kinds(full.Changes)
					if v.N == 1 {
						what = "first version"
					}
					t.row(number(fmt.Sprint(v.N)), text(clock(v.Taken)), number(count(int64(leaves(full)))), number(size(v.Capture.PageBytes)),
						number(fmt.Sprint(v.Capture.Status)), text(what))
				}
				switch {
				case none:
					return missing(ctx, s, ref{url: u}, plat.ErrNotFound)
				case !a.json:
					t.print(a.out)
				}
				return nil
			})
		},
	}
}
