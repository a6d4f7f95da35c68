package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// buffer is for bodies and tunnels: it holds two TLS records, or a whole small
// resource. A tunnel has two of them.
type buffer [32 << 10]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// serve handles one request of the browser.
func (l *Lane) serve(w http.ResponseWriter, r *http.Request) {
	if !l.life.enter() {
		panic(http.ErrAbortHandler)
	}
	defer l.life.leave()
	c := r.Context().Value(clientKey{}).(*client)
	c.page.begin()
	if r.Method == http.MethodConnect {
		l.tunnel(w, r, c) // in flight until it is open
		return
	}
	if switched := l.forward(w, r, c.page); switched != nil {
		l.switchProtocols(w, c, switched) // no longer in flight
	}
}

// forward passes on a plain-http request and its response, and counts it as in
// flight meanwhile. It returns the response if that is a switch to WebSocket.
func (l *Lane) forward(w http.ResponseWriter, r *http.Request, p *page) (switched *http.Response) {
	defer p.done()
	x := Exchange{Method: r.Method, Accept: r.Header.Get("Accept"), Dest: r.Header.Get("Sec-Fetch-Dest"), Navigation: r.Header.Get("Upgrade-Insecure-Requests") == "1"}
	if r.Header.Get("Service-Worker") != "" {
		x.Dest = "serviceworker"
	}
	if !r.URL.IsAbs() {
		// The client mistakes the lane for an origin server.
		l.answer(w, p, &x, refusal("no-proxy-request", "the request is not for a proxy").at(r.Host))
		return nil
	}
	x.URL = r.RequestURI // as written: url.URL would normalise some paths
	if r.URL.User != nil {
		r.URL.User = nil
		x.URL = r.URL.String()
	}
	t, e := plainTarget(r)
	if e != nil {
		l.answer(w, p, &x, e.at(r.URL.Host))
		return nil
	}
	out := outgoing(r, t)
	if out.Body != http.NoBody {
		// A server may respond before it has read the whole request, and
		// continue reading.
		http.NewResponseController(w).EnableFullDuplex()
	}
	resp, err := l.g.transport.RoundTrip(out)
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols && !isWebSocket(r.Header) {
		resp.Body.Close()
		err = errors.New("the server switched protocols without a request")
	}
	if err != nil {
		l.answer(w, p, &x, dialError(r.Context(), err).at(t.String()))
		return nil
	}
	p.reached(t.String())
	h := endToEnd(resp.Header)
	h.Del(verdict) // reserved for our own responses
	x.Status, x.Header = resp.StatusCode, h
	recorded := p.record(x)
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp
	}
	defer resp.Body.Close()
	to := w.Header()
	for name, values := range h {
		to[name] = values
	}
	// Do not let net/http add fields that the server did not send.
	for _, name := range [...]string{"Date", "Content-Type"} {
		if _, ok := h[name]; !ok {
			to[name] = nil
		}
	}
	w.WriteHeader(resp.StatusCode)
	if err := copyBody(w, resp); err != nil {
		if errors.Is(err, errCut) && r.Context().Err() == nil {
			p.cut(recorded)
		}
		panic(http.ErrAbortHandler) // reset, so that a truncated body is not taken for complete
	}
	return nil
}

// plainTarget checks the request line of a request other than CONNECT.
func plainTarget(r *http.Request) (target, *Error) {
	switch {
	case r.URL.Scheme != "http":
		return target{}, refusal("scheme", "only http is passed on in the clear, not "+r.URL.Scheme)
	case r.Method == http.MethodTrace:
		return target{}, refusal("method", "TRACE shows a page what it must not see")
	}
	return parseURL(r.URL)
}

// outgoing is the request sent to the server: to the checked host, with the
// path as written by the browser.
func outgoing(r *http.Request, t target) *http.Request {
	u := &url.URL{Scheme: "http", Host: t.String(), Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery}
	if path := rawPath(r.RequestURI); path != "" {
		u.Opaque = path
	}
	h := endToEnd(r.Header)
	delete(h, "Expect") // already handled by net/http
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = []string{""} // none, not Go's
	}
	if isWebSocket(r.Header) {
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	}
	out := (&http.Request{
		Method: r.Method, URL: u, Host: r.Host, Header: h, Body: r.Body, ContentLength: r.ContentLength,
		Close: boundToConnection(h),
	}).WithContext(r.Context())
	if r.ContentLength == 0 {
		out.Body = http.NoBody
	}
	return out
}

// rawPath is the path of an absolute-form request target, byte for byte:
// url.URL would escape some characters that browsers do not, and servers may
// distinguish the two. Paths that begin with two slashes are left to url.URL,
// because it writes its Opaque differently then.
func rawPath(requestURI string) string {
	_, rest, ok := strings.Cut(requestURI, "://")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "?")
	i := strings.IndexByte(rest, '/')
	if i < 0 || strings.HasPrefix(rest[i:], "//") {
		return ""
	}
	return rest[i:]
}

// errCut is what copyBody returns if the server, and not the browser, has ended early.
var errCut = errors.New("the body is cut off")

// copyBody streams a body; nil if it was complete.
func copyBody(w http.ResponseWriter, resp *http.Response) error {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	flush := http.NewResponseController(w)
	for {
		n, err := resp.Body.Read(buf[:])
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", errCut, err)
		case n < len(buf):
			// Nothing more is available now, so do not delay what has arrived.
			if err := flush.Flush(); err != nil {
				return err
			}
		}
	}
}

// answer sends the proxy's own response in place of a server's: a status, a
// reason in a header, and a body that does not reveal the network to the page.
func (l *Lane) answer(w http.ResponseWriter, p *page, x *Exchange, e *Error) {
	if !l.note(p, e) {
		panic(http.ErrAbortHandler)
	}
	if x != nil {
		x.Err = e
		p.record(*x)
	}
	status := http.StatusBadGateway
	switch e.Kind {
	case ErrRefused:
		status = http.StatusForbidden
	case ErrTimeout:
		status = http.StatusGatewayTimeout
	}
	h := w.Header()
	h.Set(verdict, e.Why)
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, "This address could not be loaded.\n")
}

// note records a failure. It returns false if no response is needed: the page
// has ended, or the browser cancelled the request.
func (l *Lane) note(p *page, e *Error) bool {
	if e.Kind == ErrStopped || errors.Is(e, context.Canceled) {
		return false
	}
	p.fail(e)
	if e.Kind == ErrRefused {
		l.g.countRefusal(e.Why)
	}
	return e.Kind != ErrCapped
}
