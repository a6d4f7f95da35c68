package urlpattern

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func TestPatternsThatAreNone(t *testing.T) {
	for pattern, say := range map[string]string{
		"ftp://example.org": "http, https or no scheme", "://example.org": "no scheme", "HTTP://example.org": "no scheme",
		"example.org/a b": "without white space", "example.org/a\tb": "without white space", "example.org/\n": "without white space", "example.org/\r": "without white space", "example.org/#a": "without white space and fragment", "* ": "without white space",
		"": "is not a host", "/news": "is not a host", "https://": "is not a host", "*.": "is not a host", "a*.org": "is not a host", "*.*.org": "is not a host", "me@example.org": "is not a host", "me:pw@example.org/": "is not a host", "example.org:x": "is not a host", "example.org?a": "is not a host", "[::1": "is not a host",
		".": "the host is empty", "*..": "the host is empty",
	} {
		if _, err := Parse(pattern); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v, want an error with %q", pattern, err, say)
		}
	}
}

func TestPartsOfPatterns(t *testing.T) {
	for pattern, host := range map[string]string{
		"example.org": "example.org", "EXAMPLE.org.": "example.org", "*.Example.org/a": "*.example.org", "*": "*", "*/a": "*", "https://*/a": "*", "http://example.org:80/": "example.org", "[::1]:80": "::1", "*.org": "*.org",
	} {
		p, err := Parse(pattern)
		b, _ := json.Marshal(p)
		if err != nil || p.Host() != host || p.String() != pattern || string(b) != `"`+pattern+`"` {
			t.Errorf("%q: %v, host %q, written %s, as JSON %s", pattern, err, p.Host(), p, b)
		}
	}
	// A port is that of the URL, or of its scheme.
	for pattern, all := range map[string]string{
		"a.test:80": "http://a.test/ http://a.test:80/ https://a.test:80/ !https://a.test/ !http://a.test:81/", "a.test:443": "https://a.test/ https://a.test:443/ http://a.test:443/ !http://a.test/",
		"http://a.test:443": "http://a.test:443/ !https://a.test/", "*/a": "http://a.test/a https://b.test:81/a !http://a.test/b !http://a.test/a?b", "a.test/": "http://a.test/ http://a.test !http://a.test/a", "a.test./": "http://a.test/ http://a.test./", "*.a.test": "http://a.test./ http://b.a.test./ !http://ba.test/ !http://test/",
	} {
		p, err := Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for s := range strings.FieldsSeq(all) {
			raw, not := strings.CutPrefix(s, "!")
			u, err := url.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			if p.Matches(u) == not {
				t.Errorf("%s matches %s: %v", pattern, raw, !not)
			}
		}
	}
}
