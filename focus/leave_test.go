package focus

import (
	"strings"
	"testing"
)

// After Leave a host gets no request, also for links that later pages have to it, and is not the reason that a crawl waits.
func TestAHostThatIsLeftGetsNoRequest(t *testing.T) {
	for _, order := range Orders() {
		c := newCrawl(t, Options{Order: order, Patience: -1})
		c.Seed("https://a.test/1", "https://b.test/1")
		a, _ := c.Next(nil)
		c.Add(a.URL, pageOf(a.URL, "squid", anchorOf{"https://a.test/2", "squid"}, anchorOf{"https://b.test/2", "squid"}))
		c.Leave("a.test")
		c.Leave("unknown.test")
		for _, want := range []string{"https://b.test/1", "https://b.test/2"} {
			got, ok := c.Next(nil)
			if !ok || got.URL != want {
				t.Fatalf("%s: %q, %v; want %s", order, got.URL, ok, want)
			}
			c.Add(got.URL, pageOf(got.URL, "octopus squid", anchorOf{"https://a.test/3", "octopus squid"}))
		}
		if got, ok := c.Next(nil); ok {
			t.Errorf("%s: %s is requested of a host that was left", order, got.URL)
		}
		if why := c.Done(); !strings.HasSuffix(why, "or was left") {
			t.Errorf("%s: done because %q", order, why)
		}
		c.Seed("https://a.test/4")
		if got, ok := c.Next(nil); ok {
			t.Errorf("%s: the seed %s of a host that was left is requested", order, got.URL)
		}
	}
}
