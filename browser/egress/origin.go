package egress

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the connections to plain-http servers that are kept for the next request.
const (
	maxIdlePerHost = 6 // as many as Chrome has to a host
	maxIdle        = 256
	idleTime       = 30 * time.Second
	readAhead      = 16 << 10
	maxEarly       = 64 // informational responses before the response; browsers accept any number
)

// origins sends plain-http requests to their servers, with heads as written by the browser, and
// keeps connections. It reads responses with net/http, and passes on unchanged those that net/http
// rejects: browsers accept more.
type origins struct {
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	timeout time.Duration // until a server begins its response

	mu   sync.Mutex
	idle map[string][]*originConn // guarded by mu: by "host:port", the last used last
	kept int                      // guarded by mu: in idle
	over bool                     // guarded by mu
}

func newOrigins(g *Guard) *origins {
	return &origins{dial: g.DialContext, timeout: g.opts.HeaderTimeout, idle: map[string][]*originConn{}}
}

// originConn is a connection to a server, for one request at a time.
type originConn struct {
	net.Conn
	r    *bufio.Reader
	to   string // "host:port"
	used bool   // an earlier request was answered
	gone *time.Timer

	quiet    chan struct{} // closed when a kept connection is read from no more
	quietErr error         // why; set before quiet is closed

	record []byte // of a response, as long as its head is read
	full   bool   // record is as long as it may be, and longer
	ended  bool   // the server has closed the connection

	mu      sync.Mutex
	waiting bool // guarded by mu: for the head of a response
}

// await limits the time until the server begins its response, unless it has begun.
func (c *originConn) await(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.SetReadDeadline(time.Now().Add(d))
	}
}

// answered ends the time that the server has to begin its response.
func (c *originConn) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = false
	c.SetReadDeadline(time.Time{})
}

// Read reads from the server, and records the bytes of a head.
func (c *originConn) Read(b []byte) (int, error) {
	if c.full {
		return 0, errHeadTooLong
	}
	n, err := c.Conn.Read(b)
	c.ended = c.ended || err == io.EOF
	if c.record != nil {
		if c.record = append(c.record, b[:n]...); len(c.record) > maxHeader+c.r.Size() {
			c.full = true
		}
	}
	return n, err
}

// errHeadTooLong is the end of a response whose head is over the limit.
var errHeadTooLong = errors.New("the head of the response is too long")

// reply is a server's response. Exactly one of its fields is set.
type reply struct {
	*http.Response         // its Body must be closed
	odd            *oddity // it must be closed, too
}

// send sends a request to a server and returns its response. Bytes of the body are read from the
// browser as long as the response is.
func (o *origins) send(ctx context.Context, asked *head, t target, body io.Reader) (reply, error) {
	bound := boundToConnection(asked.header)
	again := (asked.method == http.MethodGet || asked.method == http.MethodHead || asked.method == http.MethodOptions) && asked.length == 0 && !asked.chunked
	for {
		c := (*originConn)(nil)
		if again && !bound {
			c = o.reuse(t.String())
		}
		if c == nil {
			conn, err := o.dial(ctx, "tcp", t.String())
			if err != nil {
				return reply{}, err
			}
			c = &originConn{Conn: conn, to: t.String()}
			c.r = bufio.NewReaderSize(c, readAhead)
		}
		r, err := o.exchange(ctx, c, asked, body, bound)
		// A server may close a connection that was kept just as it is used again, some with
		// "408 Request Timeout", or what it sends there is left of the last response. The request was
		// not answered, so it is sent on a different one (RFC 9112 section 9.3.1).
		late := err == nil && r.Response != nil && c.used && r.StatusCode == http.StatusRequestTimeout
		if err == nil && !late {
			return r, nil
		}
		if late {
			r.Body.Close()
		}
		c.Close()
		switch stale := late || c.used && !isHTTP(c.record) && !isTimeout(err); {
		case ctx.Err() != nil:
			return reply{}, ctx.Err() // the browser has cancelled the request, or its page has ended
		case !stale:
			return reply{}, err
		}
	}
}

func isTimeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

