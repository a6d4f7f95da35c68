// Package urlpattern matches URLs by patterns such as *.example.org/news/*.
package urlpattern

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Pattern matches URLs:
//
//	example.org                  every page of the host, http and https, any port
//	*.example.org                every page of the hosts below it, and of it
//	example.org/news/*           pages whose path and query begin so
//	https://example.org:8443/a   exactly this one
//	*                            every page
//
// A "*" in the path matches any characters. Without one, the whole path and query
// must be equal. A pattern without scheme or port matches all of them.
type Pattern struct {
	text               string
	scheme, host, port string // host "*" matches any
	path               string // with query; "" matches any
}

// Parse parses a pattern.
func Parse(s string) (Pattern, error) {
	p := Pattern{text: s}
	rest := s
	if scheme, after, ok := strings.Cut(s, "://"); ok {
		if scheme != "http" && scheme != "https" {
			return p, fmt.Errorf("pattern %q: scheme %q; write http, https or no scheme", s, scheme)
		}
		p.scheme, rest = scheme, after
	}
	host, path, ok := strings.Cut(rest, "/")
	if ok {
		p.path = "/" + path
	}
	if strings.ContainsAny(s, " \t\r\n#") {
		return p, fmt.Errorf("pattern %q: write it without white space and fragment", s)
	}
	wild := strings.HasPrefix(host, "*.")
	if host == "*" {
		p.host = "*"
		return p, nil
	}
	u, err := url.Parse("http://" + strings.TrimPrefix(host, "*."))
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(u.Hostname(), "*?") || u.Host != strings.TrimPrefix(host, "*.") {
		return p, fmt.Errorf("pattern %q: %q is not a host; write example.org, *.example.org, https://example.org/path* or *", s, host)
	}
	p.host, p.port = strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if p.host == "" {
		return p, errors.New("pattern: the host is empty; write example.org, or * for every page")
	}
	if wild {
		p.host = "*." + p.host
	}
	return p, nil
}

// String returns the pattern as written.
func (p Pattern) String() string { return p.text }

// Host returns the host of the pattern: "*" for any, "*.example.org" for that host and its
// subdomains.
func (p Pattern) Host() string { return p.host }

// MarshalJSON encodes the pattern as text.
func (p Pattern) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

// Matches reports whether the pattern matches a URL.
func (p *Pattern) Matches(u *url.URL) bool {
	if u.Scheme != "http" && u.Scheme != "https" || p.scheme != "" && p.scheme != u.Scheme {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	switch below, wild := strings.CutPrefix(p.host, "*."); {
	case p.host == "*":
	case wild && host != below && !strings.HasSuffix(host, "."+below):
		return false
	case !wild && host != p.host:
		return false
	}
	if p.port != "" && p.port != portOf(u) {
		return false
	}
	return p.path == "" || glob(p.path, u.RequestURI())
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// glob matches s against a pattern in which "*" matches any characters. Its time is
// at most the product of the lengths.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(s, first) {
		return false
	}
	s = s[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, last)
}
