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
			if got := tab.headersFor(&network.Request{URL: raw}); (got != nil) != want {
				t.Errorf("headers %v, want some: %t", got, want)
			}
		})
	}
	for name, tab := range map[string]*Tab{
		"no headers":         {o: &Options{}, page: page},
		"headers everywhere": {o: &Options{Header: http.Header{"X": {"y"}}, Everywhere: true}, page: page}, // set for the whole session instead
		"no page yet":        {o: &Options{Header: http.Header{"X": {"y"}}}},
	} {
		if got := tab.headersFor(&network.Request{URL: page.String()}); got != nil {
			t.Errorf("%s: headers %v, want nil", name, got)
		}
	}
}
