package diff

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestAttributes(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"the same", `<a href="a.pdf">Prices</a>`, `<a href="a.pdf">Prices</a>`, ""},
		{"another target", `<a href="price-2025.pdf">Prices</a>`, `<a href="price-2026.pdf">Prices</a>`, "a href Prices: price-2025.pdf → price-2026.pdf"},
		{"tokens in a target", `<a href="/x?sid=4f8a9b2c7d6e1f0a4f8a9b2c7d6e1f0a">x</a>`, `<a href="/x?sid=9c1d2e3f4a5b6c7d9c1d2e3f4a5b6c7d">x</a>`, ""},
		{"text that became a link", `<p>Prices</p>`, `<p><a href="p.pdf">Prices</a></p>`, "a href Prices:  → p.pdf"},
		{"a link that became text", `<p><a href="p.pdf">Prices</a></p>`, `<p>Prices</p>`, "a href Prices: p.pdf → "},
		{"links that change places", `<a href=1>one</a> <a href=2>two</a>`, `<a href=2>two</a> <a href=1>one</a>`, ""},
		{"one of several of the same text", `<a href=1>more</a><a href=2>more</a><a href=3>more</a>`, `<a href=1>more</a><a href=9>more</a><a href=3>more</a>`, "a href more: 2 → 9"},
		{"one more before it", `<a href=2>two</a><a href=3>three</a>`, `<a href=1>one</a><a href=2>two</a><a href=4>three</a>`, "a href one:  → 1, a href three: 3 → 4"},
		{"other words and target", `<a href=1>Prices 2025</a>`, `<a href=2>Prices 2026</a>`, "a href Prices 2026: 1 → 2"},
		{"what people read", `<img src=a alt="A cat"><time datetime=2025-01-01>New Year</time><abbr title="old">x</abbr><p class=a>`, `<img src=a alt="A dog"><time datetime=2026-01-01>New Year</time><abbr title="new">x</abbr><p class=b>`,
			"img alt : A cat → A dog, time datetime New Year: 2025-01-01 → 2026-01-01, abbr title : old → new"},
		{"another image", `<img src="harbour-2025.jpg">`, `<img src="harbour-2026.jpg">`, "img src : harbour-2025.jpg → harbour-2026.jpg"},
		{"a form that is sent elsewhere", `<form action="/order"><button formaction="/gift">Give</button><input type=submit formaction="/a"></form>`, `<form action="/pay"><button formaction="/keep">Give</button><input type=submit formaction="/b"></form>`,
			"form action : /order → /pay, button formaction Give: /gift → /keep, input formaction : /a → /b"},
		{"another page in a frame", `<iframe src="/1"></iframe><frame src="/1"><embed src="/1"><object data="/1"></object>`, `<iframe src="/2"></iframe><frame src="/2"><embed src="/2"><object data="/2"></object>`,
			"iframe src : /1 → /2, frame src : /1 → /2, embed src : /1 → /2, object data : /1 → /2"},
		{"another area of a map", `<map><area href="/1"></map>`, `<map><area href="/2"></map>`, "area href : /1 → /2"},
		{"tokens in where a form is sent", `<form action="/order;jsessionid=4f8a9b2c7d6e1f0a" class=a><input title=a>`, `<form action="/order;jsessionid=9c1d2e3f4a5b6c7d" class=b><input title=b>`, "input title : a → b"},
		{"addresses of nothing that a reader sees", `<script src="/1"></script><source src="/1"><p action="/1" data="/1">`, `<script src="/2"></script><source src="/2"><p action="/2" data="/2">`, ""},
		{"classes alone", `<p class=a>x</p>`, `<p class=b>x</p>`, ""},
		{"nothing at all", ``, ``, ""},
		{"open tags", `<a href=1>one <a href=2`, `<a href=3>one <a href=2`, "a href one: 1 → 3"},
	} {
		var got []string
		for _, a := range Attributes([]byte(tc.old), []byte(tc.new)) {
			got = append(got, fmt.Sprintf("%s %s %s: %s → %s", a.Tag, a.Key, a.Text, a.Old, a.New))
		}
		if s := strings.Join(got, ", "); s != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, s, tc.want)
		}
	}
}

// Two equal versions have no differing attribute; a version against nothing, in either order, has all
// of them.
func TestAttributesBothWays(t *testing.T) {
	for i := range 200 {
		var a, b strings.Builder
		links := 0
		for k := range 1 + i%17 {
			fmt.Fprintf(&a, "<a href=x%d>text%d</a>", k*i%13, k%5)
			if (k+i)%3 > 0 {
				fmt.Fprintf(&b, "<a href=y%d>text%d</a>", k*i%11, k%5)
				links++
			}
		}
		old, new := []byte(a.String()), []byte(b.String())
		if there, back := Attributes(old, new), Attributes(new, old); len(there) != len(back) || len(there) < links {
			t.Errorf("%s, %s: %d differ, the other way %d", old, new, len(there), len(back))
		}
		if n := len(Attributes(old, old)); n > 0 {
			t.Errorf("%s against itself: %d differ", old, n)
		}
	}
}

func TestMarkup(t *testing.T) {
	for _, tc := range []struct {
		old, new string
		want     plat.Kind
	}{
		{`<a href=1>x</a>`, `<a href=2>x</a>`, plat.Link},
		{`<a href=1 class=a>x</a><img src=1>`, `<a href=2 class=b>x</a><img src=2>`, plat.Link},
		{`<form action=1>`, `<form action=2>`, plat.Link},
		{`<button formaction=1>x</button>`, `<button formaction=2>x</button>`, plat.Link},
		{`<iframe src=1></iframe><img src=1>`, `<iframe src=2></iframe><img src=2>`, plat.Link},
		{`<object data=1></object>`, `<object data=2></object>`, plat.Link},
		{`<embed src=1>`, `<embed src=2>`, plat.Link},
		{`<area href=1>`, `<area href=2>`, plat.Link},
		{`<form action="/a?token=abcdefgh12345678">`, `<form action="/a?token=zyxwvuts87654321">`, plat.Volatile},
		{`<img src=1>`, `<img src=2>`, plat.Image},
		{`<video poster=1>`, `<video poster=2>`, plat.Image},
		{`<img src=1 alt=a>`, `<img src=1 alt=b>`, plat.Format},
		{`<p class=a>x`, `<p class=b>x`, plat.Format},
		{`<a nonce=abcdefgh12345678 href=1>x</a>`, `<a nonce=zyxwvuts87654321 href=1>x</a>`, plat.Volatile},
	} {
		if got := Markup([]byte(tc.old), []byte(tc.new)); got != tc.want {
			t.Errorf("%s, %s: %s, want %s", tc.old, tc.new, got, tc.want)
		}
	}
}

func BenchmarkAttributes(b *testing.B) {
	var old, new strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&old, `<li class="a"><a href="/item/%d">Item %d of the list</a> <img src="/img/%d.jpg" alt="Item"></li>`, i, i%50, i)
		fmt.Fprintf(&new, `<li class="b"><a href="/item/%d">Item %d of the list</a> <img src="/img/%d.jpg" alt="Item"></li>`, i+i%3, i%50, i)
	}
	was, is := []byte(old.String()), []byte(new.String())
	b.SetBytes(int64(len(was) + len(is)))
	b.ReportAllocs()
	for b.Loop() {
		Attributes(was, is)
	}
}
