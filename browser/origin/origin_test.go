package origin

import (
	"fmt"
	"net/url"
	"testing"

	"plat/plat"
)

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestASiteIsARegistrableDomain(t *testing.T) {
	for _, tc := range []struct {
		page, request string
		want          bool
	}{
		{"https://www.example.co.uk/", "https://www.example.co.uk/a.css", true},
		{"https://www.example.co.uk/", "https://static.example.co.uk/a.css", true},
		{"https://www.example.co.uk/", "https://example.co.uk/", true},
		{"https://www.example.co.uk/", "https://WWW.Example.Co.Uk/", true},
		{"https://www.example.co.uk/", "https://other.co.uk/", false},
		{"https://one.github.io/", "https://two.github.io/", false},
		{"https://github.io/", "https://one.github.io/", false},
		{"https://example.com/", "https://example.com.evil.test/", false},
		{"https://example.com/", "https://notexample.com/", false},
		{"https://example.com/", "https://example.com@evil.test/", false},
		{"https://example.com/", "https://evil.test/?https://example.com/", false},

		{"https://example.com/", "http://example.com/", false},
		{"http://example.com/", "https://example.com/", true},
		{"https://example.com:8443/", "http://example.com:8443/", false},

		{"https://example.com/", "https://example.com:443/", true},
		{"https://example.com/", "https://example.com:8443/", false},
		{"https://example.com:8443/", "https://www.example.com:8443/", true},
		{"https://example.com:8443/", "https://www.example.com/", true},
		{"http://example.com:8080/", "http://example.com:8081/", false},

		{"http://127.0.0.1:80/", "http://127.0.0.1/", true},
		{"http://127.0.0.1:8001/", "http://127.0.0.1:8001/x", true},
		{"http://127.0.0.1:8001/", "http://127.0.0.1:8002/x", false},
		{"http://127.0.0.1:8001/", "http://127.0.0.1/", false},
		{"http://127.0.0.1/", "https://127.0.0.1/", true},
		{"https://127.0.0.1/", "http://127.0.0.1/", false},
		{"http://127.0.0.1/", "http://9.0.0.1/", false},
		{"http://10.0.0.1/", "http://11.0.0.1/", false},
		{"http://[::1]:8001/", "http://[::1]:8001/x", true},
		{"http://[::1]/", "http://[::2]/", false},
		{"http://intranet/", "http://intranet/x", true},
		{"http://intranet/", "http://wiki.intranet/", false},
		{"http://wiki.intranet/", "http://www.wiki.intranet/", true},

		{"https://example.com/", "wss://example.com/", false},
		{"https://example.com/", "blob:https://example.com/1", false},
		{"https://example.com/", "data:,x", false},
		{"about:blank", "about:blank", false},
		{"https:///x", "https:///x", false},
	} {
		if got := SameSite(parse(t, tc.page), parse(t, tc.request)); got != tc.want {
			t.Errorf("%s asks for %s: same site %t, want %t", tc.page, tc.request, got, tc.want)
		}
	}
}

func TestWhatFollowsTheHostIsNotMinded(t *testing.T) {
	for raw, host := range map[string]string{
		"https://example.com/100%": "example.com", "https://example.com?a%": "example.com", "https://example.com#%": "example.com", "http://[::1]:81/%": "[::1]:81",
		`https://example.com\@evil.test/`: "example.com", "https://me@example.com/": "example.com", "data:,x": "", "https://exa mple/": "",
	} {
		u, err := Parse(raw)
		if host == "" && err == nil || host != "" && (err != nil || u.Host != host) {
			t.Errorf("%s: %v, %v; want host %q", raw, u, err, host)
		}
	}
}

