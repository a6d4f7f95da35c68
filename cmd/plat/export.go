package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/export"
	"plat/storage"
	"plat/storage/uri"
)

func exportCommand(a *app.App) *cobra.Command {
	var file, format, site, since, until string
	cmd := &cobra.Command{
		Use:   "export [URL[@N]|PREFIX*…] -o FILE",
		Short: "Write versions as WARC, WACZ, JSON Lines or a report",
		Long: `export writes versions of URLs to a file that other programs read: of the URLs
given, of one version where @N names it, of all that begin with PREFIX where a "*"
ends it (quote it for the shell), or of all URLs.

  warc   WARC/1.1: for each version the page, made so that players show it, the page as
         captured, its picture, texts, block tree, style sheets and images. What is there
         already is referred to. Files of about 1 GB, NAME-00001.warc.gz after NAME.warc.gz.
  wacz   the same with an index and a list of pages, for ReplayWeb.page and others
  jsonl  an object for each version: the fields of show --json --text, and headers
  html   the history of one URL as a page that needs no other file

Without --format the end of the file's name says which. jsonl and html go to
standard output where there is no -o, unless that is a terminal. docs/export.md says
what is in the files. New files are for their owner only.

Times are of versions, and written as blocks --since takes them.

JSON (only with -o): format, files, urls, versions, records, revisits, bytes, ms.`,
		Example: `  plat export -o archive.wacz
  plat export 'https://example.com/news/*' --since 7d -o news.warc.gz
  plat export https://example.com/ --format jsonl | jq -r .title
  plat export https://example.com/ -o history.html`,
		Annotations: flags.Heeds(flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			j := export.Job{
				Format: export.Format(format), File: file, Out: a.Out,
				Version: app.ReadBuild().Version, Begun: time.Now(), Advanced: func(sum export.Summary) { output.Exporting(a.Out, sum) },
			}
			var err error
			if err = chooseFormat(a, &j); err != nil {
				return err
			}
			if j.Selection, err = selection(a, args, site, since, until, j.Begun); err != nil {
				return err
			}
			if j.Format == export.HTML && !j.OneURL() {
				return app.Fail(app.ExitUsage, "a report is of one URL, and of all of its versions; name it, without @N and other conditions")
			}
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				j.Store = s
				sum, err := export.Run(ctx, j)
				a.Out.Progress("")
				if err != nil {
					return notExported(ctx, s, err)
				}
				if j.File != "" {
					output.Exported(a.Out, sum, time.Since(j.Begun), a.JSON)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&file, "output", "o", "", "`FILE` to write to")
	f.StringVar(&format, "format", "", "warc, wacz, jsonl or html")
	f.StringVar(&site, "site", "", "only of this `HOST`, or beginning of a URL")
	f.StringVar(&since, "since", "", "only versions taken at this `TIME` or later")
	f.StringVar(&until, "until", "", "only versions taken before this `TIME`")
	return cmd
}

// chooseFormat sets the format, or returns an error that lists the formats.
func chooseFormat(a *app.App, j *export.Job) error {
	var names []string
	for _, f := range export.Formats {
		names = append(names, string(f))
	}
	if j.Format == "" {
		j.Format = export.FormatOf(j.File)
	}
	switch {
	case j.Format == "":
		if j.File != "" {
			return app.Fail(app.ExitUsage, "the name of %s does not say its format; end it with %s, or write --format %s", j.File, strings.Join(export.Endings(), ", "), strings.Join(names, ", "))
		}
		return app.Fail(app.ExitUsage, "there is no format; write --format %s, or -o FILE with a name that says it", strings.Join(names, ", "))
	case !slices.Contains(export.Formats, j.Format):
		return app.Fail(app.ExitUsage, "--format %q: write %s", j.Format, strings.Join(names, ", "))
	case j.File == "" && (j.Format == export.WARC || j.Format == export.WACZ):
		return app.Fail(app.ExitUsage, "there is no file to write to; name it with -o FILE")
	case j.File == "" && a.JSON:
		return app.Fail(app.ExitUsage, "--json goes with -o FILE: standard output holds the export")
	case j.File == "":
		return a.Piped("texts of pages")
	}
	return nil
}

// selection parses the selection of the archive to export.
func selection(a *app.App, args []string, site, since, until string, now time.Time) (s export.Selection, err error) {
	for _, arg := range args {
		if begins, ok := strings.CutSuffix(arg, "*"); ok {
			s.Wanted = append(s.Wanted, export.Wanted{URL: begins, Prefix: true})
			continue
		}
		r, err := parseRef(a, arg)
		if err != nil {
			return s, err
		}
		s.Wanted = append(s.Wanted, export.Wanted{URL: r.url, N: r.n, One: r.set})
	}
	s.Host, s.Prefix = storage.Site(site)
	s.Since, s.Until, err = period(since, until, now)
	return s, err
}

// notExported adds the failed page to an error.
func notExported(ctx context.Context, s storage.Store, err error) error {
	e, ok := errors.AsType[*export.Error](err)
	if !ok {
		return err
	}
	at := ref{url: e.URL, n: e.N}
	if e.Named {
		return missing(ctx, s, at, e.Err)
	}
	return app.About(at.String(), e.Err)
}
