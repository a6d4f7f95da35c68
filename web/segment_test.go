package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
	"plat/segment/markdown"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/divide"
)

// segmented is what a server with a browser answers: the page of a stored snapshot, at the base.
func segmented(t *testing.T) func(context.Context, divide.Source) (any, error) {
	t.Helper()
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(_ context.Context, from divide.Source) (any, error) {
		switch {
		case strings.Contains(from.URL, "private"):
			return nil, &plat.VisitError{Outcome: plat.OutcomeRefused, Err: errors.New("blocked: a private address")}
		case strings.Contains(from.URL, "hangs"):
			return nil, &plat.VisitError{Outcome: plat.OutcomeTimeout, Retry: true, Err: context.DeadlineExceeded}
		case strings.Contains(from.URL, "closing"):
			return nil, &plat.VisitError{Outcome: plat.OutcomeInterrupted, Retry: true, Err: context.Canceled}
		case strings.Contains(from.URL, "nobrowser"):
			return nil, &api.Mistake{Code: http.StatusServiceUnavailable, Detail: "install chromium-headless-shell"}
		case strings.Contains(from.URL, "broken"):
			return nil, errors.New("secret details")
		}
		snap := fixtures.Snapshot(t, "site-1")
		snap.URL, snap.FinalURL = from.URL, from.URL
		cut, err := d.Divide(snap, segment.Params{}, nil)
		if err != nil {
			return nil, err
		}
		text := cut.Article()
		set := markdown.Blocks(snap.Base(), &cut.Layout, cut.Blocks)
		type node struct {
			history.Node
			Markdown *string `json:"markdown,omitempty"`
		}
		tree := []node{}
		for i, n := range history.TreeOf(&plat.Version{Blocks: cut.Blocks}, true) {
			tree = append(tree, node{n, nil})
			if n.Leaf {
				tree[i].Markdown = &set[i]
			}
		}
		return map[string]any{
			"url": snap.URL, "final_url": snap.FinalURL, "taken": snap.Taken.UTC(), "status": 200, "title": snap.Title, "language": snap.Language,
			"browser": snap.Browser, "width": 1280, "height": 1024, "settled": snap.Settled, "unsettled": false, "level": cut.Level, "profile": "visual",
			"coverage": cut.Coverage, "layout": cut.Layout.Sum().String(), "page_bytes": len(from.HTML), "requests": 1, "blocked": 0, "ms": 1, "blocks": 1,
			"article": map[string]any{"kind": text.Kind, "title": text.Title, "authors": append([]string{}, text.Authors...), "date": text.Date, "text": text.Text, "comments": text.Comments, "markdown": ""},
			"tree":    tree,
		}, nil
	}
}

func dividing(f func(context.Context, divide.Source) (any, error)) *divide.Handler {
	return divide.New(divide.Options{Divide: f, Log: slog.New(slog.DiscardHandler)})
}

func TestPagesAreDividedAsTheDocumentSays(t *testing.T) {
	c := newContract(t, New(Options{Store: made(t), Segment: dividing(segmented(t))}))
	for _, tc := range []struct {
		query, media, body string
		code               int
		want               string
	}{
		{"", "text/html", "<p>a", 200, `"url":""`},
		{"?base=HTTP://A.test:80/./x%23y", "text/html; charset=utf-8", "<p>a", 200, `"url":"http://a.test/x"`},
		{"", "application/xhtml+xml", "<p>a</p>", 200, `"tree":[`},
		{"", "text/html", strings.Repeat("<p>a", 1<<20), 200, `"tree":[`},
		{"", "application/json", `{"html": "<p>a", "base": "http://a.test/"}`, 200, `"url":"http://a.test/"`},
		{"", "application/json", `{"html": "<p>a"}`, 200, `"markdown":"`},
		{"", "application/json; charset=utf-8", `{"url": "http://a.test/b?utm_source=x"}`, 200, `"label":"main"`},
		{"?base=a.test", "text/html", "<p>a", 400, "has no scheme"},
		{"?bse=a.test", "text/html", "<p>a", 400, "there are base"},
		{"", "text/html", "", 400, "the HTML is empty"},
		{"", "application/json", `{"html": ""}`, 400, "the HTML is empty"},
		{"", "application/json", `{}`, 400, "there is no page"},
		{"", "application/json", `{"base": "http://a.test/"}`, 400, "there is no page"},
		{"", "application/json", `{"url": "http://a.test/", "html": "x"}`, 400, "either url"},
		{"", "application/json", `{"url": "file:///etc/passwd"}`, 400, "only http and https"},
		{"", "application/json", `{"html": "x", "base": "javascript:1"}`, 400, "base: "},
		{"", "application/json", `{"html": "x"} {}`, 400, "text after the object"},
		{"", "application/json", `{"html": "x", "bas": "y"}`, 400, "bas"},
		{"", "application/json", `{"html": 7}`, 400, "invalid JSON"},
		{"", "application/json", `"x"`, 400, "invalid JSON"},
		{"", "application/json", ``, 400, "invalid JSON"},
		{"?base=http://a.test/", "application/json", `{"html": "x"}`, 400, "for a body of HTML"},
		{"", "application/pdf", "%PDF", 415, "application/pdf"},
		{"", "text/html; charset=\"", "x", 400, "Content-Type"},
		{"", "text/html", strings.Repeat("x", divide.MaxBody+1), 413, "16777216 bytes"},
		{"", "application/json", `{"url": "http://private.test/"}`, 422, "refused: blocked: a private address"},
		{"", "application/json", `{"url": "http://hangs.test/"}`, 504, "timeout: "},
		{"", "application/json", `{"url": "http://closing.test/"}`, 503, "retry later"},
		{"", "application/json", `{"url": "http://nobrowser.test/"}`, 503, "install chromium-headless-shell"},
		{"", "application/json", `{"url": "http://broken.test/"}`, 500, "the log says why"},
	} {
		w := c.ask(t, "POST", segmentPath+tc.query, tc.media, tc.body)
		if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("POST %s %s %.60s = %d %.300s; want %d, %s", tc.query, tc.media, tc.body, w.Code, w.Body, tc.code, tc.want)
		}
		if again := w.Header().Get("Retry-After"); (w.Code == 503) != (again != "") {
			t.Errorf("%.60s: %d with Retry-After %q", tc.body, w.Code, again)
		}
	}
}

