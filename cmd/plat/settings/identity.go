package settings

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"plat/browser/fetch"
)

// About says who visits, for the people of visited sites, as "(compatible; plat/1.0; CONTACT)".
func (s *Settings) About() (string, error) {
	if !httpguts.ValidHeaderFieldValue(s.Agent+s.Contact) || strings.ContainsAny(s.Contact, "()") {
		return "", bad("contact %q: write a URL or an address, without parentheses", s.Contact)
	}
	about := s.Agent
	if version := strings.Trim(s.Version, "()"); version != "" {
		about += "/" + version
	}
	if s.Contact != "" {
		about += "; " + s.Contact
	}
	return "(compatible; " + about + ")", nil
}

// robotsOptions returns the options of requests for robots.txt, under the name in about.
func (s *Settings) robotsOptions(about string) fetch.Options {
	o := fetch.Options{Agent: s.Agent, UserAgent: s.UserAgent, IgnoreRobots: !s.Robots}
	if o.UserAgent == "" {
		o.UserAgent = "Mozilla/5.0 " + about
	}
	return o
}

// givesName reports whether pages are visited under plat's name.
func (s *Settings) givesName() bool { return s.UserAgent == "" && !s.Stealth }

// Forbidden returns advice to append to the error of a site that answers with status, empty if
// there is no advice.
func (s *Settings) Forbidden(status int) string {
	if status != http.StatusForbidden || !s.givesName() {
		return ""
	}
	return "; if the site refuses crawlers that give their name, " + s.named("stealth") + " gives a browser's"
}
