package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"plat/plat"
	"plat/storage/storagetest"
	"plat/web/api"
	"plat/web/divide"
	"plat/web/submit"
	"plat/web/watchweb"
)

// contract checks a server's responses against openapi.yaml.
type contract struct {
	server http.Handler
	doc    *openapi3.T
	router routers.Router
}

func newContract(t *testing.T, server http.Handler) *contract {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
	for _, media := range []string{"image/png", "application/atom+xml", "application/rss+xml", "text/x-opml", "text/html", "application/xhtml+xml"} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.PlainBodyDecoder)
	}
	openapi3filter.RegisterBodyDecoder("application/feed+json", openapi3filter.JSONBodyDecoder)
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &contract{server, doc, router}
}

// ask sends a request and checks the response against the document and, if it
// is not an error, the request too.
func (c *contract) ask(t *testing.T, method, target, media, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := func() *http.Request {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		if media != "" {
			r.Header.Set("Content-Type", media)
		}
		return r
	}
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, request())
	r := request()
	route, path, err := c.router.FindRoute(r)
	if err != nil {
		t.Fatalf("%s %.200s: %v", method, target, err)
	}
	in := &openapi3filter.RequestValidationInput{Request: r, Route: route, PathParams: path, Options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, MultiError: true}}
	if w.Code < 400 {
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("%s %.200s succeeds, but the request violates the document: %.1000v", method, target, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: w.Code, Header: w.Header(), Options: in.Options}
	out.SetBodyBytes(w.Body.Bytes())
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		t.Errorf("the response to %s %.200s violates the document: %.2000v", method, target, err)
	}
	return w
}

func param(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "?" + q.Encode()
}

func TestServedAndDescribedPathsAreTheSame(t *testing.T) {
	c := newContract(t, New(Options{Store: made(t)}))
	served := map[string][]string{"GET /feed/{format}": feedParams, "POST " + intakePath: nil, "POST " + segmentPath: divide.Params}
	for _, e := range New(Options{}).endpoints() {
		served["GET "+apiRoot+e.path] = e.params
	}
	for _, r := range New(Options{Store: made(t)}).watched.Routes() {
		if strings.HasPrefix(r.Path, apiRoot) || watchweb.TokenInQuery(r.Path) {
			served[r.Method+" "+r.Path] = r.Params
		}
	}
	for _, r := range New(Options{Store: made(t)}).focused.Routes() {
		if strings.HasPrefix(r.Path, apiRoot) {
			served[r.Method+" "+r.Path] = r.Params
		}
	}
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			at := method + " " + path
			params, ok := served[at]
			if !ok {
				t.Errorf("%s is described, and not served", at)
				continue
			}
			var described []string
			for _, p := range op.Parameters {
				if p.Value.In == "query" {
					described = append(described, p.Value.Name)
				}
			}
			slices.Sort(described)
			if want := slices.Sorted(slices.Values(params)); !slices.Equal(described, want) {
				t.Errorf("%s takes %v; described are %v", at, want, described)
			}
			delete(served, at)
		}
	}
	for path := range served {
		t.Errorf("%s is served, and not described", path)
	}
}

func TestTheDocumentIsServed(t *testing.T) {
	c := newContract(t, New(Options{Store: made(t)}))
	if w := c.ask(t, "GET", "/api/v1/openapi.yaml", "", ""); w.Body.String() != string(openapi) {
		t.Error("the document in YAML is another")
	}
	w := c.ask(t, "GET", "/api/v1/openapi.json", "", "")
	if doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes()); err != nil || len(doc.Paths.Map()) != len(c.doc.Paths.Map()) {
		t.Errorf("the document in JSON is another: %v", err)
	}
}

