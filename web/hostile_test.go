package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/export/replay"
	"plat/plat"
	"plat/storage"
	"plat/web/memento"
)

// hostilePage attempts the attacks of an archived page on its viewers: stealing
// their cookies, navigating their window, sending requests with their
// credentials, or just notifying its owner. Some of it is written so that a
// rewriter and a browser would parse it differently.
var hostilePage = func() string {
	b, err := os.ReadFile("../export/replay/testdata/hostile.html")
	if err != nil {
		panic(err)
	}
	return string(b)
}()

// commitPage stores html as a version of url with one block, without rendering
// it.
func commitPage(ctx context.Context, store storage.Store, url, html, title string) error {
	layout := plat.Layout{Slots: []int32{0}}
	v := &plat.Version{
		URL: url, N: 1, Taken: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Layout: layout.Sum(), Level: 3, Profile: "visual", Lineages: 1,
		Capture: plat.Capture{FinalURL: url, Status: 200, ContentType: "text/html", Title: title, Width: 1280, Height: 1024, PageBytes: int64(len(html))},
		Blocks: []plat.Block{
			{Parent: -1, Run: 1, Slot: -1, Tag: "html", Box: plat.Rect{W: 1280, H: 1024}},
			{Path: []int32{0}, Run: 1, Level: 1, Tag: "html", Box: plat.Rect{W: 1280, H: 1024}, Hash: plat.HashOf([]byte(html)), Content: []byte(html),
				Topic: title, Explanation: title, Label: plat.LabelMain, Lineage: 1, TextLen: 100},
		},
	}
	visit := plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeNew, Version: 1, Status: 200}
	if _, err := store.Commit(ctx, &storage.Commit{Version: v, Layout: layout, Visit: visit}); err != nil {
		return err
	}
	return store.Index(ctx, nil)
}

// owner is the attacker's site and the requests it received.
func owner(t *testing.T) (url string, asked func() []string) {
	var mu sync.Mutex
	var all []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.URL.String())
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func TestHostilePagesAreContained(t *testing.T) {
	var mu sync.Mutex
	evil, asked := owner(t)
	html := strings.ReplaceAll(hostilePage, "EVIL", evil)

	store := made(t)
	const u = "http://hostile.test/"
	if err := commitPage(t.Context(), store, u, html, `<script>fetch("/api/v1/urls",{method:"POST"})</script>`); err != nil {
		t.Fatal(err)
	}
	// The viewer is logged in, so a page could act with their credentials.
	const token = "a token of some length"
	s := New(Options{Store: store, Token: token, Take: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})})
	var abused []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			mu.Lock()
			abused = append(abused, r.Method+" "+r.URL.Path)
			mu.Unlock()
		}
		s.ServeHTTP(w, r)
	}))
	defer srv.Close()

	v, err := store.Version(t.Context(), u, 0)
	if err != nil {
		t.Fatal(err)
	}
	e := newEye(t, srv.URL)
	e.window(1280, 900, 1)
	e.login(token)
	for _, path := range []string{
		"/replay?url=" + url.QueryEscape(u), "/replay?by=age&url=" + url.QueryEscape(u), "/frame?url=" + url.QueryEscape(u), memento.Path(u, v.Taken),
		"/version?url=" + url.QueryEscape(u), "/block?lineage=1&url=" + url.QueryEscape(u), "/search?q=harm", "/url?url=" + url.QueryEscape(u),
	} {
		e.open(path)
		e.do()
		time.Sleep(1300 * time.Millisecond) // longer than the page's redirect delay
		if at := see[string](e, `location.pathname`); !strings.HasPrefix(path, at) {
			t.Errorf("%s: the window is at %s now", path, at)
		}
		if name := see[string](e, `window.name`); name != "" {
			t.Errorf("%s: a script of the page ran", path)
		}
	}
	// Click on everything.
	e.open(memento.Path(u, v.Taken))
	for _, id := range []string{"send", "top", "js", "ping"} {
		if !see[bool](e, `!!document.getElementById('`+id+`')`) {
			t.Fatalf("%s is not in the replay: the test would show nothing", id)
		}
		see[bool](e, `document.getElementById('`+id+`').click(), true`)
		time.Sleep(200 * time.Millisecond)
		if at := see[string](e, `location.host`); at != strings.TrimPrefix(srv.URL, "http://") {
			t.Errorf("a click on %s leads out, to %s", id, at)
		}
		e.open(memento.Path(u, v.Taken))
	}
	if origin := see[string](e, `self.origin`); origin != "null" {
		t.Errorf("the replay is in the origin %q, not in one of its own", origin)
	}
	if reached := asked(); len(reached) > 0 {
		t.Errorf("the page reached its owner: %q", reached)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(abused) > 0 {
		t.Errorf("the page asked the interface, in its reader's name: %q", abused)
	}
}