// curl sends HTML as a form, and a program may send no type.
func TestHTMLNeedsNoType(t *testing.T) {
	s := New(Options{Store: made(t), Segment: dividing(segmented(t))})
	for _, media := range []string{"", "application/x-www-form-urlencoded", "application/octet-stream"} {
		r := httptest.NewRequest("POST", segmentPath, strings.NewReader("<p>a"))
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != 200 {
			t.Errorf("%q: %d %s", media, w.Code, w.Body)
		}
	}
}

func TestPagesAreOnlyPosted(t *testing.T) {
	s := New(Options{Store: made(t), Segment: dividing(segmented(t))})
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		if w := get(s, method, segmentPath); w.Code != 405 || w.Header().Get("Allow") != "POST" {
			t.Errorf("%s = %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
	if w := get(New(Options{Store: made(t)}), "POST", segmentPath); w.Code != 404 || !strings.Contains(w.Body.String(), "plat segment --listen") {
		t.Errorf("a server that divides no pages: %d %s", w.Code, w.Body)
	}
}

// A server that only divides pages has no archive, and asks for its token.
func TestASegmenterServesNothingElse(t *testing.T) {
	s := New(Options{Segment: dividing(segmented(t)), Token: "a token of some length"})
	post := func(path string, header ...string) int {
		r := httptest.NewRequest("POST", path, strings.NewReader("<p>a"))
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	const bearer = "Bearer a token of some length"
	if code := post(segmentPath); code != 401 {
		t.Errorf("without a token: %d", code)
	}
	if code := post(segmentPath, "Authorization", bearer); code != 200 {
		t.Errorf("with its token: %d", code)
	}
	if code := post(segmentPath, "Authorization", bearer, "Sec-Fetch-Site", "cross-site"); code != 403 {
		t.Errorf("from a page of a different site: %d", code)
	}
	for _, path := range []string{"/", "/api/v1/urls", "/api/v1/sites", "/search", "/watch"} {
		if w := get(s, "GET", path, "Authorization", bearer); w.Code != 404 {
			t.Errorf("GET %s = %d", path, w.Code)
		}
	}
	for _, path := range []string{"/healthz", "/api/v1/openapi.json", "/api/v1/about"} {
		if w := get(s, "GET", path, "Authorization", bearer); w.Code != 200 {
			t.Errorf("GET %s = %d", path, w.Code)
		}
	}
}

// Requests beyond those under way are refused at once; none waits for ever.
func TestRequestsToDivideAreLimited(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{}, 100)
	s := New(Options{Store: made(t), Segment: dividing(func(ctx context.Context, _ divide.Source) (any, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("a request has no deadline")
		}
		begun <- struct{}{}
		<-release
		return map[string]int{}, nil
	})})
	post := func() int {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("POST", segmentPath, strings.NewReader("<p>a")))
		return w.Code
	}
	var underWay sync.WaitGroup
	codes := make(chan int, 100)
	for range 32 {
		underWay.Go(func() { codes <- post() })
	}
	for range 32 {
		<-begun
	}
	if code := post(); code != 503 {
		t.Errorf("one request more: %d", code)
	}
	close(release)
	underWay.Wait()
	close(codes)
	for code := range codes {
		if code != 200 {
			t.Error(fmt.Errorf("a request under way: %d", code))
		}
	}
	if code := post(); code != 200 {
		t.Errorf("afterwards: %d", code)
	}
}
