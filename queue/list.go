package queue

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"plat"
)

// comment matches a comment at the end of a line.
var comment = regexp.MustCompile(`(^|\s+)#.*$`)

// Line is a line of a list of URLs.
type Line struct {
	N    int    // its number, from 1
	End  int64  // bytes of the list up to its end
	Text string // a URL, or JSON if it begins with "{"
	Err  error  // it is too long; Text is its beginning
	Open bool   // it is the last, and without a line break: there may be more of it
}

// EachSeed yields the lines of a list, of any length: a URL, or JSON if the line
// begins with "{". Blank lines are skipped. A comment begins with "#" at the beginning
// of a line or, except in JSON, after a blank; a "#" within a URL begins its fragment.
// A line that is longer than a seed may be is yielded with an error, and not held in
// memory. The error is r's, or yield's.
func EachSeed(r io.Reader, yield func(Line) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	l := Line{}
	for {
		text, bytes, err := readLine(in)
		switch {
		case err == io.EOF && bytes == 0:
			return nil
		case err != nil && err != io.EOF:
			return err
		}
		l.N++
		l.End += bytes
		l.Open = err == io.EOF
		if l.N == 1 {
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		text = strings.TrimSpace(text)
		if l.Err = nil; bytes > maxSeed+2 {
			l.Err = errLongSeed(int(bytes))
		} else if !strings.HasPrefix(text, "{") {
			text = comment.ReplaceAllString(text, "")
		}
		if l.Text = text; text == "" {
			continue
		}
		if err := yield(l); err != nil {
			return err
		}
	}
}

// readLine returns the next line, of a long one the beginning, and its length with the
// end of line.
func readLine(in *bufio.Reader) (text string, n int64, err error) {
	var long bytes.Buffer
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if err == nil && long.Len() == 0 {
			return string(part), n, nil
		}
		if room := maxSeed + 2 - long.Len(); room > 0 {
			long.Write(part[:min(room, len(part))])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long.String(), n, err
		}
	}
}

func errLongSeed(bytes int) error {
	return fmt.Errorf("%w: %d bytes; a seed has at most %d", plat.ErrBadURL, bytes, maxSeed)
}
