package weburl

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// bases are addresses of documents of all kinds.
var bases = []string{
	"https://news.example.org/a/b/c.html?x=1&y=%20#top", "http://example.com/", "http://h:8080/a//b/./../c/", "https://u:p@h.test/p?q",
	"https://xn--bcher-kva.test/%E4%BD%A0/", "http://[::1]:81/x/y", "http://127.0.0.1/a/b", "https://h.test/a/b/", "https://h.test?q/r",
	"file:///C:/a/b", "about:blank", "data:text/html,x", "blob:https://h.test/0-1", "ws://h.test/s", "",
}

// equal checks that the short way and the parser give the same address.
func equal(t *testing.T, base, ref string) {
	b := NewBase(base)
	short, ok := b.plain(trim(ref))
	if !ok {
		return
	}
	if len(ref) > MaxReference || len(ref) > maxAuthority {
		return // the parser refuses some of these
	}
	if whole := b.parse(trim(ref)); short != whole {
		t.Errorf("%q against %q: %q without the parser, %q with it", ref, base, short, whole)
	}
	if again := Resolve(short); again != short {
		t.Errorf("%q against %q = %q, which resolves to %q", ref, base, short, again)
	}
}

func FuzzPlain(f *testing.F) {
	for _, b := range bases {
		for _, ref := range []string{"", "#f", "?q", "/", "//h", "//h.test/a/../b", "../../x", "a/./b/..", "https://h.test:8443", "x:y", ".a/..b", "%2e/a"} {
			f.Add(b, ref)
		}
	}
	f.Fuzz(equal)
}

// Random references of the pieces that addresses are made of meet the states of the parser more often
// than random bytes do.
func TestPlainIsEqual(t *testing.T) {
	pieces := []string{
		"a", "b.html", "..", ".", "...", "/", "/", "/", "//", "?", "#", ":", "::", "@", "%2e", "%2E", "%", "%41", "%e4", "-", "--", "_", "~", "x=1", "&", ";", "'",
		"|", "[", "]", "(", "*", "+", ",", "$", "!", "http:", "https:", "http://", "https://", "HTTP://", "mailto:", "javascript:", "h.test", "127.0.0.1", "0x7f",
		"1", "example.com", "xn--", "xn--a", ":80", ":443", ":8080", ":0", ":08", ":99999", "\\", " ", "\t", "é", "你", "\"", "<", "{", "^", "`", "\x00", "\xff",
		"h..test", ".test", "h.", "-h", "h-", "1.2", "a.1", "a.0x", "%00", "=",
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	plain := 0
	for range n {
		var ref strings.Builder
		for range 1 + r.IntN(7) {
			ref.WriteString(pieces[r.IntN(len(pieces))])
		}
		base := bases[r.IntN(len(bases))]
		if _, ok := NewBase(base).plain(ref.String()); ok {
			plain++
		}
		equal(t, base, ref.String())
		if t.Failed() {
			return
		}
	}
	if plain < n/20 {
		t.Errorf("only %d of %d references are plain", plain, n)
	}
}

// The suite's inputs are resolved against bases of all kinds too.
func TestSuiteAgainstAllBases(t *testing.T) {
	for _, c := range suite(t) {
		for _, base := range bases {
			equal(t, base, c.Input)
		}
	}
}
