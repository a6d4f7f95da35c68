package browser

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plat/browser/egress"
	"plat/plat"
)

// world is the environment of most tests: one Chrome behind one guard.
type world struct {
	guard *egress.Guard
	pool  *Pool
}

// worlds are the environments that tests share, by the name of each. TestMain closes them.
var worlds = struct {
	sync.Mutex
	by map[string]*world
}{by: map[string]*world{}}

// newWorld starts a Chrome behind a guard that resolves names with r.
func newWorld(t testing.TB, r egress.Resolver, change func(*Options)) *world {
	t.Helper()
	g := newGuard(t, r)
	o := testOptions(t, g)
	change(&o)
	p, err := New(t.Context(), o)
	if err != nil {
		g.Close()
		t.Fatal(err)
	}
	return &world{g, p}
}

func (w *world) close() {
	w.pool.Close()
	w.guard.Close()
}

// sharedPool returns the pool of a name. The first test that asks for it starts its world.
func sharedPool(t testing.TB, name string, r egress.Resolver, change func(*Options)) *Pool {
	t.Helper()
	worlds.Lock()
	defer worlds.Unlock()
	w := worlds.by[name]
	if w == nil {
		w = newWorld(t, r, change)
		worlds.by[name] = w
	}
	return w.pool
}

// TestMain fails when the tests leave a goroutine, a process or a profile.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		tmp, err := os.MkdirTemp("", "plat-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(tmp)
		os.Setenv("TMPDIR", tmp)
		// Tests wait for pages more than they compute.
		flag.Set("test.parallel", strconv.Itoa(3*runtime.NumCPU()))
		code := m.Run()
		for _, w := range worlds.by {
			w.close()
		}
		http.DefaultClient.CloseIdleConnections()
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		if left, _ := filepath.Glob(filepath.Join(tmp, "plat-chrome-*")); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "profiles are left:", left)
			code = 1
		}
		if left := browsersIn(tmp); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "browsers are left:", left)
			code = 1
		}
		return code
	}())
}

func testOptions(t testing.TB, guard *egress.Guard) Options {
	t.Helper()
	if _, err := Find(""); err != nil {
		if os.Getenv("PLAT_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return Options{Guard: guard, Tabs: 2, Log: nil}
}

func newGuard(t testing.TB, r egress.Resolver) *egress.Guard {
	t.Helper()
	g, err := egress.New(egress.Options{
		AllowPrivate:   []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Resolver:       r,
		ResolveTimeout: time.Second,
		DialTimeout:    time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// failing fails every lookup. Other than [plat/fixtures.NoNames] it does not say that the name does not exist.
type failing struct{}

func (failing) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, fmt.Errorf("nobody knows that name")
}

// pool returns the pool of tests that need no options of their own.
func pool(t testing.TB) *Pool {
	t.Helper()
	return sharedPool(t, "", failing{}, func(o *Options) { o.Tabs = 4 })
}

// poolWith starts a pool for one test.
func poolWith(t testing.TB, change func(*Options)) *Pool {
	t.Helper()
	w := newWorld(t, failing{}, change)
	t.Cleanup(w.close)
	return w.pool
}

// site serves pages by path, HTML unless they begin otherwise.
func site(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range pages {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		})
	}
	return serve(t, mux)
}

func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func render(t testing.TB, p *Pool, url string) *plat.Snapshot {
	t.Helper()
	s, err := p.Render(t.Context(), Request{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAPageIsRendered(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><html lang=de><title>Guten Tag</title><body style="margin:0">
<h1 style="margin:0;font-size:40px;height:50px;background:#123456">Überschrift</h1><p style="color:red">Text</p>`})
	s := render(t, pool(t), srv.URL+"/")
	if s.Title != "Guten Tag" || s.Language != "de" || s.Status != 200 || s.ContentType != "text/html" || s.FinalURL != srv.URL+"/" || s.Settled.Short() {
		t.Errorf("snapshot says title %q, language %q, status %d, type %q, URL %q, unsettled %t", s.Title, s.Language, s.Status, s.ContentType, s.FinalURL, s.Settled.Short())
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name != "h1" {
			continue
		}
		if n.Box != (plat.Rect{W: 1280, H: 50}) {
			t.Errorf("h1 is at %v, want 0,0 1280×50", n.Box)
		}
		if st := s.Styles[n.Style]; st.FontSize != 40 || st.Background != plat.RGBA(0x12, 0x34, 0x56, 255) || st.FontWeight != 700 || st.Display != "block" {
			t.Errorf("h1 has style %+v", st)
		}
	}
}

func TestVisitsYieldOneAtATime(t *testing.T) {
	p := pool(t)
	p.resize(1)
	p.Yield(true)
	if err := p.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := make(chan error)
	go func() { second <- p.Enter(t.Context()) }()
	p.resize(p.Most()) // as when there is room for more
	select {
	case err := <-second:
		t.Fatalf("two visits at once: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if !p.Stay() {
		t.Error("the only visit may not be followed by another")
	}
	p.Yield(false)
	if err := <-second; err != nil || !p.Stay() {
		t.Errorf("two visits afterwards: %v, they may stay: %t", err, p.Stay())
	}
	p.Yield(true)
	if p.Stay() {
		t.Error("two visits go on")
	}
	p.Yield(false)
	p.Leave()
	p.Leave()
}
