package cookies

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"plat/plat"

	"golang.org/x/net/publicsuffix"
)

// Jar selects the cookies of a request, like a browser that has received only these cookies. It is
// safe for concurrent use. A nil Jar is empty.
type Jar struct {
	all  *cookiejar.Jar
	none *cookiejar.Jar // those sent with cross-site requests
}

// NewJar returns a jar of cookies; nil if the list is empty.
func NewJar(list []Cookie) *Jar {
	if len(list) == 0 {
		return nil
	}
	fresh := func() *cookiejar.Jar {
		j, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
		if err != nil {
			panic(err) // it never is
		}
		return j
	}
	j := &Jar{all: fresh(), none: fresh()}
	for _, c := range list {
		one := &http.Cookie{Name: c.Name, Value: c.Value, Path: c.Path, Expires: c.Expires, Secure: c.Secure}
		if c.Subdomains {
			one.Domain = c.Host
		}
		at := &url.URL{Scheme: "https", Host: c.Host + ":443", Path: "/"}
		j.all.SetCookies(at, []*http.Cookie{one})
		if c.SameSite == None {
			j.none.SetCookies(at, []*http.Cookie{one})
		}
	}
	return j
}

// For returns the Cookie header of a request, empty without cookies. page is the page that loads
// the URL; nil: the URL is the page.
func (j *Jar) For(at, page *url.URL) string {
	if j == nil {
		return ""
	}
	from := j.all
	if page != nil && (page.Scheme != at.Scheme || plat.DomainOf(page.Hostname()) != plat.DomainOf(at.Hostname())) {
		from = j.none
	}
	var all []string
	for _, c := range from.Cookies(at) {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// Join returns a page's own cookies, and those of the given header that it lacks: a site may have
// renewed the given ones. Both are Cookie headers.
func Join(own, given string) string {
	var all []string
	known := map[string]bool{}
	for _, list := range [...]string{own, given} {
		var fresh []string
		for c := range strings.SplitSeq(list, ";") {
			c = strings.TrimSpace(c)
			if name, _, _ := strings.Cut(c, "="); c != "" && !known[name] {
				fresh = append(fresh, name)
				all = append(all, c)
			}
		}
		for _, name := range fresh {
			known[name] = true // a name may have several values, with different paths
		}
	}
	return strings.Join(all, "; ")
}
