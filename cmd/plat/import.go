package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"plat/browser/egress"
	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
	"plat/workers"
	"plat/workers/importer"
	"plat/workers/visitor"
)

func importCommand(a *app.App) *cobra.Command {
	i := &importing{App: a}
	cmd := &cobra.Command{
		Use:   "import FILE|FOLDER…",
		Short: "Archive the pages of WARC, WACZ, HAR, saved pages and mirrors",
		Long: `import archives pages that other programs have recorded, each at the time of its
recording. The browser renders a page from the responses in the files, and never loads
anything else. Captures of one URL become its versions, in the order of time: equal ones
are one version with several visits. Style sheets, images and fonts
are kept (--resources none leaves them out).

  WARC     with or without compression, of browsertrix, wget, Heritrix, warcio, pywb …
  WACZ     its list of pages says what is a page
  HAR      as browsers save it, with content
  page     saved by SingleFile, or by a browser as one file; --url if it does not say its URL
  folder   of wget --mirror: a folder a host (https, or as --url says); the time of a page is
           that of its file

Files that plat has exported (plat export, plat crawl -o) have the versions themselves: they
are stored as they were, block by block, without a browser.

Two imports of a file store its captures once, and an interrupted import goes on when the command
is repeated, as do captures that have failed. A capture is left out if the archive has a later visit
of its URL. Files of pages, redirects and errors are counted, with --dry-run before anything is stored.

With --json there is an object for each capture: at (time of the capture), the fields that plat
archive prints, there (it is in the archive already) or late (the archive has a later visit);
and at the end {"import": …} with files, kinds, records, captures, versions (of plat), urls, first,
last, left (records that are not captures, by reason), damaged (places that cannot be read),
pages, new, changed, unchanged, blank, failed, there, late, page_bytes, stored_bytes,
picture_bytes, resource_bytes, ms.

Exit codes: 0, 3 if captures failed, 11 if interrupted.`,
		Example: `  plat import crawl.wacz
  plat import --dry-run archive/*.warc.gz
  wget --mirror --page-requisites http://example.com/ && plat import example.com --url http://example.com/`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Cutting, flags.Rendering, flags.Naming), "always-render", "confirm-after", "retries", "header", "header-everywhere", "auth", "cookies",
			"user-agent", "contact", "steps", "steps-evaluate", "step-pictures", "sessions", "sessions-key-file", "frozen-time", "files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Fail(app.ExitUsage, "there is nothing to import; name a WARC, WACZ or HAR file, a saved page or a folder")
			}
			return i.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&i.dry, "dry-run", false, "only print what is in the files, and what would be left out")
	f.StringVar(&i.url, "url", "", "`URL` of a saved page, or of a folder")
	f.StringVar(&i.at, "at", "", "`TIME` of the captures of a saved page or a folder (default: as it says, else of its last modification)")
	f.StringVar(&i.prefix, "prefix", "", "import only captures whose URL begins with `PREFIX`")
	f.IntVar(&i.limit, "limit", 0, "import at most so many captures (default: all)")
	return cmd
}

// importing is a run of plat import.
type importing struct {
	*app.App
	dry             bool
	url, at, prefix string
	limit           int

	mu  sync.Mutex
	end output.ImportEnd // guarded by mu during the run
}

