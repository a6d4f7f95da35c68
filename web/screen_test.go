package web

import (
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plat/browser"
	"plat/browser/egress"
	"plat/fixtures"
	"plat/fixtures/history"
	"plat/plat"
	"plat/segment/label"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

// chrome is the browser's path. Without one the test is skipped, except in CI.
func chrome(t *testing.T) string {
	t.Helper()
	path, err := browser.Find("")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs a browser: ", err)
	}
	return path
}

// data is the folder of recorded pages. Without it the test is skipped.
func data(t *testing.T) string {
	t.Helper()
	dir, ok := history.Dir()
	if !ok {
		if os.Getenv("PLAT_REQUIRE_DATA") == "1" {
			t.Fatal("there are no recorded pages at ", dir)
		}
		t.Skip("skipped, it needs the recorded pages: there is no ", dir)
	}
	return dir
}

// archiver visits pages as plat does, with pictures and resources, at any given
// time.
type archiver struct {
	pool   *browser.Pool
	store  *sqlite.Store
	worker *workers.Worker

	mu    sync.Mutex
	taken time.Time // of the next visit; zero: now
}

// Render renders with the browser and sets the visit's time.
func (a *archiver) Render(ctx context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return a.pool.Render(ctx, browser.Request{URL: u, Decide: func(s *plat.Snapshot) plat.Attachments {
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.taken.IsZero() {
			s.Taken = a.taken
		}
		return evidence(s)
	}})
}

// latest returns the last version of a page, and its canonical URL.
func (a *archiver) latest(t *testing.T, u string) (string, *plat.Version) {
	t.Helper()
	canonical, err := plat.Canonical(u, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.store.Version(t.Context(), canonical, 0)
	if err != nil {
		t.Fatal(err)
	}
	return canonical, v
}

// pools has the browsers of archivers, by the width of their pages. TestMain closes them.
var pools = map[int]*browser.Pool{}

func poolOf(t *testing.T, width int) *browser.Pool {
	t.Helper()
	if pools[width] != nil {
		return pools[width]
	}
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: nowhereElse{}})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := browser.New(t.Context(), browser.Options{Chrome: chrome(t), Guard: guard, Tabs: 2, Width: width, Height: 1024})
	if err != nil {
		t.Fatal(err)
	}
	pools[width] = pool
	closeAll = append(closeAll, func() { pool.Close(); guard.Close() })
	return pool
}

func newArchiver(t *testing.T, width int) *archiver {
	t.Helper()
	a := &archiver{pool: poolOf(t, width)}
	a.store = sqlitetest.Open(t)
	describer, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.worker = workers.New(a, a.store, describer, workers.Options{Capture: workers.Capture{Pictures: true, Resources: plat.AllResources}})
	return a
}

// visit archives the current state of a page.
func (a *archiver) visit(t *testing.T, u string, at time.Time) workers.Report {
	t.Helper()
	a.mu.Lock()
	a.taken = at
	a.mu.Unlock()
	r, err := a.worker.Visit(t.Context(), plat.Job{URL: u})
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	return r
}

// nowhereElse resolves only names of this machine.
type nowhereElse struct{}

func (nowhereElse) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if LoopbackNames(host) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// sample archives both editions of the sample site.
func sample(t *testing.T) (*archiver, string) {
	t.Helper()
	a := newArchiver(t, 1280)
	site, err := fixtures.NewSite("site")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	for v := range fixtures.Versions {
		site.Set(v + 1)
		for _, p := range []string{"/", "/zh.html"} {
			a.visit(t, srv.URL+p, time.Date(2026, 3, 1+v, 9, 0, 0, 0, time.UTC))
		}
	}
	if err := a.store.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return a, srv.URL + "/"
}

// recorded archives up to most versions of a page from the recorded histories,
// at their times of publication.
func recorded(t *testing.T, id string, most int) (*archiver, string) {
	t.Helper()
	dir := data(t)
	set, err := history.Open(filepath.Join(dir, "history", "news", "dev"), filepath.Join(dir, "history", "ext"))
	if err != nil {
		t.Fatal(err)
	}
	a := newArchiver(t, 1280)
	for _, site := range set.Sites {
		var visits []history.Visit
		for _, v := range set.Visits()[site] {
			if v.Page.ID == id {
				visits = append(visits, v)
			}
		}
		if len(visits) == 0 {
			continue
		}
		srv := httptest.NewServer(site)
		t.Cleanup(srv.Close)
		u := srv.URL + strings.TrimSuffix(visits[0].Page.Path, "index.html")
		for _, v := range visits[max(0, len(visits)-most):] {
			site.Set(v.Time)
			a.visit(t, u, v.Time)
		}
		if err := a.store.Index(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return a, u
	}
	t.Fatalf("there is no page %s in the record", id)
	return nil, ""
}

// eye is a browser that opens our pages and collects its own error messages.
type eye struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu    sync.Mutex
	heard []string
}

// eyes starts the browser of all eyes. TestMain ends it.
var eyes = sync.OnceValue(func() context.Context {
	path, _ := browser.Find("") // chrome has found it
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-features", ""))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, end := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, close := chromedp.NewContext(alloc)
	closeAll = append(closeAll, close, end)
	return ctx
})

