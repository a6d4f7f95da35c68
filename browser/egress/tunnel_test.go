package egress

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"plat/fixtures/tcp"
)

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
	at := tcp.Listen(t, func(c net.Conn) {
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
