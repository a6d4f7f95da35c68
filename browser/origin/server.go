package origin

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
)

// Server is whom a user and a password are for: "example.org", "example.org:8080" or
// "https://example.org".
type Server struct {
	Scheme string // empty: https, or that of the page that was asked for if it is of this host
	Host   string // as in canonical URLs
	Port   string // empty: the scheme's default
}

// errServer repeats nothing of the text: passwords are written beside it.
var errServer = errors.New("a host is written as example.org, example.org:8080 or https://example.org")

// ParseServer reads a server.
func ParseServer(text string) (Server, error) {
	s := Server{}
	scheme, rest, ok := strings.Cut(text, "://")
	if ok {
		s.Scheme = strings.ToLower(scheme)
		if defaultPort(s.Scheme) == "" {
			return s, errServer
		}
	} else {
		rest = text
	}
	host := rest
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.HasSuffix(rest, "]") {
		host, s.Port = rest[:i], rest[i+1:]
		n, err := strconv.ParseUint(s.Port, 10, 16)
		if err != nil || n == 0 {
			return s, errServer
		}
		s.Port = strconv.FormatUint(n, 10)
	}
	if strings.ContainsAny(host, "/?#@\\") {
		return s, errServer
	}
	at, err := plat.Canonical("https://"+host+"/", nil)
	if err != nil {
		return s, errServer
	}
	s.Host = strings.Trim(plat.HostOf(at), "[]")
	if s.Scheme != "" && s.Port == defaultPort(s.Scheme) {
		s.Port = ""
	}
	return s, nil
}

// String is the text that ParseServer reads.
func (s Server) String() string {
	text := s.Host
	if strings.Contains(text, ":") {
		text = "[" + text + "]"
	}
	if s.Port != "" {
		text += ":" + s.Port
	}
	if s.Scheme != "" {
		text = s.Scheme + "://" + text
	}
	return text
}

// Answers reports whether the password is given to a URL that asks for one. asked is the URL
// that led there: another site must not have it spent by a redirect.
func (s Server) Answers(asked, at *url.URL) bool {
	if !SameSite(asked, at) || hostname(at) != s.Host || port(at) != cmp.Or(s.Port, defaultPort(at.Scheme)) {
		return false
	}
	if s.Scheme != "" {
		return at.Scheme == s.Scheme
	}
	return at.Scheme == "https" || asked.Scheme == at.Scheme && hostname(asked) == s.Host
}

// Elsewhere lists the servers of a URL's host that have another scheme or port, by their texts: what
// is for them is not for the URL.
func Elsewhere[L any](all map[Server]L, at *url.URL) (servers []string) {
	for s := range all {
		if s.Host != hostname(at) || s.Answers(at, at) {
			continue
		}
		text := s.String()
		if s.Scheme == "" && s.Port == "" {
			text += " at the usual port"
		}
		servers = append(servers, text)
	}
	slices.Sort(servers)
	return servers
}

// Find returns what is for a URL that asks for a password; see [Server.Answers]. Of several the
// one that says most.
func Find[L any](all map[Server]L, asked, at *url.URL) (login L, ok bool) {
	best := -1
	for s, l := range all {
		said := 0
		if s.Scheme != "" {
			said += 2
		}
		if s.Port != "" {
			said++
		}
		if said > best && s.Answers(asked, at) {
			login, ok, best = l, true, said
		}
	}
	return login, ok
}
