package origin

import (
	"strings"
	"testing"
)

func TestAPasswordIsForOneServer(t *testing.T) {
	for _, tc := range []struct {
		server, asked, at string
		want              bool
	}{
		{"example.org", "https://example.org/", "https://example.org/", true},
		{"Example.ORG", "https://example.org/", "https://example.org:443/x", true},
		{"example.org", "http://example.org/", "http://example.org/", true},
		{"example.org", "http://example.org/", "https://example.org/", true},
		{"example.org", "https://example.org/", "http://example.org/", false},
		{"example.org", "http://www.example.org/", "http://example.org/", false},
		{"example.org", "http://www.example.org/", "https://example.org/", true},
		{"example.org", "https://www.example.org/", "https://www.example.org/", false},
		{"example.org", "https://evil.test/", "https://example.org/", false},
		{"example.org", "https://example.org:8443/", "https://example.org:8443/", false},
		{"example.org", "http://example.org:8080/", "http://example.org:8080/", false},
		{"example.org:8080", "http://example.org:8080/", "http://example.org:8080/", true},
		{"example.org:8080", "http://example.org/", "http://example.org/", false},
		{"example.org:8080", "http://example.org:8081/", "http://example.org:8081/", false},
		{"https://example.org", "https://example.org/", "https://example.org/", true},
		{"https://example.org", "http://example.org/", "http://example.org/", false},
		{"https://example.org:8443", "https://example.org:8443/", "https://example.org:8443/", true},
		{"https://example.org:8443", "https://example.org/", "https://example.org/", false},
		{"http://example.org", "http://example.org/", "http://example.org:80/", true},
		{"http://example.org", "https://example.org/", "http://example.org/", false},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/", true},
		{"127.0.0.1:8081", "http://127.0.0.1:8080/", "http://127.0.0.1:8081/", false},
		{"[::1]:8080", "http://[::1]:8080/", "http://[::1]:8080/", true},
		{"[::1]", "http://[::1]/", "http://[::1]/", true},
		{"bücher.test", "https://xn--bcher-kva.test/", "https://xn--bcher-kva.test/", true},
	} {
		s, err := ParseServer(tc.server)
		if err != nil {
			t.Errorf("%s: %v", tc.server, err)
			continue
		}
		if again, err := ParseServer(s.String()); err != nil || again != s {
			t.Errorf("%s is written as %s, which is %+v, %v", tc.server, s, again, err)
		}
		if got := s.Answers(parse(t, tc.asked), parse(t, tc.at)); got != tc.want {
			t.Errorf("the password for %s, of a page asked for as %s, answers %s: %t, want %t", tc.server, tc.asked, tc.at, got, tc.want)
		}
	}
}

func TestAServerThatIsNoneIsNotRepeated(t *testing.T) {
	for _, text := range []string{"", "hush/x", "ftp://hush", "hush:0", "hush:65536", "hush:x", "me@hush", "hush hush", "https://", "https://hush:"} {
		if s, err := ParseServer(text); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q is %+v, %v", text, s, err)
		}
	}
}

func TestOfSeveralPasswordsTheMostExactIsGiven(t *testing.T) {
	all := map[Server]string{{Host: "a.test"}: "host", {Host: "a.test", Port: "443"}: "port", {Scheme: "https", Host: "a.test"}: "scheme", {Host: "b.test"}: "other"}
	for at, want := range map[string]string{"https://a.test/": "scheme", "http://a.test/": "host", "https://c.test/": ""} {
		u := parse(t, at)
		if got, ok := Find(all, u, u); got != want || ok != (want != "") {
			t.Errorf("%s is given %q, %t; want %q", at, got, ok, want)
		}
	}
	delete(all, Server{Scheme: "https", Host: "a.test"})
	u := parse(t, "https://a.test/")
	if got, _ := Find(all, u, u); got != "port" {
		t.Errorf("without a scheme %q is given", got)
	}
}
