package tab

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/network"
)

func TestARequestIsToldWhatItsSiteIs(t *testing.T) {
	page := &url.URL{Scheme: "https", Host: "www.example.com"}
	for raw, want := range map[string]bool{
		"https://www.example.com/": true, "https://static.example.com/100%": true, "https://example.com/?a=%": true,
		"http://www.example.com/": false, "https://example.com.evil.test/": false, "https://evil.test/?https://www.example.com/": false,
		"https://www.example.com@evil.test/": false, "": false, "data:,x": false,
	} {
		t.Run(raw, func(t *testing.T) {
			tab := &Tab{o: &Options{Header: http.Header{"Authorization": {"hush"}}}, page: page}
			if told := tab.told(&network.Request{URL: raw}); (told != nil) != want {
				t.Errorf("told %v, want it told: %t", told, want)
			}
		})
	}
	for name, tab := range map[string]*Tab{
		"no headers":         {o: &Options{}, page: page},
		"headers everywhere": {o: &Options{Header: http.Header{"X": {"y"}}, Everywhere: true}, page: page}, // added elsewhere
		"no page yet":        {o: &Options{Header: http.Header{"X": {"y"}}}},
	} {
		if told := tab.told(&network.Request{URL: page.String()}); told != nil {
			t.Errorf("%s: told %v", name, told)
		}
	}
}
