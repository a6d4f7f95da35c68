package links

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
)

func TestScopesFollow(t *testing.T) {
	const page = "https://www.news.co.uk/a/b"
	for _, tc := range []struct {
		scope string
		depth int
		link  string
		want  bool
	}{
		{"", 0, page, false},
		{"page", 0, page, false},
		{"host", 0, "https://www.news.co.uk/x", true},
		{"host", 0, "http://www.news.co.uk/x", true},
		{"host", 0, "https://www.news.co.uk:8443/x", false},
		{"host", 0, "https://news.co.uk/x", false},
		{"domain", 0, "https://img.news.co.uk:8443/x", true},
		{"domain", 0, "https://other.co.uk/", false},
		{"any", 0, "https://b.test/", true},
		{"prefix=https://www.news.co.uk/a/", 0, "https://www.news.co.uk/a/c", true},
		{"prefix=https://www.news.co.uk/a/", 0, "https://www.news.co.uk/b", false},
		{"prefix", 0, page, false}, // no prefix yet
		{"host depth=2", 1, "https://www.news.co.uk/x", true},
		{"host depth=2", 2, "https://www.news.co.uk/x", false},
		{"any include=/2026/ include=/2025/", 0, "https://b.test/2025/x", true},
		{"any include=/2026/", 0, "https://b.test/2025/x", false},
		{"any include=/2026/ exclude=[.]pdf$", 0, "https://b.test/2026/x.pdf", false},
	} {
		s, err := ParseScope(tc.scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Follows(page, tc.depth, tc.link); got != tc.want {
			t.Errorf("%q at depth %d follows %s: %t", tc.scope, tc.depth, tc.link, got)
		}
	}
}

func TestScopesHaveLimits(t *testing.T) {
	prefix := "prefix=https://a.test/" + strings.Repeat("x", 10_000)
	for text, want := range map[string]string{
		"any include=(a|b|c){1000}":                            "too large",
		"any" + strings.Repeat(" include=(a|b){400}", 3):       "its patterns together are too large",
		"any" + strings.Repeat(" include=a exclude=b", 11):     "more than 20 patterns",
		"any include=" + strings.Repeat("x", 3000):             "write at most 2000",
		prefix + " include=" + strings.Repeat("x", 3000):       "write at most 2000",
		"prefix=https://a.test/" + strings.Repeat("x", 40_000): "bad URL",
		"any include=":             "include= has no pattern; write a regular expression after it, or leave it out",
		"any exclude=":             "exclude= has no pattern",
		"any include=(":            "missing closing )",
		prefix + " include=/2026/": "",
		"any" + strings.Repeat(" include=/a/ exclude=[.]b$", 10):     "",
		"host depth=3 exclude=" + `\.(zip|pdf|jpe?g|png|mp4|docx?)$`: "",
	} {
		var err error
		took := fixtures.Timed(t, func() { _, err = ParseScope(text) })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "%!")) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
		if took > time.Second {
			t.Errorf("%.60q takes %v", text, took)
		}
	}
}

func TestAScopeIsCompiledOnce(t *testing.T) {
	const text = "any include=/the/same/page/(a|b){3}"
	first, err := ParseScope(text)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ParseScope(text)
	if err != nil || first.Include[0] != second.Include[0] {
		t.Errorf("it is compiled again, %v", err)
	}
	for i := range 1000 {
		if _, err := ParseScope(fmt.Sprintf("any depth=%d include=x", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	parsed.Lock()
	n := parsed.Len()
	parsed.Unlock()
	if n > 100 {
		t.Errorf("%d scopes are kept", n)
	}
}

func TestAnAddressIsNoDomainOfOthers(t *testing.T) {
	s, err := ParseScope("domain")
	if err != nil {
		t.Fatal(err)
	}
	if s.Follows("http://10.0.0.1/", 0, "http://11.0.0.1/") {
		t.Error("the addresses 10.0.0.1 and 11.0.0.1 count as one domain")
	}
	if !s.Follows("http://10.0.0.1:8080/", 0, "http://10.0.0.1/x") {
		t.Error("an address is not the domain of itself")
	}
}
