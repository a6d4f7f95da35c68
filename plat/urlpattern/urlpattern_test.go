package urlpattern

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
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

// TestGlobsMatchAsRegularExpressionsDo compares all short patterns and texts of two letters with a regular
// expression in which ".*" takes the place of each star.
func TestGlobsMatchAsRegularExpressionsDo(t *testing.T) {
	all := func(letters string, most int) []string {
		list := []string{""}
		for from := 0; most > 0; most-- {
			to := len(list)
			for _, s := range list[from:to] {
				for _, c := range letters {
					list = append(list, s+string(c))
				}
			}
			from = to
		}
		return list
	}
	texts := all("ab", 6)
	for _, pattern := range all("ab*", 5) {
		model := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "*", ".*") + "$")
		for _, s := range texts {
			if got, want := glob(pattern, s), model.MatchString(s); got != want {
				t.Fatalf("glob(%q, %q) = %t", pattern, s, got)
			}
		}
	}
}
