package egress

import (
	"bufio"
	"context"
	"errors"
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

// answers is a site that answers the requests of each connection with these texts in turn, and
// closes the connection after the last.
func answers(t testing.TB, all ...string) string {
	return tcp.Listen(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for _, text := range all {
			q, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			io.Copy(io.Discard, q.Body)
			io.WriteString(c, text)
		}
	})
}

// A browser accepts more than net/http does. A response that net/http rejects arrives as the server
// sent it.
func TestAResponseThatNetHTTPRefusesIsTheBrowsersToRead(t *testing.T) {
	const body = "\r\n\r\nbody"
	for name, head := range map[string]string{
		"no minor version":    "HTTP/1 200 OK\r\nContent-Length: 4",
		"no version":          "HTTP 200 OK\r\nContent-Length: 4",
		"another version":     "HTTP/2 200\r\nContent-Length: 4",
		"a status of four":    "HTTP/1.1 0200 OK\r\nContent-Length: 4",
		"two codings":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: xchunked",
		"an unknown coding":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 4",
		"two lengths":         "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5",
		"two lengths in one":  "HTTP/1.1 200 OK\r\nContent-Length: 4, 4",
		"a signed length":     "HTTP/1.1 200 OK\r\nContent-Length: +4",
		"a line without name": "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 4",
		"a folded first line": "HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 4",
		"a status of nothing": "HTTP/1.1 000 x\r\nContent-Length: 4",
		"a status below 100":  "HTTP/1.1 099 x\r\nContent-Length: 4",
	} {
		at := answers(t, head+body)
		l := newPageOn(t, newGuard(t, local()), 0)
		w := dialLane(t, l)
		io.WriteString(w, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
		got, err := io.ReadAll(w.r)
		line, rest, _ := strings.Cut(head, "\r\n")
		if want := line + "\r\nConnection: close\r\n" + rest + body; string(got) != want || err != nil {
			t.Errorf("%s arrives as %q, %v; want %q", name, got, err, want)
		}
		if x := l.Exchanges(); len(x) != 1 || x[0].Err != nil || x[0].Cut || x[0].Header != nil {
			t.Errorf("%s: exchanges %+v", name, x)
		}
		l.Close()
	}
}

// Browsers read a head up to the end of its connection, and treat the response as incomplete.
func TestAHeadThatIsCutIsHandedOnAndNoted(t *testing.T) {
	for _, head := range []string{"HTTP", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Le"} {
		l := newPageOn(t, newGuard(t, local()), 0)
		w := dialLane(t, l)
		at := answers(t, head)
		io.WriteString(w, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\nUpgrade-Insecure-Requests: 1\r\n\r\n")
		if got, _ := io.ReadAll(w.r); string(got) != head {
			t.Errorf("%q arrives as %q", head, got)
		}
		if x := l.Exchanges(); len(x) != 1 || !x[0].Cut || !l.CutShort() {
			t.Errorf("%q: exchanges %+v, cut short: %v", head, x, l.CutShort())
		}
		l.Close()
	}
}

// After an odd response, no data from the browser reaches a server unchecked.
func TestNothingFollowsAnOddResponse(t *testing.T) {
	var requests atomic.Int32
	at := tcp.Listen(t, func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
			requests.Add(1)
			io.WriteString(c, "HTTP 200 OK\r\nContent-Length: 4\r\n\r\nbody")
		}
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	one := "GET http://" + at + "/ HTTP/1.1\r\nHost: x\r\n\r\n"
	io.WriteString(w, one+strings.Replace(one, at, "10.0.0.1", 1)+one)
	want := "HTTP 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(w.r, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	w.Close() // like a browser on Connection: close
	l.Close() // waits for the handlers
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests reached the server, want 1", n)
	}
}

func TestAConnectionThatItsServerHasClosedIsReplaced(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	var conns atomic.Int32
	at := tcp.Listen(t, func(c net.Conn) {
		conns.Add(1)
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, ok) // promises to keep the connection, and closes it
		}
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	for i := range 5 {
		resp := w.ask(t, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
		if b, err := io.ReadAll(resp.Body); resp.StatusCode != 200 || string(b) != "ok" || err != nil {
			t.Errorf("request %d: %s %q, %v", i, resp.Status, b, err)
		}
	}
	if n := conns.Load(); n != 5 {
		t.Errorf("%d connections, want 5", n)
	}
}

// Data that arrives on a kept connection is not an answer to the next request, of any page.
func TestNothingLeftOnAConnectionAnswersTheNextRequest(t *testing.T) {
	right := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"
	for name, tc := range map[string]struct {
		method, first string
		left          string        // sent after the first answer
		after         time.Duration // so long after it
	}{
		"a late time-out":             {"GET", right, "HTTP/1.1 408 Request Time-out\r\nContent-Length: 4\r\n\r\nlate", 20 * time.Millisecond},
		"an answer to nothing":        {"GET", right, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison", 20 * time.Millisecond},
		"the same at once":            {"GET", right, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison", 0},
		"a line break":                {"GET", right, "\r\n", 20 * time.Millisecond},
		"a body of HEAD":              {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n", "poison", 20 * time.Millisecond},
		"a body of 304":               {"GET", "HTTP/1.1 304 Not Modified\r\n\r\n", "poison", 20 * time.Millisecond},
		"a body longer than it says":  {"GET", right, "poison", 0},
		"a time-out as it is used":    {"GET", right, "", 0},
		"credentials of a connection": {"GET", right, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var conns atomic.Int32
			sent := make(chan struct{}, 9)
			at := tcp.Listen(t, func(c net.Conn) {
				r := bufio.NewReader(c)
				n := conns.Add(1)
				for i := 0; ; i++ {
					if _, err := http.ReadRequest(r); err != nil {
						return
					}
					switch {
					case n > 1:
						io.WriteString(c, right)
					case i == 0 && tc.after == 0:
						io.WriteString(c, tc.first+tc.left)
						sent <- struct{}{}
					case i == 0:
						io.WriteString(c, tc.first)
						time.Sleep(tc.after)
						io.WriteString(c, tc.left)
						sent <- struct{}{}
					case strings.HasPrefix(name, "a time-out"):
						io.WriteString(c, "HTTP/1.1 408 Request Time-out\r\nContent-Length: 4\r\n\r\nlate")
						return
					default:
						io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nshared")
					}
				}
			})
			g := newGuard(t, local())
			l := newPageOn(t, g, 0)
			auth := ""
			if strings.HasPrefix(name, "credentials") {
				auth = "Authorization: NTLM abc\r\n"
			}
			w := dialLane(t, l)
			resp := w.ask(t, tc.method+" http://"+at+"/1 HTTP/1.1\r\nHost: x\r\n"+auth+"\r\n")
			if tc.method != "HEAD" {
				io.Copy(io.Discard, resp.Body)
			}
			<-sent
			// The bytes are with the guard: they were sent before, on this machine.
			for range 100 {
				time.Sleep(time.Millisecond)
				g.origins.mu.Lock()
				kept := g.origins.kept
				g.origins.mu.Unlock()
				if kept == 0 {
					break
				}
			}
			next := newPageOn(t, g, 0)
			resp = dialLane(t, next).ask(t, "GET http://"+at+"/2 HTTP/1.1\r\nHost: x\r\n\r\n")
			if b, err := io.ReadAll(resp.Body); string(b) != "right" || err != nil || resp.StatusCode != 200 {
				t.Errorf("the next request gets %s %q, %v", resp.Status, b, err)
			}
			if n := conns.Load(); n != 2 {
				t.Errorf("%d connections, want 2", n)
			}
		})
	}
}

// A request that the browser cancels has not failed to reach its server.
func TestARequestThatIsGivenUpIsNoFailure(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	at := tcp.Listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		close(begun)
		io.Copy(io.Discard, c)
		close(ended)
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	io.WriteString(w, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\nUpgrade-Insecure-Requests: 1\r\n\r\n")
	<-begun
	w.Close()
	<-ended
	l.Quiet(t.Context(), 0)
	if x, err := l.Exchanges(), l.Failure("http://"+at+"/"); len(x) > 0 || err != nil {
		t.Errorf("exchanges %+v, failure %v", x, err)
	}
}

func TestARequestIsSentOnceWhereItChangesSomething(t *testing.T) {
	var got atomic.Int32
	at := tcp.Listen(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for first := true; ; first = false {
			q, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			if q.Method != "GET" {
				got.Add(1)
				return
			}
			if io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); !first {
				return
			}
		}
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	for i, method := range []string{"POST", "DELETE", "PUT"} {
		w := dialLane(t, l)
		w.ask(t, "GET http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n") // its connection is kept
		resp := w.ask(t, method+" http://"+at+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
		ours(t, method, resp)
		if n := got.Load(); n != int32(i+1) {
			t.Errorf("%s reached the server %d times", method, n-int32(i))
		}
	}
}

func TestBodiesPassBothWaysAtOnce(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		fmt.Fprintf(w, "%d\n", r.ContentLength)
		http.NewResponseController(w).Flush()
		io.Copy(w, r.Body)
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	io.WriteString(w, "POST "+site.URL+"/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
	resp, err := http.ReadResponse(w.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := bufio.NewReader(resp.Body)
	if line, err := body.ReadString('\n'); line != "10\n" || err != nil {
		t.Fatalf("before the body is sent: %q, %v", line, err)
	}
	io.WriteString(w, "world")
	if rest, err := io.ReadAll(body); string(rest) != "helloworld" || err != nil {
		t.Errorf("echoed: %q, %v", rest, err)
	}
}

func TestAServerHasItsTimeToBeginAndNoMore(t *testing.T) {
	o := local()
	o.HeaderTimeout = 200 * time.Millisecond
	g := newGuard(t, o)
	for name, tc := range map[string]struct {
		answer []string // with pauses of half the time between
		status int
		kind   error
	}{
		"a head in time, a body that takes longer": {[]string{"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "b", "o", "d", "y"}, 200, nil},
		"information first":                        {[]string{"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, 200, nil},
		"half a head":                              {[]string{"HTTP/1.1 200 OK\r\n", "", "", "", "X: y\r\n\r\n"}, 504, ErrTimeout},
		"information without end":                  {[]string{strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 2*maxEarly)}, 502, ErrUnreachable},
		"a head without end":                       {[]string{"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxHeader)}, 502, ErrUnreachable},
	} {
		at := tcp.Listen(t, func(c net.Conn) {
			http.ReadRequest(bufio.NewReader(c))
			for i, s := range tc.answer {
				if i > 0 {
					time.Sleep(o.HeaderTimeout / 2)
				}
				io.WriteString(c, s)
			}
			io.Copy(io.Discard, c)
		})
		l := newPageOn(t, g, 0)
		resp, body := getDocument(t, browser(t, l), "http://"+at+"/")
		err := l.Failure("http://" + at + "/")
		if resp.StatusCode != tc.status || tc.kind == nil && err != nil || !errors.Is(err, tc.kind) {
			t.Errorf("%s: %s, %v; want %d, %v", name, resp.Status, err, tc.status, tc.kind)
		}
		if strings.HasPrefix(name, "a head in time") && body != "body" {
			t.Errorf("%s: %q", name, body)
		}
		l.Close()
	}
}

// A server sees the fields of the browser in their order and spelling.
func TestFieldsKeepTheirOrderAndSpelling(t *testing.T) {
	got := make(chan string, 1)
	at := tcp.Listen(t, func(c net.Conn) {
		b := make([]byte, 4096)
		n, _ := c.Read(b)
		got <- string(b[:n])
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	w := dialLane(t, l)
	io.WriteString(w, "GET http://"+at+"/a HTTP/1.1\r\nHost: "+at+"\r\nProxy-Connection: keep-alive\r\nsec-ch-ua: \"x\"\r\nB: 1\r\nA: 2\r\nB:3 \r\n\r\n")
	if want, is := "GET /a HTTP/1.1\r\nHost: "+at+"\r\nConnection: keep-alive\r\nsec-ch-ua: \"x\"\r\nB: 1\r\nA: 2\r\nB: 3\r\n\r\n", <-got; is != want {
		t.Errorf("the server got %q, want %q", is, want)
	}
}

func TestKeptConnectionsAreBounded(t *testing.T) {
	o := newOrigins(newGuard(t, local()))
	var ends []net.Conn
	keep := func(to string) {
		a, b := net.Pipe()
		ends = append(ends, b)
		o.keep(&originConn{Conn: a, to: to, r: bufio.NewReader(a)})
	}
	for range maxIdlePerHost + 2 {
		keep("a:80")
	}
	if n := len(o.idle["a:80"]); n != maxIdlePerHost {
		t.Errorf("%d connections to one host are kept, want %d", n, maxIdlePerHost)
	}
	for i := range maxIdle {
		keep(fmt.Sprint("h", i, ":80"))
	}
	if o.kept != maxIdle {
		t.Errorf("%d connections are kept, want %d", o.kept, maxIdle)
	}
	if c := o.reuse("a:80"); c == nil || !c.used || o.kept != maxIdle-1 {
		t.Errorf("taken: %v; %d kept", c, o.kept)
	} else {
		c.Close()
	}
	o.close()
	keep("b:80")
	if o.kept != 0 || len(o.idle) != 0 {
		t.Errorf("%d connections are kept after the end", o.kept)
	}
	for _, c := range ends {
		c.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatalf("a connection is open: %v", err)
		}
	}
}

// The end of a page ends its requests, even one whose response is arriving.
func TestARequestEndsWithItsContext(t *testing.T) {
	at := tcp.Listen(t, func(c net.Conn) {
		http.ReadRequest(bufio.NewReader(c))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		io.Copy(io.Discard, c)
	})
	g := newGuard(t, local())
	ctx, cancel := context.WithCancel(t.Context())
	to, e := parseHostPort(at)
	if e != nil {
		t.Fatal(e)
	}
	asked := parseHead("GET http://" + at + "/ HTTP/1.1\r\nHost: x")
	r, err := g.origins.send(ctx, &asked, to, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(r.Body); err == nil {
		t.Error("the body goes on")
	}
	r.Body.Close()
	if len(g.origins.idle) > 0 {
		t.Error("a connection with half a response is kept")
	}
}
