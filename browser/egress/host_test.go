package egress

import (
	"net/url"
	"strings"
	"testing"

	"plat/plat"
)

// checkHost checks canonical URLs against the guard: the host of a URL that plat accepts is one
// that the guard passes or judges by its address.
func checkHost(t *testing.T, host string) {
	t.Helper()
	if strings.ContainsAny(host, "/?#\\@ \t\r\n\x00") || host == "" {
		return // the URL would have a different host
	}
	canonical, err := plat.Canonical("http://"+host+"/", nil)
	if err != nil {
		return
	}
	u, err := url.Parse(canonical)
	if err != nil {
		t.Fatalf("%q: %q is not a URL: %v", host, canonical, err)
	}
	to, e := parseURL(u)
	if e != nil {
		t.Errorf("%q is canonical as %q, which the guard refuses: %v", host, canonical, e)
	} else if at := to.String(); at != plat.HostOf(canonical) && at != plat.HostOf(canonical)+":80" {
		if a, e := parseHostPort(at); e != nil || !a.addr.IsValid() { // IPv6 has a form for IPv4 addresses
			t.Errorf("%q is canonical as %q, and the guard reads %q", host, canonical, at)
		}
	}
}

// spellings are hosts in many spellings, with every character that ASCII has.
func spellings() []string {
	all := []string{"127.9.9.9&", "a_b.test", "a-.test", "-a.test", "bücher.test", "xn--a", "xn--bcher-kva.test", "a\u0628.test", "\u0628a.test", "a\u200db.test",
		"\xff.test", "a..b", "a.", "127.1", "0x7f.1", "1.2.3.4.5", "[::1]", "[::ffff:1.2.3.4]", "[fe80::1%25a]", "ﬀ.test", "a。test", "%41.test", "%26.test"}
	for c := range 128 {
		all = append(all, "a"+string(rune(c))+"b.test")
	}
	return all
}

func TestTheGuardTakesEveryCanonicalHost(t *testing.T) {
	for _, h := range spellings() {
		checkHost(t, h)
	}
}

func FuzzHost(f *testing.F) {
	for _, h := range spellings() {
		f.Add(h)
	}
	f.Fuzz(checkHost)
}
