package links

import (
	"strings"
	"testing"
)

func TestScopesAreWrittenAsTheyAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "page": "", "host": "host", "any": "any", "domain depth=1": "domain depth=1", "prefix": "prefix", "prefix=HTTPS://A.test/x": "prefix=https://a.test/x", "host  exclude=b\tinclude=a depth=3 include=c exclude=d": "host depth=3 include=a include=c exclude=b exclude=d",
	} {
		s, err := ParseScope(text)
		if err != nil || s.String() != want {
			t.Errorf("%q: %q, %v; want %q", text, s, err, want)
		}
		again, err := ParseScope(s.String())
		if err != nil || again.String() != want || again.Reach != s.Reach {
			t.Errorf("%q is read again as %q, %v", want, again, err)
		}
	}
	if _, err := ParseScope("host depth=3 inclde=a"); err == nil || !strings.Contains(err.Error(), `unknown word "inclde=a"`) {
		t.Errorf("an unknown word: %v", err)
	}
	for n, want := range map[int]bool{maxPatterns: true, maxPatterns + 1: false} {
		if _, err := ParseScope("host" + strings.Repeat(" include=a exclude=b", n/2) + strings.Repeat(" include=c", n%2)); (err == nil) != want {
			t.Errorf("%d patterns: %v", n, err)
		}
	}
}

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