func TestAnswersKeepTheContract(t *testing.T) {
	store := made(t)
	take := submit.New(func(_ context.Context, jobs []plat.Job) (int, error) { return len(jobs), nil }, nil, nil)
	c := newContract(t, New(Options{Store: store, Queue: frontier(t, store), Take: take, Version: "v1"}))
	v, err := store.Version(t.Context(), long, 5)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := store.Manifest(t.Context(), v.Resources)
	if err != nil {
		t.Fatal(err)
	}
	style, _ := manifest.Find("http://a.test/0.css")
	for _, tc := range []struct {
		target string
		code   int
		want   string // in the body
	}{
		{"/sites", 200, `"host":"a.test"`},
		{"/sites?limit=1", 200, `"next":"/api/v1/sites?cursor=`},
		{"/urls", 200, `"url":"https://b.test:8443/x"`},
		{"/urls" + param("host", "a.test"), 200, `"url":"https://a.test/"`},
		{"/urls" + param("prefix", "http://a"), 200, long},
		{"/urls" + param("prefix", "http://a", "host", "b"), 400, "either prefix or host"},
		{"/url" + param("url", "HTTP://A.test:80/./long#x"), 200, `"versions":60`},
		{"/url" + param("url", "http://c.test/gone"), 200, `"outcome":"gone"`},
		{"/url" + param("url", "http://none.test/"), 404, "not in this archive: http://none.test/"},
		{"/url" + param("url", "none.test"), 400, "has no scheme"},
		{"/url", 400, "url is missing"},
		{"/versions" + param("url", long), 200, `"version":60`},
		{"/versions" + param("url", "http://c.test/gone"), 200, `"items":[]`},
		{"/versions" + param("url", "http://none.test/"), 404, ""},
		{"/version" + param("url", long), 200, `"version":60`},
		{"/version" + param("url", long, "version", "last"), 200, `"version":60`},
		{"/version" + param("url", long, "version", "5", "text", "true"), 200, `"picture":"` + v.Picture.String()},
		{"/version" + param("url", long, "version", "61"), 404, "version 61"},
		{"/version" + param("url", long, "version", "-1"), 400, ""},
		{"/version" + param("url", long, "text", "yes"), 400, "true or false"},
		{"/version" + param("url", "http://c.test/gone"), 404, ""},
		{"/version" + param("url", long, "at", "2012-12-31"), 404, "was taken later"},
		{"/version" + param("url", long, "at", "2030-01-01"), 200, `"version":60`},
		{"/version" + param("url", long, "at", "2030-01-01", "version", "3"), 400, "either version or at"},
		{"/version" + param("url", "http://none.test/", "at", "2030-01-01"), 404, "not in this archive"},
		{"/text" + param("url", long, "at", "now"), 400, "write a date"},
		{"/page" + param("url", long, "version", "3"), 200, "<!DOCTYPE html>"},
		{"/resources" + param("url", long, "version", "5"), 200, "huge.png"},
		{"/resources" + param("url", long, "version", "6"), 200, `"items":[]`},
		{"/resource/" + style.Hash.String(), 200, "order: 0"},
		{"/resource/" + strings.Repeat("0", 64), 404, ""},
		{"/picture/" + v.Picture.String(), 200, "PNG"},
		{"/picture/" + strings.Repeat("0", 64), 404, ""},
		{"/picture/x", 400, ""},
		{"/diff" + param("url", long), 200, `"new":60`},
		{"/diff" + param("url", long, "old", "2", "new", "40"), 200, `"old":2`},
		{"/diff" + param("url", long, "new", "1"), 404, "no earlier version"},
		{"/diff" + param("url", long, "old", "61"), 404, ""},
		{"/diff" + param("url", "http://none.test/"), 404, ""},
		{"/spans" + param("url", long, "limit", "5", "text", "true"), 200, `"text":"`},
		{"/spans" + param("url", long, "lineage", "3"), 200, `"lineage":3`},
		{"/spans" + param("url", long, "lineage", "100000"), 200, `"items":[]`},
		{"/spans" + param("url", "http://c.test/gone"), 200, `"items":[]`},
		{"/blocks" + param("label", "main", "host", "a.test"), 200, `"label":"main"`},
		{"/blocks" + param("label", "mian"), 400, "there is no such label"},
		{"/blocks" + param("topic", "of", "head", "true", "text", "true", "prefix", "http://a.test/l"), 200, `"text":"`},
		{"/blocks" + param("since", "2019-03-02", "until", "2019-03-04T00:00:00Z"), 200, ""},
		{"/blocks" + param("since", "yesterday"), 400, "write a date"},
		{"/search" + param("q", "word"), 200, `"match":true`},
		{"/search" + param("q", "word", "gone", "true", "host", "a.test", "label", "main", "since", "2019-01-01"), 200, `"total":`},
		{"/search", 200, `"snippet":`},
		{"/visits" + param("url", long), 200, `"outcome":"unchanged"`},
		{"/visits" + param("url", "http://c.test/gone"), 200, "no such page"},
		{"/stats", 200, `"disk_bytes":`},
		{"/queue", 200, `"dead":5`},
		{"/queue/workers", 200, `"name":"worker-1"`},
		{"/queue/dead", 200, "too slow"},
		{"/about", 200, `{"version":"v1"}`},
	} {
		w := c.ask(t, "GET", apiRoot+tc.target, "", "")
		if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("GET %s = %d %.300s; want %d, %s", tc.target, w.Code, w.Body, tc.code, tc.want)
		}
	}
	for _, body := range []struct{ media, text string }{
		{"application/json", `{"url": "https://a.test/", "priority": 0.5, "every": "24h"}`},
		{"application/json", `["https://a.test/", {"url": "https://b.test/", "depth": 2}]`},
		{"text/plain", "https://a.test/\nhttps://b.test/\n"},
	} {
		if w := c.ask(t, "POST", intakePath, body.media, body.text); w.Code != 202 {
			t.Errorf("POST %s = %d %.300s", body.text, w.Code, w.Body)
		}
	}
	for _, format := range []string{"atom", "rss", "json"} {
		target := "/feed/" + format + param("url", long, "limit", "5", "kinds", "added,content", "labels", "main,list")
		if w := c.ask(t, "GET", target, "", ""); w.Code != 200 {
			t.Errorf("GET %s = %d %.300s", target, w.Code, w.Body)
		}
	}
}

