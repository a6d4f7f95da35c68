package visitor

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"plat/browser"
	"plat/browser/cookies"
	"plat/browser/origin"
	"plat/browser/revalidate"
	"plat/plat"
	"plat/workers"
)

// skipping returns the configuration of visits without rendering, nil if the options forbid them.
func (r *Renderer) skipping(o Options, client *http.Client) *workers.Skipping {
	if o.AlwaysRender || o.Browser.Steps != nil || !o.Clock.IsZero() {
		// Steps on a page, or a different clock, may change it.
		return nil
	}
	r.loads = true
	b := o.Browser
	if b.Language == "" {
		b.Language = "en-US,en"
	}
	how := revalidate.Options{UserAgent: r.pool.UserAgent(), Language: b.Language, Header: b.Header, HeaderEverywhere: b.HeaderEverywhere, Cookies: b.Cookies, Auth: map[origin.Server]revalidate.Login{}}
	for server, l := range b.Auth {
		how.Auth[server] = revalidate.Login{User: l.User, Password: l.Password}
	}
	look := look(b, o.KeepParams, o.Worker.Permission.ObeyMeta != "") + " " + string(o.Worker.Capture.Resources)
	product := r.pool.Browser()
	return &workers.Skipping{
		Check: revalidate.NewChecker(client, how),
		Setup: func() string {
			// While a browser is replaced its product is unknown; it was this one.
			if now := r.pool.Browser(); now != "" && now != product {
				return now + " " + look
			}
			return product + " " + look
		},
	}
}

// look names all options on which the look of a page depends, and the files that are stored, since more files need
// a rendering. It contains no secret: the answers show the effect of a different password
// or cookie.
func look(o browser.Options, keepParams, obeyMeta bool) string {
	var servers []string
	for s := range o.Auth {
		servers = append(servers, s.String())
	}
	slices.Sort(servers)
	return fmt.Sprintf("%d %d %q %q %q %t %t %q %q %t %q %s %d %d %t %t", o.Width, o.Height, o.Language, o.TimeZone, o.UserAgent, o.NoStealth, o.NoScroll, o.About,
		slices.Sorted(maps.Keys(o.Header)), o.HeaderEverywhere, servers, names(o.Cookies), o.MaxBytes, o.MaxNodes, keepParams, obeyMeta)
}

// names is a digest of which cookies there are.
func names(all []cookies.Cookie) string {
	if len(all) == 0 {
		return "-"
	}
	var list []string
	for _, c := range all {
		list = append(list, fmt.Sprintf("%q %q %q %t", c.Name, c.Host, c.Path, c.Subdomains))
	}
	slices.Sort(list)
	return plat.HashOf([]byte(strings.Join(list, "\n"))).Short()
}
