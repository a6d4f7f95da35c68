package robots

import (
	"cmp"
	"strings"
	"time"
)

// Rules are what one crawler may do. The zero Rules allow everything at once.
type Rules struct {
	rules   []rule // most specific first
	delay   time.Duration
	delayed bool
}

// Allowed reports whether the crawler may visit a path, given with its query
// ("/a/b?c=d") as it is sent to the server, plain or escaped; an empty path is
// "/" and a fragment is ignored.
//
// The matching rule of most octets decides, among equals one that allows; no
// match allows; /robots.txt itself is always allowed (RFC 9309 section 2.2.2).
//
// It takes time in O(rules × (path + pattern)), whatever the patterns are.
func (r Rules) Allowed(pathAndQuery string) bool {
	path := canonicalPath(pathAndQuery)
	if path == "/robots.txt" {
		return true
	}
	for i := range r.rules {
		if r.rules[i].matches(path) {
			return r.rules[i].allow
		}
	}
	return true
}

// Delay returns how long the crawler is asked to wait between two visits, and
// whether it is: the longest of its Crawl-delay records, at most a day. They are
// no part of RFC 9309; what is not a decimal number of seconds is ignored.
func (r Rules) Delay() (time.Duration, bool) {
	return r.delay, r.delayed
}

// rule is an allow or disallow line.
type rule struct {
	pattern string // canonical, without the "$" at its end; "*" is the wildcard
	literal int32  // how much of it is before the first wildcard
	group   int32
	last    byte // the last octet of the literal part, by which most paths differ
	allow   bool
	end     bool // the pattern ended in "$"
}

// newRule returns the rule of a path pattern (RFC 9309 sections 2.2.2 and 2.2.3),
// and whether it can match any path at all.
func newRule(value string, allow bool) (rule, bool) {
	r := rule{allow: allow}
	value, r.end = strings.CutSuffix(value, "$")
	r.pattern = canonical(value, true)
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

// octets is how specific a rule is (RFC 9309 section 2.2.2). Special characters
// count, as in the reference parser.
func (r rule) octets() int {
	if r.end {
		return len(r.pattern) + 1
	}
	return len(r.pattern)
}

// compare puts the rule that wins first. Rules that say the same are equal.
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

// matches reports whether the rule is about a canonical path.
//
// Each piece between wildcards is looked for behind the piece before, where it
// first occurs: what a later place leaves of the path is left by the first one,
// too. So nothing is ever tried twice.
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
