package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures/freeport"
	"plat/fixtures/tcp"
)

// local opens loopback, so that a lane reaches the test's own sites.
func local() Options { return Options{AllowPrivate: []netip.Prefix{loopback}} }

func TestRedirectsIntoPrivateSpaceAreRefusedHopByHop(t *testing.T) {
	var goal atomic.Value
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "http://other.test/hop", http.StatusFound)
		case "/hop":
			http.Redirect(w, r, goal.Load().(string), http.StatusFound)
		}
	})
	at := site.Listener.Addr().String()
	g := newGuard(t, Options{Resolver: hosts{
		"site.test": addrs("93.184.216.34"), "other.test": addrs("2606:4700::1"), "inner.test": addrs("192.168.1.1"),
	}})
	w := newWorld(g, map[string]string{"93.184.216.34": at, "2606:4700::1": at})
	for _, tc := range []struct{ to, host, why string }{
		{"http://10.0.0.1/", "10.0.0.1:80", "private"},
		{"http://0x7f.1:8080/", "127.0.0.1:8080", "loopback"},
		{"http://2852039166/latest/meta-data/", "169.254.169.254:80", "metadata"},
		{"http://inner.test/", "inner.test:80", "private"},
		{"http://localhost/", "localhost:80", "loopback"},
		{"http://[::1]/", "[::1]:80", "loopback"},
		{"http://" + at + "/", at, "loopback"},
		{"http://site.test:6379/", "site.test:6379", "port"},
	} {
		goal.Store(tc.to)
		l := newPageOn(t, g, 0)
		resp, body := getDocument(t, browser(t, l), "http://site.test/")
		ours(t, tc.to, resp)
		if resp.StatusCode != 403 || resp.Header.Get(verdict) != tc.why {
			t.Errorf("%s: %s %q, want 403 %s", tc.to, resp.Status, resp.Header.Get(verdict), tc.why)
		}
		if strings.Contains(body, tc.why) || strings.Count(body, "\n") != 1 {
			t.Errorf("%s: the body is not one opaque line: %q", tc.to, body)
		}
		s := l.Stats()
		if s.Requests != 3 || s.Refusals != 1 || !slices.Equal(s.Refused, []Refusal{{tc.host, tc.why}}) {
			t.Errorf("%s: stats %+v", tc.to, s)
		}
		if err := l.Failure(tc.to); !errors.Is(err, ErrRefused) {
			t.Errorf("Failure(%s) = %v, want ErrRefused", tc.to, err)
		}
		if err := l.Failure("http://site.test/"); err != nil {
			t.Errorf("Failure of what was reached = %v", err)
		}
		var chain []int
		for _, x := range l.Exchanges() {
			chain = append(chain, x.Status)
		}
		if !slices.Equal(chain, []int{302, 302, 0}) {
			t.Errorf("%s: exchanges %v, want 302, 302, none", tc.to, chain)
		}
	}
	for _, a := range w.seen() {
		if err := g.Check(a.Addr(), a.Port()); err != nil {
			t.Errorf("dialled %v", err)
		}
	}
	if n := g.Refused()["private"]; n != 2 {
		t.Errorf("the guard counts %d private, want 2", n)
	}
}

