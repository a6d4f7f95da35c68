package egress

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"plat/fixtures/tcp"
)

// lines is a site that answers each request with its request line and its host.
func lines(t testing.TB) string {
	t.Helper()
	return tcp.Listen(t, func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			for field := line; field != "\r\n"; {
				if field, err = r.ReadString('\n'); err != nil {
					return
				}
				if host, ok := strings.CutPrefix(field, "Host: "); ok {
					line += host
				}
			}
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(line), line)
		}
	})
}

// Servers distinguish spellings that net/url unifies, and serve pages at URLs that it rejects.
func TestAnAddressThatNetURLRefusesArrivesAsWritten(t *testing.T) {
	at := lines(t)
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	for _, path := range []string{
		"/50%/x", "/50%off.png", "/%", "/%zz", "/a%2", "/%%30", "/x%u0041", "/a?b=100%", "/a?%&%zz=%", "/?%",
		"/a\"b", "/a^b`c{d|e}", "/a\\b", "/\xe9t\xe9", "/a?\"'<>`{|}^\\", "/a;b=1,2", "/a?b?c??", "/:80/@x", "/a?//b%",
		"/" + strings.Repeat("long/", 400_000), "//a/b", "//", "//50%/x", "//a|b", "//[::1]/",
	} {
		resp := w.ask(t, "GET http://"+at+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		got, err := io.ReadAll(resp.Body)
		if want := "GET " + path + " HTTP/1.1\r\n" + at + "\r\n"; string(got) != want || err != nil {
			t.Errorf("%.60q arrives as %.100q, %v", path, got, err)
		}
		x := l.Exchanges()
		if want := "http://" + at + path; x[len(x)-1].URL != want[:min(len(want), maxExchangeURL)] {
			t.Errorf("%.60q is recorded as %.60q", path, x[len(x)-1].URL)
		}
	}
}

// Chrome sends one request at a time; a different client may not, and a body is not a head.
func TestRequestsOfAConnectionAreToldApart(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q\n", r.Method, r.RequestURI, r.Header.Get("X"), b)
	})
	at := site.Listener.Addr().String()
	body := "GET http://" + at + "/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	sent := fmt.Sprintf("POST http://%s/a HTTP/1.1\r\nX: 1\r\nContent-Length: %d\r\n\r\n%s", at, len(body), body) +
		"GET http://" + at + "/b HTTP/1.1\r\nx:2\r\n\r\n" +
		"PUT http://" + at + "/c HTTP/1.1\r\nX: 3\r\nContent-Length: 0\r\n\r\n" +
		"GET http://" + at + "/% HTTP/1.1\r\nX: 4\r\nConnection: close\r\n\r\n" + "GET http://" + at + "/after HTTP/1.1\r\n\r\n"
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	io.WriteString(w, sent)
	for _, want := range []string{fmt.Sprintf("POST /a 1 %q\n", body), "GET /b 2 \"\"\n", "PUT /c 3 \"\"\n"} {
		resp, err := http.ReadResponse(w.r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := io.ReadAll(resp.Body); string(got) != want {
			t.Errorf("the site answers %q, want %q", got, want)
		}
	}
	if resp, err := http.ReadResponse(w.r, nil); err != nil || resp.StatusCode != 400 {
		t.Errorf("net/http as a site takes a lone %%: %v, %v", resp, err) // its own text, passed on
	}
	w.dead(t)
}

// FuzzHeads checks that net/http accepts every head that it is given, for any input from a browser,
// and that it reads the bodies in the input.
func FuzzHeads(f *testing.F) {
	for _, s := range []string{
		"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://a/50%/x HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\nGET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloHEAD http://b/ HTTP/1.0\r\n\r\n",
		"POST http://a/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"PUT http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a\r\n\r\n5\r\nhello\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
		"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\nbytes\r\n\r\n",
		"GET http://a/ HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\nHost: a\r\n\r\nframes",
		"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\r\n\r\n", ": \r\n\r\n", "A b HTTP/1.1\r\n:x\r\n\r\n",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, sent []byte, slowly bool) {
		var src io.Reader = bytes.NewReader(sent)
		if slowly {
			src = iotest.OneByteReader(src)
		}
		h := &heads{src: src}
		plain, strict := bufio.NewReader(h), bufio.NewReader(bytes.NewReader(sent))
		for agree := true; ; {
			r, err := http.ReadRequest(plain)
			if err != nil {
				if !errors.Is(err, io.EOF) && !h.rest { // data after a tunnel's head is not read as a request
					t.Fatalf("net/http: %v", err)
				}
				return
			}
			if h.rest && len(h.real) == 0 {
				return
			}
			real := h.next()
			if real.err != nil {
				if !errors.Is(real.err, ErrRefused) || real.err.Why == "" {
					t.Fatalf("%v is no refusal with a reason", real.err)
				}
				if n, _ := io.Copy(io.Discard, plain); n != 0 || !r.Close {
					t.Fatalf("%d bytes come after a malformed head; close %v", n, r.Close)
				}
				return
			}
			if r.Method != real.method {
				t.Fatalf("net/http reads %s, want %s", r.Method, real.method)
			}
			if real.method == http.MethodConnect || isWebSocket(real.header) {
				return
			}
			if e, target := error(nil), real.target; target != "" {
				if _, e2 := real.goal(); e2 != nil {
					e = e2
				}
				if e == nil && !strings.HasPrefix(strings.ToLower(target), "http://") {
					t.Fatalf("%q is taken for a URL of http", target)
				}
			}
			body, err := io.ReadAll(r.Body)
			if agree {
				want, e := http.ReadRequest(strict)
				if agree = e == nil; agree {
					same, e := io.ReadAll(want.Body)
					if want.RequestURI != real.target || want.Method != real.method || !bytes.Equal(same, body) || (e == nil) != (err == nil) {
						t.Fatalf("read as %s %q with %q, %v; net/http reads %s %q with %q, %v", real.method, real.target, body, err, want.Method, want.RequestURI, same, e)
					}
				}
			}
			if err != nil || real.chunked {
				return
			}
		}
	})
}
