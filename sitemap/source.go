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

// open returns the text of a file as UTF-8: unzipped if it begins like gzip (RFC
// 1952 section 2.3.1), bounded on both sides.
//
// The bound on what is read is needed beside that on what comes out: a stream of
// empty gzip members (section 2.2) goes on for ever and yields nothing.
func open(r io.Reader, lim Limits) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(&bounded{r: r, left: lim.Bytes, max: lim.Bytes}, buffer)
	if isGzip(raw) {
		z, err := gzip.NewReader(raw)
		switch {
		case errors.Is(err, gzip.ErrHeader), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%w: it begins like gzip and is none: %w", ErrFormat, err)
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
	head, _ := r.Peek(2) // an error comes again when it is read
	return string(head) == "\x1f\x8b"
}

// bounded reads at most max bytes, and fails where there are more.
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
		p = p[:b.left+1] // one more than allowed, to see whether it is there
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

// declaration finds the encoding in an XML declaration (XML 1.0 section 4.3.3).
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']\s*([A-Za-z0-9._:-]+)`)

// decoded turns a file into UTF-8, by its byte order mark or its declaration. The
// protocol wants UTF-8; octets that are none become U+FFFD.
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
		// A declaration that can be read byte by byte is not in UTF-16, whatever
		// it says.
		if m := declaration.FindSubmatch(head); m != nil && !strings.HasPrefix(strings.ToLower(string(m[1])), "utf-16") {
			label = string(m[1])
		}
	}
	if e, _ := charset.Lookup(label); e == nil {
		label = "utf-8" // URLs are nearly always ASCII, in whatever it is
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

// meter is what the XML decoder reads: it allows each token so many bytes, as the
// decoder holds whole tokens. Control characters that XML forbids (XML 1.0
// section 2.2) become blanks.
type meter struct {
	r         *bufio.Reader
	left, max int
}

// token begins the next token.
func (m *meter) token() { m.left = m.max }

// ReadByte is all that the decoder uses of a reader that has it.
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

// Read makes meter an io.Reader, as the decoder's constructor wants one.
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
