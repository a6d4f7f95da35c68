package traps

import (
	"fmt"
	"strings"
)

// Rules are limits of a URL that is found as a link. The zero value of a field is its default, a
// negative value is no limit. The defaults for depth and length are those of Heritrix
// (TooManyPathSegmentsDecideRule, and its longest URL).
type Rules struct {
	// Repeats is the number of times that a run of segments may occur in sequence in the path
	// ("/a/b/a/b/a/b"), and a parameter with the same value: 2. A single segment may occur once
	// more in sequence, and be in the path twice as often. Numbers do not count, since dates
	// repeat them.
	Repeats  int
	Segments int // of the path: 20
	Length   int // bytes of the URL: 2,083
}

// The defaults of Rules.
const (
	DefaultRepeats  = 2
	DefaultSegments = 20
	DefaultLength   = 2083
)

// RefusedError says which rule refuses a URL.
type RefusedError struct {
	Rule string // "repeats", "segments" or "length"
	Why  string
}

func (e *RefusedError) Error() string { return e.Why }

// Refuse returns a [*RefusedError] if the rules refuse a canonical URL, else nil.
func (r Rules) Refuse(url string) error {
	limit := func(n, byDefault int) int {
		switch {
		case n == 0:
			return byDefault
		case n < 0:
			return len(url) + 1 // no URL has more
		}
		return n
	}
	if n := limit(r.Length, DefaultLength); len(url) > n {
		return &RefusedError{"length", fmt.Sprintf("it has %d bytes; the limit is %d", len(url), n)}
	}
	_, path, query := split(url)
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if n := limit(r.Segments, DefaultSegments); len(segments) > n {
		return &RefusedError{"segments", fmt.Sprintf("its path has %d segments; the limit is %d", len(segments), n)}
	}
	n := limit(r.Repeats, DefaultRepeats)
	if what := repeated(segments, n); what != "" {
		return &RefusedError{"repeats", fmt.Sprintf("its path repeats %.100q; the limit is %d times", what, n)}
	}
	if what := mostly(strings.Split(query, "&"), n); what != "" {
		return &RefusedError{"repeats", fmt.Sprintf("its query repeats %.100q; the limit is %d times", what, n)}
	}
	return nil
}

// split returns the parts of a canonical URL: scheme and host, path, query.
func split(url string) (host, path, query string) {
	host, query, _ = strings.Cut(url, "?")
	i := strings.Index(host, "://") + len("://")
	if k := strings.IndexByte(host[min(i, len(host)):], '/'); k >= 0 {
		host, path = host[:i+k], host[i+k:]
	}
	return host, path, query
}

// repeated returns the part of a path that occurs more than n times, empty if there is none: a run
// of segments in sequence, or a segment anywhere more than 2n times.
func repeated(segments []string, n int) string {
	for size := 1; size*(n+1) <= len(segments); size++ {
		most := n
		if size == 1 {
			most++
		}
		same := 0 // segments in a row that equal the one size before
		for i := size; i < len(segments); i++ {
			if segments[i] != segments[i-size] {
				same = 0
				continue
			}
			if same++; same >= size*most && !numeric(segments[i-size+1:i+1]) {
				return strings.Join(segments[i-size+1:i+1], "/")
			}
		}
	}
	return mostly(segments, 2*n)
}

// mostly returns a text that occurs more than n times in a list, empty if there is none.
func mostly(all []string, n int) string {
	if len(all) <= n {
		return ""
	}
	count := make(map[string]int, len(all))
	for _, s := range all {
		if count[s]++; count[s] > n && s != "" && !numeric([]string{s}) {
			return s
		}
	}
	return ""
}

// numeric reports whether all segments are numbers.
func numeric(segments []string) bool {
	for _, s := range segments {
		if s == "" || strings.Trim(s, "0123456789") != "" {
			return false
		}
	}
	return true
}
