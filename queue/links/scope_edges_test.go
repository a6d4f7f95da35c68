package links

import (
	"strings"
	"testing"
)

func TestScopesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"host include=(":             "is not a regular expression",
		"host exclude=[":             "is not a regular expression",
		"host include=":              "has no pattern",
		"host depth=0":               "from 1 to 1000",
		"host depth=1001":            "from 1 to 1000",
		"host depth=x":               "from 1 to 1000",
		"world":                      `no kind "world"`,
		"depth=3":                    "write a kind first",
		"prefix=ftp://a.test/":       "scope",
		"host include=a{1000}{1000}": "regular expression",
	} {
		if s, err := ParseScope(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, %v; want an error that says %q", text, s, err, want)
		}
	}
	for _, text := range []string{"page", "host", "domain", "any", "prefix", "prefix=https://a.test/x", "host depth=1", "host depth=1000", "any include=a exclude=b"} {
		if _, err := ParseScope(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