func TestTheDomainOfAnAddressIsTheAddress(t *testing.T) {
	for host, want := range map[string]string{
		"www.example.co.uk": "example.co.uk", "example.co.uk": "example.co.uk", "co.uk": "co.uk", "localhost": "localhost",
		"127.0.0.1": "127.0.0.1", "[2001:db8::1]": "[2001:db8::1]", "2001:db8::1": "2001:db8::1", "a.b.localhost": "b.localhost",
	} {
		if got := plat.DomainOf(host); got != want {
			t.Errorf("the domain of %s is %q, want %q", host, got, want)
		}
		if got := plat.HasDomain(host); got != (plat.DomainOf(host) == want && want != host || host == "example.co.uk") {
			t.Errorf("%s is registrable: %t", host, got)
		}
	}
}

func TestServersAreWrittenAndRead(t *testing.T) {
	for text, want := range map[string]Server{
		"Example.org":              {Host: "example.org"},
		"example.org:8080":         {Host: "example.org", Port: "8080"},
		"example.org:0443":         {Host: "example.org", Port: "443"},
		"https://example.org":      {Host: "example.org", Scheme: "https"},
		"https://example.org:443":  {Host: "example.org", Scheme: "https"},
		"http://example.org:443":   {Host: "example.org", Scheme: "http", Port: "443"},
		"HTTP://example.org:80":    {Host: "example.org", Scheme: "http"},
		"[2001:db8::1]":            {Host: "2001:db8::1"},
		"https://[2001:db8::1]:81": {Host: "2001:db8::1", Scheme: "https", Port: "81"},
		"example.org:65535":        {Host: "example.org", Port: "65535"},
	} {
		s, err := ParseServer(text)
		if err != nil || s != want {
			t.Errorf("%s: %+v, %v; want %+v", text, s, err, want)
		}
		if again, err := ParseServer(s.String()); err != nil || again != s {
			t.Errorf("%s is written as %s, which is %+v, %v", text, s, again, err)
		}
	}
	for _, text := range []string{"", "ftp://example.org", "example.org:0", "example.org:65536", "example.org:", "example.org:x", "example.org/", "example.org?a", "example.org#a", "me@example.org", `example.org\a`, "https://"} {
		if s, err := ParseServer(text); err == nil {
			t.Errorf("%q is the server %+v", text, s)
		}
	}
}

func TestThePasswordThatSaysMostIsGiven(t *testing.T) {
	all := map[Server]string{
		{Host: "a.test"}:                                "host",
		{Host: "a.test", Port: "8080"}:                  "port",
		{Host: "a.test", Scheme: "https"}:               "scheme",
		{Host: "a.test", Scheme: "https", Port: "8443"}: "both",
		{Host: "b.test", Scheme: "http"}:                "other",
	}
	for at, want := range map[string]string{
		"http://a.test/": "host", "https://a.test/": "scheme", "http://a.test:8080/": "port", "https://a.test:8443/": "both", "https://A.TEST/": "scheme",
		"http://a.test:81/": "", "http://b.test/": "other", "https://b.test/": "", "http://c.test/": "",
	} {
		login, ok := Find(all, parse(t, at), parse(t, at))
		if login != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", at, login, ok, want)
		}
	}
	for at, want := range map[string]string{
		"http://a.test:81/": "[a.test at the usual port a.test:8080 https://a.test https://a.test:8443]",
		"https://a.test/":   "[a.test:8080 https://a.test:8443]",
		"https://b.test/":   "[http://b.test]",
		"http://b.test/":    "[]",
		"http://c.test/":    "[]",
	} {
		if got := fmt.Sprint(Elsewhere(all, parse(t, at))); got != want {
			t.Errorf("beside %s: %s, want %s", at, got, want)
		}
	}
	for _, tc := range []struct {
		asked, at string
		want      bool
	}{
		{"http://a.test/", "http://a.test/", true},
		{"http://www.a.test/", "http://a.test/", false}, // by http anyone may have sent it there
		{"https://www.a.test/", "https://a.test/", true},
		{"http://a.test/", "https://a.test/", true},
		{"https://a.test/", "http://a.test/", false},
		{"http://b.test/", "https://a.test/", false},
	} {
		if got := (Server{Host: "a.test"}).Answers(parse(t, tc.asked), parse(t, tc.at)); got != tc.want {
			t.Errorf("from %s to %s: %v", tc.asked, tc.at, got)
		}
	}
}
