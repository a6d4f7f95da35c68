package robots

import (
	"cmp"
	"strings"
	"time"
)

// Rules are the permissions of one crawler. The zero Rules allow everything
// without delay.
type Rules struct {
	rules   []rule // most specific first
	delay   time.Duration
	delayed bool
}

// Allowed reports whether the crawler may visit a path, given with its query
// ("/a/b?c=d") as sent to the server, plain or escaped; an empty path is "/"
// and a fragment is ignored.
//
// The matching rule with most octets decides, at a tie allow wins; without a
// match the path is allowed; /robots.txt itself is always allowed (RFC 9309
// section 2.2.2).
//
// It takes O(rules × (path + pattern)) time for any patterns.
func (r Rules) Allowed(pathAndQuery string) bool {
	path := canonicalPath(pathAndQuery, false)
	if path == "/robots.txt" {
		return true
	}
	strict := canonicalPath(pathAndQuery, true)
	for i := range r.rules {
		if r.rules[i].matches(path) || len(strict) != len(path) && r.rules[i].matches(strict) {
			return r.rules[i].allow
		}
	}
	return true
}

// Delay returns the requested delay between two visits, and whether there is
// one: the longest Crawl-delay, at most a day. It is not part of RFC 9309;
// values other than decimal numbers of seconds are ignored.
func (r Rules) Delay() (time.Duration, bool) {
	return r.delay, r.delayed
}

// rule is an allow or disallow line.
type rule struct {
	pattern string // canonical, without a final "$"; "*" is the wildcard
	literal int32  // how much of it is before the first wildcard
	group   int32
	last    byte // last octet of the literal part: a quick check that rejects most paths
	allow   bool
	end     bool // the pattern ended in "$"
}

// newRule returns the rule for a path pattern (RFC 9309 sections 2.2.2 and
// 2.2.3), and whether it can match any path.
func newRule(value string, allow bool) (rule, bool) {
	r := rule{allow: allow}
	value, r.end = strings.CutSuffix(value, "$")
	r.pattern = canonical(value, true, false)
	if r.pattern == "" || r.pattern[0] != '/' && r.pattern[0] != '*' {
		return rule{}, false
	}
	r.literal = int32(len(r.pattern))
	if i := strings.IndexByte(r.pattern, '*'); i >= 0 {
		r.literal = int32(i)
	}
	if r.literal > 0 {
		r.last = r.pattern[r.literal-1]
	}
	return r, true
}

// octets is the specificity of a rule (RFC 9309 section 2.2.2). Special
// characters count, as in the reference parser.
func (r rule) octets() int {
	if r.end {
		return len(r.pattern) + 1
	}
	return len(r.pattern)
}

// compare orders rules by precedence, the winner first. Equivalent rules are
// equal.
func (r rule) compare(o rule) int {
	if c := cmp.Compare(o.octets(), r.octets()); c != 0 {
		return c
	}
	if r.allow != o.allow {
		if r.allow {
			return -1
		}
		return 1
	}
	return cmp.Compare(r.pattern, o.pattern)
}

// matches reports whether the rule applies to a canonical path.
//
// Each piece between wildcards is matched at its first occurrence after the
// previous piece: that leaves the longest rest, so backtracking is unnecessary.
func (r *rule) matches(path string) bool {
	if len(path) < int(r.literal) || r.literal > 0 && path[r.literal-1] != r.last || path[:r.literal] != r.pattern[:r.literal] {
		return false
	}
	path = path[r.literal:]
	if int(r.literal) == len(r.pattern) {
		return !r.end || path == ""
	}
	rest := r.pattern[r.literal+1:]
	for {
		i := strings.IndexByte(rest, '*')
		if i < 0 {
			break
		}
		at := strings.Index(path, rest[:i])
		if at < 0 {
			return false
		}
		path, rest = path[at+i:], rest[i+1:]
	}
	if r.end {
		return strings.HasSuffix(path, rest)
	}
	return strings.Contains(path, rest)
}
