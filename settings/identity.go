package settings

import (
	"strings"

	"golang.org/x/net/http/httpguts"

	"plat/fetch"
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

// robotsOptions say how robots.txt is asked, under the name that about gives.
func (s *Settings) robotsOptions(about string) fetch.Options {
	o := fetch.Options{Agent: s.Agent, UserAgent: s.UserAgent, IgnoreRobots: !s.Robots}
	if o.UserAgent == "" {
		o.UserAgent = "Mozilla/5.0 " + about
	}
	return o
}