// exchange sends a request on a connection and reads the head of its response.
func (o *origins) exchange(ctx context.Context, c *originConn, asked *head, body io.Reader, bound bool) (reply, error) {
	stop := context.AfterFunc(ctx, func() { c.Conn.Close() })
	sent := &atomic.Bool{}
	c.waiting = true
	if _, err := c.Write(asked.forServer(bound)); err != nil {
		stop()
		return reply{}, err
	}
	if asked.length > 0 || asked.chunked {
		// A server may respond before it has read the whole body.
		go func() {
			if sendBody(c, body, asked) {
				sent.Store(true)
				c.await(o.timeout)
			}
		}()
	} else {
		sent.Store(true)
		c.await(o.timeout)
	}
	for range maxEarly {
		c.record = make([]byte, 0, 1<<10)
		if b := c.r.Buffered(); b > 0 {
			early, _ := c.r.Peek(b)
			c.record = append(c.record, early...)
		}
		resp, err := http.ReadResponse(c.r, &http.Request{Method: asked.method})
		received := c.record[:len(c.record)-c.r.Buffered()] // the head, if there is no error
		nul := err == nil && hasNUL(received)
		if err != nil {
			if !isHTTP(c.record) && (c.used || !isOld(c.record, c.to)) || isTimeout(err) || c.full || ctx.Err() != nil {
				stop()
				return reply{}, err
			}
		} else if !nul && resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols {
			continue // browsers ignore it
		}
		head := c.record
		c.record = nil
		c.answered()
		switch {
		case !isHTTP(head):
			return reply{odd: &oddity{head: head, old: true, originConn: c}}, nil
		case err != nil, nul, resp.StatusCode < 100, resp.StatusCode > 999: // net/http reads the last two, but does not write them
			return reply{odd: &oddity{head: head, cut: c.ended && !endsHead(head), originConn: c}}, nil
		}
		if resp.Body != http.NoBody && slices.Contains(resp.TransferEncoding, "chunked") {
			resp.Body = io.NopCloser(&chunks{r: c.r}) // net/http rejects chunks that browsers read
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			resp.Body = switched{c, stop}
			return reply{Response: resp}, nil
		}
		resp.Body = &originBody{ReadCloser: resp.Body, o: o, c: c, stop: stop, sent: sent, keep: !resp.Close && !bound}
		return reply{Response: resp}, nil
	}
	stop()
	return reply{}, fmt.Errorf("more than %d informational responses", maxEarly)
}

// isHTTP reports whether a server's data begins like a response, after at most four other bytes, as
// in Chrome (HttpUtil::LocateStartOfStatusLine). A browser rejects other data, or reads it as
// HTTP/0.9.
func isHTTP(b []byte) bool { return startOfStatus(b) >= 0 }

// isOld reports whether browsers read a server's data, which is no response of HTTP/1, as one of HTTP/0.9: at the
// default port of http, and streams of Shoutcast at any (HttpStreamParser::ParseResponseHeaders in Chromium).
func isOld(b []byte, hostport string) bool {
	return len(b) > 0 && strings.HasSuffix(hostport, ":80") || len(b) >= len("icy") && strings.EqualFold(string(b[:len("icy")]), "icy")
}

// maxBeforeStatus is the number of bytes that may be before a status line.
const maxBeforeStatus = 4

// startOfStatus returns where in a server's data the status line begins, −1 if it does not begin like a response.
func startOfStatus(b []byte) int {
	return bytes.Index(bytes.ToLower(b[:min(len(b), maxBeforeStatus+len("http"))]), []byte("http"))
}

// endsHead reports whether bytes contain the end of a head, by the rules of browsers.
func endsHead(b []byte) bool {
	return bytes.Contains(b, []byte("\n\r\n")) || bytes.Contains(b, []byte("\n\n"))
}

// sendBody sends a body to the server, and reports whether that was all of it.
func sendBody(c *originConn, body io.Reader, asked *head) bool {
	if !asked.chunked {
		n, err := io.Copy(c.Conn, body)
		return err == nil && n == asked.length
	}
	w := httputil.NewChunkedWriter(c.Conn)
	if _, err := io.Copy(w, body); err != nil || w.Close() != nil {
		return false
	}
	_, err := io.WriteString(c.Conn, "\r\n") // after the last chunk, without trailers
	return err == nil
}

