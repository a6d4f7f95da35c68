package egress

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"plat/fixtures/tcp"
)

// oddResponses are responses that net/http rejects and Chrome shows.
var oddResponses = map[string]string{
	"no version":           "HTTP 200 OK\r\nContent-Length: 4\r\n\r\nbody and more",
	"another version":      "HTTP/2 200\r\nContent-Length: 4\r\n\r\nbody",
	"a status of four":     "HTTP/1.1 0200 OK\r\nContent-Length: 4\r\n\r\nbody",
	"bytes before it":      "\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody",
	"two codings":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
	"an unknown coding":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 4\r\n\r\nbody",
	"a length said twice":  "HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nbody and more",
	"a signed length":      "HTTP/1.1 200 OK\r\nContent-Length: +4\r\n\r\nbody",
	"no colon":             "HTTP/1.1 200 OK\r\nno colon\r\nX-Of: the\r\n  site\r\n\r\nbody",
	"an odd name":          "HTTP/1.1 200 OK\r\n\xff\xfe: x\r\n\r\nbody",
	"a response before it": "HTTP/1.1 103 Early\r\nno colon\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody",
	"no status in it":      "HTTP/1.1 OK\r\nContent-Length: 4\r\n\r\nbody and more",
}

func TestClientsReadWhatBrowsersRead(t *testing.T) {
	c := newGuard(t, local()).Client()
	defer c.CloseIdleConnections()
	for name, response := range oddResponses {
		at := tcp.Listen(t, func(c net.Conn) {
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil && r.URL.Path == "/robots.txt" && r.UserAgent() == "plat" {
				io.WriteString(c, response)
			}
		})
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+at+"/robots.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User-Agent", "plat")
		resp, err := c.Do(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || string(body) != "body" {
			t.Errorf("%s: status %d, body %q, %v", name, resp.StatusCode, body, err)
		}
		if of := resp.Header.Get("X-Of"); name == "no colon" && of != "the site" {
			t.Errorf("%s: the field is %q", name, of)
		}
	}
	for name, response := range map[string]string{
		"two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
		"no response": "hello\r\n\r\nbody",
		"NUL":         "HTTP/1.1 200 O\x00K\r\n\r\nbody",
		"a long head": "HTTP 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", maxHeader/1000) + "\r\nbody",
	} {
		at := answers(t, response)
		if resp, err := c.Get("http://" + at); err == nil {
			t.Errorf("%s: status %d", name, resp.StatusCode)
			resp.Body.Close()
		}
	}
}

// What fails by a connection or a policy is not requested again.
func TestFailedRequestsAreNotMadeTwice(t *testing.T) {
	n := make(chan bool, 9)
	at := tcp.Listen(t, func(c net.Conn) {
		n <- true
		http.ReadRequest(bufio.NewReader(c)) // one that is not read may be sent again by net/http
	})
	c := newGuard(t, local()).Client()
	if _, err := c.Get("http://" + at); err == nil || isMalformed(err) {
		t.Errorf("an empty answer: %v", err)
	}
	if len(n) != 1 {
		t.Errorf("%d connections", len(n))
	}
	if _, err := newGuard(t, Options{}).Client().Get("http://" + at); err == nil || isMalformed(err) || len(n) != 1 {
		t.Errorf("a private address: %v, %d connections", err, len(n))
	}
}

func FuzzLenient(f *testing.F) {
	for _, r := range oddResponses {
		f.Add([]byte(r))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		resp, err := readLenient(bufio.NewReader(strings.NewReader(string(data))))
		if err != nil {
			return
		}
		body, _ := io.ReadAll(resp.Body)
		if len(body) > len(data) || resp.StatusCode < 0 || resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != 101 {
			t.Errorf("status %d, %d bytes of %d", resp.StatusCode, len(body), len(data))
		}
	})
}
