package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// maxHeader limits the header of a recorded response, in bytes: Chrome takes 256 KiB from servers.
const maxHeader = 256 << 10

var errNoHTTP = errors.New("it is not a response of HTTP")

// A responseHead is status and header of a recorded response.
type responseHead struct {
	status int
	header http.Header
}

// readHead reads the head of a response as programs record it: lines without carriage return, without a reason, with names
// that are not valid, which are left out.
func readHead(r *bufio.Reader) (responseHead, error) {
	h := responseHead{header: http.Header{}}
	left := maxHeader
	line, err := headLine(r, &left)
	if err != nil {
		return h, err
	}
	proto, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if h.status, err = strconv.Atoi(code); err != nil || !strings.HasPrefix(strings.ToUpper(proto), "HTTP") || h.status < 100 || h.status > 999 {
		return h, errNoHTTP
	}
	for {
		line, err := headLine(r, &left)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return h, nil // a head without a blank line: without a body
		}
		if err != nil {
			return h, err
		}
		if line == "" {
			return h, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); ok && httpguts.ValidHeaderFieldName(name) {
			name = textproto.CanonicalMIMEHeaderKey(name)
			h.header[name] = append(h.header[name], clean(strings.TrimSpace(value)))
		}
	}
}

func headLine(r *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return "", errors.New("the header is too long")
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 && errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimRight(string(line), "\r\n"), err
	}
}

// clean removes control characters, with which a value cannot be written.
func clean(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, value)
}

// connectionFields are those of the connection on which a response was recorded, and those about bytes that are not
// sent again.
var connectionFields = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Proxy-Authenticate",
	"Content-Length", "Alt-Svc",
}

// responseOf returns a recorded response for a browser. Its body is the rest of r: without the chunks of its transfer, if
// it was recorded with these, and in the encoding that it really has.
func responseOf(h responseHead, r *bufio.Reader, end io.Closer) *http.Response {
	body := io.Reader(r)
	if httpguts.HeaderValuesContainsToken(h.header["Transfer-Encoding"], "chunked") && beginsChunk(r) {
		body = httputil.NewChunkedReader(r)
		r = bufio.NewReader(body)
		body = r
	}
	if start, _ := r.Peek(4); httpguts.HeaderValuesContainsToken(h.header["Content-Encoding"], "gzip") && !bytes.HasPrefix(start, []byte{0x1f, 0x8b}) ||
		httpguts.HeaderValuesContainsToken(h.header["Content-Encoding"], "zstd") && !bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		h.header.Del("Content-Encoding") // a program has decoded the body and kept the header
	}
	if end == nil {
		end = io.NopCloser(nil)
	}
	return &http.Response{StatusCode: min(max(h.status, 200), 599), Header: withoutConnection(h.header), Body: struct {
		io.Reader
		io.Closer
	}{&wholeBody{body}, end}}
}

// withoutConnection removes the fields of the connection on which a response was recorded.
func withoutConnection(h http.Header) http.Header {
	for _, name := range connectionFields {
		h.Del(name)
	}
	return h
}

// A wholeBody ends where the file does: browsers then show what there is.
type wholeBody struct{ io.Reader }

func (b *wholeBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// beginsChunk reports whether a body begins with the size of a chunk, RFC 9112 section 7.1. Some programs record bodies
// without the chunks, and keep the header.
func beginsChunk(r *bufio.Reader) bool {
	b, _ := r.Peek(20)
	line, _, ok := bytes.Cut(b, []byte("\r\n"))
	if !ok {
		return false
	}
	size, _, _ := bytes.Cut(line, []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return err == nil
}
