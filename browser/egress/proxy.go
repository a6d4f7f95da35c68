package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"plat/plat"
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
	asked := c.heads.next()
	if r.Method == http.MethodConnect {
		l.tunnel(w, r, c, &asked) // in flight until it is open
		return
	}
	if switched := l.forward(w, r, c.page, &asked); switched != nil {
		l.switchProtocols(w, c, switched) // no longer in flight
	}
}

// forward passes on a plain-http request and its response, and counts it as in
// flight meanwhile. It returns the response if that is a switch to WebSocket. Only the body and the
// context of r come from the browser.
func (l *Lane) forward(w http.ResponseWriter, r *http.Request, p *page, asked *head) (switched *http.Response) {
	defer p.done()
	in := asked.header
	x := asked.exchange(asked.url())
	if in.Get("Service-Worker") != "" {
		x.Dest = "serviceworker"
	}
	t, e := asked.goal()
	if e == nil && p.offline {
		e = offline.at(t.String())
	}
	if e != nil {
		l.answer(w, p, &x, e)
		return nil
	}
	if r.ContentLength != 0 {
		// A server may respond before it has read the whole request, and
		// continue reading.
		http.NewResponseController(w).EnableFullDuplex()
	}
	resp, err := l.send(r.Context(), p, asked, t, r.Body)
	if err == nil && resp.odd != nil {
		l.relay(r.Context(), w, p, x, resp.odd)
		return nil
	}
	if err == nil && resp.StatusCode == http.StatusSwitchingProtocols && !isWebSocket(in) {
		resp.Body.Close()
		err = errors.New("the server switched protocols without a request")
	}
	if err != nil {
		l.answer(w, p, &x, dialError(r.Context(), err).at(t.String()))
		return nil
	}
	h := endToEnd(resp.Header)
	h.Del(verdict) // reserved for the proxy's own responses
	x.Status, x.Header = resp.StatusCode, h
	recorded := p.record(x)
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.Response
	}
	defer resp.Body.Close()
	writeHead(w, resp.StatusCode, h)
	begin := &opening{Reader: resp.Body}
	err = copyBody(w, begin)
	if x.Navigation && begin.belies(h["Content-Encoding"]) {
		p.garbled(recorded)
	}
	if err != nil {
		if errors.Is(err, errCut) && r.Context().Err() == nil {
			p.cut(recorded)
		}
		panic(http.ErrAbortHandler) // reset, so that the browser does not take a truncated body for a complete one
	}
	return nil
}

// writeHead writes status and header of a server's response.
func writeHead(w http.ResponseWriter, status int, h http.Header) {
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
	w.WriteHeader(status)
}

// opening is a body whose first bytes are kept.
type opening struct {
	io.Reader
	begin []byte
}

func (o *opening) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	if left := longestOpening - len(o.begin); left > 0 {
		o.begin = append(o.begin, b[:min(n, left)]...)
	}
	return n, err
}

// magics begin the encodings of content (RFC 1952, section 2.3.1; RFC 8878, section 3.1.1). Others begin with any bytes.
var magics = map[string]string{"gzip": "\x1f\x8b", "x-gzip": "\x1f\x8b", "zstd": "\x28\xb5\x2f\xfd"}

// longestOpening is the number of bytes that are kept, leastText that of ASCII characters at the beginning of a body
// that are not the beginning of compressed data.
const longestOpening, leastText = 64, 32

// belies reports whether a body that is not empty is not in the encoding of its header, of which several may be given.
func (o *opening) belies(encodings []string) bool {
	all := strings.Split(strings.Join(encodings, ","), ",")
	last := strings.ToLower(strings.TrimSpace(all[len(all)-1])) // it was applied last (RFC 9110, section 8.4)
	switch last {
	case "deflate", "br":
		return len(o.begin) >= leastText && isText(o.begin)
	}
	return len(o.begin) > 0 && !strings.HasPrefix(string(o.begin), magics[last])
}

// isText reports whether bytes are printable ASCII and spaces.
func isText(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

// errCut is the error of copyBody if the server, and not the browser, has ended early.
var errCut = errors.New("the body is cut off")

// copyBody streams a body; nil if it was complete.
func copyBody(w http.ResponseWriter, body io.Reader) error {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	flush := http.NewResponseController(w)
	for {
		n, err := body.Read(buf[:])
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
			// No more data is available now, so do not delay what has arrived.
			if err := flush.Flush(); err != nil {
				return err
			}
		}
	}
}

// answer sends the proxy's own response in place of a server's: a status, a reason in a header, and
// a body that does not reveal the network to the page. The browser treats it as a network failure,
// never as content: see [Answered].
func (l *Lane) answer(w http.ResponseWriter, p *page, x *Exchange, e *Error) {
	var key plat.Hash
	if x == nil {
		key = tunnelKey(e.Target)
	} else if x.Navigation {
		key, _ = failureOf(x.URL)
	}
	if !l.note(p, e, key) {
		panic(http.ErrAbortHandler)
	}
	if x != nil {
		x.Err = e
		p.record(*x)
	}
	refuse(w, e)
}

// refuse writes the proxy's own response.
func refuse(w http.ResponseWriter, e *Error) {
	status := http.StatusBadGateway
	switch e.Kind {
	case ErrRefused:
		status = http.StatusForbidden
	case ErrTimeout:
		status = http.StatusGatewayTimeout
	}
	h := w.Header()
	h.Set(verdict, e.Why)
	h["Location"] = mark[:]
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, "This address could not be loaded.\n")
}

// note records a failure. It returns false if no response is needed: the page
// has ended, or the browser cancelled the request.
func (l *Lane) note(p *page, e *Error, key plat.Hash) bool {
	if e.Kind == ErrStopped || errors.Is(e, context.Canceled) {
		return false
	}
	p.fail(e, key)
	if e.Kind == ErrRefused {
		l.g.countRefusal(e.Why)
	}
	return e.Kind != ErrCapped
}
