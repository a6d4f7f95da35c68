package links

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plat/plat"
	"plat/plat/nearest"
	"plat/plat/saferegexp"
	"plat/queue/recent"
)

// Scope says which links of a page are followed. Its text is a kind and conditions:
//
//	host depth=3 exclude=/login exclude=\.zip$
//	prefix=https://example.org/docs/ include=/2026/
//
// A condition's pattern is a regular expression (RE2) searched in the canonical URL; at least one
// include, if any, must match, and no exclude. Canonical URLs contain no blanks, so patterns do
// not need them.
type Scope struct {
	Reach   Reach
	Prefix  string // of kind prefix
	Depth   int    // most links followed from the seed; 0 is unlimited
	Include []*regexp.Regexp
	Exclude []*regexp.Regexp
}

// Reach is the extent of a scope.
type Reach string

// Extents of scopes.
const (
	ReachPage   Reach = "page"   // no links
	ReachPrefix Reach = "prefix" // URLs with the seed's prefix up to its last slash
	ReachHost   Reach = "host"   // the same host and port
	ReachDomain Reach = "domain" // the same registrable domain, as example.co.uk
	ReachAny    Reach = "any"    // every link
)

var reaches = []Reach{ReachPage, ReachPrefix, ReachHost, ReachDomain, ReachAny}

// Limits of a scope, since any user who adds URLs can write one: a scope is searched in every link
// of every page that it leads to.
const (
	maxScope    = saferegexp.MaxText // bytes of its text, without its prefix
	maxPatterns = 20
	maxSize     = saferegexp.MaxSize // of its patterns together
)

// parsed are the scopes that were parsed last: a crawl has few, and parses them for every page.
var parsed = struct {
	sync.Mutex
	recent.Map[string, Scope]
}{Map: recent.Map[string, Scope]{Max: 50}}

// ParseScope parses the text of a scope. Empty is [ReachPage]. With kind prefix and no "=",
// [Scope.For] takes the prefix from the seed. The scope is shared: callers must not change its
// patterns.
func ParseScope(text string) (Scope, error) {
	parsed.Lock()
	s, ok := parsed.Get(text)
	if ok {
		parsed.Put(text, s) // still in use
	}
	parsed.Unlock()
	if ok {
		return s, nil
	}
	s, err := parseScope(text)
	if err == nil {
		parsed.Lock()
		parsed.Put(text, s)
		parsed.Unlock()
	}
	return s, err
}

func parseScope(text string) (Scope, error) {
	s := Scope{Reach: ReachPage}
	fields := strings.Fields(text)
	rest := text
	if len(fields) > 0 && strings.HasPrefix(fields[0], string(ReachPrefix)+"=") {
		_, rest, _ = strings.Cut(text, fields[0]) // its URL has a limit of its own
	}
	if len(rest) > maxScope {
		return s, fmt.Errorf("scope %.40q…: %d characters; write at most %d", text, len(rest), maxScope)
	}
	size := 0
	for i, field := range fields {
		name, value, has := strings.Cut(field, "=")
		switch {
		case i == 0 && name == string(ReachPrefix):
			s.Reach, s.Prefix = ReachPrefix, value
			if has {
				p, err := plat.Canonical(value, nil)
				if err != nil {
					return s, fmt.Errorf("scope %q: %w", text, err)
				}
				s.Prefix = p
			}
			continue
		case i == 0 && !has:
			switch s.Reach = Reach(name); s.Reach {
			case ReachPage, ReachHost, ReachDomain, ReachAny:
				continue
			}
			return s, fmt.Errorf("scope %q: there is no kind %q%s; write page, prefix, host, domain or any", text, name, nearest.Question(name, "", reaches))
		}
		if i == 0 {
			return s, fmt.Errorf("scope %q: write a kind first: page, prefix, host, domain or any", text)
		}
		switch name {
		case "depth":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > 1000 {
				return s, fmt.Errorf("scope %q: depth is a number from 1 to 1000", text)
			}
			s.Depth = n
		case "include", "exclude":
			if value == "" {
				return s, fmt.Errorf("scope %q: %s= has no pattern; write a regular expression after it, or leave it out", text, name)
			}
			n, err := saferegexp.Size(value)
			if err != nil {
				return s, fmt.Errorf("scope %q: %q is not a regular expression that plat supports: %w", text, value, err)
			}
			if size += n; size > maxSize {
				return s, fmt.Errorf("scope %q: its patterns together are too large: with their repetitions they come to more than %d steps; write smaller counts", text, maxSize)
			}
			if len(s.Include)+len(s.Exclude) == maxPatterns {
				return s, fmt.Errorf("scope %q: more than %d patterns; write several as one, with | between them", text, maxPatterns)
			}
			re, err := saferegexp.Compile(value)
			if err != nil {
				return s, fmt.Errorf("scope %q: %q is not a regular expression that plat supports: %w", text, value, err)
			}
			if name == "include" {
				s.Include = append(s.Include, re)
			} else {
				s.Exclude = append(s.Exclude, re)
			}
		default:
			return s, fmt.Errorf("scope %q: unknown word %q; write a kind first, then depth=, include= or exclude=", text, field)
		}
	}
	return s, nil
}

// String formats the scope; ParseScope parses it.
func (s Scope) String() string {
	if s.Reach == ReachPage {
		return ""
	}
	text := string(s.Reach)
	if s.Reach == ReachPrefix && s.Prefix != "" {
		text += "=" + s.Prefix
	}
	if s.Depth > 0 {
		text += " depth=" + strconv.Itoa(s.Depth)
	}
	for _, re := range s.Include {
		text += " include=" + re.String()
	}
	for _, re := range s.Exclude {
		text += " exclude=" + re.String()
	}
	return text
}

// For returns the scope for a seed: the seed supplies a missing prefix.
func (s Scope) For(seed string) Scope {
	if s.Reach == ReachPrefix && s.Prefix == "" {
		s.Prefix, _, _ = strings.Cut(seed, "?")
		s.Prefix = s.Prefix[:strings.LastIndexByte(s.Prefix, '/')+1]
	}
	return s
}

// Follows reports whether the crawl follows the link of a page: both are canonical URLs, depth is
// the page's.
func (s Scope) Follows(page string, depth int, link string) bool {
	if s.Depth > 0 && depth >= s.Depth {
		return false
	}
	switch s.Reach {
	case ReachPrefix:
		if s.Prefix == "" || !strings.HasPrefix(link, s.Prefix) {
			return false
		}
	case ReachHost:
		if plat.HostOf(page) != plat.HostOf(link) {
			return false
		}
	case ReachDomain:
		if domainOf(page) != domainOf(link) {
			return false
		}
	case ReachAny:
	default:
		return false
	}
	if s.excludes(link) {
		return false
	}
	for _, re := range s.Include {
		if re.MatchString(link) {
			return true
		}
	}
	return len(s.Include) == 0
}

// excludes reports whether one of the patterns excludes a URL.
func (s Scope) excludes(link string) bool {
	return slices.ContainsFunc(s.Exclude, func(re *regexp.Regexp) bool { return re.MatchString(link) })
}

// domainOf returns the registrable domain of a URL, or the host if it has no such domain (an
// address, a name without dots).
func domainOf(url string) string {
	host := plat.HostOf(url)
	if !strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host, ":")
	}
	return plat.DomainOf(host)
}
