package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
)

// raw returns a page of HTML unchanged: no parser mends it.
func raw(src string) *Page {
	return &Page{URL: pageURL, Layout: &plat.Layout{HTML: []byte(src)}}
}

// counted formats n numbered pieces.
func counted(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// nested encloses inner in n levels of open and close.
func nested(n int, open, inner, close string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(close, n)
}

// within limits the computation for one check of a page that is made to be slow.
const within = time.Second

// TestHostilePagesAreFast examines pages that are made to be slow, twice, and changes them in
// between. The items that are found do not matter.
func TestHostilePagesAreFast(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: large pages take ten seconds, and this is a short run")
	}
	many := 100_000 / fixtures.OneIn(8)
	words := strings.Repeat("word ", 200_000)
	title := strings.Repeat("a b ", 30)
	for _, tc := range []struct{ name, page, next string }{
		{name: "nested divs", page: nested(many, "<div>", "x", "</div>")},
		{name: "nested divs of one class around a text of 1 MB", page: nested(many, "<div class=a>", words, "</div>")},
		{name: "nested spans with a link each", page: nested(many, `<span><a href="/x">x</a>`, "x", "</span>")},
		{name: "nested divs with a link each", page: nested(many/2, `<div><a href="/x">title of it</a>`, "x", "</div>")},
		{name: "caterpillar", page: nested(many/2, `<div><div>a b</div>`, "x", "</div>")},
		{name: "caterpillar with links", page: nested(many/4, `<div><div><a href="/y">one more title</a></div>`, "x", "</div>")},
		{name: "caterpillar of lists", page: nested(many/4, `<ul><li><a href="/y">one more title</a></li><li>`, "x", "</li></ul>")},
		{name: "nested links", page: nested(many, `<a href="/a">`, "x", "</a>")},
		{name: "nested links in divs", page: nested(many/2, `<div><a href="/a">`, "text of it", "</a></div>")},
		{name: "nested headings", page: nested(many, `<h2>`, "x", "</h2>")},
		{name: "nested empty headings in divs", page: nested(many/2, `<div><h2>`, "", "</h2></div>") + "x"},
		{name: "nested headings with a text at the end", page: nested(many/2, `<div><h2>`, "x", "</h2></div>")},
		{name: "nested headings with an image at the end", page: nested(many/2, `<div><h2>`, `<img alt="x y z">`, "</h2></div>")},
		{name: "nested tables", page: nested(many/4, `<table><tr><th>`, words, "</th></tr></table>")},
		{name: "nested tables with cells", page: nested(many/4, `<table><tr><td>a</td><td>`, "x", "</td></tr></table>")},
		{name: "nested time elements", page: nested(many, `<time datetime="2026-01-01">`, "x", "</time>")},
		{name: "items without content", page: "<ul>" + counted(many, "<li></li>") + "</ul>"},
		{name: "items of one text", page: "<ul>" + counted(many, `<li><a href="/%d">same</a></li>`) + "</ul>"},
		{name: "items of one address", page: "<ul>" + counted(many, `<li><a href="/same">title no %d</a></li>`) + "</ul>", next: "<ul>" + counted(many, `<li><a href="/same">caption %d of it</a></li>`) + "</ul>"},
		{name: "items of one address, with dates", page: "<ul>" + counted(many/2, `<li>2026-01-02 <a href="/same">title no %d</a></li>`) + "</ul>"},
		{name: "half of the items of one text", page: "<ul>" + counted(many/2, `<li><a href="/%[1]d">same text</a></li><li><a href="/b%[1]d">other %[1]d</a></li>`) + "</ul>"},
		{name: "links in one paragraph", page: "<p>" + counted(many, `<a href="/%d">t</a> `) + "</p>"},
		{name: "links in a bar", page: "<div>" + counted(many, `<a href="/%[1]d">title %[1]d</a>`) + "</div>"},
		{name: "a title of 1 MB", page: "<ul>" + counted(20, `<li><a href="/%d">`+words[:50_000]+"</a></li>") + `<li><a href="/t">` + words + "</a></li></ul>"},
		{name: "an address of 1 MB", page: "<ul>" + counted(20, `<li><a href="/%d`+strings.Repeat("x", 1<<20)+`">title</a></li>`) + "</ul>"},
		{name: "a class of 1 MB", page: counted(20, `<div class="`+strings.Repeat("x y ", 1<<18)+`"><a href="/%[1]d">title %[1]d</a></div>`)},
		{name: "rows of one table", page: "<table>" + counted(many/2, `<tr><td>name %[1]d</td><td>%[1]d</td></tr>`) + "</table>"},
		{name: "10,000 tables", page: counted(10_000, `<table><tr><th>a</th></tr><tr><td>name %[1]d</td><td>x</td></tr></table>`)},
		{name: "tables of one row in one another's header", page: nested(10_000, `<table><tr><th>a</th><th>`, "x", "</th></tr></table>")},
		{name: "all articles new at once", page: counted(many, `<article><h2><a href="/%[1]d">title %[1]d</a></h2></article>`), next: counted(many, `<article><h2><a href="/n%[1]d">new %[1]d title</a></h2></article>`)},
		{name: "all titles much like the old ones", page: "<table>" + counted(20_000, `<tr><td>`+title+`x%[1]d</td><td>%[1]d</td></tr>`) + "</table>", next: "<table>" + counted(20_000, `<tr><td>`+title+`y%[1]d</td><td>%[1]d</td></tr>`) + "</table>"},
		{name: "gaps of new titles between old ones", page: "<table>" + gappy(300, "x", title) + "</table>", next: "<table>" + gappy(300, "y", title) + "</table>"},
		{name: "few titles, often, in another order", page: "<ul>" + counted(many/20, `<li><a href="/a%[1]d">alpha bet</a></li><li><a href="/b%[1]d">beta max</a></li>`) + "</ul>", next: "<ul>" + counted(many/20, `<li><a href="/b%[1]d">beta max</a></li><li><a href="/b%[1]d">beta max</a></li><li><a href="/a%[1]d">alpha bet</a></li>`) + "</ul>"},
		{name: "headings of all levels", page: counted(many/6, "<h1>a</h1><h2>b</h2><h3>c</h3><h4>d</h4><h5>e</h5><h6>f %d</h6>")},
		{name: "headings down and up", page: counted(many/6, "<h6>f %d</h6><h5>e</h5><h4>d</h4><h3>c</h3><h2>b</h2><h1>a</h1>")},
		{name: "nothing closed", page: strings.Repeat("<b><i><p>", many/3)},
		{name: "only end tags", page: strings.Repeat("<div><p>", 1000) + strings.Repeat("</ul></b>", many)},
		{name: "lists in lists", page: nested(500, "<ul>"+counted(20, `<li><a href="/%[1]d">title %[1]d</a></li>`)+"<li>", "x", "</li></ul>")},
		{name: "terms without descriptions", page: "<dl>" + counted(many, `<dt><a href="/%[1]d">term %[1]d</a></dt>`) + "</dl>"},
		{name: "versions", page: counted(many/3, `<h3>Mill 1.%[1]d.0</h3><p><a href="/%[1]d.zip">zip</a></p>`)},
		{name: "elements of many names", page: counted(many, `<x-%[1]d><a href="/%[1]d">title %[1]d</a></x-%[1]d>`)},
		{name: "dates", page: "<ul>" + counted(many/10, `<li>`+strings.Repeat("1 May 2026 ", 40)+`%d</li>`) + "</ul>"},
		{name: "digits", page: "<ul>" + counted(many/20, `<li>`+strings.Repeat("1.", 500)+`%d</li>`) + "</ul>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.next == "" {
				tc.next = `<p>One more <a href="/more">link</a></p>` + tc.page
			}
			m := New()
			for _, src := range []string{tc.page, tc.next} {
				before := bytesOf(t, m)
				inTime(t, func() {
					m = memoryOf(t, before)
					r, err := m.Look(raw("<body>"+src+"</body>"), Options{})
					if err != nil {
						t.Fatal(err)
					}
					t.Log(len(r.Lists), len(r.Items), r.Broken)
				})
				inTime(t, func() { m = memoryOf(t, bytesOf(t, m)) })
			}
		})
	}
}

// inTime runs f several times and fails if every run takes longer than within: a busy machine
// is slower.
func inTime(t *testing.T, f func()) {
	t.Helper()
	var took time.Duration
	for range 3 {
		if took = fixtures.Timed(t, f); took <= within || race {
			t.Log(took.Round(time.Millisecond))
			return
		}
	}
	t.Errorf("took %v", took)
}

func bytesOf(tb testing.TB, m *Memory) []byte {
	tb.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func memoryOf(tb testing.TB, b []byte) *Memory {
	tb.Helper()
	m := New()
	if err := m.UnmarshalBinary(b); err != nil {
		tb.Fatalf("what was written, %d bytes, is not read: %v", len(b), err)
	}
	return m
}

// gappy returns rows in groups of 60, of which one row stays.
func gappy(n int, kind, title string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<tr><td>row that stays as it is, no %c%d</td><td>x</td></tr>", 'a'+i%26, i)
		for k := range 60 {
			fmt.Fprintf(&b, "<tr><td>%s%s%d k%d</td><td>x</td></tr>", title, kind, i, k)
		}
	}
	return b.String()
}

// race reports that the race detector is on. Tests that only take long are then skipped.
var race bool