// Unknown addresses, methods and parameters get a problem document, regardless
// of the Accept header.
func TestRequestErrorsAreProblemDocuments(t *testing.T) {
	s := New(Options{Store: made(t)})
	refused := func(method, target string, code int) {
		t.Helper()
		w := get(s, method, target, "Accept", "text/html")
		var p api.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatalf("%s %s: %v: %.200s", method, target, err, w.Body)
		}
		if w.Code != code || p.Status != code || p.Detail == "" || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s = %d %v %v; want %d", method, target, w.Code, w.Header(), p, code)
		}
	}
	refused("GET", "/api/", 404)
	refused("GET", "/api/v1/nothing", 404)
	refused("GET", "/api/v2/urls", 404)
	refused("GET", "/feed/opml?url=http://a.test/", 404)
	refused("GET", "/feed/atom"+param("url", long, "filter", "(a|b|c){1000}"), 400)
	refused("GET", "/api/v1/queue", 404)
	refused("POST", "/api/v1/urls", 404) // no intake configured
	refused("GET", "/api/v1/urls?limit=1&limit=2", 400)
	refused("GET", "/api/v1/urls?limit=%zz", 400)
	refused("GET", "/api/v1/urls?limit=1;cursor=2", 400)
	refused("GET", "/api/v1/blocks?topic="+strings.Repeat("x", 2000), 400)
	for _, e := range s.endpoints() {
		path := strings.ReplaceAll(apiRoot+e.path, "{hash}", strings.Repeat("0", 64))
		refused("GET", path+"?limt=1", 400)
		refused("DELETE", path, 405)
		if slices.Contains(e.params, "limit") {
			q := param("url", long)
			if !slices.Contains(e.params, "url") {
				q = "?"
			}
			for _, limit := range []string{"0", "501", "-1", "x", ""} {
				refused("GET", path+q+"&limit="+limit, 400)
			}
			for _, cursor := range []string{"x", "AA", "bnVsbA==", api.CursorOf([]int{1})} {
				if e.path != "/queue/dead" { // no crawl queue
					refused("GET", path+q+"&cursor="+cursor, 400)
				}
			}
		}
	}
}

