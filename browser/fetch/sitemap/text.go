package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// text reads a URL from each line: sitemaps.org, "Text file". Lines end in CR,
// LF or both. The file is a sitemap if any line is a URL.
func (s *reading) text(in *bufio.Reader) error {
	s.Kind = Text
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, s.lim.Token)
	lines.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
			return i + 1, data[:i], nil
		}
		if end && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if err := s.entry(Entry{Loc: line, Priority: NoPriority}); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%w: a line of more than %d bytes", ErrTooLarge, s.lim.Token)
	case err != nil:
		return fmt.Errorf("read sitemap, after %d entries: %w", s.Entries, err)
	case s.Entries == 0:
		s.Kind = Unknown
		return fmt.Errorf("%w: it is not XML, and none of its lines is a URL", ErrFormat)
	}
	return nil
}
