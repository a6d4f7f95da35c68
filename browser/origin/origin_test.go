package origin

import (
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