func TestFailuresAreAnsweredByKindAndRemembered(t *testing.T) {
	nobody := freeport.Unused(t)
	silent := tcp.Listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	rude := tcp.Listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "SSH-2.0-OpenSSH\r\n\r\n")
	})
	names := hosts{"gone.test": nil}
	o := local()
	o.Resolver, o.HeaderTimeout = names, 100*time.Millisecond
	g := newGuard(t, o)
	for _, tc := range []struct {
		method, host string
		status       int
		why          string
		kind         error
	}{
		{"GET", "gone.test:80", 502, "no-such-host", ErrNoHost},
		{"CONNECT", "gone.test:443", 502, "no-such-host", ErrNoHost},
		{"GET", nobody, 502, "unreachable", ErrUnreachable},
		{"CONNECT", nobody, 502, "unreachable", ErrUnreachable},
		{"GET", silent, 504, "timeout", ErrTimeout},
		{"GET", rude, 502, "unreachable", ErrUnreachable},
		{"GET", "10.0.0.1:80", 403, "private", ErrRefused},
		{"CONNECT", "10.0.0.1:443", 403, "private", ErrRefused},
		{"CONNECT", "[fe80::1]:443", 403, "link-local", ErrRefused},
		{"CONNECT", "0x7f000001.:1", 502, "unreachable", ErrUnreachable},
		{"CONNECT", "8.8.8.8:25", 403, "port", ErrRefused},
		{"CONNECT", "a..b:443", 403, "bad-host", ErrRefused},
	} {
		l := newPageOn(t, g, 0)
		goal := tc.host
		if tc.method != "CONNECT" {
			goal = "http://" + tc.host + "/"
		}
		resp := dialLane(t, l).ask(t, tc.method+" "+goal+" HTTP/1.1\r\nHost: "+tc.host+"\r\nUpgrade-Insecure-Requests: 1\r\n\r\n")
		ours(t, tc.method+" "+goal, resp)
		if resp.StatusCode != tc.status || resp.Header.Get(verdict) != tc.why {
			t.Errorf("%s %s: %s %q, want %d %s", tc.method, goal, resp.Status, resp.Header.Get(verdict), tc.status, tc.why)
		}
		if tc.method == "CONNECT" {
			goal = "https://" + tc.host + "/any"
		}
		err := l.Failure(goal)
		if tc.why == "bad-host" { // such a URL does not exist
			err = l.page.Load().failure(tunnelKey(tc.host))
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || !errors.Is(err, tc.kind) || e.Why != tc.why {
			t.Errorf("Failure(%s) = %v, want %v", goal, err, tc.kind)
		}
		l.Close()
	}
}

// A failure of a page's pictures at a host does not count for documents there, nor that of one
// document for the next.
func TestAFailureIsThatOfItsOwnDocument(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			panic(http.ErrAbortHandler)
		}
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	b := browser(t, l)
	getDocument(t, b, site.URL+"/")
	if resp, _ := get(t, b, site.URL+"/picture"); resp.StatusCode != 502 {
		t.Errorf("a picture that breaks is answered %s", resp.Status)
	}
	if resp, _ := getDocument(t, b, site.URL+"/frame?a%"); resp.StatusCode != 502 {
		t.Errorf("a frame that breaks is answered %s", resp.Status)
	}
	for url, failed := range map[string]bool{"": false, "/": false, "/#top": false, "/picture": false, "/frame": false, "/frame?a%": true, "/frame?a%#top": true} {
		if err := l.Failure(site.URL + url); errors.Is(err, ErrUnreachable) != failed {
			t.Errorf("Failure(%q) = %v, want one: %v", url, err, failed)
		}
	}
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	// net/http reads the environment once per process and never proxies
	// loopback, so only the transport's setting can be checked.
	if tr := newGuard(t, Options{}).Client().Transport.(*lenient); tr.Proxy != nil {
		t.Error("the transport may dial past the guard")
	}
}

