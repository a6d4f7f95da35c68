package main

import (
	"fmt"
	"maps"
	"slices"

	"plat/browser"
	"plat/recheck"
	"plat/workers"
)

// skipping is how visits may end without a rendering, nil if the settings forbid it.
// done is to be called when no visit is under way any more.
func (a *app) skipping(c *chrome, o browser.Options) (s *workers.Skipping, done func(), err error) {
	if a.alwaysRender || len(a.steps) > 0 || a.consent || a.frozen != "" {
		// What is done on a page may change what it shows.
		return nil, func() {}, nil
	}
	c.loads = true
	language := o.Language
	if language == "" {
		language = "en-US,en"
	}
	how := recheck.Options{UserAgent: c.pool.UserAgent(), Language: language, Header: o.Header, Auth: map[string]recheck.Login{}}
	for host, l := range o.Auth {
		how.Auth[host] = recheck.Login{User: l.User, Password: l.Password}
	}
	client := c.guard.Client()
	// No secret goes into what is kept: what another one changes, the answers show.
	setup := fmt.Sprintf("%d %d %q %q %q %t %t %q %q %q %d %d %t %t", o.Width, o.Height, language, o.TimeZone, o.UserAgent, o.NoStealth, o.NoScroll, o.About,
		slices.Sorted(maps.Keys(o.Header)), slices.Sorted(maps.Keys(o.Auth)), o.MaxBytes, o.MaxNodes, a.keepParams, a.robotsMeta)
	product := c.pool.Browser()
	return &workers.Skipping{
		Check: recheck.New(client, how),
		Setup: func() string {
			// While a browser is replaced there is none; it was of that product.
			if now := c.pool.Browser(); now != "" && now != product {
				return now + " " + setup
			}
			return product + " " + setup
		},
	}, client.CloseIdleConnections, nil
}