// originBody is the body of a response. When it has been read to its end, the connection is
// kept.
type originBody struct {
	io.ReadCloser
	o     *origins
	c     *originConn
	stop  func() bool  // ends the watch on the request's context
	sent  *atomic.Bool // all of the request's body
	keep  bool
	ended bool // the body was read to its end
}

func (b *originBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

func (b *originBody) Close() error {
	if live := b.stop(); live && b.sent.Load() && b.keep && b.ended {
		b.o.keep(b.c)
		return nil
	}
	return b.c.Close()
}

// switched is a connection after a switch of protocols.
type switched struct {
	*originConn
	stop func() bool
}

func (s switched) Read(p []byte) (int, error) { return s.r.Read(p) }

func (s switched) Close() error {
	s.stop()
	return s.originConn.Close()
}

// reuse returns a kept connection to "host:port", nil if absent. It skips connections on which data
// has arrived meanwhile: that data would be read as the answer to the next request.
func (o *origins) reuse(to string) *originConn {
	for {
		o.mu.Lock()
		all := o.idle[to]
		if len(all) == 0 {
			o.mu.Unlock()
			return nil
		}
		c := all[len(all)-1]
		o.drop(c)
		o.mu.Unlock()
		c.SetReadDeadline(time.Unix(1, 0))
		<-c.quiet
		if isTimeout(c.quietErr) && c.r.Buffered() == 0 {
			c.SetReadDeadline(time.Time{})
			return c
		}
		c.Close()
	}
}

// drop removes a connection from the kept ones. mu is held.
func (o *origins) drop(c *originConn) bool {
	all := o.idle[c.to]
	for i, x := range all {
		if x == c {
			c.gone.Stop()
			if all = append(all[:i], all[i+1:]...); len(all) == 0 {
				delete(o.idle, c.to)
			} else {
				o.idle[c.to] = all
			}
			o.kept--
			return true
		}
	}
	return false
}

// keep keeps a connection for the next request, for a limited time and as long as no data arrives.
func (o *origins) keep(c *originConn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over || o.kept >= maxIdle || len(o.idle[c.to]) >= maxIdlePerHost {
		c.Close()
		return
	}
	c.used = true
	c.quiet = make(chan struct{})
	end := func() {
		o.mu.Lock()
		is := o.drop(c)
		o.mu.Unlock()
		if is {
			c.Close()
		}
	}
	c.gone = time.AfterFunc(idleTime, end)
	o.idle[c.to] = append(o.idle[c.to], c)
	o.kept++
	go func() {
		_, c.quietErr = c.r.Peek(1)
		close(c.quiet)
		end() // no effect if it was taken
	}()
}

// close closes the connections that are kept; no more are.
func (o *origins) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	for _, all := range o.idle {
		for _, c := range all {
			c.gone.Stop()
			c.Close()
		}
	}
	clear(o.idle)
	o.kept = 0
}

// forServer returns the head as sent to the server: the fields in the order and spelling of the
// browser, without those for the proxy. bound means that its credentials belong to the connection
// (NTLM), which then serves no other request.
func (r *head) forServer(bound bool) []byte {
	b := make([]byte, 0, 512+len(r.rest))
	b = fmt.Appendf(b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, withPath(r.rest), r.host)
	keep := endToEnd(r.header)
	delete(keep, "Host")
	delete(keep, "Expect") // the proxy does not wait for 100 Continue
	if r.chunked {
		delete(keep, "Content-Length") // RFC 9112 section 6.3: the chunks count
	}
	upgrade := isWebSocket(r.header)
	switch {
	case upgrade:
		b = append(b, "Connection: Upgrade\r\nUpgrade: websocket\r\n"...)
	case bound:
		b = append(b, "Connection: close\r\n"...)
	default:
		b = append(b, "Connection: keep-alive\r\n"...)
	}
	for _, f := range r.fields {
		if _, ok := keep[f.canonical]; ok {
			b = fmt.Appendf(b, "%s: %s\r\n", f.name, f.value)
			if f.canonical == "Content-Length" {
				delete(keep, f.canonical) // it may be there twice
			}
		}
	}
	if r.chunked {
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	}
	return append(b, "\r\n"...)
}
