package web

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/browser"
	"plat/fixtures"
	"plat/fixtures/history"
	"plat/fixtures/likeness"
	"plat/fixtures/truth"
	"plat/plat"
)

func picture(t *testing.T, data []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cacheable serves a recorded site with ordinary caching. The record forbids
// browsers to cache, so that its clock can be set, but uncached fonts cannot be
// read back from the browser.
func cacheable(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		answer.Header().Del("Cache-Control")
		answer.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes())
	})
}

// realPages are twenty-two pages with style sheets and pictures: every seventh
// annotated page, and the last state of every sixth recorded history.
func realPages(t *testing.T) []string {
	t.Helper()
	dir := data(t)
	var urls []string
	marked := httptest.NewServer(truth.Site(dir, "dev", nil))
	t.Cleanup(marked.Close)
	pages, err := truth.Read(filepath.Join(dir, "webseg", "dev", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pages) && len(urls) < 10; i += 7 {
		urls = append(urls, marked.URL+"/webseg/"+pages[i].Name+"/")
	}
	for _, name := range []string{"news", "docs"} {
		set, err := history.Open(filepath.Join(dir, "history", name, "dev"), filepath.Join(dir, "history", "ext"))
		if err != nil {
			t.Fatal(err)
		}
		servers := map[*history.Site]string{}
		for i := 0; i < len(set.Pages) && len(urls) < 22; i += 6 {
			p := set.Pages[i]
			at := p.Site.Times[len(p.Site.Times)-1]
			if p.Site.At(p.Path, at) == "" {
				continue
			}
			if servers[p.Site] == "" {
				p.Site.Set(at)
				srv := httptest.NewServer(cacheable(p.Site))
				t.Cleanup(srv.Close)
				servers[p.Site] = srv.URL
			}
			urls = append(urls, servers[p.Site]+strings.TrimSuffix(p.Path, "index.html"))
		}
	}
	return urls
}

func TestReplaysLookLikeThePages(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it renders twenty pages twice")
	}
	urls := realPages(t)
	a := newArchiver(t, 1280)
	srv := shown(t, a, Options{})
	type result struct {
		url  string
		like float64
	}
	var all []result
	sum := 0.0
	for i := 0; i < len(urls); i += fixtures.OneIn(3) {
		u := urls[i]
		if _, err := a.worker.Visit(t.Context(), plat.Job{URL: u}); err != nil {
			t.Logf("not there: %v", err) // it redirects to a page that is not in the record
			continue
		}
		canonical, v := a.latest(t, u)
		was, err := a.store.Picture(t.Context(), v.Picture)
		if err != nil {
			t.Fatal(err)
		}
		is, err := a.pool.Render(t.Context(), browser.Request{URL: srv.URL + "/frame?url=" + url.QueryEscape(canonical),
			Decide: func(*plat.Snapshot) plat.Attachments { return plat.Attachments{Picture: true} }})
		if err != nil {
			t.Fatal(err)
		}
		like := likeness.Of(picture(t, was.Data), picture(t, is.Picture.Data))
		all = append(all, result{u, like})
		sum += like
		if dir := os.Getenv("PLAT_SCREENS"); dir != "" {
			for name, data := range map[string][]byte{"was": was.Data, "is": is.Picture.Data} {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("replay-%02d-%s.png", i, name)), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if want := 20 / fixtures.OneIn(3); len(all) < want {
		t.Errorf("there are %d pages, want %d or more", len(all), want)
	}
	mean := sum / float64(len(all))
	slices.SortFunc(all, func(x, y result) int { return int(1e6 * (x.like - y.like)) })
	for _, r := range all {
		t.Logf("%.4f  %s", r.like, r.url)
	}
	t.Logf("mean structural similarity %.4f, median %.4f, worst %.4f", mean, all[len(all)/2].like, all[0].like)
	if mean < 0.95 {
		t.Errorf("mean structural similarity of replays is %.4f, want 0.95", mean)
	}
}
