package egress

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hosts is a resolver with fixed names.
type hosts map[string][]netip.Addr

func (h hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a := h[host]; len(a) > 0 {
		return a, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func addrs(s ...string) []netip.Addr {
	out := make([]netip.Addr, len(s))
	for i := range s {
		out[i] = netip.MustParseAddr(s[i])
	}
	return out
}

var loopback = netip.MustParsePrefix("127.0.0.0/8")

// newGuard returns a guard that lives as long as the test.
func newGuard(t testing.TB, o Options) *Guard {
	t.Helper()
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// newPageOn returns a lane with a page of at most limit bytes on it.
func newPageOn(t testing.TB, g *Guard, limit int64) *Lane {
	t.Helper()
	l, err := g.Lane()
	if err != nil {
		t.Fatal(err)
	}
	l.Reset(limit)
	return l
}

// browser is a client that only uses the lane and does not follow redirects.
func browser(t testing.TB, l *Lane) *http.Client {
	t.Helper()
	tr := &http.Transport{
		Proxy:              http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr()}),
		DisableCompression: true,
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// serve starts a local site that lives as long as the test.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func get(t testing.TB, c *http.Client, u string) (*http.Response, string) {
	t.Helper()
	return getWith(t, c, u, nil)
}

// getDocument is get for a document, shown as a page or in a frame.
func getDocument(t testing.TB, c *http.Client, u string) (*http.Response, string) {
	t.Helper()
	return getWith(t, c, u, http.Header{"Upgrade-Insecure-Requests": {"1"}})
}

func getWith(t testing.TB, c *http.Client, u string, h http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range h {
		r.Header[name] = values
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestAPageIsLoadedThroughTheLane(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+r.Host) })
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{loopback}})
	l := newPageOn(t, g, 0)
	resp, body := get(t, browser(t, l), site.URL+"/a?b")
	if resp.StatusCode != 200 || body != "hello "+site.Listener.Addr().String() {
		t.Fatalf("got %d %q", resp.StatusCode, body)
	}
}
