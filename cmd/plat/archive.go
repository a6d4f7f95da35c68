package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/storage"
	"plat/workers/batch"
	"plat/workers/visitor"
)

func archiveCommand(a *app.App) *cobra.Command {
	var list string
	var retries int
	cmd := &cobra.Command{
		Use:   "archive [URL…] [-f FILE]",
		Short: "Visit pages and store what is new in them",
		Long: `archive renders each URL, divides the page into blocks, compares them with the
last version and stores a new version if anything differs. The archive is made
if it is not there. A URL given twice is visited once; one without a scheme, as
example.org, has https. To follow links, use plat crawl.

What follows "#" in a URL is no part of it: the archive has one page for all of
them, as it is without. Views that a script of a page makes by it (#/ships) are not
visited as pages of their own. To archive one, let plat press its link (plat steps --help).

FILE holds one URL a line; "#" begins a comment, at the beginning of a line or
after a blank. A line may also be JSON with a
"url" and what else plat enqueue takes, which is for visits to come and does nothing
here. "-" reads standard input.

What robots.txt forbids is not visited (--robots=false disregards it). Pages of a host
are not spread over time: for many of them use plat crawl or plat up, which heed Crawl-delay too.
Sites are told who visits; one that answers status 403 to crawlers may let a browser's
name in (--stealth).

Pages are kept without picture, style sheets and images unless --screenshot and --resources
say so. Given later, they add to an unchanged page's last version what it lacks.

Where the archive knows the page, the site is asked first whether what the page is
made of has changed; if nothing has, and nothing else can make a difference, the
page is unchanged and not rendered (--always-render switches that off).

One line is printed for every page as it is done: outcome, HTTP status, version,
blocks, what changed, bytes stored of bytes of the page, time, URL. With --json
it is an object with

  url, outcome, status, version, stored, seems (login: marked as login?), blocks, new_blocks, changes (number by
  kind), by_itself (the same, of what the page changes by itself), looks (at the page), coverage (0 to 1),
  page_bytes (HTML), stored_bytes (blocks), picture_bytes, resource_bytes, added (picture,
  resources: to a version that is not new), settled, unsettled, rendered,
  coarse (how many nodes the page had, if too many), failed (files that the
  page did not get: url, error), tries, retry, ms, stages (ms of check, render, read, store), and error where the visit failed

A version is marked login? if it asks for a password and has hardly any text: probably it is a login instead of the
page, which a cookie file (--cookies) or a login (plat steps --help) opens.

Outcomes: new, changed, unchanged, blank (nothing visible); login, blocked, maintenance, missing, moved, replaced,
partial (hardly the page that was there before: no version until it has stayed so, see --confirm-after); gone,
http-error, unreachable, timeout, cut-off, too-large, refused, redirect-loop, download, unsupported, crashed, bad-url,
disallowed (by robots.txt), steps-failed, login-failed, focus-taken, error,
interrupted.`,
		Example: `  plat archive https://example.com/ https://example.org/news
  plat archive -f urls.txt --tabs 4 --store sqlite:news.db
  plat archive --allow-private 127.0.0.0/8 --json http://127.0.0.1:8080/`,
		Annotations: flags.Heeds(flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return app.Fail(app.ExitUsage, "there is nothing to archive; give URLs, or a list of them with -f FILE")
			}
			if retries < 0 {
				return app.Fail(app.ExitUsage, "--retries %d: write 0 or more", retries)
			}
			return archive(cmd.Context(), a, args, list, retries)
		},
	}
	cmd.Flags().StringVarP(&list, "file", "f", "", "`FILE` with URLs, - for standard input")
	cmd.Flags().IntVar(&retries, "retries", 1, "how often a visit is tried again if it may succeed then")
	return cmd
}

func archive(ctx context.Context, a *app.App, urls []string, list string, retries int) error {
	urls, err := a.Typed(urls)
	if err != nil {
		return err
	}
	var in io.ReadCloser
	tabs := 0
	if list == "" {
		tabs = len(urls)
	} else {
		if in, err = a.OpenList(list); err != nil {
			return err
		}
		defer in.Close()
	}
	store, v, end, err := openVisitor(ctx, a, tabs)
	if err != nil {
		return err
	}
	defer end()
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
	return visitAll(ctx, a, batch.Options{Worker: v, Archive: store, Gate: v, Retries: retries}, seeds, v.Slots())
}

// openVisitor opens the archive, and a visitor with at most tabs tabs, or as many as the settings say if tabs is 0. end
// closes both.
func openVisitor(ctx context.Context, a *app.App, tabs int) (store storage.Store, v *visitor.Visitor, end func(), err error) {
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return nil, nil, nil, err
	}
	o, err := a.VisitOptions(tabs, log)
	if err != nil {
		return nil, nil, nil, err
	}
	if store, err = a.OpenToWrite(ctx); err != nil {
		return nil, nil, nil, err
	}
	if v, err = visitor.Open(ctx, store, o); err != nil {
		store.Close()
		return nil, nil, nil, err
	}
	return store, v, func() { v.Close(); store.Close() }, nil
}

// visitAll visits seeds, at most n at once, and prints the result of each visit and the totals.
func visitAll(ctx context.Context, a *app.App, o batch.Options, seeds *batch.Seeds, n int) error {
	o.Done = func(p *batch.Page) error { return output.PrintPage(a.Out, p, a.Quiet, a.JSON) }
	if a.Out.Watched() {
		o.Watch = func(p batch.Progress) { a.Out.Progress(output.Progress(p)) }
	}
	b := batch.New(o)
	b.Run(ctx, seeds, n)
	a.Out.Progress("")
	p := b.Progress(seeds)
	done, err := p.Pages-p.Interrupted, seeds.Err()
	if !a.Quiet && !a.JSON && (err == nil || p.Pages > 0) {
		a.Out.Print(output.Totals(a.Out, &p.Totals, p.Spent))
		stored := p.New+p.Changed+p.Blank > 0
		if none := !a.Screenshot && (a.Resources == "none" || a.Resources == ""); none && stored && a.Interactive() {
			a.Out.Print(a.Out.Paint(terminal.Faint, output.OnlyBlocks))
		}
	}
	of := fmt.Sprintf("%d of %d", done, p.Found)
	if !p.All {
		of += " or more"
	}
	switch {
	case ctx.Err() != nil:
		return app.Fail(app.ExitInterrupted, "interrupted; %s URLs were visited; run the command again to visit the rest", of)
	case a.Out.Err() != nil && (!p.All || done < p.Found):
		return app.Fail(app.ExitError, "%w; %s URLs were visited; run the command again to visit the rest", a.Out.Err(), of)
	case a.Out.Err() != nil:
		return a.Out.Err()
	case b.Lost() != nil:
		return app.Fail(app.ExitStore, "store: %w; %s URLs were visited; run the command again when the store is back", b.Lost(), of)
	case err != nil:
		return app.Fail(app.ExitError, "list of URLs: %w; the URLs before it were visited", err)
	case p.Failed > 0:
		return &app.Failure{Code: app.ExitPartly}
	}
	return nil
}
