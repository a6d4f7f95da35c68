package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures/freeport"
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
	silent := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	rude := listen(t, func(c net.Conn) {
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

func TestTLSStaysEndToEndThroughATunnel(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	defer site.Close()
	g := newGuard(t, local())
	l := newPageOn(t, g, 0)
	tr := site.Client().Transport.(*http.Transport).Clone()
	defer tr.CloseIdleConnections()
	tr.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr()})
	sent := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB: through the buffer and spliced
	resp, err := (&http.Client{Transport: tr}).Post(site.URL, "text/plain", strings.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != sent {
		t.Fatalf("%d bytes back, %v; want %d", len(got), err, len(sent))
	}
	if s := l.Stats(); s.BytesIn < 2<<20 || s.BytesOut < 2<<20 || s.BytesIn > 3<<20 || s.Requests != 1 {
		t.Errorf("stats %+v", s)
	}
	if len(l.Exchanges()) != 0 {
		t.Error("a tunnel shows exchanges")
	}
}

func TestATunnelForwardsEarlyData(t *testing.T) {
	at := echo(t)
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	if resp := w.ask(t, "CONNECT "+at+" HTTP/1.1\r\nHost: x\r\n\r\nearly\n"); resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	if got, err := w.r.ReadString('\n'); got != "early\n" {
		t.Errorf("got back %q, %v", got, err)
	}
	w.says(t, "later")
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	// net/http reads the environment once per process and never proxies
	// loopback, so only the transport's setting can be checked.
	if tr := newGuard(t, Options{}).Client().Transport.(*http.Transport); tr.Proxy != nil {
		t.Error("the transport may dial past the guard")
	}
}

func TestWebSocketsRunInTheClearAndInTunnels(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !isWebSocket(r.Header) || r.Header.Get("Sec-WebSocket-Key") == "" {
			w.WriteHeader(400)
			return
		}
		c, b, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: yes\r\n\r\n")
		io.Copy(c, b)
	})
	at := site.Listener.Addr().String()
	upgrade := "Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n\r\n"
	g := newGuard(t, local())
	for _, tunnel := range []bool{false, true} {
		l := newPageOn(t, g, 0)
		w := dialLane(t, l)
		request := "GET http://" + at + "/ws HTTP/1.1\r\nHost: " + at + "\r\n" + upgrade
		if tunnel {
			w.connectTo(t, at)
			request = "GET /ws HTTP/1.1\r\nHost: " + at + "\r\n" + upgrade
		}
		resp := w.ask(t, request)
		if resp.StatusCode != 101 || resp.Header.Get("Sec-WebSocket-Accept") != "yes" || !isWebSocket(resp.Header) {
			t.Fatalf("tunnel %v: %s %v", tunnel, resp.Status, resp.Header)
		}
		w.says(t, "hello")
		w.says(t, strings.Repeat("x", 100000))
		if err := l.Quiet(t.Context(), time.Millisecond); err != nil {
			t.Errorf("an open WebSocket counts as in flight: %v", err)
		}
		l.Stop()
		w.dead(t)
		l.Close()
	}
}

