package focus

import (
	"fmt"
	"strings"
	"testing"
)

// Where no link of the best path leads to a host that may be asked, the next link is one of those that may.
func TestPathsPickLinksOfHostsThatMayBeAsked(t *testing.T) {
	c := newCrawl(t, Options{Order: "paths", Patience: -1})
	c.Seed("https://seed.test/")
	c.Ask("https://seed.test/")
	var links []anchorOf
	for i := range 400 {
		links = append(links, anchorOf{fmt.Sprintf("https://a.test/%d", i), "squid"})
	}
	c.Add("https://seed.test/", pageOf("https://seed.test/", seaWords, append(links, anchorOf{"https://b.test/y", "squid"})...))
	only := func(name string) func(string) bool { return func(host string) bool { return host == name } }
	if a, ok := c.Next(only("b.test")); !ok || a.URL != "https://b.test/y" {
		t.Errorf("of b.test the next is %q, %v", a.URL, ok)
	}
	if a, ok := c.Next(only("b.test")); ok {
		t.Errorf("of b.test there is one more: %q", a.URL)
	}
	for range 400 {
		if a, ok := c.Next(only("a.test")); !ok || !strings.HasPrefix(a.URL, "https://a.test/") {
			t.Errorf("of a.test the next is %q, %v", a.URL, ok)
		}
	}
	if a, ok := c.Next(nil); ok {
		t.Errorf("there is one more: %q", a.URL)
	}
}