// lists are the paged endpoints with their parameters.
var lists = map[string]string{
	"/sites":       "?",
	"/urls":        "?",
	"/versions":    param("url", long),
	"/spans":       param("url", long),
	"/blocks":      "?",
	"/search":      "?",
	"/visits":      param("url", long),
	"/resources":   param("url", long),
	"/queue/dead":  "?",
	"/watch":       "?",
	"/watch/items": "?",
	"/focus":       "?",
}

// walk reads a list to its end and returns the items.
func walk(t *testing.T, ask func(target string) *httptest.ResponseRecorder, first string) (items []string) {
	t.Helper()
	for next := first; next != ""; {
		w := ask(next)
		var page struct {
			Items []json.RawMessage
			Next  *string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != 200 {
			t.Fatalf("GET %s = %d %.200s", next, w.Code, w.Body)
		}
		for _, it := range page.Items {
			items = append(items, string(it))
		}
		link := w.Header().Get("Link")
		if next = ""; page.Next != nil {
			next = *page.Next
			if link != "<"+next+`>; rel="next"` {
				t.Fatalf("Link %q, next %q", link, next)
			}
		} else if link != "" {
			t.Fatalf("the last page has the Link %q", link)
		}
		if len(items) > 100_000 {
			t.Fatal("the list has no end")
		}
	}
	return items
}

func TestListsArePagedToTheirEndWithoutGapsAndDuplicates(t *testing.T) {
	store := made(t)
	subscribed(t, store)
	for _, id := range []string{"birds", "bridges", "rivers"} {
		crawled(t, store, id)
	}
	c := newContract(t, New(Options{Store: store, Queue: frontier(t, store)}))
	described := map[string]bool{}
	for path, item := range c.doc.Paths.Map() {
		if item.Get != nil && item.Get.Parameters.GetByInAndName("query", "cursor") != nil {
			described[strings.TrimPrefix(path, apiRoot)] = true
		}
	}
	if len(lists) != len(described) {
		t.Errorf("described lists are %v", described)
	}
	for path, query := range lists {
		ask := func(target string) *httptest.ResponseRecorder { return c.ask(t, "GET", target, "", "") }
		all := walk(t, ask, apiRoot+path+query+"&limit=500")
		if len(all) < 3 {
			t.Errorf("%s has only %d items", path, len(all))
		}
		if got := walk(t, ask, apiRoot+path+query+"&limit=500&cursor="); !slices.Equal(got, all) {
			t.Errorf("%s with an empty cursor has %d items", path, len(got))
		}
		few := max(1, len(all)/20)
		if got := walk(t, ask, apiRoot+path+query+"&limit="+strconv.Itoa(few)); !slices.Equal(got, all) {
			t.Errorf("%s has %d items, and in pages of %d it has %d, or others", path, len(all), few, len(got))
		}
		seen := map[string]bool{}
		for _, it := range all {
			if seen[it] {
				t.Errorf("%s has twice %.200s", path, it)
			}
			seen[it] = true
		}
	}
}

// While a list is being read, new versions arrive. The items that existed at
// the start come exactly once.
func TestPagingIsStableWhileTheArchiveGrows(t *testing.T) {
	for _, path := range []string{"/versions", "/spans", "/blocks", "/visits", "/urls"} {
		store := made(t)
		s := New(Options{Store: store})
		page := storagetest.NewPage("http://a.test/growing", 99)
		grow(t, store, page, 20)
		query := param("url", page.URL)
		if path == "/blocks" || path == "/urls" {
			query = param("prefix", page.URL)
		}
		key := func(item string) string { // the immutable part of an item
			var it struct {
				URL     string
				Version int
				Time    string
				Lineage int
				Hash    string
				First   any
			}
			if err := json.Unmarshal([]byte(item), &it); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(it)
		}
		var before, after []string
		for _, it := range walk(t, func(target string) *httptest.ResponseRecorder { return get(s, "GET", target) }, apiRoot+path+query) {
			before = append(before, key(it))
		}
		growing := func(target string) *httptest.ResponseRecorder {
			w := get(s, "GET", target)
			grow(t, store, page, 1)
			return w
		}
		for _, it := range walk(t, growing, apiRoot+path+query+"&limit="+strconv.Itoa(len(before)/5+1)) {
			after = append(after, key(it))
		}
		for _, it := range before {
			if n := len(after) - len(slices.DeleteFunc(slices.Clone(after), func(x string) bool { return x == it })); n != 1 {
				t.Errorf("%s: %s came %d times", path, it, n)
			}
		}
	}
}

func TestUnchangedResponsesAreNotSentAgain(t *testing.T) {
	s := New(Options{Store: made(t)})
	for _, target := range []string{
		"/api/v1/version" + param("url", long), "/api/v1/page" + param("url", long), "/api/v1/openapi.json", "/feed/atom" + param("url", long),
		"/feed/json" + param("url", long),
	} {
		first := get(s, "GET", target)
		tag := first.Header().Get("ETag")
		if first.Code != 200 || tag == "" {
			t.Fatalf("GET %s = %d, ETag %q", target, first.Code, tag)
		}
		if w := get(s, "GET", target, "If-None-Match", tag); w.Code != 304 || w.Body.Len() != 0 {
			t.Errorf("GET %s once more = %d with %d bytes", target, w.Code, w.Body.Len())
		}
		if w := get(s, "GET", target, "If-None-Match", `"another"`); w.Code != 200 {
			t.Errorf("GET %s with another tag = %d", target, w.Code)
		}
		head := get(s, "HEAD", target)
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Type") != first.Header().Get("Content-Type") || head.Header().Get("ETag") != tag {
			t.Errorf("HEAD %s = %d %v, %d bytes", target, head.Code, head.Header(), head.Body.Len())
		}
	}
}

