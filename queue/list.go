package queue

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"plat/plat"
)

// comment matches a comment at the end of a line.
var comment = regexp.MustCompile(`(^|\s+)#.*$`)

// Line is a line of a list of URLs.
type Line struct {
	N    int    // its number, from 1
	End  int64  // bytes of the list up to its end
	Text string // a URL, or JSON if it begins with "{"
	Err  error  // it is too long, so that Text is its beginning, or not UTF-8
	Open bool   // the last line, without a line break: it may be incomplete
}

// EachSeed yields the lines of a list, of any length: a URL, or JSON if the line
// begins with "{". Lines end in LF, CR or both. Blank lines are skipped. A comment begins
// with "#" at the beginning of a line or, except in JSON, after a blank; a "#" within a URL
// begins its fragment. A line that is longer than a seed may be is yielded with an error,
// and not held in memory; so is one that is not UTF-8. The error is r's, or yield's.
func EachSeed(r io.Reader, yield func(Line) error) error {
	in := lines{in: bufio.NewReaderSize(r, 64<<10)}
	l := Line{}
	for {
		text, bytes, err := in.next()
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
		} else {
			if !strings.HasPrefix(text, "{") {
				text = comment.ReplaceAllString(text, "")
			}
			l.Err = checkText(text)
		}
		if l.Text = text; text == "" {
			continue
		}
		if err := yield(l); err != nil {
			return err
		}
	}
}

// lines reads lines that end in LF, CR or both.
type lines struct {
	in  *bufio.Reader
	err error // read error, which a bufio.Reader returns only once
}

// next returns the next line, of a long one the beginning, and its length with the end of line. A
// CR at the end of the list is an incomplete end of line: an LF may follow.
func (l *lines) next() (text string, n int64, err error) {
	var long []byte
	for {
		part := l.buffered()
		if len(part) == 0 {
			return string(long), n, l.err
		}
		end := bytes.IndexAny(part, "\r\n")
		line := part
		if end >= 0 {
			line = part[:end]
		}
		room := max(0, maxSeed+2-len(long))
		if line = line[:min(room, len(line))]; end < 0 {
			long = append(long, line...)
			n += l.skip(len(part))
			continue
		}
		if long == nil {
			text = string(line)
		} else {
			text = string(append(long, line...))
		}
		cr := part[end] == '\r'
		if n += l.skip(end + 1); cr {
			next := l.buffered()
			if len(next) > 0 && next[0] == '\n' {
				n += l.skip(1)
			} else if len(next) == 0 && l.err == io.EOF {
				return text, n, io.EOF
			}
		}
		return text, n, nil
	}
}

// buffered waits for unread bytes, and returns those that have arrived; empty at the end.
func (l *lines) buffered() []byte {
	if l.in.Buffered() == 0 && l.err == nil {
		_, l.err = l.in.Peek(1)
	}
	part, _ := l.in.Peek(l.in.Buffered())
	return part
}

func (l *lines) skip(n int) int64 {
	n, _ = l.in.Discard(n) // they are buffered
	return int64(n)
}

// checkText refuses a line that is not UTF-8, and one of JSON that [CheckJSON] refuses.
func checkText(text string) error {
	if strings.HasPrefix(text, "{") {
		return CheckJSON(text)
	}
	if !utf8.ValidString(text) {
		return errEncoding
	}
	return nil
}

var errEncoding = fmt.Errorf("%w: it is not UTF-8; convert it, as by iconv -f ISO-8859-1 -t UTF-8", plat.ErrBadURL)

// CheckJSON refuses JSON whose bytes are not UTF-8, or whose escapes are not characters: decoders
// would replace them, and so change the URL.
func CheckJSON(text string) error {
	if !utf8.ValidString(text) {
		return errEncoding
	}
	if halfPair.MatchString(pairs.ReplaceAllString(text, "")) {
		return fmt.Errorf("%w: it has half of a surrogate pair, such as \\ud83d, which is not a character", plat.ErrBadURL)
	}
	return nil
}

// pairs matches text that is not half of a pair of surrogates: an escaped backslash, and whole
// pairs. halfPair matches halves.
var (
	pairs    = regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	halfPair = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

func errLongSeed(bytes int) error {
	return fmt.Errorf("%w: %d bytes; a seed has at most %d", plat.ErrBadURL, bytes, maxSeed)
}
