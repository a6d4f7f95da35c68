package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plat/browser"
	"plat/cmd/plat/app"
	"plat/cmd/plat/fleet"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/plat/weburl"
	"plat/workers/segmenter"
)

func segmentCommand(a *app.App) *cobra.Command {
	s := &segmenting{App: a}
	cmd := &cobra.Command{
		Use:   "segment FILE|-|URL…",
		Short: "Divide pages into blocks, without an archive",
		Long: `segment divides HTML files, HTML from standard input (-) or the pages at URLs into
blocks, and prints each block with its place, label, topic and text. Nothing is
stored. The blocks are those that plat archive stores at its first visit of the page.

HTML is rendered in the browser with its scripts. --base names the URL that it came
from: style sheets, scripts and images are then loaded from where the page says, if
they are not in private networks (--allow-private), and links become whole URLs.
Without --base the page loads nothing, and looks as it does without its style sheets
and images. The page stays: if it would go to a different address, it does not.
HTML is read as UTF-8 if it is valid as such, else as it declares. A URL is visited
as plat archive visits it, robots.txt included.

Formats: json (as --json), one document a page: source, url, final_url, taken, status, title,
language, browser, width, height, settled, unsettled, coarse, level, profile, coverage,
layout, page_bytes, requests, blocked (requests that the page may not make), ms, blocks
(number of leaves), article (kind, title, authors, date, text, markdown) and tree: for every
block the fields of plat show --json, and for leaves text and markdown; md and text:
the leaves in reading order, each below a line with its label and place; csv: a row
a leaf, with source, index, parent, path, label, role, holds, confidence, topic, x, y, w, h,
tag, chars, link_share, image_share, text and markdown, and an apostrophe before texts that a
spreadsheet would compute.

With --listen and no page it serves POST /api/v1/segment, as plat serve does, with
a browser that is always ready (see docs/http.md). --tabs is how many pages it renders
at once. Other machines need a --token. Headers, cookies, passwords, steps and sessions
are for pages of the command line, not for those that clients send.`,
		Example: `  plat segment page.html
  curl -s https://example.com/ | plat segment - --base https://example.com/ --json
  plat segment https://example.com/ --format md --label main,list
  plat segment --listen 127.0.0.1:8633`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Serving, flags.Cutting, flags.Rendering, flags.Reaching, flags.Naming), "public-url", "segment", "edit-channels",
			"fixed", "second-look", "keep-noise", "confirm-after", "screenshot", "picture-format", "resources", "meta-rules", "always-render"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(cmd, args); err != nil {
				return err
			}
			if len(args) == 0 {
				return fleet.ServeSegmenter(cmd.Context(), a)
			}
			return s.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&s.base, "base", "", "`URL` that HTML came from: its resources are loaded, and its links are whole")
	f.StringVar(&s.format, "format", "", "json, md, text or csv (default: a tree)")
	f.StringSliceVar(&s.labels, "label", nil, "print only blocks with this `LABEL`, as main; may be repeated")
	f.BoolVar(&s.texts, "text", false, "print the texts of blocks in the tree")
	return cmd
}

// segmenting is a call of plat segment.
type segmenting struct {
	*app.App
	base, format string
	labels       []string
	texts        bool
}

// formats are the values of --format.
var formats = []string{"json", "md", "text", "csv"}

// check refuses flags and arguments that do not go together.
func (s *segmenting) check(cmd *cobra.Command, args []string) error {
	switch {
	case s.format != "" && !slices.Contains(formats, s.format):
		return app.Fail(app.ExitUsage, "--format %q: write %s", s.format, strings.Join(formats, ", "))
	case s.JSON && s.format != "" && s.format != "json":
		return app.Fail(app.ExitUsage, "--json and --format %s exclude each other; leave one of them out", s.format)
	case len(args) == 0 && s.Listen == "":
		return app.Fail(app.ExitUsage, "there is no page; name an HTML file, - for standard input, or a URL with https://, or serve others with --listen %s", "127.0.0.1:8633")
	case len(args) > 0 && cmd.Flags().Changed("listen"):
		return app.Fail(app.ExitUsage, "--listen serves pages that clients send; leave it out, or %s", args[0])
	case s.base != "" && (len(args) == 0 || slices.ContainsFunc(args, isURL)):
		return app.Fail(app.ExitUsage, "--base is the URL of an HTML file; leave it out, or name a file")
	}
	if s.JSON {
		s.format = "json"
	}
	for _, l := range s.labels {
		if !slices.Contains(plat.Labels, plat.Label(l)) {
			var all []string
			for _, known := range plat.Labels {
				all = append(all, string(known))
			}
			return app.Fail(app.ExitUsage, "--label %q: there is no such label; write one of %s", l, strings.Join(all, ", "))
		}
	}
	_, err := s.locate(s.base)
	return err
}

