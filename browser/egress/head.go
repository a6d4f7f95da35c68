package egress

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http/httpguts"
)

// maxRequestHead bounds the head of a request, in bytes: the longest URL of Chrome (2 MiB,
// kMaxURLChars) and the fields beside it.
const maxRequestHead = 2<<20 + maxHeader

// A head is the head of a request as the browser wrote it. Only the framing of the message is
// checked here: whether the target may be reached is decided by its readers.
type head struct {
	method, target string // RFC 9112 section 3, as written
	proto          string // "HTTP/1.1" or "HTTP/1.0"
	scheme         string // of a target in absolute form, as host and rest; empty: the target has a different form
	host, rest     string // see absolute
	header         http.Header
	fields         []field // of header, as written
	length         int64   // of the body, bytes
	chunked        bool
	err            *Error // the head is malformed; only method may be set
}

// A field is a header field as it was written.
type field struct{ canonical, name, value string }

// heads reads the requests of a browser on one connection. net/http, which serves the connection,
// is strict about the request target, the host and the size of a head, and answers other heads with
// "400 Bad Request", which a browser would show as the site's page. So it gets a plain head in
// place of each real one, which is kept for its handler, and every answer to the browser comes from
// [Lane.answer].
type heads struct {
	src      io.Reader
	raw      []byte // received, not yet handed on
	searched int    // bytes of raw before which no head ends
	out      []byte // a head for net/http, the rest of it
	left     int64  // bytes of the body before the next head
	rest     bool   // no head follows: a tunnel, a body of unknown length, a connection that is closed
	over     bool   // no more data is passed on

	mu   sync.Mutex
	real []head // guarded by mu: of the requests that net/http has yet to serve, in order
}

// next returns the head of the current request. net/http serves the requests of a
// connection one at a time.
func (h *heads) next() head {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.real[0]
	h.real = h.real[1:]
	return first
}

// Read passes on the connection with plain heads. net/http calls it from one goroutine at a time.
func (h *heads) Read(b []byte) (int, error) {
	for {
		switch {
		case len(b) == 0:
			return 0, nil
		case len(h.out) > 0:
			n := copy(b, h.out)
			h.out = h.out[n:]
			return n, nil
		case h.over:
			return 0, io.EOF
		case h.rest || h.left > 0:
			return h.body(b)
		}
		end := bytes.Index(h.raw[h.searched:], []byte("\r\n\r\n"))
		if end >= 0 {
			end += h.searched
		} else if len(h.raw) <= maxRequestHead {
			h.searched = max(0, len(h.raw)-3)
			if err := h.more(); err != nil {
				return 0, err
			}
			continue
		}
		h.replace(end)
	}
}

// body passes on bytes outside of heads.
func (h *heads) body(b []byte) (n int, err error) {
	if !h.rest {
		b = b[:min(int64(len(b)), h.left)]
	}
	if len(h.raw) > 0 {
		n = copy(b, h.raw)
		if h.raw = h.raw[n:]; len(h.raw) == 0 {
			h.raw = nil
		}
	} else {
		n, err = h.src.Read(b)
	}
	if !h.rest {
		h.left -= int64(n)
	}
	return n, err
}

// more receives a piece of a head.
func (h *heads) more() error {
	const piece = 2 << 10 // few heads are longer
	if cap(h.raw)-len(h.raw) < piece {
		h.raw = append(make([]byte, 0, max(piece, 2*len(h.raw)+piece)), h.raw...)
	}
	n, err := h.src.Read(h.raw[len(h.raw):cap(h.raw)])
	h.raw = h.raw[:len(h.raw)+n]
	if n > 0 {
		return nil
	}
	return err
}

