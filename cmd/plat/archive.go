package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"plat"
	"plat/segment"
	"plat/visitor"
	"plat/workers"
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

Outcomes: new, changed, unchanged, blank (a version with nothing visible); gone, http-error, unreachable, timeout,
too-large, refused, redirect-loop, download, unsupported, crashed, bad-url,
steps-failed, login-failed, error, interrupted.`,
		Example: `  plat archive https://example.com/ https://example.org/news
  plat archive -f urls.txt --tabs 4 --store sqlite:news.db
  plat archive --allow-private 127.0.0.0/8 --json http://127.0.0.1:8080/`,
		Annotations: heeds(cutting, rendering, reaching, naming),
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
	store, err := a.openStore(ctx, makes)
	if err != nil {
		return err
	}
	defer store.Close()
	v, err := visitor.Open(ctx, store, o)
	if err != nil {
		return started(err)
	}
	defer v.Close()
	all := newSeeds(func(s string) (string, error) { return plat.Canonical(s, a.drop()) })
	for _, u := range urls {
		all.add(u)
	}
	if in == nil {
		all.end(nil)
	} else {
		// Not waited for: standard input may never end, and a read of it cannot
		// be called off.
		go func() { all.end(all.read(in)) }()
	}
	b := &batch{app: a, worker: v.Worker, store: store, seeds: all, retries: retries, gate: v}
	return b.run(ctx, v.Slots())
}

// workerOptions are what the settings say of how pages are cut and kept.
func (a *app) workerOptions() (workers.Options, error) {
	o := workers.Options{Profile: segment.Profile(a.profile), Level: a.level, Pictures: a.screenshot, Fixed: a.fixed}
	if err := a.checkCut(); err != nil {
		return o, err
	}
	switch set := plat.ResourceSet(a.resources); set {
	case "none":
	case plat.StyleResources, plat.AllResources:
		o.Resources = set
	default:
		return o, fail(exitConfig, "resources %q: write none, css or all", a.resources)
	}
	if a.metaRules != "" {
		rules, err := readRules(a.metaRules)
		if err != nil {
			return o, err
		}
		o.Meta = rules
	}
	return o, nil
}

// checkCut asks package segment whether it can do what the settings say, before
// a thousand pages fail for it.
func (a *app) checkCut() error {
	if a.level < 1 {
		return fail(exitConfig, "level %d: write 1 or more", a.level)
	}
	if _, err := segment.Segment(&plat.Snapshot{}, segment.Params{Profile: segment.Profile(a.profile), Level: a.level}); err != nil {
		return fail(exitConfig, "%w", err)
	}
	return nil
}
