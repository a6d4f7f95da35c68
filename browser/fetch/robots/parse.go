package robots

import (
	"strconv"
	"strings"
	"time"

	"plat/plat/weburl"
)

// MaxSize is the number of bytes read of a file: the minimum required by RFC 9309 section 2.5.
// Fetch one byte more, so that [Parse] can tell whether the last line is complete.
const MaxSize = 500 << 10

// MaxAge is the time after which a file must be fetched again, unless it is then [Unreachable] (RFC
// 9309 section 2.4).
const MaxAge = 24 * time.Hour

// maxSitemaps is the maximum number of sitemaps kept per file. The sitemap
// protocol uses an index for many sitemaps; real files list some dozens.
const maxSitemaps = 1000

// File is a parsed robots.txt. The zero File allows everything.
type File struct {
	agents   []agent // in the order of the file, hence by group
	rules    []rule  // in order of the file
	delays   []delay // in order of the file
	sitemaps []string
}

// agent is a user-agent line.
type agent struct {
	token string // letters, "-" and "_", as written; or "*"
	group int
}

// delay is a crawl-delay line. It applies to the agents of its group named
// above it: those before index named.
type delay struct {
	group, named int
	wait         time.Duration
}

// Parse parses a robots.txt. It accepts any bytes: invalid lines are skipped
// (RFC 9309 section 2.3.1.5), in the worst case leaving no rules. A byte order
// mark is skipped. Lines end in CR, LF or both (section 2.2).
func Parse(body []byte) *File {
	text := strings.TrimPrefix(string(cut(body)), "\ufeff")
	p := parser{File: &File{}, group: -1}
	for text != "" {
		line := text
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		p.line(line)
	}
	return p.File
}

// cut truncates to complete lines of at most MaxSize bytes in total.
func cut(body []byte) []byte {
	if len(body) <= MaxSize {
		return body
	}
	end := MaxSize
	for end >= 0 && body[end] != '\n' && body[end] != '\r' {
		end--
	}
	return body[:max(end, 0)]
}

type parser struct {
	*File
	group int  // of the latest user-agent line; -1 before the first
	ruled bool // the group has a rule, so that the next user-agent begins a new group
}

// line parses one line: RFC 9309 section 2.2, rules startgroupline and rule.
func (p *parser) line(s string) {
	s, _, _ = strings.Cut(s, "#")
	key, value, ok := strings.Cut(s, ":")
	if !ok {
		return
	}
	key, value = trim(key), trim(value)
	switch {
	case strings.EqualFold(key, "disallow"):
		p.rule(value, false)
	case strings.EqualFold(key, "allow"):
		p.rule(value, true)
	case strings.EqualFold(key, "user-agent"):
		p.agent(value)
	case strings.EqualFold(key, "crawl-delay"):
		p.delay(value)
	case strings.EqualFold(key, "sitemap"):
		p.sitemap(value)
	}
}

// trim removes characters around a value: the blanks and tabs of the RFC, and
// other control characters left by editors.
func trim(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// agent handles a user-agent line. One without a valid name still begins a
// group, so that its rules do not join the previous group.
func (p *parser) agent(value string) {
	if p.group < 0 || p.ruled {
		p.group++
		p.ruled = false
	}
	token := product(value)
	if token == "" && value != "" && value[0] == '*' && (len(value) == 1 || value[1] <= ' ') {
		token = "*"
	}
	if token != "" {
		p.agents = append(p.agents, agent{token, p.group})
	}
}

// product returns the product token at the start of s: letters, "-" and "_"
// (RFC 9309 section 2.2.1). The rest, such as the version in "ExampleBot/1.0",
// is not part of the name; the reference parser cuts there too.
func product(s string) string {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && s[i] != '-' && s[i] != '_' {
			return s[:i]
		}
	}
	return s
}

// rule handles an allow or disallow line. Outside any group it is ignored; an
// empty one matches nothing (RFC 9309 section 2.2.2).
func (p *parser) rule(value string, allow bool) {
	if p.group < 0 {
		return
	}
	p.ruled = true
	if r, ok := newRule(value, allow); ok {
		r.group = int32(p.group)
		p.rules = append(p.rules, r)
	}
}

// maxDelay limits delays, because the file must be fetched again by then.
const maxDelay = MaxAge

// delay handles a crawl-delay line: decimal seconds. No standard defines it,
// and that is all that crawlers agree on.
func (p *parser) delay(value string) {
	if p.group < 0 || value == "" || strings.Trim(value, "0123456789.") != "" {
		return // also "-1", "1e9", "0x10", "inf" and "nan", which ParseFloat accepts
	}
	s, err := strconv.ParseFloat(value, 64)
	if err != nil && s == 0 {
		return
	}
	wait := maxDelay
	if s < maxDelay.Seconds() {
		wait = time.Duration(s * float64(time.Second))
	}
	p.delays = append(p.delays, delay{p.group, len(p.agents), wait})
}

// sitemap handles a sitemap line; sitemaps.org, "Specifying the Sitemap
// location in your robots.txt file", requires a full URL.
func (p *parser) sitemap(value string) {
	if len(p.sitemaps) == maxSitemaps {
		return
	}
	if to := weburl.Resolve(value); weburl.IsWeb(to) {
		p.sitemaps = append(p.sitemaps, strings.Clone(weburl.ForRequest(to)))
	}
}
