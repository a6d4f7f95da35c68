package plat_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func ExampleCanonical() {
	u, err := plat.Canonical("HTTPS://Bücher.Example:443/a/../b%7e?utm_source=x&id=1#top", plat.TrackingParams)
	fmt.Println(u, err)
	// Output: https://xn--bcher-kva.example/b~?id=1 <nil>
}

func TestAURLIsTypedWithoutItsScheme(t *testing.T) {
	for typed, want := range map[string]string{
		"example.org": "https://example.org", " example.org/news?a=b ": "https://example.org/news?a=b", "localhost:8080/x": "http://localhost:8080/x", "例え.jp": "https://例え.jp",
		"127.0.0.1": "http://127.0.0.1", "10.0.0.7:8511/x": "http://10.0.0.7:8511/x", "[::1]:80": "http://[::1]:80", "a.localhost": "http://a.localhost", "127.0.0.1.test": "https://127.0.0.1.test",
		"http://a.test": "", "ftp://a.test": "", "news": "", "me:hush@a.test": "", "me@a.test": "", "": "", "/etc/x.html": "", "./page.html": "", "a b.test": "", "mailto:me@a.test": "", "-f": "",
	} {
		got, added := plat.WithScheme(typed)
		if added != (want != "") || added && got != want || !added && got != typed {
			t.Errorf("%q: %q, %v, want %q", typed, got, added, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"http://a.test", "http://a.test/"},
		{" http://a.test/\n", "http://a.test/"},
		{"http://a.test:80/", "http://a.test/"},
		{"http://a.test:0080/", "http://a.test/"},
		{"https://a.test:80/", "https://a.test:80/"},
		{"http://a.test./", "http://a.test/"},
		{"http://A.Test/A", "http://a.test/A"},
		{"http://a.test/%41%2f%c3%bc ü", "http://a.test/A%2F%C3%BC%20%C3%BC"},
		{"http://a.test/100%", "http://a.test/100%25"},
		{"http://a.test/%4", "http://a.test/%254"},
		{"http://a.test/%4g", "http://a.test/%254g"},
		{"http://a.test/%g4", "http://a.test/%25g4"},
		{"http://a.test/%41", "http://a.test/A"},
		{"http://a.test/\x7f\x1f", "http://a.test/%7F%1F"},
		{"http://a.test/a/./b/../c/.", "http://a.test/a/c/"},
		{"http://a.test/../../x", "http://a.test/x"},
		{"http://a.test//x", "http://a.test//x"},
		{"http://a.test?b=2&a=1", "http://a.test/?b=2&a=1"},
		{"http://a.test/?fbclid=9&a=1&UTM_x=3", "http://a.test/?a=1"},
		{"http://a.test/it's?q='x'&r=%27", "http://a.test/it's?q=%27x%27&r=%27"},
		{"http://a.test/?", "http://a.test/"},
		{"http://a.test/#x", "http://a.test/"},
		{"http://a_b.test/", "http://a_b.test/"},
		{"http://abcdefghijklmnopqrstuvwxyz-0123456789.test/", "http://abcdefghijklmnopqrstuvwxyz-0123456789.test/"},
		{"http://例え.jp/", "http://xn--r8jz45g.jp/"},
		{"http://127.1/", "http://127.0.0.1/"},
		{"http://0x7f.0.0.1/", "http://127.0.0.1/"},
		{"http://2130706433/", "http://127.0.0.1/"},
		{"http://017700000001/", "http://127.0.0.1/"},
		{"http://[::FFFF:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"},
		{"http://[2001:DB8::0:1]/", "http://[2001:db8::1]/"},
	} {
		got, err := plat.Canonical(tc.in, plat.TrackingParams)
		if err != nil || got != tc.want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", tc.in, got, err, tc.want)
		}
	}
}