// replace replaces the head that ends at a blank line, or rejects one that exceeds the limit.
func (h *heads) replace(end int) {
	var real head
	if end < 0 || end > maxRequestHead {
		real.err = refusal("bad-request", "the head of the request is too long")
	} else {
		real = parseHead(string(h.raw[:end]))
		if h.raw = h.raw[end+4:]; len(h.raw) == 0 {
			h.raw = nil
		}
	}
	h.left, h.searched = real.length, 0
	upgrade := isWebSocket(real.header)
	switch {
	case real.err != nil:
		h.over = true
		h.out = []byte("GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	case real.method == http.MethodConnect:
		h.rest = true
		h.out = []byte("CONNECT a:1 " + real.proto + "\r\nHost: a:1\r\nConnection: close\r\n\r\n")
	case real.chunked:
		// net/http finds its end, so no request may follow. Chrome sends no such body.
		h.rest = true
		h.out = []byte(real.method + " http://a/ " + real.proto + "\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
	default:
		h.rest = upgrade
		h.out = fmt.Appendf(nil, "%s http://a/ %s\r\nHost: a\r\n", real.method, real.proto)
		if real.length > 0 {
			h.out = fmt.Appendf(h.out, "Content-Length: %d\r\n", real.length)
		}
		if c := real.header["Connection"]; upgrade || hasToken(c, "close") {
			h.out = append(h.out, "Connection: close\r\n"...)
		} else if hasToken(c, "keep-alive") {
			h.out = append(h.out, "Connection: keep-alive\r\n"...)
		}
		h.out = append(h.out, "\r\n"...)
	}
	h.mu.Lock()
	h.real = append(h.real, real)
	h.mu.Unlock()
}

// parseHead reads a head without the blank line at its end, RFC 9112 sections 3, 5 and 6.
func parseHead(s string) (r head) {
	bad := func(why string) head { return head{err: refusal("bad-request", why)} }
	line, fields, _ := strings.Cut(s, "\r\n")
	var ok bool
	if r.method, line, ok = strings.Cut(line, " "); !ok || !httpguts.ValidHeaderFieldName(r.method) {
		return bad("the request line has no method")
	}
	if r.target, r.proto, ok = strings.Cut(line, " "); !ok || r.proto != "HTTP/1.1" && r.proto != "HTTP/1.0" {
		return bad("the request line does not end in a version of HTTP/1")
	}
	if r.target == "" || strings.ContainsFunc(r.target, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '#' }) {
		return bad("the request target is empty, or has a control character or a fragment")
	}
	r.scheme, r.host, r.rest, _ = absolute(r.target)
	r.header = http.Header{}
	for line := range strings.SplitSeq(fields, "\r\n") {
		if fields == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return bad("a header field is malformed")
		}
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		r.header[canonical] = append(r.header[canonical], value)
		r.fields = append(r.fields, field{canonical, name, value})
	}
	if why := r.frame(); why != "" {
		return bad(why)
	}
	return r
}

// frame finds the end of the body, RFC 9112 section 6.3, or returns why that is ambiguous.
func (r *head) frame() (why string) {
	if codings, ok := r.header["Transfer-Encoding"]; ok {
		if len(codings) != 1 || !strings.EqualFold(codings[0], "chunked") || r.proto != "HTTP/1.1" {
			return "the body has an unknown transfer coding"
		}
		r.chunked = true
		return ""
	}
	for i, v := range r.header["Content-Length"] {
		n, err := strconv.ParseUint(v, 10, 63) // refuses signs
		if err != nil || i > 0 && int64(n) != r.length {
			return "the length of the body is ambiguous"
		}
		r.length = int64(n)
	}
	if len(r.header["Host"]) > 1 {
		return "the request has several hosts"
	}
	return ""
}

// goal returns the target of a request other than CONNECT, or the reason to refuse it.
func (r *head) goal() (target, *Error) {
	switch {
	case r.err != nil:
		return target{}, r.err
	case r.scheme == "":
		// The client mistakes the lane for an origin server.
		return target{}, refusal("no-proxy-request", "the request is not for a proxy").at(r.header.Get("Host"))
	case r.scheme != "http":
		return target{}, refusal("scheme", "only http is passed on in the clear, not "+r.scheme).at(r.host)
	case r.method == http.MethodTrace:
		return target{}, refusal("method", "TRACE would show headers to the page that it must not see").at(r.host)
	}
	t, e := parseURL(&url.URL{Scheme: r.scheme, Host: r.host})
	if e != nil {
		return target{}, e.at(r.host)
	}
	return t, nil
}

// url is the target in absolute form, without credentials.
func (r *head) url() string {
	if r.scheme == "" {
		return r.target
	}
	return r.scheme + "://" + r.host + r.rest
}

// exchange describes a request for a URL, before its response.
func (r *head) exchange(url string) Exchange {
	return Exchange{
		URL: url, Method: r.method, Accept: r.header.Get("Accept"), Dest: r.header.Get("Sec-Fetch-Dest"),
		Navigation: r.header.Get("Upgrade-Insecure-Requests") == "1",
	}
}

// withPath returns the path and query of a URL, given the text after its host; an empty path
// becomes "/".
func withPath(rest string) string {
	if rest == "" || rest[0] == '?' {
		return "/" + rest
	}
	return rest
}

// absolute splits a request target in absolute form, RFC 9112 section 3.2.2: the scheme in lower
// case, the host with its port, and path and query as written. ok is false for other forms.
func absolute(target string) (scheme, host, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(target, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/?#") {
		return "", "", "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, rest = rest[:end], rest[end:]
	host = host[strings.LastIndexByte(host, '@')+1:] // without credentials
	return strings.ToLower(scheme), host, rest, true
}