// An exported page is played without a policy: nothing in it may run, however Chrome parses it.
func TestExportedPagesRunNothing(t *testing.T) {
	b, err := os.ReadFile("../export/replay/testdata/mutations.txt")
	if err != nil {
		t.Fatal(err)
	}
	evil, _ := owner(t)
	pages := append(strings.Split(strings.TrimSpace(string(b)), "\n"), strings.ReplaceAll(hostilePage, "EVIL", evil))
	bad := strings.NewReplacer("BAD", "window.name='bad'")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.Trim(r.URL.Path, "/raw"))
		if err != nil || n >= len(pages) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := []byte("<html><head></head><body>" + bad.Replace(pages[n]) + "</body></html>")
		if !strings.HasPrefix(r.URL.Path, "/raw") {
			v := &plat.Version{URL: "http://hostile.test/", Capture: plat.Capture{FinalURL: "http://hostile.test/"}}
			shown, _, err := replay.Playable(r.Context(), nil, v, nil, nil, page)
			if err != nil {
				t.Error(err)
			}
			page = shown.Body
		}
		w.Write(page)
	}))
	defer srv.Close()
	e := newEye(t, srv.URL)
	e.window(1280, 900, 1)
	ran := 0
	for n := range pages {
		for _, path := range []string{"/raw", "/"} {
			e.open(fmt.Sprint(path, n))
			time.Sleep(50 * time.Millisecond)
			see[bool](e, `document.querySelectorAll('a').forEach(a => a.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))), true`)
			name := see[string](e, `window.name`)
			see[bool](e, `window.name = '', true`)
			switch {
			case path == "/raw" && name != "":
				ran++
			case path != "/raw" && name != "":
				t.Errorf("a script of page %d ran: %s", n, pages[n])
			}
		}
	}
	t.Logf("as they were, %d of %d pages ran a script", ran, len(pages))
	if ran < 15 {
		t.Errorf("as they were, only %d of %d pages ran a script: the test shows little", ran, len(pages))
	}
}

// Pictures of exported pages have addresses of their own, and may be opened.
func TestExportedPicturesRunNothing(t *testing.T) {
	pictures := []string{
		`<script>BAD</script>`, `<s:script xmlns:s="http://www.w3.org/2000/svg">BAD</s:script>`, `<h:script>BAD</h:script>`, `<script href="data:,BAD"/>`,
		`<g onclick="BAD" id="a"/><set attributeName="x" begin="0s" dur="1s" onbegin="BAD"/>`, `<style onload="BAD">a{}</style>`,
		`<foreignObject width="9" height="9"><h:img src="x:" onerror="BAD"/><h:body onload="BAD"/></foreignObject>`, `<image href="x:" onerror="BAD"/>`,
		`<foreignObject width="9" height="9"><h:iframe srcdoc="&lt;script>parent.BAD&lt;/script>"/></foreignObject>`, `<image href="data:image/svg+xml,x" onerror="BAD"/>`,
	}
	bad := strings.NewReplacer("BAD", "window.name='bad'")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimLeft(r.URL.Path, "/abcdefghijklmnopqrstuvwxyz"))
		if err != nil || n >= len(pictures) {
			http.NotFound(w, r)
			return
		}
		picture := []byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml" width="7" height="7">` + bad.Replace(pictures[n]) + `<rect width="7" height="7"/></svg>`)
		kind := "image/svg+xml"
		if strings.HasPrefix(r.URL.Path, "/alone") {
			kind, picture = replay.Alone(kind, picture)
		}
		if strings.HasPrefix(r.URL.Path, "/shown") {
			kind, picture = "text/html", fmt.Appendf(nil, `<img src="/alone%d">`, n)
		}
		w.Header().Set("Content-Type", kind)
		w.Write(picture)
	}))
	defer srv.Close()
	e := newEye(t, srv.URL)
	ran := 0
	for n := range pictures {
		for _, path := range []string{"/raw", "/alone"} {
			e.open(fmt.Sprint(path, n))
			time.Sleep(100 * time.Millisecond)
			name := see[string](e, `window.name`)
			see[bool](e, `window.name = '', true`)
			switch {
			case path == "/raw" && name != "":
				ran++
			case path != "/raw" && name != "":
				t.Errorf("a script of a picture ran: %s", pictures[n])
			}
		}
		e.open(fmt.Sprint("/shown", n))
		if wide := see[float64](e, `document.images[0].naturalWidth`); wide != 7 {
			t.Errorf("a picture is %v wide: %s", wide, pictures[n])
		}
	}
	if t.Logf("as they were, %d of %d pictures ran a script", ran, len(pictures)); ran < 6 {
		t.Errorf("as they were, only %d of %d pictures ran a script: the test shows little", ran, len(pictures))
	}
}

func TestThePolicyAloneContainsHostilePages(t *testing.T) {
	evil, asked := owner(t)
	posts := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			posts++
		}
		replayHeaders(w.Header())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.ReplaceAll(hostilePage, "EVIL", evil))
	}))
	defer srv.Close()
	e := newEye(t, srv.URL)
	e.open("/")
	time.Sleep(1500 * time.Millisecond)
	if at := see[string](e, `location.pathname`); at != "/" {
		t.Errorf("the window is at %s now", at)
	}
	if reached := asked(); len(reached) > 0 || posts > 0 {
		t.Errorf("the policy alone lets a page reach its owner by %q, and post %d times", reached, posts)
	}
}
