package cookies

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plat/plat"
)

// Limits of a file. Chrome keeps 3,300 cookies at most.
const (
	MaxFile    = 4 << 20 // bytes
	MaxCookies = 3000
)

// File is a parsed file of cookies.
type File struct {
	Cookies []Cookie
	Expired int // left out
}

// Parse reads cookies from a file: in the format of Netscape, as curl and browser extensions write
// it (cookies.txt), or in JSON, as EditThisCookie, Cookie-Editor and Playwright do: an array, or an
// object with an array "cookies". Cookies that have expired by now are left out. An error names the
// line, but not its text.
func Parse(text []byte, now time.Time) (*File, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("there are more than %d bytes", MaxFile)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	f := &File{}
	add := func(line int, c Cookie) error {
		if err := c.complete(); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if !c.Expires.IsZero() && !c.Expires.After(now) {
			f.Expired++
			return nil
		}
		if len(f.Cookies) == MaxCookies {
			return fmt.Errorf("line %d: there are more than %d cookies; keep those of the sites that are visited", line, MaxCookies)
		}
		f.Cookies = append(f.Cookies, c)
		return nil
	}
	read := netscape
	if rest := bytes.TrimLeft(text, " \t\r\n"); len(rest) > 0 && (rest[0] == '[' || rest[0] == '{') {
		read = fromJSON
	}
	if !utf8.Valid(text) {
		for i, line := range bytes.Split(text, []byte("\n")) {
			if !utf8.Valid(line) {
				return nil, fmt.Errorf("line %d: it is not UTF-8", i+1)
			}
		}
	}
	if err := read(text, add); err != nil {
		return nil, err
	}
	return f, nil
}

// complete converts a cookie to the form in which browsers store it. Host is as in the file.
func (c *Cookie) complete() error {
	name := strings.TrimPrefix(c.Host, ".")
	if strings.ContainsAny(name, "/?#@\\% \t\r\n") || len(name) > 255 {
		return fmt.Errorf("the cookie's domain is not a host name")
	}
	u, err := plat.Canonical("https://"+name+"/", nil)
	if err != nil || strings.HasSuffix(name, ":443") {
		return fmt.Errorf("the cookie's domain is not a host name")
	}
	c.Host = plat.HostOf(u)
	if !strings.HasPrefix(c.Host, "[") && strings.Contains(c.Host, ":") || strings.HasPrefix(c.Host, "[") && !strings.HasSuffix(c.Host, "]") {
		return fmt.Errorf("the cookie's domain has a port; cookies go to all ports")
	}
	// An IP address has no subdomains, and the domains below a public suffix have different owners.
	c.Subdomains = c.Subdomains && plat.HasDomain(c.Host)
	if c.Path == "" {
		c.Path = "/"
	}
	if c.SameSite == None && !c.Secure {
		c.SameSite = Unspecified // which browsers drop otherwise
	}
	return c.check()
}

// netscape reads lines of seven fields separated by tabs: domain, whether subdomains are meant too,
// path, whether it is secure, when it expires, name and value.
func netscape(text []byte, add func(int, Cookie) error) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		s := strings.TrimRight(string(line), "\r\n")
		s, httpOnly := strings.CutPrefix(s, "#HttpOnly_")
		if strings.TrimSpace(s) == "" || strings.HasPrefix(s, "#") {
			continue
		}
		field := strings.Split(s, "\t")
		if len(field) == 6 {
			field = append(field, "") // an empty value whose tab an editor has removed
		}
		if len(field) != 7 {
			return fmt.Errorf("line %d: there are %d fields, not 7 separated by tabs (domain, subdomains, path, secure, expiry, name, value); export the cookies in Netscape format or as JSON", n, len(field))
		}
		c := Cookie{Host: field[0], Path: field[2], Name: field[5], Value: field[6], HTTPOnly: httpOnly}
		var ok [3]bool
		c.Subdomains, ok[0] = boolean(field[1])
		c.Secure, ok[1] = boolean(field[3])
		c.Expires, ok[2] = expiry(field[4])
		for i, name := range [...]string{"second field (subdomains) is not TRUE or FALSE", "fourth field (secure) is not TRUE or FALSE", "fifth field (expiry) is not a number of seconds"} {
			if !ok[i] {
				return fmt.Errorf("line %d: the %s", n, name)
			}
		}
		if err := add(n, c); err != nil {
			return err
		}
	}
	return nil
}

func boolean(s string) (value, ok bool) {
	switch strings.ToUpper(s) {
	case "TRUE":
		return true, true
	case "FALSE":
		return false, true
	}
	return false, false
}

// expiry reads seconds since 1970. An empty, zero or negative value means a session cookie.
func expiry(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, true
	}
	sec, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(sec) || math.IsInf(sec, 0) {
		return time.Time{}, false
	}
	return expiresAt(sec), true
}

// latest is as late as a cookie may expire here, in seconds since 1970: the end of the year 9999.
const latest = 253402300799

func expiresAt(sec float64) time.Time {
	if sec <= 0 {
		return time.Time{}
	}
	// A fraction of a second counts, so that the first second is not a session cookie.
	return time.UnixMicro(int64(min(sec, latest)*1e6) + 1).UTC()
}
