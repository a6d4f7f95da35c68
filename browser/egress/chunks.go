package egress

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"
)

// chunks is a body in chunks, read as browsers read it (HttpChunkedDecoder in Chromium): lines may end with a bare line
// feed, spaces may follow a size, and trailers may be any lines. They are dropped.
type chunks struct {
	r     *bufio.Reader
	left  uint64 // bytes of the present chunk
	begun bool   // a line ending is before the next size
	err   error
}

var errChunks = errors.New("malformed chunks")

// Read returns io.ErrUnexpectedEOF if the data ends before the line after the last chunk and its trailers. It waits for
// the rest of a chunk, but not for the next one.
func (c *chunks) Read(b []byte) (n int, err error) {
	for c.err == nil && len(b) > 0 {
		if c.left == 0 {
			if n > 0 && !c.hasNext() {
				break
			}
			c.err = c.next()
			continue
		}
		var got int
		got, c.err = c.r.Read(b[:min(uint64(len(b)), c.left)])
		b, n, c.left = b[got:], n+got, c.left-uint64(got)
		if c.err == io.EOF {
			c.err = io.ErrUnexpectedEOF
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, c.err
}

// hasNext reports whether the size of the next chunk has arrived.
func (c *chunks) hasNext() bool {
	b, _ := c.r.Peek(c.r.Buffered())
	return bytes.Count(b, []byte("\n")) >= 2
}

// next reads up to the data of the next chunk, or to the end.
func (c *chunks) next() error {
	if c.begun {
		if text, err := c.line(); err != nil || text != "" {
			return cmp.Or(err, errChunks)
		}
	}
	c.begun = true
	text, err := c.line()
	if err != nil {
		return err
	}
	size, _, _ := strings.Cut(text, ";")
	if c.left, err = strconv.ParseUint(strings.TrimRight(size, " "), 16, 63); err != nil {
		return errChunks
	}
	if c.left > 0 {
		return nil
	}
	for left := maxHeader; ; left -= len(text) {
		switch text, err = c.line(); {
		case err != nil:
			return err
		case text == "":
			return io.EOF
		case left < 0:
			return errHeadTooLong
		}
	}
}

// line reads a line, which must fit into the buffer.
func (c *chunks) line() (string, error) {
	b, err := c.r.ReadSlice('\n')
	switch {
	case err == io.EOF:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return strings.TrimSuffix(string(b[:len(b)-1]), "\r"), nil
}
