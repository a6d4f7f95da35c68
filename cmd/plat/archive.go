package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"plat/batch"
	"plat/listing"
	"plat/settings/flags"
	"plat/storage/uri"
	"plat/term"
	"plat/visitor"
)

func (a *app) archiveCommand() *cobra.Command {
	var list string
	var retries int
	cmd := &cobra.Command{
		Use:   "archive [URL…] [-f FILE]",
		Short: "Visit pages and store what is new in them",
		Long: `archive renders each URL, divides the page into blocks, compares them with the
last version and stores a new version if anything differs. The archive is made
if it is not there. A URL given twice is visited once.

FILE holds one URL a line; "#" begins a comment, at the beginning of a line or
after a blank. A line may also be JSON with a
"url". "-" reads standard input.

Where the archive knows the page, the site is asked first whether what the page is
made of has changed; if nothing has, and nothing else can make a difference, the
page is unchanged and not rendered (--always-render switches that off).

One line is printed for every page as it is done: outcome, HTTP status, version,
blocks, what changed, bytes stored of bytes of the page, time, URL. With --json
it is an object with

  url, outcome, status, version, stored, blocks, new_blocks, changes (number by
  kind), coverage (0 to 1), page_bytes, stored_bytes, settled, unsettled, rendered,
  coarse (how many nodes the page had, if too many), tries, retry, ms, stages (ms of check, render, read, store), and error where the visit failed

Outcomes: new, changed, unchanged, blank (nothing visible); login, blocked, maintenance, missing, moved, replaced,
partial (hardly the page that was there before: no version until it has stayed so, see --confirm-after); gone,
http-error, unreachable, timeout, cut-off, too-large, refused, redirect-loop, download, unsupported, crashed, bad-url,
steps-failed, login-failed, error, interrupted.`,
		Example: `  plat archive https://example.com/ https://example.org/news
  plat archive -f urls.txt --tabs 4 --store sqlite:news.db
  plat archive --allow-private 127.0.0.0/8 --json http://127.0.0.1:8080/`,
		Annotations: flags.Heeds(flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return fail(exitUsage, "there is nothing to archive; give URLs, or a list of them with -f FILE")
			}
			if retries < 0 {
				return fail(exitUsage, "--retries %d: write 0 or more", retries)
			}
			return a.archive(cmd.Context(), args, list, retries)
		},
	}
	cmd.Flags().StringVarP(&list, "file", "f", "", "`FILE` with URLs, - for standard input")
	cmd.Flags().IntVar(&retries, "retries", 1, "how often a visit is tried again if it may succeed then")
	return cmd
}

func (a *app) archive(ctx context.Context, urls []string, list string, retries int) error {
	var in io.ReadCloser
	tabs := 0
	if list == "" {
		tabs = len(urls)
	} else {
		var err error
		if in, err = a.openList(list); err != nil {
			return err
		}
		defer in.Close()
	}
	o, err := a.visitOptions(tabs)
	if err != nil {
		return err
	}
	store, err := a.openStore(ctx, uri.Makes)
	if err != nil {
		return err
	}
	defer store.Close()
	v, err := visitor.Open(ctx, store, o)
	if err != nil {
		return err
	}
	defer v.Close()
	seeds := batch.NewSeeds(a.Drop())
	for _, u := range urls {
		seeds.Add(u)
	}
	if in == nil {
		seeds.End(nil)
	} else {
		// Not waited for: standard input may never end, and a read of it cannot
		// be called off.
		go func() { seeds.End(seeds.Read(in)) }()
	}
	return a.visitAll(ctx, batch.Options{Worker: v, Archive: store, Gate: v, Retries: retries}, seeds, v.Slots())
}

// visitAll visits seeds, at most n at once, prints how each went and what all came to.
func (a *app) visitAll(ctx context.Context, o batch.Options, seeds *batch.Seeds, n int) error {
	o.Done = a.printPage
	if a.out.Watched() {
		o.Watch = func(p batch.Progress) { a.out.Progress(listing.Progress(p)) }
	}
	b := batch.New(o)
	b.Run(ctx, seeds, n)
	a.out.Progress("")
	p := b.Progress(seeds)
	done, err := p.Pages-p.Interrupted, seeds.Err()
	if !a.Quiet && !a.JSON && (err == nil || p.Pages > 0) {
		a.out.Print(listing.Totals(a.out, &p.Totals, p.Spent))
	}
	of := fmt.Sprintf("%d of %d", done, p.Found)
	if !p.All {
		of += " or more"
	}
	switch {
	case ctx.Err() != nil:
		return fail(exitInterrupted, "interrupted; %s URLs were visited; run the command again to visit the rest", of)
	case a.out.Err() != nil && (!p.All || done < p.Found):
		return fail(exitError, "%w; %s URLs were visited; run the command again to visit the rest", a.out.Err(), of)
	case a.out.Err() != nil:
		return a.out.Err()
	case b.Lost() != nil:
		return fail(exitStore, "store: %w; %s URLs were visited; run the command again when the store is back", b.Lost(), of)
	case err != nil:
		return fail(exitError, "list of URLs: %w; the URLs before it were visited", err)
	case p.Failed > 0:
		return &failure{code: exitPartly}
	}
	return nil
}

// printPage prints how the visit of a page went. The error says that nobody reads it.
func (a *app) printPage(p *batch.Page) error {
	switch {
	case a.Quiet && p.Error == "":
	case a.JSON:
		a.out.JSON(p)
	default:
		a.out.Print(listing.Page(a.out, p))
	}
	if a.out.Err() != nil {
		return term.ErrOutput
	}
	return nil
}

// openList opens a list of URLs: a file, or standard input for "-".
func (a *app) openList(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fail(exitUsage, "list of URLs: %w", err)
	}
	if i, err := f.Stat(); err == nil && i.IsDir() {
		f.Close()
		return nil, fail(exitUsage, "list of URLs: %s is a directory; give a file, one URL a line", name)
	}
	return f, nil
}
