// Snapshots renders the fixture pages and writes their snapshots to
// fixtures/snapshots, so that everything after rendering is tested without a
// browser:
//
//	go run ./scripts/snapshots
//
// Run it after a fixture page or the format of snapshot files has changed, and
// review the golden trees of package segment afterwards. The pages of recorded
// histories are only rendered if the data are available.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/snapshotfile"
	"plat/fixtures"
	"plat/fixtures/history"
	"plat/plat"
)

// recorded are pages of the histories that are kept in the project, selected by
// size; fixtures/snapshots/LICENCES.md lists their owners.
var recorded = []struct{ set, site, path, at, name string }{
	{"docs", "flink", "/downloads.html", "2023-02-01T00:00:00Z", "flink-downloads"},
	{"docs", "calcite", "/news/index.html", "2026-07-10T00:00:00Z", "calcite-news"},
	{"news", "flink-blog", "/blog/release_1.3.0-changelog.html", "2020-07-10T00:00:00Z", "flink-changelog"},
	{"news", "flink-blog", "/community.html", "2020-07-10T00:00:00Z", "flink-community"},
	{"news", "activemq", "/index.html", "2026-07-10T00:00:00Z", "activemq-front"},
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal("snapshots: ", err)
	}
}

// run is long because it is the whole run from top to bottom.
func run(ctx context.Context) error {
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return err
	}
	defer guard.Close()
	// The segmentation data was annotated at 1366 px, so use the same width.
	pool, err := browser.New(ctx, browser.Options{Guard: guard, Width: 1366, Height: 900})
	if err != nil {
		return err
	}
	defer pool.Close()
	out := filepath.Join("fixtures", "snapshots")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	take := func(h *httptest.Server, path, name string) error {
		s, err := pool.Render(ctx, browser.Request{URL: h.URL + path})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if s.Status != 200 {
			return fmt.Errorf("%s: status %d", name, s.Status)
		}
		// Clear the fields that differ from run to run.
		s.URL, s.FinalURL, s.Header, s.Timing = "http://"+name+".test/", "http://"+name+".test/", nil, plat.Timing{}
		s.Taken = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var b bytes.Buffer
		if err := snapshotfile.Write(&b, s); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name+".snap"), b.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Printf("%-20s %6d nodes %8d bytes\n", name, len(s.Nodes), b.Len())
		return nil
	}
	for _, f := range []struct{ site, path, name string }{
		{"paper", "/", "paper"}, {"site", "/", "site"}, {"site", "/zh.html", "site-zh"},
	} {
		site, err := fixtures.NewSite(f.site)
		if err != nil {
			return err
		}
		srv := httptest.NewServer(site)
		defer srv.Close()
		for v := 1; v <= fixtures.Versions; v++ {
			site.Set(v)
			if err := take(srv, f.path, fmt.Sprintf("%s-%d", f.name, v)); err != nil {
				return err
			}
		}
	}
	hard := httptest.NewServer(fixtures.Hard())
	defer hard.Close()
	for _, name := range []string{"text", "pictures"} {
		if err := take(hard, "/"+name+".html", "hard-"+name); err != nil {
			return err
		}
	}
	dir, ok := history.Dir()
	if !ok {
		fmt.Printf("no data at %s: the pages of recorded histories are left as they are\n", dir)
		return nil
	}
	for _, r := range recorded {
		set, err := history.Open(filepath.Join(dir, "history", r.set, "dev"), filepath.Join(dir, "history", "ext"))
		if err != nil {
			return err
		}
		for _, site := range set.Sites {
			if site.Name != r.site {
				continue
			}
			at, err := time.Parse(time.RFC3339, r.at)
			if err != nil {
				return err
			}
			site.Set(at)
			srv := httptest.NewServer(site)
			defer srv.Close()
			if err := take(srv, r.path, r.name); err != nil {
				return err
			}
		}
	}
	return nil
}
