package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/snapshotfile"
	"plat/fixtures/content"
	"plat/fixtures/documents"
	"plat/fixtures/landmarks"
	"plat/fixtures/truth"
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
)

// A page is a page of a set, by its name in the annotations.
type page struct {
	set, name string
	snap      *plat.Snapshot
}

// A rendering is a way to render a set, and where the result is kept.
type rendering struct {
	set    string
	suffix string // of the folder
	width  int    // px
	height int    // 0: 900
	flags  string // more of Chrome's
	fonts  string // a configuration of fontconfig; empty: the machine's fonts
}

// asMarked is the rendering that the annotators of a set used.
func asMarked(set string) rendering { return rendering{set: set, width: 1366} }

// asFetched serves articles as their annotators had them: without scripts, some
// of which redirect to missing sites, and with the encoding that many pages
// left to their servers' headers.
func asFetched(h http.Header, page []byte) {
	h.Set("Content-Security-Policy", "script-src 'none'")
	if utf8.Valid(page) {
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
}

// nowhere resolves no names, because other hosts of the pages are not served.
type nowhere struct{}

func (nowhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return nil, nil }

// kept is the folder for the snapshots and pictures of a rendering.
func (e *eval) kept(r rendering) string { return filepath.Join(e.work, e.split, r.set+r.suffix) }

// pictured reports whether the gallery needs pictures of a rendering.
func (e *eval) pictured(r rendering) bool {
	return e.gallery != "" && (r == asMarked("webseg") || r == asMeasured || r == picturedContent)
}

// site serves the pages of a set as /SET/NAME.
func (e *eval) site(set string) (http.Handler, error) {
	if set == "documents" {
		pages, err := documents.Site()
		return http.StripPrefix("/documents", pages), err
	}
	if set == "content" {
		pages, err := content.Site(filepath.Join(e.data, "content"))
		return http.StripPrefix("/content", pages), err
	}
	if set != "landmarks" {
		return truth.Site(e.data, e.split, asFetched), nil
	}
	pages, err := landmarks.Site(e.landmarkDir())
	return http.StripPrefix("/landmarks", pages), err
}

// load returns the snapshots of the named pages, in order of name. Missing ones
// are rendered and kept.
func (e *eval) load(ctx context.Context, r rendering, names []string) ([]page, error) {
	dir := e.kept(r)
	sort.Strings(names)
	pages := make([]page, len(names))
	var missing []int
	for i, name := range names {
		pages[i] = page{set: r.set, name: name}
		raw, err := os.ReadFile(filepath.Join(dir, name+".snap"))
		if err == nil && e.pictured(r) {
			_, err = os.Stat(filepath.Join(dir, name+".png"))
		}
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, i)
			continue
		}
		if err == nil {
			pages[i].snap, err = snapshotfile.Read(bytes.NewReader(raw))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; remove it to have the page rendered again", filepath.Join(dir, name+".snap"), err)
		}
	}
	if len(missing) == 0 {
		return pages, nil
	}
	site, err := e.site(r.set)
	if err != nil {
		return nil, err
	}
	srv := httptest.NewServer(site)
	defer srv.Close()
	var todo []*page
	for _, i := range missing {
		todo = append(todo, &pages[i])
	}
	return pages, e.renderAll(ctx, srv.URL, r, todo, func(p *page) error { return e.keep(r, p) })
}

// renderAll renders pages by a browser of its own, and hands each to done, if not nil.
func (e *eval) renderAll(ctx context.Context, base string, r rendering, pages []*page, done func(*page) error) error {
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: nowhere{}})
	if err != nil {
		return err
	}
	defer guard.Close()
	const tabs = 3
	pool, err := browser.New(ctx, browser.Options{
		Guard: guard, Tabs: tabs, Width: r.width, Height: cmp.Or(r.height, 900), Flags: strings.Fields(r.flags), Environ: environment(r.fonts),
	})
	if err != nil {
		return err
	}
	defer pool.Close()
	todo := make(chan *page)
	var work sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	count := 0
	for range tabs {
		work.Go(func() {
			for p := range todo {
				err := e.render(ctx, pool, base, r, p)
				if err == nil && done != nil {
					err = done(p)
				}
				mu.Lock()
				if count++; err != nil {
					failed = append(failed, err)
				}
				fmt.Fprintf(os.Stderr, "\rrendering %s: %d of %d ", r.set+r.suffix, count, len(pages))
				mu.Unlock()
			}
		})
	}
	for _, p := range pages {
		todo <- p
	}
	close(todo)
	work.Wait()
	fmt.Fprintln(os.Stderr)
	return errors.Join(failed...)
}

func (e *eval) render(ctx context.Context, pool *browser.Pool, base string, r rendering, p *page) error {
	url := base + "/" + p.set + "/" + p.name
	switch p.set {
	case "webseg":
		url += "/"
	case "landmarks", "content":
		url += ".html"
	}
	picture := e.pictured(r)
	var err error
	for range 3 { // a page may navigate away or fail on a busy machine
		if p.snap, err = pool.Render(ctx, browser.Request{URL: url, Picture: picture}); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// keep stores the snapshot of a page, and its picture.
func (e *eval) keep(r rendering, p *page) error {
	dir := e.kept(r)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p.name)), 0o755); err != nil {
		return err
	}
	if e.pictured(r) {
		if err := os.WriteFile(filepath.Join(dir, p.name+".png"), p.snap.Picture.Data, 0o644); err != nil {
			return err
		}
		p.snap.Picture = nil
	}
	var b bytes.Buffer
	if err := snapshotfile.Write(&b, p.snap); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return os.WriteFile(filepath.Join(dir, p.name+".snap"), b.Bytes(), 0o644)
}

// describe cuts and labels pages.
func describe(pages []page, p segment.Params) (map[string]*label.Divided, error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	cuts := map[string]*label.Divided{}
	for _, pg := range pages {
		c, err := d.Divide(pg.snap, p, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pg.name, err)
		}
		cuts[pg.name] = c
	}
	return cuts, nil
}