// run reads the files, then imports their captures.
func (i *importing) run(ctx context.Context, paths []string) error {
	began := time.Now()
	o := importer.Options{URL: i.url, Prefix: i.prefix, Progress: func(s importer.Sums) { i.Out.Progress(output.Reading(s)) }}
	if i.at != "" {
		var err error
		if o.At, err = terminal.Moment(i.at, began); err != nil {
			return app.Fail(app.ExitUsage, "--at %w", err)
		}
	}
	if i.limit < 0 {
		return app.Fail(app.ExitUsage, "--limit %d: write 1 or more, or leave it out", i.limit)
	}
	lib, err := importer.Open(ctx, paths, o)
	i.Out.Progress("")
	switch {
	case ctx.Err() != nil:
		return app.Fail(app.ExitInterrupted, "interrupted; nothing is imported yet")
	case err != nil:
		return app.Fail(app.ExitUsage, "%w", err)
	}
	defer lib.Close()
	i.end.Sums = lib.Sums()
	if i.end.Kinds["folder"] > 0 && i.url == "" && !i.Quiet {
		fmt.Fprintln(i.Stderr, "plat: the pages of folders are taken for those of https; otherwise name the folder of a host with --url http://HOST/")
	}
	if i.dry {
		output.Importable(i.Out, i.end.Sums, i.JSON)
		return nil
	}
	if i.end.Captures == 0 {
		output.Importable(i.Out, i.end.Sums, i.JSON)
		return app.Fail(app.ExitPartly, "there is no page in the files")
	}
	store, err := i.OpenToWrite(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := i.all(ctx, lib, store, began); err != nil {
		return err
	}
	i.end.Spent = time.Since(began)
	output.Imported(i.Out, &i.end, i.Quiet, i.JSON)
	if i.end.Totals.Failed > 0 {
		return &app.Failure{Code: app.ExitPartly}
	}
	return nil
}

// all imports the captures.
func (i *importing) all(ctx context.Context, lib *importer.Library, store storage.Store, began time.Time) error {
	v, tabs, end := i.visitor(ctx, store)
	defer end()
	err := importer.Run(ctx, lib, importer.RunOptions{
		Store: store, Visitor: v, Drop: i.Drop(), Parallel: tabs, Limit: i.limit,
		Done: func(r *importer.Result) error { return i.done(r, began) },
	})
	i.Out.Progress("")
	n := i.end.Totals.Pages + i.end.There + i.end.Late
	_, noBrowser := errors.AsType[*visitor.BrowserError](err)
	switch failed, ok := errors.AsType[*app.Failure](err); {
	case ok:
		return failed
	case noBrowser:
		return err
	case ctx.Err() != nil:
		return app.Fail(app.ExitInterrupted, "interrupted; %d of %d captures are done; run the command again to continue", n, i.end.Captures)
	case i.Out.Err() != nil:
		return app.Fail(app.ExitError, "%w; %d of %d captures are done; run the command again to continue", i.Out.Err(), n, i.end.Captures)
	case err != nil:
		return app.Fail(app.ExitStore, "%w; %d of %d captures are done; run the command again to continue", err, n, i.end.Captures)
	}
	return nil
}

// visitor returns the function that starts the browser, which versions of plat do not need, and the number of captures
// that are imported at once. end stops the browser.
func (i *importing) visitor(ctx context.Context, store storage.Store) (open func() (importer.Visitor, error), tabs int, end func()) {
	var started *visitor.Visitor
	open = func() (importer.Visitor, error) {
		o, err := i.options()
		if err != nil {
			return nil, err
		}
		if started, err = visitor.Open(ctx, store, o); err != nil {
			return nil, err
		}
		return started, nil
	}
	end = func() {
		if started != nil {
			started.Close()
		}
	}
	return open, max(leastParallel, i.Tabs+1), end
}

// leastParallel is the least number of captures imported at once. The visitor limits those that are rendered.
const leastParallel = 5

// options returns the settings of visits, without all that is for the network.
func (i *importing) options() (visitor.Options, error) {
	log, err := i.Logger(i.Stderr)
	if err != nil {
		return visitor.Options{}, err
	}
	s := i.WithoutLogins()
	if !i.Given("resources") {
		s.Resources = string(plat.AllResources)
	}
	o, err := s.VisitOptions(0, log)
	if err != nil {
		return o, err
	}
	o.Egress = egress.Options{Recorded: true}
	o.Worker.Permission = workers.Permission{}
	o.Robots, o.AlwaysRender, o.CheckCloaking, o.Clock = nil, true, false, time.Time{}
	o.Worker.News.ConfirmAfter = 0 // no visit comes that could confirm a page
	return o, nil
}

// done counts and prints a capture.
func (i *importing) done(r *importer.Result, began time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case r.There:
		i.end.There++
	case r.Late:
		i.end.Late++
	default:
		i.end.Totals.Add(&r.Page)
	}
	if err := output.PrintImported(i.Out, r, i.Quiet, i.JSON); err != nil {
		return err
	}
	i.Out.Progress(output.ImportProgress(&i.end, time.Since(began)))
	return nil
}
