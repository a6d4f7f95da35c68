package diff

import (
	"fmt"
	"slices"
	"testing"
)

func ExampleVolatile() {
	fmt.Println(Volatile(
		[]byte(`<script src="/app.js?v=1731"></script><!-- 0.031 s -->`),
		[]byte(`<script src="/app.js?v=1732"></script><!-- 0.027 s -->`),
	))
	fmt.Println(Volatile([]byte(`<p style="top:1px">`), []byte(`<p style="top:2px">`)))
	// Output:
	// [counter query] true
	// [] false
}

func TestVolatile(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []Reason // nil: not volatile
	}{
		{"nonce", `<script nonce="r4nd0m">1</script>`, `<script nonce="other">1</script>`, []Reason{Nonce}},
		{"integrity", `<link integrity="sha256-x">`, `<link integrity="sha256-y">`, []Reason{Nonce}},
		{"csrf token in a hidden field", `<input type="hidden" name="csrf" value="k3JhB8sQ2mZx1LpA">`, `<input type="hidden" name="csrf" value="Zq81mNbV0cXa7LsP">`, []Reason{Random}},
		{"base64 with signs in other places", `<meta content="a1B/c2D3e+F4g5H6==">`, `<meta content="9zY8+x7W6v/5U4t3s=">`, []Reason{Random}},
		{"value of a field that is seen", `<input type="text" value="k3JhB8sQ2mZx1LpA">`, `<input type="text" value="Zq81mNbV0cXa7LsP">`, nil},
		{"uuid", `<div data-id="123e4567-e89b-12d3-a456-426614174000">`, `<div data-id="00112233-4455-6677-8899-aabbccddeeff">`, []Reason{UUID}},
		{"hex", `<div data-key="deadbeef01">`, `<div data-key="0badcafe02">`, []Reason{Hex}},
		{"a word is no hex", `<div data-key="defaced">`, `<div data-key="effaced">`, nil},
		{"seconds", `<div data-t="1699999999">`, `<div data-t="1700000001">`, []Reason{Timestamp}},
		{"a date", `<time datetime="2024-01-02T10:11:12Z">now</time>`, `<time datetime="2024-01-03T00:00:00+02:00">now</time>`, []Reason{Timestamp}},
		{"a number kept for scripts", `<div data-price="100">`, `<div data-price="200">`, nil},
		{"a long number kept for scripts", `<div data-views="72345678">`, `<div data-views="77654321">`, nil},
		{"numbered ids and what refers to them", `<label for="f12"></label><input id="f12">`, `<label for="f9"></label><input id="f9">`, []Reason{Counter}},
		{"another id", `<p id="top">`, `<p id="end">`, nil},
		{"session in an address", `<a href="/x;jsessionid=12AB?p=1">x</a>`, `<a href="/x;jsessionid=9F?p=1">x</a>`, []Reason{Query}},
		{"another target", `<a href="/x?id=1">x</a>`, `<a href="/x?id=2">x</a>`, nil},
		{"another target beside a session", `<a href="/x?sid=12AB&amp;id=1">x</a>`, `<a href="/x?sid=9F00&amp;id=2">x</a>`, nil},
		{"another path with a session", `<a href="/x?sid=12AB">x</a>`, `<a href="/y?sid=9F00">x</a>`, nil},
		{"another target before a session", `<a href="/x?id=1&amp;sid=12AB">x</a>`, `<a href="/x?id=2&amp;sid=9F00">x</a>`, nil},
		{"another target by hash", `<a href="/x/deadbeef01">x</a>`, `<a href="/x/0badcafe02">x</a>`, nil},
		{"fragment", `<a href="#a">x</a>`, `<a href="#b">x</a>`, nil},
		{"fingerprint of a script", `<script src="/js/app.3f2a9c1b.js"></script>`, `<script src="/js/app.77d0e4fa.js"></script>`, []Reason{Hex}},
		{"fingerprint of a picture", `<img src="/i/3f2a9c1b.png">`, `<img src="/i/77d0e4fa.png">`, nil},
		{"another script", `<script src="/js/a.js"></script>`, `<script src="/js/b.js"></script>`, nil},
		{"cache buster of a picture", `<img src="/i/a.png?v=1">`, `<img src="/i/a.png?v=2">`, []Reason{Query}},
		{"bare cache buster", `<script src="a.js?1699999999"></script>`, `<script src="a.js?1700000001"></script>`, []Reason{Timestamp}},
		{"numbers in a script", `<script>var t=12,u="ab"</script>`, `<script>var t=7,u="ab"</script>`, []Reason{Counter}},
		{"words in a script", `<script>say("yes")</script>`, `<script>say("no")</script>`, nil},
		{"numbers in a style", `<style>p{top:1px}</style>`, `<style>p{top:2px}</style>`, nil},
		{"date in a comment", `<!-- Mon, 02 Jan 2006 15:04:05 GMT -->`, `<!-- Tue, 14 Mar 2024 01:02:03 GMT -->`, []Reason{Counter, Timestamp}},
		{"words in a comment", `<!-- yes -->`, `<!-- no -->`, nil},
		{"hidden seconds", `<span hidden>1699999999</span>`, `<span hidden>1700000001</span>`, []Reason{Timestamp}},
		{"hidden words", `<span hidden>yes</span>`, `<span hidden>no</span>`, nil},
		{"version of the generator", `<meta name="generator" content="Hugo 0.113.0">`, `<meta name="generator" content="Hugo 0.111.3">`, []Reason{Counter}},
		{"description", `<meta name="description" content="12 pages">`, `<meta name="description" content="13 pages">`, nil},
		{"class", `<p class="css-1a2b3c4d5e">x</p>`, `<p class="css-9f8e7d6c5b">x</p>`, nil},
		{"alternative text", `<img alt="3f2a9c1b">`, `<img alt="77d0e4fa">`, nil},
		{"colour", `<font color="#00112233">`, `<font color="#ff112233">`, nil},
		{"quotes", `<p id="a">`, `<p id='a'>`, nil},
		{"another tag", `<b>x</b>`, `<i>x</i>`, nil},
		{"one tag more", `<b>x</b>`, `<b>x</b><br>`, nil},
		{"one attribute more", `<b id="a1">x</b>`, `<b id="a2" class>x</b>`, nil},
		{"a token beside a change", `<p id="a1" class="x">`, `<p id="a2" class="y">`, nil},
		{"nothing", `<p>`, `<p>`, nil},
		{"no markup", ``, ``, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				got, ok := Volatile([]byte(c.old), []byte(c.new))
				if !slices.Equal(got, c.want) || ok != (c.want != nil) {
					t.Errorf("got %v, %v, want %v", got, ok, c.want)
				}
				c.old, c.new = c.new, c.old
			}
		})
	}
}

