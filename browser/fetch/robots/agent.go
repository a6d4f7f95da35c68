package robots

import (
	"slices"
	"strings"
	"time"
)

// Agent returns the rules for the crawler with that product token: those of all groups that name
// it, case-insensitively, merged; without such a group, those of all groups for "*"; else empty
// (RFC 9309 section 2.2.1). Only the valid prefix of the token is used, "plat" of "plat/1.0".
//
// The result does not refer to f, so it is suitable for caching.
func (f *File) Agent(token string) Rules {
	of := f.named(product(token))
	if len(of) == 0 {
		of = f.named("*")
	}
	wait, ok := f.delayOf(of)
	return Rules{rules: f.rulesOf(of), delay: wait, delayed: ok}
}

// Sitemaps returns the sitemaps that f lists, absolute http and https URLs as
// written, at most 1,000. They belong to no group (RFC 9309 section 2.2.4;
// sitemaps.org, "Specifying the Sitemap location in your robots.txt file"), and
// may be on a different host (ibidem, "Sitemaps & Cross Submits").
func (f *File) Sitemaps() []string { return slices.Clone(f.sitemaps) }

// named returns the indexes of the agents with that token.
func (f *File) named(token string) []int {
	var of []int
	for i, a := range f.agents {
		if strings.EqualFold(a.token, token) {
			of = append(of, i)
		}
	}
	return of
}

// rulesOf returns the rules of the agents' groups, most specific first. A group
// is used once, even if it names several of the agents.
func (f *File) rulesOf(agents []int) []rule {
	var rules []rule
	size := 0
	rest := f.rules
	for _, a := range agents {
		g := int32(f.agents[a].group)
		for ; len(rest) > 0 && rest[0].group <= g; rest = rest[1:] {
			if rest[0].group == g {
				rules = append(rules, rest[0])
				size += len(rest[0].pattern)
			}
		}
	}
	slices.SortFunc(rules, rule.compare)
	rules = slices.CompactFunc(rules, func(a, b rule) bool { return a.compare(b) == 0 })

	// Patterns are substrings of the whole file; copy them into one new string,
	// instead of retaining the file or allocating each.
	var all strings.Builder
	all.Grow(size)
	for i, r := range rules {
		from := all.Len()
		all.WriteString(r.pattern)
		rules[i].pattern = all.String()[from:]
	}
	return slices.Clip(rules)
}

// delayOf returns the longest delay that the file requests of the agents, if
// any.
func (f *File) delayOf(agents []int) (longest time.Duration, ok bool) {
	rest := f.delays
	for _, a := range agents {
		g := f.agents[a].group
		for ; len(rest) > 0 && rest[0].group <= g; rest = rest[1:] {
			if rest[0].group == g && a < rest[0].named {
				longest, ok = max(longest, rest[0].wait), true
			}
		}
	}
	return longest, ok
}