// locate returns a source with a URL, empty if that is.
func (s *segmenting) locate(raw string) (from segmenter.Source, err error) {
	if raw == "" {
		return from, nil
	}
	if from.URL, err = s.Canonical(raw); err == nil {
		from.As = plat.Spelled(weburl.Resolve(raw), from.URL, s.Drop())
	}
	return from, err
}

// run divides pages one after the other.
func (s *segmenting) run(cmd *cobra.Command, pages []string) error {
	ctx := cmd.Context()
	log, err := s.Logger(s.Stderr)
	if err != nil {
		return err
	}
	divider, err := app.Segmenter(&s.Settings, log, 1, 0)
	if err != nil {
		return err
	}
	defer divider.Close()
	show := s.printer()
	failed := 0
	for _, name := range pages {
		err := s.one(ctx, divider, name, show)
		switch {
		case err == nil:
		case len(pages) == 1 || ctx.Err() != nil || sameForAll(ctx, err):
			return err
		default:
			f, ok := err.(*app.Failure)
			if !ok || f.URL == "" {
				f = &app.Failure{Code: app.ExitError, URL: name, Err: err}
			}
			s.Complain(cmd, f, err)
			failed++
		}
		if s.Out.Err() != nil {
			return s.Out.Err()
		}
	}
	if failed > 0 {
		return &app.Failure{Code: app.ExitPartly}
	}
	return nil
}

// printer returns the function that prints a page in the format.
func (s *segmenting) printer() func(name string, p *segmenter.Page) {
	o := &output.Segmented{Screen: s.Out, Texts: s.texts, Hints: output.Hints{MaxNodes: "--max-nodes"}}
	if len(s.labels) > 0 {
		o.Keep = func(b *plat.Block) bool { return slices.Contains(s.labels, string(b.Label)) }
	}
	switch s.format {
	case "json":
		return o.JSON
	case "md":
		return o.Markdown
	case "text":
		return o.Text
	case "csv":
		return o.CSV
	}
	return o.Tree
}

// one divides a page and prints it.
func (s *segmenting) one(ctx context.Context, divider *segmenter.Segmenter, name string, show func(string, *segmenter.Page)) error {
	from, err := s.source(ctx, divider, name)
	if err != nil {
		return err
	}
	page, err := divider.Segment(ctx, from)
	if wrong, ok := errors.AsType[*segmenter.SourceError](err); ok {
		return app.Fail(app.ExitUsage, "%s: %w; give an HTML file", name, wrong)
	}
	if end, ok := errors.AsType[*plat.VisitError](err); ok && end.Outcome == plat.OutcomeHTTPError && strings.HasSuffix(err.Error(), " 403") {
		err = fmt.Errorf("%w%s", err, s.Forbidden(http.StatusForbidden))
	}
	if err != nil {
		return app.About(name, err)
	}
	if isURL(name) {
		name = from.URL
	}
	show(name, page)
	return nil
}

// source reads a page. The browser starts while a file is read.
func (s *segmenting) source(ctx context.Context, divider *segmenter.Segmenter, name string) (from segmenter.Source, err error) {
	if isURL(name) {
		return s.locate(name)
	}
	in := s.Stdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return from, app.Fail(app.ExitUsage, "%w; name an HTML file, - for standard input, or a URL with http:// or https://", err)
		}
		defer f.Close()
		in = f
	}
	started := make(chan struct{})
	go func() {
		defer close(started)
		_ = divider.Start(ctx) // Segment reports the error
	}()
	defer func() { <-started }()
	most := min(s.MaxBytes, browser.MaxDocument)
	if from, err = s.locate(s.base); err != nil {
		return from, err
	}
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".xhtml" || ext == ".xht" {
		from.Type = "application/xhtml+xml"
	}
	b, err := readAll(ctx, io.LimitReader(in, most+1))
	switch {
	case ctx.Err() != nil:
		return from, ctx.Err()
	case err != nil:
		return from, app.Fail(app.ExitUsage, "%w; name an HTML file that can be read", err)
	case int64(len(b)) > most:
		return from, app.Fail(app.ExitError, "%s: it has more than %d bytes; raise --max-bytes (at most %d)", name, most, browser.MaxDocument)
	case len(b) == 0:
		return from, app.Fail(app.ExitUsage, "%s is empty; give HTML", name)
	}
	from.HTML = b
	return from, nil
}

// readAll reads until the end or the end of ctx, which a read of standard input does not heed.
func readAll(ctx context.Context, in io.Reader) (b []byte, err error) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		b, err = io.ReadAll(in)
	}()
	select {
	case <-read:
		return b, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
