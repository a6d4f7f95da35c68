package robots

import "strconv"

// MaxRedirects is the maximum number of consecutive redirects followed for a
// robots.txt, including to other hosts (RFC 9309 section 2.3.1.2).
const MaxRedirects = 5

// Access is the outcome of a request for a robots.txt (RFC 9309 section 2.3.1).
type Access int

const (
	// Found: the file exists (section 2.3.1.1).
	Found Access = iota
	// Redirected: follow the redirect (section 2.3.1.2).
	Redirected
	// Unavailable: the site has no such file; everything is allowed (section
	// 2.3.1.3).
	Unavailable
	// Unreachable: the rules are unknown, so nothing is allowed (section
	// 2.3.1.4). Try again later; meanwhile an older copy may be used beyond
	// [MaxAge].
	Unreachable
)

// String returns the name of the access.
func (a Access) String() string {
	switch a {
	case Found:
		return "found"
	case Redirected:
		return "redirected"
	case Unavailable:
		return "unavailable"
	case Unreachable:
		return "unreachable"
	}
	return "access " + strconv.Itoa(int(a))
}

// FromStatus interprets an HTTP response for /robots.txt, and returns the file
// to obey, which is never nil. Status is the status code, or 0 without a
// response; hops is the number of redirects that led to this request; body is
// read only if the status is 2xx.
//
//	2xx                        Found        the file's own rules
//	301, 302, 303, 307, 308    Redirected   nothing allowed until the end is known
//	  after MaxRedirects hops  Unavailable  everything allowed
//	4xx, but not 429           Unavailable  everything allowed
//	429, 5xx, any other, 0     Unreachable  nothing allowed
//
// 429 asks the crawler to slow down (RFC 6585 section 4), so it does not permit
// crawling. For a redirect that cannot be followed, because its target is
// missing or not HTTP, pass MaxRedirects as hops. After a conditional request,
// a caller keeps its copy on 304 without calling FromStatus.
func FromStatus(status, hops int, body []byte) (*File, Access) {
	switch {
	case 200 <= status && status <= 299:
		return Parse(body), Found
	case status == 301, status == 302, status == 303, status == 307, status == 308:
		if hops < MaxRedirects {
			return nothing(), Redirected
		}
		return &File{}, Unavailable
	case 400 <= status && status <= 499 && status != 429:
		return &File{}, Unavailable
	}
	return nothing(), Unreachable
}

// nothing is a file that disallows everything.
func nothing() *File { return Parse([]byte("user-agent: *\ndisallow: /")) }
