package robots

import "strconv"

// MaxRedirects is how many redirects in a row are followed to a robots.txt, also
// to other hosts (RFC 9309 section 2.3.1.2).
const MaxRedirects = 5

// Access is how a request for a robots.txt ended (RFC 9309 section 2.3.1).
type Access int

const (
	// Found: the file is there (section 2.3.1.1).
	Found Access = iota
	// Redirected: ask again where the answer points to (section 2.3.1.2).
	Redirected
	// Unavailable: the site has no such file; everything is allowed (section
	// 2.3.1.3).
	Unavailable
	// Unreachable: nobody knows what the site would say, so nothing is allowed
	// (section 2.3.1.4). Try again later; a copy fetched before may be used
	// longer than [MaxAge] meanwhile.
	Unreachable
)

// String names the access in a word.
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

// FromStatus decides what an HTTP answer to a request for /robots.txt means, and
// returns the file to obey, which is never nil. Status is the answer's code, or 0
// if there was none; hops is how many redirects led to this request; body is read
// only if the status is 2xx.
//
//	2xx                        Found        the file's own rules
//	301, 302, 303, 307, 308    Redirected   nothing allowed until the end is known
//	  after MaxRedirects hops  Unavailable  everything allowed
//	4xx, but not 429           Unavailable  everything allowed
//	429, 5xx, any other, 0     Unreachable  nothing allowed
//
// 429 asks the crawler to come less often (RFC 6585 section 4), so it is no leave
// to come at all. A redirect that points nowhere, or to what is not HTTP, cannot
// be followed: pass MaxRedirects as hops. A caller that asks conditionally keeps
// its copy at a 304 and does not come here with it.
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

// nothing is the file that allows nothing.
func nothing() *File { return Parse([]byte("user-agent: *\ndisallow: /")) }