// closeAll ends the browsers that tests share.
var closeAll []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range closeAll {
		end()
	}
	os.Exit(code)
}

// newEye returns a tab in a browser context of its own: no cookie, cache or storage of an earlier test.
func newEye(t *testing.T, base string) *eye {
	t.Helper()
	chrome(t)
	first := eyes()
	if err := chromedp.Do(first); err != nil { // the first call starts the browser
		t.Fatal(err)
	}
	ctx, close := chromedp.NewContext(first, chromedp.WithNewBrowserContext())
	t.Cleanup(close)
	ctx, stop := context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(stop)
	e := &eye{t: t, ctx: ctx, base: base}
	e.do()
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	entries, thrown, calls := chromedp.Events(ctx, log.EntryAdded), chromedp.Events(ctx, runtime.ExceptionThrown), chromedp.Events(ctx, runtime.ConsoleAPICalled)
	go func() {
		for ev, err := range entries {
			if err != nil {
				return
			}
			e.hear(string(ev.Entry.Level) + ": " + ev.Entry.Text + " " + ev.Entry.URL)
		}
	}()
	go func() {
		for ev, err := range thrown {
			if err != nil {
				return
			}
			e.hear("exception: " + ev.ExceptionDetails.Text)
		}
	}()
	go func() {
		for ev, err := range calls {
			if err != nil {
				return
			}
			e.hear("console." + string(ev.Type))
		}
	}()
	return e
}

func (e *eye) hear(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, what)
}

// quiet fails if the browser reported errors for the pages opened so far.
func (e *eye) quiet(where string) {
	e.t.Helper()
	time.Sleep(50 * time.Millisecond) // wait for pending messages
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.heard {
		e.t.Errorf("%s: the browser says %s", where, h)
	}
	e.heard = nil
}

func (e *eye) do(actions ...chromedp.Action[chromedp.Void]) {
	e.t.Helper()
	if err := chromedp.Do(e.ctx, actions...); err != nil {
		e.t.Fatal(err)
	}
}

// open navigates to one of our pages.
func (e *eye) open(path string) {
	e.t.Helper()
	e.do(chromedp.Navigate(e.base + path))
}

// window sets the viewport size in CSS px and the device pixel ratio.
func (e *eye) window(width, height int64, zoom float64) {
	e.t.Helper()
	_, err := chromedp.Call(e.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: zoom})
	if err != nil {
		e.t.Fatal(err)
	}
}

// dark emulates the dark colour scheme.
func (e *eye) dark(on bool) {
	e.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	_, err := chromedp.Call(e.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
	if err != nil {
		e.t.Fatal(err)
	}
}

// login sends the token with every request for pages, as a browser does after
// asking for it once.
func (e *eye) login(token string) {
	e.t.Helper()
	if _, err := chromedp.Call(e.ctx, network.Enable, network.EnableParams{}); err != nil {
		e.t.Fatal(err)
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("reader:"+token))
	_, err := chromedp.Call(e.ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Authorization": basic}})
	if err != nil {
		e.t.Fatal(err)
	}
}

// see evaluates a script on the page.
func see[T any](e *eye, script string) T {
	e.t.Helper()
	v, err := chromedp.Run(e.ctx, chromedp.Evaluate[T](script))
	for range 5 { // a page that leaves takes the question with it
		if err == nil || !strings.Contains(err.Error(), "navigated or closed") && !strings.Contains(err.Error(), "context was destroyed") {
			break
		}
		v, err = chromedp.Run(e.ctx, chromedp.Evaluate[T](script))
	}
	if err != nil {
		e.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// keep writes a screenshot to the folder that PLAT_SCREENS names.
func (e *eye) keep(name string) {
	e.t.Helper()
	dir := os.Getenv("PLAT_SCREENS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(e.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// shown serves an archive on loopback.
func shown(t *testing.T, a *archiver, o Options) *httptest.Server {
	t.Helper()
	o.Store, o.Version = a.store, "test"
	srv := httptest.NewServer(New(o))
	t.Cleanup(srv.Close)
	return srv
}

var _ http.Handler = (*Server)(nil)

// views are all HTML pages, for a URL with two or more versions.
func views(u string, lineage int) map[string]string {
	q := url.QueryEscape(u)
	return map[string]string{
		"archive":     "/",
		"urls":        "/urls?prefix=" + q,
		"url":         "/url?url=" + q,
		"version":     "/version?url=" + q,
		"version-age": "/version?by=age&inner=1&url=" + q,
		"plan":        "/version?plan=1&by=change&url=" + q,
		"diff":        "/diff?url=" + q,
		"block":       "/block?lineage=" + strconv.Itoa(lineage) + "&url=" + q,
		"blocks":      "/blocks?url=" + q,
		"replay":      "/replay?url=" + q,
		"replay-age":  "/replay?by=age&url=" + q,
		"search":      "/search?q=the",
		"search-none": "/search?q=zyzzyva&site=a.test&label=main&now=gone&since=2020-01-01",
		"fleet":       "/fleet",
	}
}
