package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"plat/article"
	"plat/cmd/plat/app"
	"plat/listing"
	"plat/settings/flags"
)

func textCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "text URL|SNAPSHOT-FILE…",
		Short: "Print the main text of a page, its title, authors and date",
		Long: `text renders pages, or reads stored snapshots, and prints what they are about: the
title, who wrote it and when as far as the page tells, and the main text without
menus, advertisements, captions, comments and lists of other texts. Nothing is
stored.

It is made for articles: news, blogs, notices. Of a front page it prints the part
that holds most text.

If one of several pages fails, the others are printed all the same, and the exit
code is 3.

JSON, one object a page: url, title, authors, date (YYYY-MM-DD), language, text
(paragraphs separated by an empty line, items of a list by a line's end). What the
page does not tell is empty. For one of several pages that fails: url, error.`,
		Example: `  plat text https://example.com/news/story.html
  plat text page.snapshot
  plat text https://example.com/a https://example.com/b --json | jq -r .title`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Rendering, flags.Reaching, flags.Naming), "tabs"),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := &texts{reader: reader{App: a}}
			defer r.close()
			failed := 0
			for _, where := range args {
				err := r.print(cmd.Context(), where)
				switch {
				case err == nil:
				case len(args) == 1 || cmd.Context().Err() != nil || app.CodeOf(cmd.Context(), err) == app.ExitBrowser || app.OfSettings(err):
					return err // alone, or the next would fail the same way
				default:
					f, ok := err.(*app.Failure)
					if !ok || f.URL == "" {
						f = &app.Failure{Code: app.ExitError, URL: where, Err: err}
					}
					a.Complain(cmd, f, err)
					failed++
				}
				if a.Out.Err() != nil {
					return a.Out.Err()
				}
			}
			if failed > 0 {
				return &app.Failure{Code: app.ExitPartly}
			}
			return nil
		},
	}
}

// texts prints the texts of pages.
type texts struct {
	reader
	shown int
}

func (r *texts) print(ctx context.Context, where string) error {
	snap, err := r.snapshot(ctx, where)
	if err != nil {
		return err
	}
	if isURL(where) && snap.Status >= 400 {
		return app.About(snap.URL, fmt.Errorf("the server answered with status %d, so what it shows is no text; check the URL, or see the page with plat explain%s", snap.Status, r.Forbidden(snap.Status)))
	}
	found := article.Extract(snap)
	r.shown++
	listing.Article(r.Out, snap, found, r.shown > 1, r.JSON)
	return nil
}
