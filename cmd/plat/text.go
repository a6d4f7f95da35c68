package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/segment/markdown"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/uri"
)

func textCommand(a *app.App) *cobra.Command {
	r := &texts{reader: reader{App: a}}
	cmd := &cobra.Command{
		Use:   "text URL[@N|@TIME]|SNAPSHOT-FILE…",
		Short: "Print the main text of a page, its title, authors and date",
		Long: `text prints what pages are about: the title, who wrote it and when as far as the page
tells, and the main text without menus, headers, footers and advertisements.

What the main text is depends on the kind of page. Of an article (news, a blog post) it
is what was written, without captions, comments and lists of other texts. Of documentation
and other text that is looked up (reference), of a front page or an index (list), of
what several people have said (forum) and of a thing for sale (product) it is all of the
content from its beginning to its end, with code, tables, lists and captions. Comments of
readers are apart, except in a forum. Whether a page is an article is decided by a model
of its declarations, author, date and prose.

It reads version N of a URL from the archive, the version that was the last one at a
TIME (2026-01-31, which is the end of that day, or 2026-01-31T12:00:00Z), or the last
one: the text is kept with every version, as it was found on the page then. With --live
it renders the page now, and stores nothing; so it reads snapshot files. The flags of
rendering and reaching pages go with --live.

With --markdown the text is set as Markdown (CommonMark, with the tables of GitHub):
headings, lists, tables, code, quotes, links with whole URLs, emphasis, and images with
their alternative texts. The words are the same. There is no HTML in it, and links lead
to http, https, ftp and mailto only. Tables that lay out a page are written cell by cell.

If one of several pages fails, the others are printed all the same, and the exit
code is 3.

JSON, one object a page: url, version and taken (of what is archived), kind (article,
reference, list, forum, product), title, authors, date (YYYY-MM-DD; of a list none),
language, text (paragraphs separated by an empty line, items of a list and rows of a table
by a line's end, cells by tabs; of an article each cell is a paragraph; code in <pre> with
its blanks), comments (of readers; of a forum none), with --markdown also markdown (the
text, without the title before it). What the page does not tell is empty. For one of several pages that fails: url, error.`,
		Example: `  plat text https://example.com/news/story.html
  plat text https://example.com/news/story.html@3
  plat text https://example.com/news/story.html@2026-01-31
  plat text https://example.com/news/story.html --live
  plat text https://example.com/docs/reference.html --live --markdown > reference.md
  plat text https://example.com/a https://example.com/b --json | jq -r .title`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Rendering, flags.Reaching, flags.Naming), "tabs"),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onlyLive(a, cmd, args, r.live); err != nil {
				return err
			}
			defer r.close()
			failed := 0
			for _, where := range args {
				err := r.print(cmd.Context(), where)
				switch {
				case err == nil:
				case len(args) == 1 || cmd.Context().Err() != nil || sameForAll(cmd.Context(), err):
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
	cmd.Flags().BoolVar(&r.markdown, "markdown", false, "set the text as Markdown")
	cmd.Flags().BoolVar(&r.live, "live", false, "render the pages now, instead of reading the archive")
	return cmd
}

// orLive is advice about a page that is not archived.
const orLive = ", or render it now with --live"

// onlyLive complains about flags that do nothing where a page is read from the archive: who gives
// one expects that it is heeded.
func onlyLive(a *app.App, cmd *cobra.Command, args []string, live bool) error {
	if i := slices.IndexFunc(args, func(a string) bool { return isURL(a) && (atVersion.MatchString(a) || atTime.MatchString(a)) }); live && i >= 0 {
		return app.Fail(app.ExitUsage, "%s names a version, and --live renders the page as it is now; leave one of them out (an @ of the URL itself is %%40)", args[i])
	}
	if live || !slices.ContainsFunc(args, isURL) {
		return nil
	}
	sets := flags.Of(&settings.Settings{})
	for _, g := range []flags.Group{flags.Rendering, flags.Reaching, flags.Cutting} {
		var wrong string
		sets[g].VisitAll(func(f *pflag.Flag) {
			if cmd.Flags().Changed(f.Name) && wrong == "" {
				wrong = f.Name
			}
		})
		if wrong != "" {
			return app.Fail(app.ExitUsage, "--%s is for pages that are rendered now, and this reads the archive; add --live, or leave it out", wrong)
		}
	}
	return nil
}

// sameForAll reports whether every page would fail the same way, because of the browser, the
// archive or the settings.
func sameForAll(ctx context.Context, err error) bool {
	code := app.CodeOf(ctx, err)
	return code == app.ExitBrowser || code == app.ExitStore || app.OfSettings(err)
}

// texts prints the texts of pages.
type texts struct {
	reader
	live     bool
	markdown bool
	store    storage.Store // opened at its first use
	shown    int
}

func (r *texts) close() {
	r.reader.close()
	if r.store != nil {
		r.store.Close()
	}
}

func (r *texts) print(ctx context.Context, where string) error {
	if isURL(where) && !r.live {
		return r.archived(ctx, where)
	}
	snap, err := r.snapshot(ctx, where)
	if err != nil {
		return err
	}
	if isURL(where) && snap.Status >= 400 {
		return app.About(snap.URL, fmt.Errorf("the server answered with status %d, so what it shows is no text; check the URL, or see the page with plat explain --live%s", snap.Status, r.Forbidden(snap.Status)))
	}
	cut, err := r.Divide(snap)
	if err != nil {
		return app.About(snap.URL, err)
	}
	found := cut.Article()
	var set *markdown.Document
	if r.markdown {
		set = markdown.Of(found.Keep(&cut.Page), snap.Base(), &cut.Layout, cut.Blocks)
	}
	r.shown++
	output.Article(r.Out, snap.URL, snap.Language, nil, found, set, r.shown > 1, r.JSON)
	return nil
}

// archived prints the text of a version.
func (r *texts) archived(ctx context.Context, where string) (err error) {
	if r.store == nil {
		if r.store, err = openOrLive(ctx, r.App); err != nil {
			return err
		}
	}
	v, err := versionOrLive(ctx, r.App, r.store, where)
	if err != nil {
		return err
	}
	at := ref{url: v.URL, n: v.N}.String()
	if v.Article == nil {
		return app.About(at, errors.New("this version was archived before texts were kept; render the page now with --live, or visit it again with plat archive: "+
			"its next version, which it gets once it has changed, has a text"))
	}
	found, err := history.Article(ctx, r.store, v)
	if err != nil {
		return app.About(at, fmt.Errorf("%w; run plat verify, or render the page now with --live", err))
	}
	var set *markdown.Document
	if r.markdown {
		if set, err = history.Markdown(ctx, r.store, v); err != nil {
			return app.About(at, fmt.Errorf("%w; run plat verify, or leave --markdown out", err))
		}
	}
	r.shown++
	output.Article(r.Out, v.URL, v.Capture.Language, v, found, set, r.shown > 1, r.JSON)
	return nil
}

// openOrLive opens the archive for a command that can do without.
func openOrLive(ctx context.Context, a *app.App) (storage.Store, error) {
	s, err := a.OpenStore(ctx, uri.Reads)
	if err != nil {
		return nil, &app.Failure{Code: app.CodeOf(ctx, err), Err: fmt.Errorf("%w; --live renders the page now and needs no archive", err)}
	}
	return s, nil
}

// versionOrLive returns the version that URL, URL@N or URL@TIME names, without contents, for a
// command that can also render the page.
func versionOrLive(ctx context.Context, a *app.App, s storage.Store, where string) (*plat.Version, error) {
	r, when, err := parseMoment(a, where)
	if err != nil {
		return nil, err
	}
	if r, err = r.at(ctx, s, when, orLive); err != nil {
		return nil, err
	}
	v, err := s.Version(ctx, r.url, r.n)
	if err != nil {
		return nil, missingOr(ctx, s, r, err, orLive)
	}
	return v, nil
}
