package weburl

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

func ExampleBase() {
	page := NewBase("https://site.test/news/index.html")
	fmt.Println(page.Resolve(`..\archive\2019 & before.html#top`))
	fmt.Println(page.In("windows-1252").Resolve("?name=Müller"))
	fmt.Println(page.At("/old/").Resolve("a.png"))
	// Output:
	// https://site.test/archive/2019%20&%20before.html#top
	// https://site.test/news/index.html?name=M%FCller
	// https://site.test/old/a.png
}

func TestBases(t *testing.T) {
	page := NewBase("https://site.test/a/b?c#d")
	for _, c := range []struct{ href, base string }{
		{"/x/", "https://site.test/x/"}, {"//cdn.test", "https://cdn.test/"}, {" http://h.test/#f ", "http://h.test/"},
		{"http://[", ""}, {"data:text/plain,x", "https://site.test/a/b?c"}, {"javascript:void(0)", "https://site.test/a/b?c"},
		{"mailto:a@b.test", "mailto:a@b.test"}, {"", "https://site.test/a/b?c"},
	} {
		if got := page.At(c.href).String(); got != c.base {
			t.Errorf("<base href=%q> = %q, want %q", c.href, got, c.base)
		}
	}
	none := NewBase("/relative")
	if none.String() != "" || none.Resolve("a") != "" || none.Resolve("#a") != "" || none.Resolve("https://h.test/a") != "https://h.test/a" {
		t.Error("a base without an address resolves more than absolute references")
	}
}

func TestPlainReferences(t *testing.T) {
	page := NewBase("https://site.test/a/b")
	for ref, want := range map[string]bool{"x": true, " ../x?y#z ": true, "//h.test/x": true, "https://h.test": true, "https:x": false, `x\y`: false, "x\ny": false, "ü": false, "50%": true, "%2e/x": false, "a b": false} {
		if page.Plain(ref) != want {
			t.Errorf("%q is plain: %t", ref, !want)
		}
	}
}

