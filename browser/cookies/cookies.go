// Package cookies reads cookies from a file written by a browser, a browser extension or curl
// ([Parse]), and selects the cookies of a request ([Jar]).
//
// Cookies are secrets: errors and texts of this package never contain a value.
package cookies

import (
	"fmt"
	"strings"
	"time"
)

// Cookie is a cookie, as browsers keep it.
type Cookie struct {
	Name, Value string
	Host        string    // in ASCII and lower case; of an IPv6 address in brackets
	Subdomains  bool      // sent to subdomains of Host too
	Path        string    // begins with a slash
	Expires     time.Time // zero: never, as long as the browser runs
	Secure      bool      // sent by https only
	HTTPOnly    bool      // scripts do not see it
	SameSite    SameSite
}

// SameSite restricts the cross-site requests that carry a cookie.
type SameSite string

// Values of SameSite; browsers treat Unspecified as Lax.
const (
	Unspecified SameSite = ""
	None        SameSite = "None"
	Lax         SameSite = "Lax"
	Strict      SameSite = "Strict"
)

// String names a cookie without its value.
func (c Cookie) String() string { return fmt.Sprintf("%s of %s%s", c.Name, c.Host, c.Path) }

// GoString is String, lest %#v print a value.
func (c Cookie) GoString() string { return c.String() }

// check returns why browsers reject a cookie, nil if they accept it. The limits are those of
// RFC 6265bis, section 5.6, and of Chrome.
func (c *Cookie) check() error {
	secure, host := hasPrefix(c.Name, "__Secure-"), hasPrefix(c.Name, "__Host-")
	switch {
	case c.Name == "":
		return fmt.Errorf("the cookie has no name")
	case !plain(c.Name) || strings.Contains(c.Name, "="):
		return fmt.Errorf("the cookie's name has invalid characters")
	case !plain(c.Value):
		return fmt.Errorf("the cookie's value has invalid characters")
	case len(c.Name)+len(c.Value) > 4096:
		return fmt.Errorf("the cookie has more than 4096 bytes")
	case !strings.HasPrefix(c.Path, "/") || !plain(c.Path) || len(c.Path) > 1024:
		return fmt.Errorf("the cookie's path does not begin with /, or cannot be used")
	case (secure || host) && !c.Secure:
		return fmt.Errorf("browsers reject cookies with a name that begins with __Secure- or __Host- and without the attribute Secure")
	case host && (c.Subdomains || c.Path != "/"):
		return fmt.Errorf("browsers reject cookies with a name that begins with __Host- if they are for subdomains, or for a path other than /")
	}
	return nil
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// plain reports whether a text has no control characters, no semicolon and no blanks around it.
func plain(s string) bool {
	return strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == ';' })
}
