package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/fixtures/tcp"
)

// world simulates the Internet: connections to its addresses end at local
// listeners, and every dialled address is recorded.
type world struct {
	mu      sync.Mutex
	at      map[netip.Addr]string // guarded by mu
	dialled []netip.AddrPort      // guarded by mu
}

// newWorld replaces a guard's network by a world.
func newWorld(g *Guard, at map[string]string) *world {
	w := &world{at: map[netip.Addr]string{}}
	for a, local := range at {
		w.at[netip.MustParseAddr(a)] = local
	}
	g.connect = w.connect
	return w
}

func (w *world) connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, to)
	local, ok := w.at[to.Addr()]
	w.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("nothing is at %v", to)
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", local)
	if err != nil {
		return nil, err
	}
	return posing{c, to}, nil
}

func (w *world) seen() []netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]netip.AddrPort(nil), w.dialled...)
}

// posing is a connection that reports a false remote address.
type posing struct {
	net.Conn
	as netip.AddrPort
}

func (p posing) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(p.as) }

// wire is a connection to a lane on which a test acts as the browser.
type wire struct {
	net.Conn
	r *bufio.Reader
}

func dialLane(t testing.TB, l *Lane) *wire {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second)) // fail here instead of hanging
	return &wire{c, bufio.NewReader(c)}
}

// ask sends a raw request and reads the response's header.
func (w *wire) ask(t testing.TB, request string) *http.Response {
	t.Helper()
	if _, err := io.WriteString(w, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(w.r, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("no response to %q: %v", request, err)
	}
	return resp
}

// connectTo opens a tunnel or fails the test.
func (w *wire) connectTo(t testing.TB, hostport string) {
	t.Helper()
	if resp := w.ask(t, "CONNECT "+hostport+" HTTP/1.1\r\nHost: "+hostport+"\r\n\r\n"); resp.StatusCode != 200 {
		t.Fatalf("CONNECT %s: %s (%s)", hostport, resp.Status, resp.Header.Get(verdict))
	}
}

// echo echoes every line until the other side ends.
func echo(t testing.TB) string {
	t.Helper()
	return tcp.Listen(t, func(c net.Conn) { io.Copy(c, c) })
}

// says checks that a line is echoed.
func (w *wire) says(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(w, line+"\n"); err != nil {
		t.Fatal(err)
	}
	got, err := w.r.ReadString('\n')
	if err != nil || got != line+"\n" {
		t.Fatalf("sent %q, got back %q, %v", line, got, err)
	}
}

// dead waits until the other side has closed the connection.
func (w *wire) dead(t testing.TB) {
	t.Helper()
	_, err := io.Copy(io.Discard, w.r)
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		t.Fatal("the connection is still alive")
	}
}

// ours checks that a browser fails a response of the proxy's own, and that the response has the
// reason.
func ours(t testing.TB, name string, resp *http.Response) {
	t.Helper()
	at := resp.Header["Location"]
	if resp.StatusCode < 400 || resp.Header.Get(verdict) == "" || len(at) != 2 || at[0] == at[1] {
		t.Errorf("%s: %s %v is not marked as the proxy's own", name, resp.Status, resp.Header)
	}
}
