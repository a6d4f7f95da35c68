package egress

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// lenient is a transport that also reads responses that net/http rejects although browsers accept them: a host whose pages
// Chrome shows has a robots.txt that can be read.
type lenient struct {
	*http.Transport
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	timeout time.Duration // until a server has sent the head of its response
}

// RoundTrip sends a request, and a second time if net/http cannot read the response.
func (l *lenient) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.Transport.RoundTrip(r)
	if err == nil {
		return refuseOdd(resp)
	}
	if r.Method != http.MethodGet || r.Body != nil || !isMalformed(err) {
		return resp, err
	}
	again, failed := l.ask(r)
	if failed != nil {
		return nil, err
	}
	return refuseOdd(again)
}

// refuseOdd returns an error for a response that net/http reads although browsers reject it.
func refuseOdd(resp *http.Response) (*http.Response, error) {
	to := resp.Header["Location"]
	if resp.StatusCode != http.StatusSwitchingProtocols && !strings.Contains(resp.Status, "\x00") && len(slices.Compact(slices.Clone(to))) <= 1 {
		return resp, nil
	}
	resp.Body.Close()
	return nil, errLenient
}

// isMalformed reports whether a request failed by what the server answered, and not by a connection, a policy or the caller.
func isMalformed(err error) bool {
	var network net.Error
	var policy *Error
	return !errors.As(err, &network) && !errors.As(err, &policy) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// ask sends a request on a connection of its own.
func (l *lenient) ask(r *http.Request) (*http.Response, error) {
	port := r.URL.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[r.URL.Scheme]
	}
	conn, err := l.dial(r.Context(), "tcp", net.JoinHostPort(r.URL.Hostname(), port))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(r.Context(), func() { conn.Close() })
	end := func() error { stop(); return conn.Close() }
	if r.URL.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{RootCAs: l.TLSClientConfig.RootCAs, ServerName: r.URL.Hostname(), NextProtos: []string{"http/1.1"}})
	}
	conn.SetDeadline(time.Now().Add(l.timeout))
	req := r.Clone(r.Context())
	req.Close = true
	if err := req.Write(conn); err != nil {
		end()
		return nil, err
	}
	resp, err := readLenient(bufio.NewReaderSize(conn, readAhead))
	if err != nil {
		end()
		return nil, err
	}
	conn.SetDeadline(time.Time{})
	resp.Request = r
	var body io.Reader = resp.Body
	if resp.ContentLength != 0 && strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		// net/http decodes this coding, too
		if body, err = gzip.NewReader(body); err != nil {
			end()
			return nil, err
		}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	resp.Body = closer{body, end}
	return resp, nil
}

// closer is a body that ends its connection.
type closer struct {
	io.Reader
	end func() error
}

func (c closer) Close() error { return c.end() }

var errLenient = errors.New("no response that a browser reads")

