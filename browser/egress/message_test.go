package egress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures/tcp"
)

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
		at := tcp.Listen(t, func(c net.Conn) {
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

func TestSlowRequestHeadersTimeOut(t *testing.T) {
	o := local()
	o.HeaderTimeout = 50 * time.Millisecond
	l := newPageOn(t, newGuard(t, o), 0)
	w := dialLane(t, l)
	io.WriteString(w, "GET http://8.8.8.8/ HTTP/1.1\r\nHost: ")
	w.dead(t)
}
