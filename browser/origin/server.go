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

// Server is the scope of a user and a password: "example.org", "example.org:8080" or
// "https://example.org".
type Server struct {
	Scheme string // empty: https, or the scheme of the requested page if it has this host
	Host   string // as in canonical URLs
	Port   string // empty: the scheme's default
}

// errServer does not quote the text, because passwords are written beside it.
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

// Answers reports whether the password is sent to a URL that requires one. asked is the URL that
// led there: a redirect from a different site must not receive the password.
func (s Server) Answers(asked, at *url.URL) bool {
	if !SameSite(asked, at) || hostname(at) != s.Host || port(at) != cmp.Or(s.Port, defaultPort(at.Scheme)) {
		return false
	}
	if s.Scheme != "" {
		return at.Scheme == s.Scheme
	}
	return at.Scheme == "https" || asked.Scheme == at.Scheme && hostname(asked) == s.Host
}

// Elsewhere lists the servers with the host of a URL but a different scheme or port, as text: their
// passwords are not for the URL.
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

// Find returns the login for a URL that requires a password; see [Server.Answers]. The most
// specific server wins.
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
