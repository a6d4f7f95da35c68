// Package origin decides which requests belong to the site of a page ([SameSite]), and which server
// receives a password ([Server]). Configured secrets are sent nowhere else.
package origin

import (
	"fmt"
	"net/url"
	"strings"

	"plat/plat"
)

// SameSite reports whether a request belongs to the site of a requested page, so that it may
// receive the site's headers and passwords. Their registrable domains are the same, and the
// request's port is the page's or the default of its scheme. A host without a registrable domain is
// a separate site, with its port. An http request never belongs to the site of an https page,
// because its traffic is readable on the way.
func SameSite(page, request *url.URL) bool {
	if !web(page) || !web(request) || page.Scheme == "https" && request.Scheme == "http" {
		return false
	}
	from, to := hostname(page), hostname(request)
	samePort := port(page) == port(request) || usualPort(page) && usualPort(request)
	if !plat.HasDomain(from) {
		return from == to && samePort
	}
	return plat.DomainOf(from) == plat.DomainOf(to) && (samePort || usualPort(request))
}

// Parse reads a URL's scheme, host and port. Unlike [url.Parse] it ignores the rest: browsers
// request paths such as /100%, too.
func Parse(raw string) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, fmt.Errorf("a URL has %q after its scheme", "://")
	}
	if i := strings.IndexAny(rest, `/?#\`); i >= 0 {
		rest = rest[:i]
	}
	return url.Parse(scheme + "://" + rest)
}

func web(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" }

func hostname(u *url.URL) string { return strings.ToLower(u.Hostname()) }

// port returns the port of a URL.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPort(u.Scheme)
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

func usualPort(u *url.URL) bool { return port(u) == defaultPort(u.Scheme) }
