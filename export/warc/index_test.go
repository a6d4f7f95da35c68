package warc

import (
	"strings"
	"testing"
	"time"
)

// TestKeysLeaveOutTheUsualPorts: only the port that is usual for the scheme is left out.
func TestKeysLeaveOutTheUsualPorts(t *testing.T) {
	for uri, want := range map[string]string{
		"http://a.test/": "test,a)/", "http://a.test:80/": "test,a)/", "https://a.test:443/": "test,a)/", "https://a.test:80/": "test,a:80)/", "http://a.test:443/": "test,a:443)/",
		"https://a.test:8443/x?b&a": "test,a:8443)/x?a&b", "http://a.test:81": "test,a:81)/",
	} {
		if got := SURT(uri); got != want {
			t.Errorf("%s has the key %q, want %q", uri, got, want)
		}
	}
}

// TestLinesOfAnIndexHaveTheURLAsItIs: readers of CDXJ compare texts, so & is not escaped.
func TestLinesOfAnIndexHaveTheURLAsItIs(t *testing.T) {
	r := &Record{Type: Resource, URI: "https://a.test/?a=1&b=<2>", Date: time.Date(2026, 11, 29, 1, 2, 3, 0, time.UTC), ContentType: "text/html; charset=utf-8"}
	line := CDXJ(r, Entry{Digest: "d", Length: 7, Offset: 9}, "f.warc.gz")
	if !strings.HasPrefix(line, `test,a)/?a=1&b=`) || !strings.Contains(line, ` 20261129010203 {"url":"https://a.test/?a=1&b=<2>","mime":"text/html"`) ||
		!strings.HasSuffix(line, `"recordDigest":"d","length":7,"offset":9,"filename":"f.warc.gz"}`+"\n") {
		t.Errorf("the line is %q", line)
	}
}

// TestIDsAreRandomUUIDs of version 4 and the variant of RFC 9562: 4 at one place, and one of 8, 9, a and b at another.
func TestIDsAreRandomUUIDs(t *testing.T) {
	variants, all := map[byte]bool{}, map[string]bool{}
	for range 1000 {
		id := NewID()
		rest, ok := strings.CutPrefix(id, "urn:uuid:")
		if !ok || len(rest) != 36 || rest[14] != '4' || !strings.ContainsRune("89ab", rune(rest[19])) || all[id] {
			t.Fatalf("%s is not a new UUID of version 4", id)
		}
		variants[rest[19]], all[id] = true, true
	}
	if len(variants) != 4 {
		t.Errorf("of 1000 IDs the variants are %v", variants)
	}
}
