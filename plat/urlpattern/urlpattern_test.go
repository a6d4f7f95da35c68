package urlpattern

import (
	"net/url"
	"slices"
	"testing"
)

func TestPatternMatches(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		yes, no []string
	}{
		{"example.org", []string{"http://example.org/", "https://EXAMPLE.org:8443/a?b", "https://example.org./"}, []string{"https://www.example.org/", "https://example.org.evil.test/", "ftp://example.org/"}},
		{"*.example.org", []string{"http://example.org/", "https://a.b.example.org/"}, []string{"https://badexample.org/"}},
		{"example.org/news/*", []string{"https://example.org/news/", "https://example.org/news/a?b=c"}, []string{"https://example.org/news", "https://example.org/old/news/"}},
		{"https://example.org/a", []string{"https://example.org/a"}, []string{"http://example.org/a", "https://example.org/a?b", "https://example.org/ab"}},
		{"example.org/*/edit*x", []string{"https://example.org/1/edit?x", "https://example.org/1/2/editx"}, []string{"https://example.org/edit", "https://example.org/1/edit"}},
		{"127.0.0.1:8080", []string{"http://127.0.0.1:8080/a"}, []string{"http://127.0.0.1:8081/", "http://127.0.0.1/"}},
		{"[::1]", []string{"http://[::1]:80/"}, []string{"http://[::2]/"}},
		{"*", []string{"http://a.test/"}, []string{"data:text/html,x"}},
		{"https://*", []string{"https://a.test/"}, []string{"http://a.test/"}},
	} {
		p, err := Parse(tc.pattern)
		if err != nil {
			t.Errorf("%s: %v", tc.pattern, err)
			continue
		}
		for i, raw := range append(slices.Clone(tc.yes), tc.no...) {
			u, err := url.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := p.Matches(u), i < len(tc.yes); got != want {
				t.Errorf("%s matches %s: %t, want %t", tc.pattern, raw, got, want)
			}
		}
	}
}
