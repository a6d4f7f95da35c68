package egress

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plat/plat"
)

// Lane is one loopback listener owned by one tab; it carries one page at a
// time. It begins stopped. It is safe for concurrent use.
type Lane struct {
	g      *Guard
	ln     *net.TCPListener
	server *http.Server
	life   *life // of the server, its handlers and their tunnels
	page   atomic.Pointer[page]
	close  func()
}

func newLane(g *Guard) (*Lane, error) {
	ln, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	l := &Lane{g: g, ln: ln, life: newLife()}
	l.page.Store(stoppedPage())
	var http1 http.Protocols
	http1.SetHTTP1(true)
	l.server = &http.Server{
		Handler:                      http.HandlerFunc(l.serve),
		ReadHeaderTimeout:            g.opts.HeaderTimeout,
		IdleTimeout:                  2 * time.Minute,
		DisableGeneralOptionsHandler: true, // OPTIONS * is for origin servers
		Protocols:                    &http1,
		// Connections that a page breaks are not worth logging.
		ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(_ context.Context, c net.Conn) context.Context {
			// Use the page's scope instead of the server's: the page ends
			// first.
			client := c.(*client)
			return context.WithValue(client.page.ctx, clientKey{}, client)
		},
	}
	port := uint16(ln.Addr().(*net.TCPAddr).Port)
	g.policy.forbid(port)
	l.close = sync.OnceFunc(func() {
		l.Stop()
		l.server.Close()
		ln.Close() // the server knows the listener only after Serve
		l.life.end(ErrStopped)
		g.mu.Lock()
		delete(g.lanes, l)
		g.mu.Unlock()
		g.policy.permit(port) // only after the listener is closed
	})
	if !g.life.run(func(context.Context) { l.server.Serve(accepts{l}) }) {
		l.close()
		return nil, ErrStopped
	}
	return l, nil
}

// stoppedPage is the page of a lane without one.
func stoppedPage() *page {
	p := newPage(0)
	p.end(ErrStopped)
	return p
}

// Addr is the lane's address, "127.0.0.1:port".
func (l *Lane) Addr() string { return l.ln.Addr().String() }

// Reset ends the page and begins the next one. It closes all connections of the old page: its bytes
// do not count for the new one, and its requests do not continue. maxBytes limits the bytes that
// the browser may receive, including headers and TLS; at the limit all connections are closed and
// the page ends. 0 means no limit.
func (l *Lane) Reset(maxBytes int64) {
	l.page.Swap(newPage(maxBytes)).end(ErrStopped)
}

// ResetOffline is Reset for a page that reaches no address: every request is refused.
func (l *Lane) ResetOffline() {
	p := newPage(0)
	p.offline = true
	l.page.Swap(p).end(ErrStopped)
}

// Stop ends the page: its connections are closed, new ones are closed on
// arrival. The page's data stays readable until Reset.
func (l *Lane) Stop() { l.page.Load().end(ErrStopped) }

// Close stops the lane permanently and waits for all its goroutines.
func (l *Lane) Close() error {
	l.close()
	return nil
}

// Stats returns the page's counters since Reset.
func (l *Lane) Stats() Stats { return l.page.Load().stats() }

// Idle returns the requests in flight, and the time of the last activity.
func (l *Lane) Idle() Activity { return l.page.Load().activity() }

// Quiet returns nil once nothing has been in flight and no byte has moved for
// d, counted from Reset at the earliest. If the page ends first, the error is
// [ErrCapped] or [ErrStopped]; if ctx does, its cause.
//
// Inside a tunnel only bytes are visible: a response that takes longer than d
// to begin counts as quiet.
func (l *Lane) Quiet(ctx context.Context, d time.Duration) error {
	return l.page.Load().quiet(ctx, d)
}

// Failure returns why the last request for a document, of the page or of a frame, failed at the
// guard: an [*Error], or nil if the URL is not such a document's. For https, where the guard sees
// only tunnels, it returns why the last failed tunnel to the host failed. Later successful requests
// do not clear it: call it only for a document of which the browser reports a failure; see
// [Answered].
func (l *Lane) Failure(url string) error {
	key, e := failureOf(url)
	if e != nil {
		return e // under any name that the browser uses for it
	}
	return l.page.Load().failure(key)
}

