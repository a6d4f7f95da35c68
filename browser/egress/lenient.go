package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"regexp"
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
	if err == nil || r.Method != http.MethodGet || r.Body != nil || !isMalformed(err) {
		return resp, err
	}
	again, failed := l.ask(r)
	if failed != nil {
		return nil, err
	}
	return again, nil
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
	resp, err := readLenient(bufio.NewReader(conn))
	if err != nil {
		end()
		return nil, err
	}
	conn.SetDeadline(time.Time{})
	resp.Request = r
	resp.Body = closer{resp.Body, end}
	return resp, nil
}

// closer is a body that ends its connection.
type closer struct {
	io.Reader
	end func() error
}

func (c closer) Close() error { return c.end() }

// statusLine matches a status line as browsers read it (HttpResponseHeaders::ParseStatusLine in Chromium): with any version or
// none.
var statusLine = regexp.MustCompile(`(?i)^http[^ \t]*[ \t]+0*([1-5][0-9][0-9])(?:[^0-9].*)?$`)

var errLenient = errors.New("no response that a browser reads")

// readLenient reads a response: lines without a colon, with odd names, or folded do not matter, nor does an equal length
// that is given twice, or an unknown transfer encoding. The body ends with r if no length is known.
func readLenient(r *bufio.Reader) (*http.Response, error) {
	left := maxHeader
	for range maxEarly {
		status, header, err := readLenientHead(r, &left)
		if err != nil {
			return nil, err
		}
		if status < 200 {
			continue
		}
		resp := &http.Response{
			StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: header, ContentLength: -1, Close: true,
		}
		var body io.Reader = r
		length, known, err := lengthOf(header["Content-Length"])
		switch {
		case status == http.StatusNoContent, status == http.StatusNotModified:
			body = http.NoBody
		case strings.Contains(strings.ToLower(strings.Join(header["Transfer-Encoding"], ",")), "chunked"):
			body = httputil.NewChunkedReader(r)
		case err != nil:
			return nil, err
		case known:
			body, resp.ContentLength = io.LimitReader(r, length), length
		}
		resp.Body = io.NopCloser(body)
		return resp, nil
	}
	return nil, errLenient
}

// readLenientHead reads a status line and the fields below it. left is the number of bytes that heads may still have.
func readLenientHead(r *bufio.Reader, left *int) (status int, header http.Header, err error) {
	line := func() (string, error) {
		var b strings.Builder
		for {
			part, err := r.ReadSlice('\n')
			if *left -= len(part); *left < 0 {
				return "", errHeadTooLong
			}
			b.Write(part)
			if !errors.Is(err, bufio.ErrBufferFull) {
				return strings.TrimRight(b.String(), "\r\n"), err
			}
		}
	}
	begin, _ := r.Peek(maxBeforeStatus + len("http"))
	r.Discard(max(0, startOfStatus(begin)))
	first, err := line()
	m := statusLine.FindStringSubmatch(first)
	if m == nil {
		return 0, nil, errLenient
	}
	status, _ = strconv.Atoi(m[1])
	header = http.Header{}
	last := ""
	for err == nil {
		var text string
		if text, err = line(); text == "" {
			break
		}
		if values := header[last]; (text[0] == ' ' || text[0] == '\t') && len(values) > 0 {
			values[len(values)-1] += " " + strings.TrimSpace(text)
			continue
		}
		name, value, found := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !found || !httpguts.ValidHeaderFieldName(name) {
			continue
		}
		last = http.CanonicalHeaderKey(name)
		header[last] = append(header[last], strings.TrimSpace(value))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	return status, header, nil
}

// lengthOf reads values of Content-Length, which must agree.
func lengthOf(values []string) (length int64, known bool, err error) {
	for _, v := range strings.Split(strings.Join(values, ","), ",") {
		n, bad := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(v), "+"), 10, 62)
		switch {
		case bad != nil:
		case known && int64(n) != length:
			return 0, false, errors.New("two different lengths")
		default:
			length, known = int64(n), true
		}
	}
	return length, known, nil
}
