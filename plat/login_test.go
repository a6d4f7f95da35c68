package plat_test

import (
	"errors"
	"strings"
	"testing"

	"plat/plat"
)

func TestLoginsAreNotShown(t *testing.T) {
	for raw, want := range map[string]string{
		"http://me:pw@a.test/x@y":          "http://…@a.test/x@y",
		"HTTP:\\\\me:pw@a.test":            "HTTP:\\\\…@a.test",
		" http:/me:pw@a.test/":             " http:/…@a.test/",
		"http:me:pw@a.test/":               "http:…@a.test/",
		"//me:pw@a.test/":                  "//…@a.test/",
		"me:pw@a.test/":                    "…@a.test/",
		"pw@a.test":                        "…@a.test",
		"ftp://me:pw@a.test/":              "ftp://…@a.test/",
		"git+ssh://me:pw@a.test/":          "git+ssh://…@a.test/",
		"http://me:p/w@a.test/":            "http://…@a.test/",
		"http://me:p?w@a.test/":            "http://…@a.test/",
		"http://me:99999/w@a.test/":        "http://…@a.test/",
		"http://a.test/?u=http://me:pw@b/": "http://a.test/?u=http://…@b/",
		"http://a.test:80/@me":             "http://a.test:80/@me",
		"http://[::1]/@me":                 "http://[::1]/@me",
		"http://a.test/a:b@c":              "http://a.test/a:b@c",
		"a.test/@me":                       "a.test/@me",
		"nonsense":                         "nonsense",
	} {
		if got := plat.WithoutLogin(raw); got != want {
			t.Errorf("WithoutLogin(%q) = %q, want %q", raw, got, want)
		}
		if again := plat.WithoutLogin(want); again != want {
			t.Errorf("WithoutLogin(%q) = %q", want, again)
		}
	}
}

// TestNoErrorOfAURLRepeatsItsPassword has a URL for every branch of Canonical that quotes it.
func TestNoErrorOfAURLRepeatsItsPassword(t *testing.T) {
	for raw, want := range map[string]string{
		"me:hush@a.test/":            `has no scheme; write "https://a.test/"`,
		"//me:hush@a.test/":          `has no scheme; write "https://a.test/"`,
		"me:1234hush@a.test":         `has no scheme; write "https://a.test"`,
		"me:hush@a b.test/":          "its host contains a space",
		"http://me:hu/hush@a.test/":  "cannot parse its host or port",
		"http://m\x01e:hush@a%zz.b/": "contains a login",
		"http://me:hush@a.test:x/":   "cannot parse its host or port",
		"http://me:hush@[::1/":       "cannot parse its host or port",
		"ftp://me:hush@a.test/":      `uses "ftp"`,
		"http://me:hush@a.test/":     "contains a login",
		"http://hush@a.test/":        "contains a login",
		"http:me:hush@a.test":        `has no // after the scheme; write "http://a.test"`,
		"http:/me:hush@a.test/":      "the host is missing",
		"http:///me:hush@a.test/":    "the host is missing",
		"http://me:99999/hush@a.b/":  "ports are 1 to 65535",
		"mailto:hush@a.test":         `uses "mailto"`,
		"javascript:x('hush@a.b')":   `uses "javascript"`,
	} {
		_, err := plat.Canonical(raw, nil)
		if !errors.Is(err, plat.ErrBadURL) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("Canonical(%q): %v; want %q in it, and no password", raw, err, want)
		}
	}
}

func TestAddressesOfDatabasesAreShownWithoutSecrets(t *testing.T) {
	for raw, want := range map[string]string{
		"redis://me:p@/?#w@h:6379/0":           "redis://…@h:6379/0",
		"redis+cluster://:pw@a:1,b:2/0":        "redis+cluster://…@a:1,b:2/0",
		"me:pw@h:6379":                         "…@h:6379",
		"mongo:me:pw@h/db":                     "…@h/db",
		"mongodb://h/db?tlsCertificatePass=pw": "mongodb://h/db?…",
		"redis://h:6379/0":                     "redis://h:6379/0",
		"h":                                    "h",
	} {
		if got := plat.WithoutSecrets(raw); got != want {
			t.Errorf("WithoutSecrets(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestLinksHaveNoUser(t *testing.T) {
	for raw, want := range map[string]string{
		"https://u:p@a.test/x?y=a@b#c@d": "https://a.test/x?y=a@b#c@d", "http://u@a.test": "http://a.test", "https://a.test/@u": "https://a.test/@u", "https://a.test/?m=a@b": "https://a.test/?m=a@b",
		"": "", "/x@y": "/x@y", "https://u:p%zz@a.test/": "https://a.test/", "HTTPS://u:p@A.test:8443/": "https://A.test:8443/", "https://@a.test/": "https://a.test/", "mailto:a@b.test": "mailto:a@b.test",
	} {
		if got := plat.WithoutUser(raw); got != want {
			t.Errorf("%q becomes %q, want %q", raw, got, want)
		}
	}
}