// Untrusted content is never rendered in the archive's origin.
func TestPagesAndPicturesAreSealed(t *testing.T) {
	store := made(t)
	s := New(Options{Store: store})
	v, err := store.Version(t.Context(), long, 5)
	if err != nil {
		t.Fatal(err)
	}
	evil := storagetest.NewPage("http://a.test/evil", 7).Next()
	evil.Picture = &plat.Picture{Type: "image/svg+xml", Data: []byte("<svg onload='alert(1)'/>")}
	evil.Version.Picture = plat.HashOf(evil.Picture.Data)
	if _, err := store.Commit(t.Context(), evil); err != nil {
		t.Fatal(err)
	}
	if w := get(s, "GET", "/api/v1/picture/"+evil.Version.Picture.String()); w.Code != 404 {
		t.Errorf("an SVG is a picture: %d", w.Code)
	}
	for _, target := range []string{"/api/v1/page" + param("url", long), "/api/v1/picture/" + v.Picture.String(), "/web/20190301/" + long} {
		w := get(s, "GET", target)
		if loc := w.Header().Get("Location"); loc != "" {
			w = get(s, "GET", strings.Replace(loc, "/http", "id_/http", 1))
		}
		h := w.Header()
		if w.Code != 200 || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s = %d %v", target, w.Code, h)
		}
	}
	if w := get(s, "GET", "/api/v1/page"+param("url", long)); !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("a page is %v", w.Header())
	}
}
