package plat

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// embedded matches user information of a URL anywhere in a text.
var embedded = regexp.MustCompile(`//[^/?#\s"]*@`)

// known matches a web scheme, with or without slashes after it: "http:me:pw@host" has one,
// "me:pw@host" does not.
var known = regexp.MustCompile(`^(?i)\s*(https?|wss?|ftp):`)

// other matches any other scheme, which slashes distinguish from a user name.
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

// cutLogin returns the parts of a raw URL before and after its user information.
func cutLogin(raw string) (before, after string, ok bool) {
	from := 0
	if m := known.FindString(raw); m != "" {
		from = len(m)
	} else if m := other.FindString(raw); m != "" {
		from = len(m)
	}
	// Browsers treat any number of slashes as two.
	from += len(raw[from:]) - len(strings.TrimLeft(raw[from:], "/\\ \t\r\n"))
	rest := raw[from:]
	authority := rest
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		authority = rest[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 && !strings.HasPrefix(authority, "[") {
		// A password that is not escaped may have a slash: "http://me:p/w@host" has the host "me" and
		// an invalid port.
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

// WithoutSecrets returns the address of a database, valid or not, for display: without user, password
// and parameters. Its password may have any character, so all text up to the last "@" is replaced.
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

// loginless returns a raw URL without user and password.
func loginless(raw string) string {
	if before, after, ok := cutLogin(raw); ok {
		return before + after
	}
	return raw
}

// WithoutUser returns a URL without user and password, for use as a link: a browser would send them,
// and they would be visible. A URL without them is returned unchanged.
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
