package egress

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"plat/fixtures/oddhttp"
	"plat/fixtures/tcp"
)

func TestChunksAreReadAsBrowsersReadThem(t *testing.T) {
	const whole = "4\r\nbody\r\n0\r\n\r\n"
	for name, tc := range map[string]struct {
		data, want string
		err        error
	}{
		"two":                      {"4\r\nbody\r\n4\r\nmore\r\n0\r\n\r\n", "bodymore", nil},
		"bare line feeds":          {"4\nbody\n0\n\n", "body", nil},
		"an extension":             {"4;a=b\r\nbody\r\n0;c\r\n\r\n", "body", nil},
		"spaces after a size":      {"4  \r\nbody\r\n00\r\n\r\n", "body", nil},
		"a trailer without colon":  {"4\r\nbody\r\n0\r\nno colon\r\nA: b\r\n\r\n", "body", nil},
		"nothing":                  {"", "", io.ErrUnexpectedEOF},
		"no size":                  {"\r\nbody\r\n0\r\n\r\n", "", errChunks},
		"a size in words":          {"many\r\nbody", "", errChunks},
		"a negative size":          {"-4\r\nbody\r\n0\r\n\r\n", "", errChunks},
		"a size with a prefix":     {"0x4\r\nbody\r\n0\r\n\r\n", "", errChunks},
		"a size of 65 bits":        {"1ffffffffffffffff\r\nbody", "", errChunks},
		"more data than its size":  {"4\r\nbodymore\r\n0\r\n\r\n", "body", errChunks},
		"an end in a chunk":        {"9\r\nbody", "body", io.ErrUnexpectedEOF},
		"an end after a chunk":     {"4\r\nbody\r\n", "body", io.ErrUnexpectedEOF},
		"an end after the last":    {"4\r\nbody\r\n0\r\n", "body", io.ErrUnexpectedEOF},
		"a line without end":       {"4;" + strings.Repeat("a", 2*readAhead), "", bufio.ErrBufferFull},
		"trailers without end":     {"0\r\n" + strings.Repeat("A: b\r\n", maxHeader), "", errHeadTooLong},
		"data of a second message": {whole + "HTTP/1.1 200 OK\r\n", "body", nil},
	} {
		for _, src := range []io.Reader{strings.NewReader(tc.data), iotest.OneByteReader(strings.NewReader(tc.data))} {
			got, err := io.ReadAll(&chunks{r: bufio.NewReaderSize(src, readAhead)})
			if string(got) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: %q, %v; want %q, %v", name, got, err, tc.want, tc.err)
			}
		}
	}
}

// What a browser finds of an odd response is known: that it is not whole, or not in its encoding.
func TestTheEndOfAnOddResponseIsKnown(t *testing.T) {
	const odd = "HTTP/1.1 200 OK\r\nno colon\r\n"
	const text = "<!doctype html><p>This is a text of ASCII characters, long enough to be no compressed data."
	for name, tc := range map[string]struct {
		response     string
		cut, garbled bool
	}{
		"whole":                       {odd + "Content-Length: 4\r\n\r\nbody", false, false},
		"without a length":            {odd + "\r\nbody", false, false},
		"more than its length":        {odd + "Content-Length: 4\r\n\r\nbody and more", false, false},
		"less than its length":        {odd + "Content-Length: 9\r\n\r\nbody", true, false},
		"less than a signed length":   {odd + "Content-Length: +9\r\n\r\nbody", false, false},
		"whole chunks":                {odd + "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", false, false},
		"chunks without the last":     {odd + "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n", true, false},
		"chunks of HTTP/1.0":          {"HTTP 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n", false, false},
		"after an odd informational":  {"HTTP/1.1 103 Early\r\nno colon\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody", true, false},
		"an end in the head":          {odd + "Content-Le", true, false},
		"no gzip":                     {odd + "Content-Encoding: gzip\r\n\r\nbody", false, true},
		"no brotli":                   {odd + "Content-Encoding: br\r\n\r\n" + text, false, true},
		"no deflate":                  {odd + "Content-Encoding: deflate\r\n\r\n" + text, false, true},
		"a short text, maybe brotli":  {odd + "Content-Encoding: br\r\n\r\nbody", false, false},
		"gzip":                        {odd + "Content-Encoding: gzip\r\n\r\n\x1f\x8b", false, false},
		"a read head, and no brotli":  {"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n" + text, false, true},
		"a status with NUL":           {"HTTP/1.1 200 O\x00K\r\nContent-Length: 9\r\n\r\nbody", false, false}, // the browser rejects it
		"no head, at a port of tests": {"ICY 200 OK\r\nContent-Length: 9\r\n\r\nbody", false, false},
	} {
		l := newPageOn(t, newGuard(t, local()), 0)
		w := dialLane(t, l)
		io.WriteString(w, "GET http://"+answers(t, tc.response)+"/ HTTP/1.1\r\nHost: x\r\nUpgrade-Insecure-Requests: 1\r\nConnection: close\r\n\r\n")
		io.Copy(io.Discard, w.r)
		l.Close() // waits for the end of the exchange
		if x := l.Exchanges(); len(x) != 1 || x[0].Err != nil || x[0].Cut != tc.cut || x[0].Garbled != tc.garbled {
			t.Errorf("%s: %+v, want cut %v, garbled %v", name, x, tc.cut, tc.garbled)
		}
	}
}