func TestAnEndlessStreamIsCutAtTheLimit(t *testing.T) {
	const limit = 3 << 20
	cut := make(chan struct{}, 2)
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer func() { cut <- struct{}{} }()
		for b := make([]byte, 64<<10); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	})
	raw := tcp.Listen(t, func(c net.Conn) {
		defer func() { cut <- struct{}{} }()
		for b := make([]byte, 64<<10); ; {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	})
	g := newGuard(t, local())
	for name, begin := range map[string]func(w *wire){
		"plain": func(w *wire) {
			w.ask(t, "GET "+plain.URL+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
		},
		"tunnel": func(w *wire) { w.connectTo(t, raw) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newPageOn(t, g, limit)
			defer l.Close()
			other := dialLane(t, l)
			other.connectTo(t, echo(t))
			w := dialLane(t, l)
			begin(w)
			n, err := io.Copy(io.Discard, w.r)
			if n > limit {
				t.Errorf("%d bytes came, limit %d", n, limit)
			}
			if errors.Is(err, io.EOF) || err == nil && name == "plain" {
				t.Errorf("the cut looks like an orderly end: %v", err)
			}
			<-cut // the server notices as well
			other.dead(t)
			s := l.Stats()
			if !s.Capped || s.BytesIn != limit {
				t.Errorf("capped %v at %d bytes, want %d", s.Capped, s.BytesIn, limit)
			}
			if err := l.Quiet(t.Context(), time.Hour); !errors.Is(err, ErrCapped) {
				t.Errorf("Quiet = %v, want ErrCapped", err)
			}
			dialLane(t, l).dead(t)
			l.Reset(0)
			if l.Stats().Capped {
				t.Error("the next page begins capped")
			}
		})
	}
}

func TestAPageOfJustTheLimitIsNotCapped(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 100000)) })
	l := newPageOn(t, newGuard(t, local()), 0)
	b := browser(t, l)
	get(t, b, site.URL)
	size := l.Stats().BytesIn
	l.Reset(size)
	if _, body := get(t, b, site.URL); len(body) != 100000 || l.Stats().Capped {
		t.Errorf("%d bytes, stats %+v", len(body), l.Stats())
	}
	l.Reset(size - 1)
	if resp, err := b.Get(site.URL); err == nil {
		n, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err == nil {
			t.Errorf("%d bytes without an error, one byte over the limit", n)
		}
	}
	if !l.Stats().Capped {
		t.Error("one byte over the limit is not capped")
	}
}

func TestQuietWaitsForTheRequestInFlight(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	b := browser(t, l)
	var wg sync.WaitGroup
	wg.Go(func() { get(t, b, site.URL) })
	<-arrived
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := l.Quiet(ctx, time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Quiet = %v while a request is in flight", err)
	}
	close(release)
	if err := l.Quiet(t.Context(), time.Millisecond); err != nil {
		t.Errorf("Quiet = %v after its end", err)
	}
	wg.Wait()
	if a := l.Idle(); a.InFlight != 0 || a.Last.IsZero() {
		t.Errorf("Idle = %+v", a)
	}
}

func TestPlainConnectionsAreSharedButNotWithBoundCredentials(t *testing.T) {
	var mu sync.Mutex
	from := map[string]bool{}
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from[r.RemoteAddr] = true
		mu.Unlock()
	})
	g := newGuard(t, local())
	l := newPageOn(t, g, 0)
	for range 3 {
		get(t, browser(t, l), site.URL)
		l.Reset(0)
	}
	if len(from) != 1 {
		t.Errorf("%d connections for three pages, want 1", len(from))
	}
	for range 2 {
		dialLane(t, l).ask(t, "GET "+site.URL+"/ HTTP/1.1\r\nHost: x\r\nAuthorization: NTLM abc\r\n\r\n")
	}
	get(t, browser(t, l), site.URL)
	if len(from) < 3 {
		t.Errorf("%d connections; want those with NTLM apart", len(from))
	}
}

func TestCloseEndsEverythingAndStaysClosed(t *testing.T) {
	g, err := New(local())
	if err != nil {
		t.Fatal(err)
	}
	l := newPageOn(t, g, 0)
	w := dialLane(t, l)
	w.connectTo(t, echo(t))
	g.Close()
	w.dead(t)
	if _, err := g.Lane(); !errors.Is(err, ErrStopped) {
		t.Errorf("Lane after Close: %v, want ErrStopped", err)
	}
	if _, e := g.dial(t.Context(), target{host: "a.test", port: 80}); e == nil {
		t.Error("dial after Close succeeds")
	}
	l.Close()
	g.Close()
}
