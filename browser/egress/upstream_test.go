package egress

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"plat/fixtures/tcp"
)

// operator is an HTTP and SOCKS5 proxy that connects everything to one address
// and records the requested ones.
type operator struct {
	to    string
	mu    sync.Mutex
	asked []string // guarded by mu
}

func (o *operator) join(c net.Conn, r io.Reader) {
	far, err := net.Dial("tcp", o.to)
	if err != nil {
		return
	}
	defer far.Close()
	var up sync.WaitGroup
	up.Go(func() {
		io.Copy(far, r)
		far.(*net.TCPConn).CloseWrite()
	})
	io.Copy(c, far)
	c.Close()
	up.Wait()
}

func (o *operator) ask(what string) {
	o.mu.Lock()
	o.asked = append(o.asked, what)
	o.mu.Unlock()
}

func (o *operator) http(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != "Basic bWU6c2VjcmV0" { // me:secret
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	o.ask(r.RequestURI)
	c, b, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	o.join(c, b)
}

// socks implements the part of RFC 1928 and RFC 1929 needed for a CONNECT to
// IPv4.
func (o *operator) socks(c net.Conn) {
	b := make([]byte, 64)
	io.ReadFull(c, b[:2])
	io.ReadFull(c, b[:b[1]])
	c.Write([]byte{5, 2}) // require user and password
	io.ReadFull(c, b[:2])
	io.ReadFull(c, b[:b[1]])
	io.ReadFull(c, b[:1])
	io.ReadFull(c, b[:b[0]])
	c.Write([]byte{1, 0})
	if _, err := io.ReadFull(c, b[:10]); err != nil || b[3] != 1 {
		return // not an IPv4 address
	}
	o.ask(netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), binary.BigEndian.Uint16(b[8:])).String())
	c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	o.join(c, c)
}

func TestAnUpstreamProxyReceivesTheCheckedAddress(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+r.Host) })
	for _, scheme := range []string{"http", "socks5"} {
		t.Run(scheme, func(t *testing.T) {
			o := &operator{to: site.Listener.Addr().String()}
			at := ""
			if scheme == "http" {
				at = serve(t, o.http).Listener.Addr().String()
			} else {
				at = tcp.Listen(t, o.socks)
			}
			g := newGuard(t, Options{
				Upstream: &url.URL{Scheme: scheme, Host: at, User: url.UserPassword("me", "secret")},
				Resolver: hosts{"site.test": addrs("93.184.216.34"), "inner.test": addrs("10.0.0.1")},
			})
			l := newPageOn(t, g, 0)
			if _, body := get(t, browser(t, l), "http://site.test/"); body != "hello site.test" {
				t.Errorf("body %q", body)
			}
			w := dialLane(t, l)
			w.connectTo(t, "site.test:443")
			if resp := w.ask(t, "GET / HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"); resp.StatusCode != 200 {
				t.Errorf("through the tunnel: %s", resp.Status)
			}
			if resp, _ := get(t, browser(t, l), "http://inner.test/"); resp.Header.Get(verdict) != "private" {
				t.Errorf("a private address: %s %q", resp.Status, resp.Header.Get(verdict))
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			if want := []string{"93.184.216.34:80", "93.184.216.34:443"}; !slices.Equal(o.asked, want) {
				t.Errorf("the upstream was asked for %v, want %v", o.asked, want)
			}
		})
	}
}

func TestAnUpstreamThatRefusesIsNamedWithoutItsPassword(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }).Listener.Addr().String()
	g := newGuard(t, Options{
		Upstream: &url.URL{Scheme: "http", Host: at, User: url.UserPassword("me", "hunter2")},
		Resolver: hosts{"site.test": addrs("93.184.216.34")},
	})
	_, e := g.dial(t.Context(), target{host: "site.test", port: 443})
	if !errors.Is(e, ErrUnreachable) || !strings.Contains(e.Error(), at) || !strings.Contains(e.Error(), "403") || strings.Contains(e.Error(), "hunter2") || strings.Contains(e.Error(), "me@") || strings.Contains(e.Error(), "me:") {
		t.Errorf("dial = %v", e)
	}
}