// For any bytes: no panic, symmetric results, and never "volatile" for pieces whose words outside of
// tags differ.
func FuzzVolatile(f *testing.F) {
	f.Add(`<script src="/js/app.3f2a9c1b.js?v=1"></script>`, `<script src="/js/app.77d0e4fa.js?v=2"></script>`)
	f.Add(`<!-- 2024-01-02 --><p id=a1>x`, `<!-- 2024-02-02 --><p id=a2>x`)
	f.Add(`<input type=hidden value=1234567890123456>`, `<textarea>`)
	f.Fuzz(func(t *testing.T, x, y string) {
		r, ok := Volatile([]byte(x), []byte(y))
		s, back := Volatile([]byte(y), []byte(x))
		if ok != back || !slices.Equal(r, s) {
			t.Fatalf("%v %v one way, %v %v the other", r, ok, s, back)
		}
		if ok == (len(r) == 0) || x == y && ok {
			t.Fatalf("%v without or against reasons %v", ok, r)
		}
		// Letters outside of markup never count as tokens: differing plain text must
		// contain a digit.
		plain := func(s string) bool { return span(s, func(c byte) bool { return c != '<' && !digit(c) }) == len(s) }
		if plain(x) && plain(y) && ok {
			t.Fatalf("%q and %q are %v", x, y, r)
		}
	})
}
