package tab

import (
	"net/url"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"plat/browser/cookies"
)

// giveCookies has pages begin with the cookies that they are to have, without waiting.
func (t *Tab) giveCookies() {
	if len(t.o.Cookies) == 0 {
		return
	}
	t.early = append(t.early, t.Browser.Root.Send(storage.SetCookies.Method, storage.SetCookiesParams{
		Cookies: cookieParams(t.o.Cookies), BrowserContextID: t.Context,
	}))
}

func cookieParams(list []cookies.Cookie) []*network.CookieParam {
	var all []*network.CookieParam
	for _, c := range list {
		p := &network.CookieParam{Name: c.Name, Value: c.Value, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: network.CookieSameSite(c.SameSite)}
		if c.Subdomains {
			p.Domain = "." + c.Host
		} else {
			// Given a domain, Chrome would send it to subdomains too.
			u := url.URL{Scheme: "http", Host: c.Host, Path: "/"}
			if c.Secure {
				u.Scheme = "https"
			}
			p.URL = u.String()
		}
		if !c.Expires.IsZero() {
			p.Expires = cdp.TimeSinceEpoch(float64(c.Expires.UnixMicro()) / 1e6)
		}
		all = append(all, p)
	}
	return all
}