func TestBadURLErrorsSuggestAFix(t *testing.T) {
	for _, in := range []string{
		"", "   ", "a.test", "a.test/x", "localhost:80", "//a.test/", "ftp://a.test/", "file:///etc/passwd", "javascript:1", "data:text/html,x",
		"http://", "http:///x", "http:a.test", "http://u:p@a.test/", "http://a.test:0/", "http://a.test:99999/", "http://a..b/", "http://1.2.3.4.5/",
		"http://256.1.1.1/", "http://[::1%25lo]/", "http://[1]/", "http://a b.test/", "chrome://version",
		"http://127.9.9.9&/", "http://a!b.test/", "http://a'b.test/", "http://a(b).test/", "http://a,b.test/", "http://a~b.test/", "http://\xff.test/", "http://a\u0628.test/",
	} {
		if got, err := plat.Canonical(in, nil); !errors.Is(err, plat.ErrBadURL) {
			t.Errorf("Canonical(%q) = %q, %v; want plat.ErrBadURL", in, got, err)
		}
	}
	for _, in := range []string{"a.test", "a.test:8080/x", "127.0.0.1:8080/", "myhost:8080/x", "//a.test/", "[::1]:80/"} {
		if _, err := plat.Canonical(in, nil); err == nil || !strings.Contains(err.Error(), `has no scheme; write "https://`) {
			t.Errorf("Canonical(%q): %v does not say that the scheme is missing", in, err)
		}
	}
	if _, err := plat.Canonical("http://me:secret@a.test/", nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error repeats the password: %v", err)
	}
}

func TestEscapedLengthIsLimited(t *testing.T) {
	if got, err := plat.Canonical("http://a.test/"+strings.Repeat("ü", 4<<10), nil); !errors.Is(err, plat.ErrBadURL) {
		t.Errorf("a canonical URL of %d bytes, %v; want plat.ErrBadURL", len(got), err)
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("http://a.test/%41?x=%zz&utm_a=1#f")
	f.Add("HTTP://0x7f.1:080/../%2e%2E/a")
	f.Fuzz(func(t *testing.T, in string) {
		once, err := plat.Canonical(in, plat.TrackingParams)
		if err != nil {
			return
		}
		twice, err := plat.Canonical(once, plat.TrackingParams)
		if err != nil || twice != once {
			t.Fatalf("not idempotent: %q gives %q, then %q, %v", in, once, twice, err)
		}
	})
}

// The spelling that browsers request is kept where it is not the canonical one.
func TestSpelled(t *testing.T) {
	for href, want := range map[string]string{
		"http://a.test/90%+done":                       "http://a.test/90%+done",
		"http://a.test/tilde%7Ejoe":                    "http://a.test/tilde%7Ejoe",
		"http://a.test/[sq]":                           "http://a.test/[sq]",
		"http://a.test/caret^":                         "http://a.test/caret^",
		"http://a.test/%41BC":                          "http://a.test/%41BC",
		"http://a.test/b?f[]=1&utm_id=7#x":             "http://a.test/b?f[]=1",
		"http://a.test.:80/p|pe":                       "http://a.test/p|pe",
		"http://a.test/lower%c3%a9":                    "", // servers read escapes of either case
		"http://a.test/plain?a=1&utm_id=7":             "",
		"http://a.test?only=query":                     "",
		"http://a.test/":                               "",
		"http://a.test/it's?say=it%27s":                "",
		"http://a.test/" + strings.Repeat("%7E", 5400): "http://a.test/" + strings.Repeat("%7E", 5400),
	} {
		canonical, err := plat.Canonical(href, plat.TrackingParams)
		if err != nil {
			t.Fatal(err)
		}
		if got := plat.Spelled(href, canonical, plat.TrackingParams); got != want {
			t.Errorf("Spelled(%.60s) = %.60q, want %q", href, got, want)
		}
		if again, err := plat.Canonical(cmp.Or(want, canonical), plat.TrackingParams); err != nil || again != canonical {
			t.Errorf("%s is spelled %s, of which the canonical URL is %s, %v", canonical, want, again, err)
		}
	}
}