func TestLocations(t *testing.T) {
	page := NewBase("https://site.test/a/b").In("gbk")
	for _, c := range []struct{ field, to string }{
		{"/ü", "https://site.test/%C3%BC"}, {"/\xfc?\xfc", "https://site.test/%FC?%FC"}, {`\x`, "https://site.test/x"}, {"c d#e", "https://site.test/a/c%20d#e"},
		{"//h.test", "https://h.test/"}, {"", "https://site.test/a/b"}, {"http://a b/", ""},
	} {
		if got := page.Location(c.field); got != c.to {
			t.Errorf("Location: %q = %q, want %q", c.field, got, c.to)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		href, scheme, host, plain string
		web                       bool
	}{
		{"https://me:pw@h.test:81/a?b#c", "https", "h.test:81", "https://me:pw@h.test:81/a?b", true},
		{"http://h.test/@x", "http", "h.test", "http://h.test/@x", true},
		{"http://h.test/?x@y", "http", "h.test", "http://h.test/?x@y", true},
		{"mailto:a@b#c", "mailto", "", "mailto:a@b", false},
		{"", "", "", "", false},
		{"/a?b#c", "", "", "/a?b", false},
	} {
		if Scheme(c.href) != c.scheme || Host(c.href) != c.host || WithoutFragment(c.href) != c.plain || IsWeb(c.href) != c.web {
			t.Errorf("%q: %q, %q, %q, %t", c.href, Scheme(c.href), Host(c.href), WithoutFragment(c.href), IsWeb(c.href))
		}
	}
}

func TestAddressesForRequests(t *testing.T) {
	for href, want := range map[string]string{
		"http://h.test/50%?a=%&b#c": "http://h.test/50%25?a=%&b", "http://h.test/%zz%41%4": "http://h.test/%25zz%41%254", "http://h.test/%%41": "http://h.test/%25%41", "": "",
	} {
		got := ForRequest(href)
		if got != want {
			t.Errorf("%q is requested as %q, want %q", href, got, want)
		}
		if _, err := url.Parse(got); err != nil {
			t.Error(err)
		}
	}
}

// Names that the parser takes for numbers are invalid, and no address of a machine.
func TestSignsAreNoNumbers(t *testing.T) {
	for _, host := range []string{"+1", "-1", "0x-1", "0x+7f.1", "1.+2"} {
		for _, ref := range []string{"http://" + host + "/", "//" + host, `\\` + host, "http://me@" + host} {
			if got := NewBase("http://127.0.0.1/").Resolve(ref); strings.ContainsAny(Host(got), "0123456789") && !strings.ContainsAny(Host(got), "+-") {
				t.Errorf("%q = %q", ref, got)
			}
		}
	}
	for _, ref := range []string{"http://127.0.0.1/a-b?c+d", "http:a-b?c+d", "HTTP:/a-b?c+d", "a-b?c+d", "//a+b@127.1/a-b?c+d"} {
		if got := NewBase("http://127.0.0.1/").Resolve(ref); !strings.HasSuffix(got, "127.0.0.1/a-b?c+d") {
			t.Errorf("%q = %q", ref, got)
		}
	}
}

// References made to take time take little.
func TestHostileReferences(t *testing.T) {
	const size = 2 << 20
	long := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, ref := range map[string]string{
		"at signs": "http://" + long("@") + "h/", "login": "http://" + long("a") + "@h/", "opaque host": "foo://" + long("é"), "host": "//" + long("é"),
		"dots": "/" + long("../a/"), "percent": "/" + long("%2e%2e/"), "slashes": long("/") + "h", "backslashes": long(`\`), "query": "?" + long("é"), "tabs": long("\t"),
		"spaces": long(" ") + "x", "data": "data:" + long("a b"), "scheme": long("a") + ":", "colons": "http:" + long(":"), "labels": "http://" + long("xn--a."),
		"number": "http://" + long("9"), "brackets": "http://[" + long("::") + "]",
		"short at signs": "http://" + strings.Repeat("@", maxAuthority-1) + "h/", "short slashes": strings.Repeat("/", MaxReference-1) + "h", "short login": "x://" + strings.Repeat("é", maxAuthority/2) + "@h",
		"short query": "?" + strings.Repeat("é", MaxReference/2-1), "short labels": "http://" + strings.Repeat("xn--a.", maxAuthority/6),
	} {
		for _, b := range []*Base{NewBase("https://site.test/" + strings.Repeat("a/", 4000)), NewBase("https://site.test/").In("shift_jis"), absolute} {
			began := time.Now()
			b.Resolve(ref)
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s: %v", name, took)
			}
		}
	}
}

// Schemes have letters, and behind the first one also digits and marks; ports of a plain host have up to four digits.
func TestSchemesAndPorts(t *testing.T) {
	for ref, want := range map[string]string{
		"a:x": "a:", "z:x": "z:", "A:x": "A:", "Z:x": "Z:", "a0:": "a0:", "a9:": "a9:", "a+b-c.d:": "a+b-c.d:", "0a:x": "", "+a:x": "", ":x": "", "a": "", "": "", "a_b:x": "", "a/b:x": "", "`:x": "", "{:x": "", "@:x": "", "[:x": "", "a/:": "", "aé:": "",
	} {
		if got := schemeOf(ref); got != want {
			t.Errorf("%q has the scheme %q, want %q", ref, got, want)
		}
	}
	for port, want := range map[string]bool{"1": true, "9999": true, "10000": false, "99999": false, "": false, "080": false, "0": false, "8a": false, "a8": false, "80": false, "443": true, "8/": false, "8:": false, "81": true} {
		if plainPort(port, "http") != want {
			t.Errorf("the port %q stays as it is: %v", port, !want)
		}
	}
	if plainPort("443", "https") || !plainPort("80", "https") {
		t.Error("ports of https")
	}
}
