package stealth

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

func TestClientHintsAreThoseOfChromeWithAWindow(t *testing.T) {
	for _, tc := range []struct {
		agent, product    string
		brands, full, odd string
	}{
		// As Chromium 156 of Debian sends them, with a window.
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36", "HeadlessChrome/156.0.8078.79",
			"Not:A-Brand 8, Chromium 156", "Not:A-Brand 8.0.0.0, Chromium 156.0.8078.79", "156.0.8078.79"},
		{"Other/1.0 Chrome/157.0.0.0", "", "Chromium 157, Not-A.Brand 99", "Chromium 157.0.0.0, Not-A.Brand 99.0.0.0", "157.0.0.0"},
	} {
		m := brands(tc.agent, tc.product)
		list := func(l []*emulation.UserAgentBrandVersion) string {
			var s []string
			for _, b := range l {
				s = append(s, b.Brand+" "+b.Version)
			}
			return strings.Join(s, ", ")
		}
		if got := list(m.Brands); got != tc.brands {
			t.Errorf("brands are %q, want %q", got, tc.brands)
		}
		if got := list(m.FullVersionList); got != tc.full || m.FullVersion != tc.odd {
			t.Errorf("full versions are %q and %q, want %q and %q", got, m.FullVersion, tc.full, tc.odd)
		}
	}
	if brands("curl/8", "") != nil {
		t.Error("what is not Chrome has brands")
	}
	if got := reduced("A HeadlessChrome/156.0.8078.79 B"); got != "A Chrome/156.0.0.0 B" {
		t.Errorf("the user agent is %q", got)
	}
}