// A server that keeps its connection does not keep the browser's, which waits for the end of an odd response.
func TestAnOddResponseEndsWhereItIsWhole(t *testing.T) {
	for name, response := range map[string]string{
		"a length":               "HTTP 200 OK\r\nContent-Length: 4\r\n\r\nbody",
		"chunks":                 "HTTP/1.1 200 OK\r\nno colon\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
		"no content":             "HTTP/1.1 204 No Content\r\nno colon\r\n\r\n",
		"after an informational": "HTTP/1.1 103 Early\r\nno colon\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
	} {
		at := tcp.Listen(t, func(c net.Conn) {
			http.ReadRequest(bufio.NewReader(c))
			io.WriteString(c, response)
			io.Copy(io.Discard, c) // until plat closes the connection
		})
		l := newPageOn(t, newGuard(t, local()), 0)
		w := dialLane(t, l)
		io.WriteString(w, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
		got, err := io.ReadAll(w.r)
		if err != nil || strings.Replace(string(got), "Connection: close\r\n", "", 1) != response {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if x := l.Exchanges(); len(x) != 1 || x[0].Cut {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// Without a head, data is a response only where browsers read HTTP/0.9. It arrives as it was sent.
func TestHTTP09IsReadWhereBrowsersReadIt(t *testing.T) {
	site := answers(t, "<p>old and odd")
	radio := answers(t, "icy 200 OK\r\n\r\nmusic")
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	newWorld(g, map[string]string{"10.0.0.1": site, "10.0.0.2": radio})
	for url, want := range map[string]string{
		"http://10.0.0.1/":      "<p>old and odd",
		"http://10.0.0.1:8080/": "",
		"http://10.0.0.2/":      "icy 200 OK\r\n\r\nmusic",
		"http://10.0.0.2:8000/": "icy 200 OK\r\n\r\nmusic",
	} {
		l := newPageOn(t, g, 0)
		w := dialLane(t, l)
		io.WriteString(w, "GET "+url+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		got, err := io.ReadAll(w.r)
		if want == "" {
			resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(got)), nil)
			if err != nil {
				t.Fatal(err)
			}
			ours(t, url, resp)
		} else if string(got) != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", url, got, err, want)
		}
		l.Close()
	}
}

// What is left of a response on a kept connection is no response of HTTP/0.9 to the next request.
func TestLeftoversAreNoResponse(t *testing.T) {
	next := make(chan bool)
	site := tcp.Listen(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for range 2 {
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
			select {
			case <-next:
				io.WriteString(c, "left of the last")
				return
			default:
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		}
	})
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	newWorld(g, map[string]string{"10.0.0.1": site})
	w := dialLane(t, newPageOn(t, g, 0))
	for i := range 2 {
		if i == 1 {
			go func() { next <- true }()
			time.Sleep(20 * time.Millisecond)
		}
		resp := w.ask(t, "GET http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n")
		if b, err := io.ReadAll(resp.Body); string(b) != "ok" || err != nil {
			t.Errorf("request %d: %s %q, %v", i, resp.Status, b, err)
		}
	}
}

// A connection that is reset is no end of a response without a length.
func TestAResetOddResponseIsReset(t *testing.T) {
	at := tcp.Listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "HTTP 200 OK\r\n\r\nhalf of the bo")
		time.Sleep(50 * time.Millisecond) // else the data is lost, too
		c.(*net.TCPConn).SetLinger(0)
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	io.WriteString(w, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, err := io.ReadAll(w.r); err == nil {
		t.Errorf("%q arrives as a whole", got)
	}
	l.Close()
	if x := l.Exchanges(); len(x) != 1 || !x[0].Cut {
		t.Errorf("%+v is not cut", x)
	}
}

// said is the server's side of a connection: it answers the first request with data, in pieces that a seed decides.
func said(data []byte, seed uint64, as netip.AddrPort) net.Conn {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		for r, line := bufio.NewReader(far), ""; line != "\r\n"; {
			var err error
			if line, err = r.ReadString('\n'); err != nil {
				return
			}
		}
		go io.Copy(io.Discard, far)
		r := rand.New(rand.NewPCG(seed, 0))
		for most := 1 + r.IntN(1+len(data)); len(data) > 0; {
			n := min(1+r.IntN(most), len(data))
			if _, err := far.Write(data[:n]); err != nil {
				return
			}
			data = data[n:]
		}
	}()
	return posing{near, as}
}

// FuzzResponses checks the road of a page's response from a server to the browser: whatever the server sends, in
// whatever pieces, the browser gets an end, and a response that net/http reads, or the server's own bytes.
func FuzzResponses(f *testing.F) {
	for i, r := range oddhttp.All() {
		f.Add([]byte(r.Bytes), uint64(i), r.Port80, false)
		f.Add([]byte(r.Bytes), uint64(i), r.Port80, true)
	}
	g := newGuard(f, local())
	l := newPageOn(f, g, 0)
	n := 0
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, port80, head bool) {
		g.connect = func(_ context.Context, to netip.AddrPort) (net.Conn, error) { return said(data, seed, to), nil }
		n++ // a connection that is kept belongs to a different host
		method, at := "GET", netip.AddrFrom4([4]byte{127, byte(n >> 16), byte(n >> 8), byte(n)}).String()
		if head {
			method = "HEAD"
		}
		if !port80 {
			at += ":8080"
		}
		l.Reset(0)
		c, err := net.Dial("tcp", l.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.(*net.TCPConn).SetLinger(0) // keeps no port
		c.SetDeadline(time.Now().Add(20 * time.Second))
		io.WriteString(c, method+" http://"+at+"/ HTTP/1.1\r\nHost: x\r\nUpgrade-Insecure-Requests: 1\r\nConnection: close\r\n\r\n")
		got, failed := io.ReadAll(c)
		if isTimeout(failed) {
			t.Fatalf("no end after %q", got)
		}
		if len(got) > 16*len(data)+4<<10 {
			t.Fatalf("%d bytes of %d", len(got), len(data))
		}
		x := l.Exchanges()
		if len(x) != 1 {
			t.Fatalf("exchanges %+v", x)
		}
		if x[0].Status == 0 && x[0].Err == nil {
			if own := bytes.Replace(got, []byte("Connection: close\r\n"), nil, 1); !bytes.Contains(data, got) && !bytes.Contains(data, own) {
				t.Fatalf("%q is not of the server", got)
			}
			return
		}
		if failed != nil || x[0].Cut {
			return // as much as the browser gets of a response that is not whole
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(got)), &http.Request{Method: method})
		if err != nil {
			t.Fatalf("net/http: %v of %q; %+v", err, got, x)
		}
		if x[0].Err != nil {
			ours(t, "a refusal", resp)
			return
		}
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != x[0].Status || resp.Header.Get(verdict) != "" || err != nil || len(body) > len(data) {
			t.Fatalf("%s, %d bytes of %d: %v", resp.Status, len(body), len(data), err)
		}
	})
}