// readLenient reads a response as browsers do (HttpStreamParser in Chromium): lines without a colon, with odd names, or
// folded do not matter, nor does an equal length that is given twice, or an unknown transfer encoding. The body ends
// with r if no length is known, and with io.ErrUnexpectedEOF if r ends before it. Its trailers are dropped. r has a
// buffer for the longest line of chunks.
func readLenient(r *bufio.Reader) (*http.Response, error) {
	left := maxHeader
	for range maxEarly {
		h, err := readLenientHead(r, &left)
		if err != nil {
			return nil, err
		}
		if h.status >= 100 && h.status < 200 && h.status != http.StatusSwitchingProtocols {
			continue
		}
		resp := &http.Response{
			StatusCode: h.status, Status: fmt.Sprint(h.status, " ", http.StatusText(h.status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: h.fields, ContentLength: -1, Close: true,
		}
		var body io.Reader = r
		length, err := lengthOf(h.fields["Content-Length"])
		switch {
		case h.cut:
			body = &exactly{r: r, left: 1}
		case h.status == http.StatusNoContent, h.status == http.StatusResetContent, h.status == http.StatusNotModified:
			body, resp.ContentLength = http.NoBody, 0
		case h.is11 && slices.ContainsFunc(items(h.fields["Transfer-Encoding"]), func(s string) bool { return strings.EqualFold(s, "chunked") }):
			body, resp.TransferEncoding = &chunks{r: r}, []string{"chunked"}
		case err != nil:
			return nil, err
		case length >= 0:
			body, resp.ContentLength = &exactly{r, length}, length
		}
		resp.Body = io.NopCloser(body)
		return resp, nil
	}
	return nil, errLenient
}

// exactly is a body of a known length.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(b []byte) (n int, err error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err = e.r.Read(b[:min(int64(len(b)), e.left)])
	if e.left -= int64(n); err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// A lenientHead is a status line and the fields below it.
type lenientHead struct {
	status int
	is11   bool // HTTP/1.1 or later, which has chunks
	fields http.Header
	cut    bool // the data has ended before it
}

// readLenientHead reads a head. left is the number of bytes that heads may still have.
func readLenientHead(r *bufio.Reader, left *int) (h lenientHead, err error) {
	line := func() (string, error) {
		var b strings.Builder
		for {
			part, err := r.ReadSlice('\n')
			if *left -= len(part); *left < 0 {
				return "", errHeadTooLong
			}
			b.Write(part)
			if !errors.Is(err, bufio.ErrBufferFull) {
				if hasNUL([]byte(b.String())) {
					return "", errLenient
				}
				return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), err
			}
		}
	}
	begin, _ := r.Peek(maxBeforeStatus + len("http"))
	start := startOfStatus(begin)
	if start < 0 {
		return h, errLenient
	}
	r.Discard(start)
	first, err := line()
	h.status, h.is11, h.fields = statusOf(first), has11(first), http.Header{}
	last := ""
	for err == nil {
		var text string
		if text, err = line(); text == "" {
			break
		}
		if values := h.fields[last]; (text[0] == ' ' || text[0] == '\t') && len(values) > 0 {
			values[len(values)-1] += " " + strings.TrimSpace(text)
			continue
		}
		name, value, found := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !found || !httpguts.ValidHeaderFieldName(name) {
			continue
		}
		last = http.CanonicalHeaderKey(name)
		h.fields[last] = append(h.fields[last], strings.TrimSpace(value))
	}
	if h.cut = errors.Is(err, io.EOF); h.cut {
		return h, nil
	}
	return h, err
}

// hasNUL reports whether bytes of a head contain a zero, for which browsers reject a response.
func hasNUL(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// statusOf returns the status of a status line as browsers read it (HttpResponseHeaders::ParseStatusLine in Chromium):
// the digits after the first spaces, 200 if there are none. It may have any number of digits.
func statusOf(line string) int {
	_, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimLeft(rest, " ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 {
		return http.StatusOK
	}
	n, _ := strconv.ParseInt(rest[:digits], 10, 32) // too large: the largest
	return int(n)
}

// has11 reports whether a status line has version 1.1 or a later one, as browsers read it
// (HttpResponseHeaders::ParseVersion).
func has11(line string) bool {
	digit := func(s string) int {
		if s == "" || s[0] < '0' || s[0] > '9' {
			return -1
		}
		return int(s[0] - '0')
	}
	_, minor, _ := strings.Cut(line, ".")
	if len(line) < len("http/") || line[len("http")] != '/' {
		return false
	}
	a, b := digit(line[len("http/"):]), digit(minor)
	return b >= 0 && (a == 1 && b >= 1 || a > 1)
}

// items are the values of a field that is a list.
func items(values []string) (all []string) {
	for s := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// lengthOf reads values of Content-Length, which must agree. It is −1 if there is none that browsers read: they take
// digits alone.
func lengthOf(values []string) (int64, error) {
	all := items(values)
	for _, v := range all {
		if v != all[0] {
			return -1, errors.New("two different lengths")
		}
	}
	if len(all) == 0 {
		return -1, nil
	}
	if n, err := strconv.ParseUint(all[0], 10, 63); err == nil {
		return int64(n), nil
	}
	return -1, nil
}
