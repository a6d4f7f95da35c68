package requests

import (
	"testing"

	"github.com/chromedp/cdproto/network"

	"plat/plat"
)

func sent(id, url string, redirected *network.Response) *network.EventRequestWillBeSent {
	return &network.EventRequestWillBeSent{
		RequestID: network.RequestID(id), Type: network.ResourceTypeScript, RedirectResponse: redirected,
		Request: &network.Request{URL: url, Method: "GET"},
	}
}

func TestALogIsKnownOnceAllIsAnswered(t *testing.T) {
	var l Log
	l.Sent(sent("1", "https://a.test/old.js#part", nil))
	l.Sent(sent("1", "https://a.test/new.js", &network.Response{Status: 301, Headers: network.Headers{"location": "/new.js"}}))
	l.Sent(sent("2", "https://a.test/gone.js", nil))
	l.Sent(sent("3", "data:text/javascript,1", nil))
	l.Received("1", &network.Response{Status: 200, Headers: network.Headers{"etag": "x", "cache-control": "no-store\nprivate"}})
	if all, known := l.List(); known || len(all) != 3 {
		t.Errorf("with one under way: %d loads, known: %t", len(all), known)
	}
	l.Cached("2")
	l.Ended("2", "net::ERR_FAILED")
	all, known := l.List()
	if !known {
		t.Error("with all answered they are not known")
	}
	byURL := map[string]plat.Load{}
	for _, one := range all {
		byURL[one.URL] = one
	}
	if got := byURL["https://a.test/old.js"]; got.Status != 301 || got.Location != "/new.js" {
		t.Errorf("the redirect is %+v", got)
	}
	if got := byURL["https://a.test/new.js"]; got.Status != 200 || got.ETag != "x" || got.CacheControl != "no-store, private" || got.Kind != plat.LoadScript {
		t.Errorf("the script is %+v", got)
	}
	if got := byURL["https://a.test/gone.js"]; got.Status != 0 || !got.Cached {
		t.Errorf("what has failed is %+v", got)
	}
	if want := (plat.FailedLoad{URL: "https://a.test/gone.js", Why: "net::ERR_FAILED"}); len(l.Failed) != 1 || l.Failed[0] != want {
		t.Errorf("failed are %v, want %v", l.Failed, want)
	}
}

func TestALogOfTooManyIsNotKnown(t *testing.T) {
	var l Log
	for i := range maxListed + 1 {
		l.Sent(sent(string(rune('a'+i)), "https://a.test/", nil))
	}
	for i := range maxListed {
		l.Ended(network.RequestID(string(rune('a'+i))), "")
	}
	if all, known := l.List(); known || len(all) != maxListed {
		t.Errorf("%d loads, known: %t", len(all), known)
	}
}