// failureOf returns the key of a document's failure, or why the guard rejects the URL.
func failureOf(raw string) (plat.Hash, *Error) {
	raw, _, _ = strings.Cut(raw, "#")
	scheme, host, rest, ok := absolute(raw)
	switch {
	case !ok:
		return plat.Hash{}, nil
	case scheme == "https":
		t, e := parseURL(&url.URL{Scheme: scheme, Host: host})
		if e != nil {
			return plat.Hash{}, e.at(host)
		}
		return tunnelKey(t.String()), nil
	}
	return plat.HashOf([]byte(scheme + "://" + host + withPath(rest))), nil
}

// tunnelKey is the key of the failure of a tunnel to "host:port".
func tunnelKey(hostport string) plat.Hash { return plat.HashOf([]byte(hostport)) }

// Exchanges are the page's plain-http requests that have a response or failed,
// in the order of completion, at most 256, and as many of documents beyond these. The document is the last Navigation
// of the chain that begins at the page's URL. Headers are shared: do not modify
// them.
func (l *Lane) Exchanges() []Exchange {
	p := l.page.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.exchanges)
}

// CutShort reports whether the body of a document, of the page or of a frame, has ended
// before its end; see [Exchange].
func (l *Lane) CutShort() bool { return l.page.Load().cutShort.Load() }

// accepts is the lane's listener as seen by its server: every connection
// belongs to the page current at its arrival.
type accepts struct{ l *Lane }

func (a accepts) Accept() (net.Conn, error) {
	for {
		c, err := a.l.ln.AcceptTCP()
		if err != nil {
			return nil, err
		}
		client := &client{tcp: c, page: a.l.page.Load()}
		client.heads.src = received{client}
		if client.page.add(client, true, a.l.g.opts.MaxConns) {
			return client, nil
		}
		c.Close()
	}
}

func (a accepts) Addr() net.Addr { return a.l.ln.Addr() }
func (a accepts) Close() error   { return a.l.ln.Close() }

// client is a connection from the browser. It counts all bytes for its page. It
// must not embed the connection, whose ReadFrom and WriteTo would bypass the
// count.
type client struct {
	tcp   *net.TCPConn
	page  *page
	heads heads
	asked atomic.Bool // see [Activity.Waiting]
}

// leastAsked is the least number of bytes of a request, in HTTP/2 over TLS too. An acknowledgement
// or a ping takes fewer.
const leastAsked = 48

// asks(true) notes that the browser has sent a request, asks(false) that bytes have come or the
// connection has ended.
func (c *client) asks(is bool) {
	switch {
	case c.asked.Swap(is) == is:
	case is:
		c.page.waiting.Add(1)
	default:
		c.page.waiting.Add(-1)
	}
}

type clientKey struct{}

func (c *client) Read(b []byte) (int, error) { return c.heads.Read(b) }

// received reads the bytes from the browser as they arrive.
type received struct{ *client }

func (c received) Read(b []byte) (int, error) {
	n, err := c.tcp.Read(b)
	if n > 0 {
		if n >= leastAsked {
			c.asks(true)
		}
		c.page.out.Add(int64(n))
		c.page.touch()
	}
	return n, err
}

func (c *client) Write(b []byte) (int, error) {
	allowed := c.page.admit(len(b))
	n, err := 0, error(nil)
	if allowed > 0 {
		c.asks(false) // first, since the browser may send its next request before Write returns
		n, err = c.tcp.Write(b[:allowed])
		c.page.touch()
	}
	if allowed < len(b) {
		c.page.end(ErrCapped)
		return n, ErrCapped
	}
	return n, err
}

func (c *client) Close() error {
	c.page.drop(c, true)
	defer c.asks(false) // no more data can arrive
	return c.tcp.Close()
}

func (c *client) CloseWrite() error                  { return c.tcp.CloseWrite() }
func (c *client) SetLinger(sec int) error            { return c.tcp.SetLinger(sec) }
func (c *client) LocalAddr() net.Addr                { return c.tcp.LocalAddr() }
func (c *client) RemoteAddr() net.Addr               { return c.tcp.RemoteAddr() }
func (c *client) SetDeadline(t time.Time) error      { return c.tcp.SetDeadline(t) }
func (c *client) SetReadDeadline(t time.Time) error  { return c.tcp.SetReadDeadline(t) }
func (c *client) SetWriteDeadline(t time.Time) error { return c.tcp.SetWriteDeadline(t) }
