package stealth

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/emulation"
)

// Identity is the identity that a browser presents.
type Identity struct {
	// UserAgent is sent and shown to scripts. Empty: the browser's own, without the marks
	// of a headless one, followed by About.
	UserAgent, About string

	// Language sets Accept-Language and navigator.languages, in order of preference, as in
	// "de-DE,de,en".
	Language string

	// Plain leaves the browser's own user agent and brands unchanged, unless there is an About: a
	// crawler that names its operator need not appear as a headless browser.
	Plain bool
}

// UserAgent are the parameters of Emulation.setUserAgentOverride, with a field that is
// deprecated and that scripts still read: cdproto leaves it out.
type UserAgent struct {
	UserAgent string         `json:"userAgent"`
	Language  string         `json:"acceptLanguage,omitempty"` // as a list: Chrome adds the weights
	Metadata  *agentMetadata `json:"userAgentMetadata,omitempty"`
}

type agentMetadata struct {
	emulation.UserAgentMetadata
	FullVersion string `json:"fullVersion"`
}

// Of returns the identity of a browser with user agent agent, and product and version as in
// "HeadlessChrome/156.0.8078.73"; the product may be empty.
func (i Identity) Of(agent, product string) UserAgent {
	plain := i.Plain && (i.About == "" || i.UserAgent != "")
	if i.UserAgent != "" {
		agent = i.UserAgent
	} else {
		if !plain {
			agent = reduced(agent)
		}
		if i.About != "" && !strings.HasSuffix(agent, i.About) {
			agent += " " + i.About
		}
	}
	u := UserAgent{UserAgent: agent, Language: i.Language}
	if !plain {
		u.Metadata = brands(agent, product)
	}
	return u
}

// Desktop returns the user agent of a Chrome with a window on Linux, of a major version as "156".
func Desktop(major string) string {
	return fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 Safari/537.36", major)
}

// reduced is a user agent as Chrome with a window sends it: without the word, and with
// no more than the major version.
func reduced(agent string) string {
	before, v, ok := strings.Cut(agent, "HeadlessChrome/")
	if !ok {
		return agent
	}
	full, after, _ := strings.Cut(v, " ")
	major, _, _ := strings.Cut(full, ".")
	return before + "Chrome/" + major + ".0.0.0 " + after
}

// brands returns the value of Sec-CH-UA that fits the user agent; nil leaves it to Chrome,
// whose own list names the headless browser. product contains the full version.
func brands(agent, product string) *agentMetadata {
	_, v, ok := strings.Cut(agent, "Chrome/")
	if !ok {
		return nil
	}
	full, _, _ := strings.Cut(v, " ")
	major, _, _ := strings.Cut(full, ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return nil
	}
	if _, v, ok := strings.Cut(product, "/"+major+"."); ok {
		full = major + "." + v
	}
	// Chrome invents the first name for each version, so that sites do not rely on
	// the list: components/embedder_support/user_agent_utils.cc.
	const odd = " (:-./);=?_"
	made := fmt.Sprintf("Not%cA%cBrand", odd[n%len(odd)], odd[(n+1)%len(odd)])
	version := [...]string{"8", "99", "24"}[n%3]
	list := func(made, own string) []*emulation.UserAgentBrandVersion {
		l := []*emulation.UserAgentBrandVersion{{Brand: "Not", Version: made}, {Brand: "Chromium", Version: own}}
		if n%2 == 1 {
			l[0], l[1] = l[1], l[0]
		}
		return l
	}
	m := &agentMetadata{FullVersion: full, UserAgentMetadata: emulation.UserAgentMetadata{
		Brands:          list(version, major),
		FullVersionList: list(version+".0.0.0", full),
		Platform:        "Linux",
		Architecture:    "x86",
		Bitness:         "64",
		FormFactors:     []string{"Desktop"},
	}}
	for _, l := range [][]*emulation.UserAgentBrandVersion{m.Brands, m.FullVersionList} {
		l[n%2].Brand = made
	}
	return m
}
