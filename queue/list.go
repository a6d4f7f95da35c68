package queue

import (
	"bufio"
	"io"
	"regexp"
	"strings"
)

// maxSeedLine is the longest line of a list, in bytes: JSON Lines may carry more
// than a URL.
const maxSeedLine = 1 << 20

// comment matches a comment at the end of a line.
var comment = regexp.MustCompile(`(^|\s+)#.*$`)

// EachSeed yields the lines of a list with their numbers, from 1: a URL, or JSON if the
// line begins with "{". Blank lines are skipped. A comment begins with "#" at the
// beginning of a line or, except in JSON, after a blank; a "#" within a URL begins its
// fragment. The error is r's, or yield's.
func EachSeed(r io.Reader, yield func(n int, text string) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), maxSeedLine)
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "{") {
			line = comment.ReplaceAllString(line, "")
		}
		if line == "" {
			continue
		}
		if err := yield(n, line); err != nil {
			return err
		}
	}
	return sc.Err()
}