func TestAnUnrequestedSwitchOfProtocolsIsAFailure(t *testing.T) {
	at := listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
		io.Copy(io.Discard, c)
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	resp := dialLane(t, l).ask(t, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
	ours(t, "a switch of protocols", resp)
	if resp.StatusCode != 502 {
		t.Errorf("%s, want 502", resp.Status)
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
	raw := listen(t, func(c net.Conn) {
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

func TestConnectionsOfAPageDieWithIt(t *testing.T) {
	over := make(chan struct{}, 1)
	begun := make(chan struct{}, 1)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-r.Context().Done()
		over <- struct{}{}
	})
	at := echo(t)
	g := newGuard(t, local())
	for name, end := range map[string]func(*Lane){
		"Reset": func(l *Lane) { l.Reset(0) },
		"Stop":  (*Lane).Stop,
		"Close": func(l *Lane) { l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			l := newPageOn(t, g, 0)
			defer l.Close()
			idle, tunnel, plain := dialLane(t, l), dialLane(t, l), dialLane(t, l)
			tunnel.connectTo(t, at)
			tunnel.says(t, "alive")
			io.WriteString(plain, "GET "+site.URL+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
			<-begun
			before := l.Stats()
			if a := l.Idle(); a.InFlight != 1 {
				t.Errorf("%d in flight, want the one request", a.InFlight)
			}
			end(l)
			idle.dead(t)
			tunnel.dead(t)
			plain.dead(t)
			<-over // the server's handler notices as well
			if before.Requests != 2 || before.BytesIn == 0 || before.BytesOut == 0 {
				t.Errorf("before: %+v", before)
			}
			if s := l.Stats(); name == "Reset" && (s.Requests != 0 || s.BytesIn != 0 || s.BytesOut != 0) {
				t.Errorf("the new page begins with %+v", s)
			} else if name != "Reset" && s.Requests != 2 {
				t.Errorf("what is known of the page is lost: %+v", s)
			}
		})
	}
}

func TestALaneWithoutAPageServesNothing(t *testing.T) {
	site := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the site was reached") })
	g := newGuard(t, local())
	l, err := g.Lane()
	if err != nil {
		t.Fatal(err)
	}
	w := dialLane(t, l)
	io.WriteString(w, "GET "+site.URL+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
	w.dead(t)
	if err := l.Quiet(t.Context(), 0); !errors.Is(err, ErrStopped) {
		t.Errorf("Quiet = %v, want ErrStopped", err)
	}
}

func TestLanesCannotBeReachedThroughLanes(t *testing.T) {
	g := newGuard(t, local())
	a, b := newPageOn(t, g, 0), newPageOn(t, g, 0)
	for _, lane := range []*Lane{a, b} {
		_, port, _ := net.SplitHostPort(lane.Addr())
		for _, host := range []string{"127.0.0.1", "127.1", "localhost", "[::ffff:127.0.0.1]", "127.0.0.2"} {
			for _, request := range []string{"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n"} {
				resp := dialLane(t, a).ask(t, fmt.Sprintf(request, host+":"+port))
				if resp.StatusCode != 403 || resp.Header.Get(verdict) != "own-listener" {
					t.Errorf("%s:%s: %s %q, want 403 own-listener", host, port, resp.Status, resp.Header.Get(verdict))
				}
			}
		}
	}
	resp := dialLane(t, a).ask(t, "GET /json/version HTTP/1.1\r\nHost: "+a.Addr()+"\r\n\r\n")
	ours(t, "a request for a server", resp)
	if resp.StatusCode != 403 {
		t.Errorf("taken for a server, the lane answers %s", resp.Status)
	}
}

func TestHeadersOfOneConnectionStayOnIt(t *testing.T) {
	got := make(chan *http.Request, 1)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r
		h := w.Header()
		h["Date"], h["Content-Type"] = nil, nil
		h.Set("Connection", "X-Hop")
		h.Set("X-Hop", "1")
		h.Set("Keep-Alive", "timeout=5")
		h.Set("Proxy-Authenticate", "Basic")
		h.Set(verdict, "forged")
		h.Set("X-End", "kept")
		h.Add("Set-Cookie", "a=1")
		h.Add("Set-Cookie", "b=2")
		io.WriteString(w, "<html>")
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	resp := dialLane(t, l).ask(t, "GET http://user:secret@"+site.Listener.Addr().String()+"/ HTTP/1.1\r\nHost: other.test\r\n"+
		"Connection: X-Private, close\r\nX-Private: 1\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\n"+
		"Keep-Alive: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nX-End: kept\r\nUpgrade-Insecure-Requests: 1\r\n\r\n")
	r := <-got
	want := http.Header{"Connection": {"keep-alive"}, "X-End": {"kept"}, "Upgrade-Insecure-Requests": {"1"}}
	if fmt.Sprint(r.Header) != fmt.Sprint(want) {
		t.Errorf("the server got %v, want %v", r.Header, want)
	}
	if r.Host != site.Listener.Addr().String() {
		t.Errorf("the server got Host %q", r.Host)
	}
	h := resp.Header
	for _, name := range []string{"X-Hop", "Keep-Alive", "Proxy-Authenticate", verdict, "Via", "Date", "Content-Type"} {
		if v, ok := h[name]; ok {
			t.Errorf("the browser got %s: %q", name, v)
		}
	}
	if h.Get("X-End") != "kept" || len(h["Set-Cookie"]) != 2 {
		t.Errorf("the browser got %v", h)
	}
	x := l.Exchanges()
	if len(x) != 1 || !x[0].Navigation || x[0].Status != 200 || x[0].Header.Get("X-End") != "kept" || strings.Contains(x[0].URL, "secret") {
		t.Errorf("exchanges %+v", x)
	}
}

func TestAPathArrivesAsTheBrowserWroteIt(t *testing.T) {
	var got atomic.Value
	site := serve(t, func(_ http.ResponseWriter, r *http.Request) { got.Store(r.RequestURI) })
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	for sent, want := range map[string]string{
		"":                   "/",
		"/":                  "/",
		"?q":                 "/?q",
		"/?":                 "/?",
		"/a|b[1]'(x)!*":      "/a|b[1]'(x)!*",
		"/%7Euser/%2f%2F":    "/%7Euser/%2f%2F",
		"/a/../b/./c":        "/a/../b/./c",
		"/a//b":              "/a//b",
		"//a//b":             "//a//b",
		"/x?a=|&b=http://c/": "/x?a=|&b=http://c/",
		"/http://d/e":        "/http://d/e",
		"/\xe4\xbd\xa0":      "/\xe4\xbd\xa0",
	} {
		resp := w.ask(t, "GET "+site.URL+sent+" HTTP/1.1\r\nHost: x\r\n\r\n")
		io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != 200 || got.Load() != want {
			t.Errorf("%q arrives as %q (%s), want %q", sent, got.Load(), resp.Status, want)
		}
		x := l.Exchanges()
		if last := x[len(x)-1].URL; last != site.URL+sent {
			t.Errorf("%q is recorded as %q", sent, last)
		}
	}
}

func TestAmbiguousRequestsAreRejected(t *testing.T) {
	var reached atomic.Int32
	bodies := make(chan string, 10)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		b, _ := io.ReadAll(r.Body)
		bodies <- string(b)
	})
	start := "POST " + site.URL + "/ HTTP/1.1\r\nHost: x\r\n"
	l := newPageOn(t, newGuard(t, local()), 0)
	for name, request := range map[string]string{
		"two lengths":             start + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"a signed length":         start + "Content-Length: +5\r\n\r\nhello",
		"an unknown coding":       start + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"two codings":             start + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		"a space before a colon":  start + "Content-Length : 5\r\n\r\nhello",
		"a bare CR in a header":   start + "X: a\rContent-Length: 5\r\n\r\nhello",
		"a NUL in a header":       start + "X: a\x00b\r\n\r\n",
		"a line break in the URL": "GET " + site.URL + "/\x0bx HTTP/1.1\r\nHost: x\r\n\r\n",
		"no version":              "GET " + site.URL + "/\r\n\r\n",
		"a version too many":      "GET " + site.URL + "/ HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n",
		"TRACE":                   "TRACE " + site.URL + "/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"another scheme":          "GET ftp://" + site.Listener.Addr().String() + "/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"https in the clear":      "GET https://" + site.Listener.Addr().String() + "/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"options of the proxy":    "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
		"a header without end":    start + "X: " + strings.Repeat("a", maxRequestHead) + "\r\n\r\n",
	} {
		w := dialLane(t, l)
		io.WriteString(w, request)
		resp, err := http.ReadResponse(w.r, nil)
		if err != nil {
			t.Errorf("%s: no answer: %v", name, err)
			continue
		}
		ours(t, name, resp)
		if body, err := io.ReadAll(resp.Body); err != nil || strings.Count(string(body), "\n") != 1 {
			t.Errorf("%s: the body is not one opaque line: %q, %v", name, body, err)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Fatalf("%d of them reached the server", n)
	}
	// A length beside chunks: the chunks count (RFC 9112 section 6.3), the
	// server sees no length, and the following bytes are not a second request.
	w := dialLane(t, l)
	resp := w.ask(t, start+"Content-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if got := <-bodies; got != "hello" || resp.StatusCode != 200 {
		t.Errorf("body %q, %s", got, resp.Status)
	}
	io.Copy(io.Discard, w.r)
	if n := reached.Load(); n != 1 {
		t.Errorf("%d requests reached the server, want 1", n)
	}
}

func TestATruncatedBodyIsNotTakenForComplete(t *testing.T) {
	for name, response := range map[string]string{
		"by length": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
		"in chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	} {
		at := listen(t, func(c net.Conn) {
			http.ReadRequest(bufio.NewReader(c))
			io.WriteString(c, response)
		})
		l := newPageOn(t, newGuard(t, local()), 0)
		resp, err := browser(t, l).Get("http://" + at + "/")
		if err != nil {
			continue
		}
		if b, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("%s: %q passes for the whole body", name, b)
		}
		resp.Body.Close()
	}
}

func TestAResponseArrivesAsItIsWritten(t *testing.T) {
	more := make(chan struct{})
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "6")
		}
		for _, part := range []string{"a\n", "b\n", "c\n"} {
			io.WriteString(w, part)
			http.NewResponseController(w).Flush()
			<-more
		}
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	for _, path := range []string{"/length", "/chunks"} {
		resp, err := browser(t, l).Get(site.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		for _, want := range []string{"a\n", "b\n", "c\n"} {
			if got, err := lines.ReadString('\n'); got != want || err != nil {
				t.Fatalf("%s: got %q, %v, want %q before the next is written", path, got, err, want)
			}
			more <- struct{}{}
		}
		resp.Body.Close()
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

func TestConnectionsPerLaneAreLimited(t *testing.T) {
	at := echo(t)
	o := local()
	o.MaxConns = 3
	l := newPageOn(t, newGuard(t, o), 0)
	var open []*wire
	for range 3 {
		w := dialLane(t, l)
		w.connectTo(t, at)
		open = append(open, w)
	}
	dialLane(t, l).dead(t)
	open[1].says(t, "still here")
	open[0].Close()
	for { // the lane notices the end asynchronously
		w := dialLane(t, l)
		if _, err := io.WriteString(w, "CONNECT "+at+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			continue
		}
		if resp, err := http.ReadResponse(w.r, &http.Request{Method: "CONNECT"}); err == nil && resp.StatusCode == 200 {
			break
		}
	}
}

func TestSlowRequestHeadersTimeOut(t *testing.T) {
	o := local()
	o.HeaderTimeout = 50 * time.Millisecond
	l := newPageOn(t, newGuard(t, o), 0)
	w := dialLane(t, l)
	io.WriteString(w, "GET http://8.8.8.8/ HTTP/1.1\r\nHost: ")
	w.dead(t)
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
