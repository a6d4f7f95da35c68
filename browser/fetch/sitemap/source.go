package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
)

const buffer = 32 << 10

// open returns the text of a file as UTF-8: decompressed if it begins like gzip
// (RFC 1952 section 2.3.1), bounded on both sides.
//
// Compressed input must be bounded as well as output: a stream of empty gzip
// members (section 2.2) can be infinite and yields nothing.
func open(r io.Reader, lim Limits) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(&bounded{r: r, left: lim.Bytes, max: lim.Bytes}, buffer)
	if isGzip(raw) {
		z, err := gzip.NewReader(raw)
		switch {
		case errors.Is(err, gzip.ErrHeader), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%w: it begins like gzip but is invalid: %w", ErrFormat, err)
		case err != nil:
			return nil, fmt.Errorf("read sitemap: %w", err)
		}
		raw = bufio.NewReaderSize(&bounded{r: z, left: lim.Bytes, max: lim.Bytes, what: " unzipped"}, buffer)
		if isGzip(raw) {
			return nil, fmt.Errorf("%w: gzip inside gzip", ErrFormat)
		}
	}
	return decoded(raw)
}

func isGzip(r *bufio.Reader) bool {
	head, _ := r.Peek(2) // an error is returned again by the next read
	return string(head) == "\x1f\x8b"
}

// bounded reads at most max bytes, and fails if there are more.
type bounded struct {
	r         io.Reader
	left, max int64
	what      string
	err       error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if int64(len(p))-1 > b.left {
		p = p[:b.left+1] // one more than allowed, to detect an excess
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		err = fmt.Errorf("%w: more than %d bytes%s", ErrTooLarge, b.max, b.what)
	}
	b.left -= int64(n)
	b.err = err
	return n, err
}

// declaration matches the encoding in an XML declaration (XML 1.0 section
// 4.3.3).
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']\s*([A-Za-z0-9._:-]+)`)

// decoded converts a file to UTF-8, by its byte order mark or declaration. The
// protocol requires UTF-8; invalid octets become U+FFFD.
func decoded(raw *bufio.Reader) (*bufio.Reader, error) {
	head, _ := raw.Peek(1024)
	label, mark := "utf-8", 0
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		mark = 3
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		label, mark = "utf-16be", 2
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		label, mark = "utf-16le", 2
	default:
		// A declaration readable byte by byte is not in UTF-16, even if it says
		// so.
		if m := declaration.FindSubmatch(head); m != nil && !strings.HasPrefix(strings.ToLower(string(m[1])), "utf-16") {
			label = string(m[1])
		}
	}
	if e, _ := charset.Lookup(label); e == nil {
		label = "utf-8" // a guess: URLs are nearly always ASCII
	}
	if _, err := raw.Discard(mark); err != nil {
		return nil, fmt.Errorf("read sitemap: %w", err)
	}
	utf8, err := charset.NewReaderLabel(label, raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return bufio.NewReaderSize(utf8, buffer), nil
}

// meter is the input of the XML decoder. It limits the bytes per token, because
// the decoder holds whole tokens. Control characters that XML forbids (XML 1.0
// section 2.2) become blanks.
type meter struct {
	r         *bufio.Reader
	left, max int
}

// token resets the limit for the next token.
func (m *meter) token() { m.left = m.max }

// ReadByte is the only method that the decoder uses if a reader has it.
func (m *meter) ReadByte() (byte, error) {
	if m.left == 0 {
		return 0, fmt.Errorf("%w: a token of more than %d bytes", ErrTooLarge, m.max)
	}
	c, err := m.r.ReadByte()
	if err != nil {
		return 0, err
	}
	m.left--
	if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
		c = ' '
	}
	return c, nil
}

// Read makes meter an io.Reader, as the decoder's constructor requires.
func (m *meter) Read(p []byte) (int, error) {
	for i := range p {
		c, err := m.ReadByte()
		if err != nil {
			return i, err
		}
		p[i] = c
	}
	return len(p), nil
}
