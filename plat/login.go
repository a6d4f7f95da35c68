package plat

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// embedded matches user information of a URL anywhere in a text.
var embedded = regexp.MustCompile(`//[^/?#\s"]*@`)

// known matches a scheme of the web, with or without slashes after it: "http:me:pw@host"
// has one, and "me:pw@host" has none.
var known = regexp.MustCompile(`^(?i)\s*(https?|wss?|ftp):`)

// other matches any other scheme, which slashes tell from a user name.
var other = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*:[/\\]`)

// WithoutLogin replaces user and password in a raw URL, valid or not, for display. In
// case of doubt, such as a password with a slash, it replaces too much.
func WithoutLogin(raw string) string {
	before, after, ok := cutLogin(raw)
	if ok {
		raw = before + "…@" + after
	}
	return embedded.ReplaceAllString(raw, "//…@")
}

// cutLogin divides a raw URL into what comes before its user information, and after it.
func cutLogin(raw string) (before, after string, ok bool) {
	from := 0
	if m := known.FindString(raw); m != "" {
		from = len(m)
	} else if m := other.FindString(raw); m != "" {
		from = len(m)
	}
	// Browsers take any number of slashes for two.
	from += len(raw[from:]) - len(strings.TrimLeft(raw[from:], "/\\ \t\r\n"))
	rest := raw[from:]
	authority := rest
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		authority = rest[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 && !strings.HasPrefix(authority, "[") {
		// A password that is not escaped may have a slash: "http://me:p/w@host" has
		// the host "me" and a port that is none.
		if _, port, colon := strings.Cut(authority, ":"); colon && port != "" {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				at = strings.LastIndexByte(rest, '@')
			}
		}
	}
	if at < 0 {
		return raw, "", false
	}
	return raw[:from], rest[at+1:], true
}

// WithoutSecrets is the address of a database, valid or not, for display: without user,
// password and parameters. Its password may have any character, so that all up to the
// last "@" is replaced.
func WithoutSecrets(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if ok {
		scheme += "://"
	} else {
		scheme, rest = "", address
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "…" + rest[i:]
	}
	if i := strings.IndexByte(rest, '?'); i >= 0 && i+1 < len(rest) {
		rest = rest[:i] + "?…"
	}
	return scheme + rest
}

// loginless is a raw URL without user and password.
func loginless(raw string) string {
	if before, after, ok := cutLogin(raw); ok {
		return before + after
	}
	return raw
}

// WithoutUser returns a URL without user and password, for a link: whoever follows it would send them, and
// whoever is shown it would learn them. A URL that has none stays as it is.
func WithoutUser(raw string) string {
	if !strings.Contains(raw, "@") {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return loginless(raw)
	}
	if u.User == nil {
		return raw
	}
	u.User = nil
	return u.String()
}
