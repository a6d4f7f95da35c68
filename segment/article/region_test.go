package article

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// worded returns a text of n words.
func worded(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

// element returns the node with an id.
func element(t testing.TB, s *plat.Snapshot, id string) int32 {
	t.Helper()
	for i := range s.Nodes {
		if v, _ := s.Nodes[i].Attr("id"); v == id {
			return int32(i)
		}
	}
	t.Fatalf("no element %q", id)
	return 0
}

func TestTheRegionIsTheElementThatHoldsTheText(t *testing.T) {
	p := func(n int) string { return "<p>" + worded(n) + "</p>" }
	links := "<p><a href=x>" + worded(99) + "</a></p>" // it is not widened over these
	for name, src := range map[string]string{
		"the nearest around three paragraphs":               `<div><div id=r>` + p(20) + p(20) + p(20) + `</div></div>`,
		"the one of more words":                             `<div><div>` + p(40) + p(39) + `</div>` + links + `<div id=r>` + p(40) + p(40) + `</div></div>`,
		"passages without elements of their own":            `<div id=r>` + worded(20) + `<br><br>` + worded(20) + `<br><br>` + worded(20) + `</div>`,
		"two such are in an element that stands for a text": `<div id=r><div>` + worded(20) + `<br><br>` + worded(20) + `</div></div>`,
		"a paragraph counts as one hundred words at most":   `<div><div>` + p(300) + `</div>` + links + `<div id=r>` + p(60) + p(60) + `</div></div>`,
		"links count less":                                  `<div><div><p><a href=x>` + worded(28) + `</a> ` + worded(32) + `</p></div>` + links + `<div id=r>` + p(50) + `</div></div>`,
		"the outermost element named as the text":           `<div id=r class="article-body"><div class="entry-content"><div>` + p(20) + p(20) + p(20) + `</div></div></div>`,
		"a quarter more prose widens it":                    `<body id=r><div>` + p(40) + p(40) + `</div><div>` + p(20) + `</div></body>`,
		"less does not":                                     `<body><div id=r>` + p(40) + p(40) + `</div><div>` + p(19) + `</div></body>`,
		"nor does prose with many links":                    `<body><div id=r>` + p(40) + p(40) + `</div><div>` + p(40) + `<a href=x>` + worded(6) + `</a></div></body>`,
		"but with few":                                      `<body id=r><div>` + p(40) + p(40) + `</div><div>` + p(40) + `<a href=x>` + worded(5) + `</a></div></body>`,
	} {
		s := rendered(t, src)
		page := newText(read(s, false), nil)
		if got, want := page.find(), element(t, s, "r"); got != want {
			t.Errorf("%s: <%s>, node %d, want %d", name, s.Nodes[got].Name, got, want)
		}
	}
}

func TestARegionHasItsPassagesOnly(t *testing.T) {
	s := rendered(t, `<p>before</p><div id=r><p>a</p><p>b</p></div><p>after</p>`)
	page := newText(read(s, false), nil)
	var got []string
	for _, i := range page.inside(element(t, s, "r")) {
		got = append(got, page.all[i].text)
	}
	if want := []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWithoutProseTheElementNamedAsTheTextIsIt(t *testing.T) {
	for name, src := range map[string]string{
		"an element named as the text": `<main>` + worded(5) + `</main><article>` + worded(5) + `</article><div class="entry-content" id=r>x</div>`,
		"an article":                   `<main>` + worded(5) + `</main><article id=r>x</article>`,
		"the main element":             `<div>` + worded(5) + `</div><main id=r>x</main>`,
		"the longer of two articles":   `<article>xyz</article><article id=r>xyzw</article><article>xyz</article>`,
		"the first of equals":          `<article id=r>xyz</article><article>xyz</article>`,
		"no article in a menu":         `<nav><article>` + worded(5) + `</article></nav><div>` + worded(5) + `</div><main id=r>x</main>`,
		"none without a text":          `<article></article><main id=r>x</main>`,
	} {
		s := rendered(t, src)
		page := newText(read(s, false), nil)
		if got, want := page.longest(), element(t, s, "r"); got != want {
			t.Errorf("%s: <%s>, node %d, want %d", name, s.Nodes[got].Name, got, want)
		}
	}
	if got := textOf(t, worded(5)).longest(); got != 0 {
		t.Errorf("without such an element it is node %d", got)
	}
}

func TestARegionIsNotWidenedBeyondTheHeadline(t *testing.T) {
	src := `<body><main id=r><h1>The north pier closes</h1><div>` + paragraphs(first, second) + `</div>` + paragraphs(third) + `</main><div>` + paragraphs(first, second, third, fourth) + `</div></body>`
	s := rendered(t, src)
	p := read(s, false)
	page := newText(p, []declaredTitle{declare("The north pier closes")})
	if page.headline < 0 || s.Nodes[page.headline].Value != "The north pier closes" {
		t.Fatalf("the headline is node %d", page.headline)
	}
	main, inner := element(t, s, "r"), page.all[1].block-1
	if !page.headed(main) || page.headed(inner) || page.headed(page.headline) {
		t.Errorf("the headline is in <main>: %v, in the text: %v, in itself: %v", page.headed(main), page.headed(inner), page.headed(page.headline))
	}
	if got := page.widen(inner); got != main {
		t.Errorf("the region is widened to node %d, not %d", got, main)
	}
	for _, tc := range []struct {
		src, title string
		want       bool
	}{
		{"<h2>The north pier closes</h2>", "The north pier closes", true}, {"<h3>The north pier closes</h3>", "The north pier closes", false}, {"<p>The north pier closes</p>", "The north pier closes", false},
		{"<h1>one two</h1>", "one two three four five six", false}, {"<h1>one two</h1>", "one two three four five", true},
		{"<h1>" + worded(40) + "</h1>", worded(40), true}, {"<h1>" + worded(41) + "</h1>", worded(41), false},
	} {
		page := newText(read(rendered(t, tc.src), false), []declaredTitle{declare(tc.title)})
		if got := page.headline >= 0; got != tc.want {
			t.Errorf("%s is the headline %q: %v", tc.src, tc.title, got)
		}
	}
}

func TestTheTextBeginsWithItsFirstParagraph(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want string
	}{
		{"<div>x</div><p>" + first + "</p>", first},
		{"<p>It is so in this case.</p><p>" + first + "</p>", first},
		{"<h2>" + worded(12) + "</h2><p>" + first + "</p>", first},
		{"<p>Published by the harbour office and its people on 31 January 2026 at noon</p><p>" + first + "</p>", first},
		{`<p class="comment">` + second + "</p><p>" + first + "</p><p>" + third + " " + fourth + "</p><p>" + third + "</p>", first},
		{"<div>x</div><div>y</div>", "x"},
	} {
		page := textOf(t, tc.src)
		if got := page.all[page.begin(page.inside(0))].text; got != tc.want {
			t.Errorf("%s begins with %q", tc.src, got)
		}
	}
	page := textOf(t, "<p>x</p>")
	if got := page.begin(nil); got != 0 {
		t.Errorf("nothing begins at %d", got)
	}
}

func TestParagraphsOfMostLettersMeasureTheText(t *testing.T) {
	p := func(attr string, n int) string { return "<p " + attr + ">" + worded(n) + "</p>" }
	page := textOf(t, p("size=20 x=100 w=500 color=7", 30)+p("size=16 x=40 w=300 color=9", 20)+p("size=16 x=40 w=310 color=9", 20)+p("size=30 x=100 w=900 color=7", 9))
	page.measure(page.inside(0))
	if page.bodySize != 16 || page.left != 40 || page.right != 350 || page.bodyColor != 9 {
		t.Errorf("%v px, from %v to %v, colour %v", page.bodySize, page.left, page.right, page.bodyColor)
	}
	if got := most(map[float32]int{3: 5, 2: 5, 9: 4}); got != 2 {
		t.Errorf("of equals %v has most", got)
	}
	for range 20 { // the order of a map differs
		if got := most(map[float32]int{5: 9, 1: 2, 3: 4}); got != 5 {
			t.Errorf("%v has most", got)
		}
	}
	for _, tc := range []struct {
		tag    string
		x, w   int
		beside bool
	}{
		{"p", 350, 154, true}, {"p", 349, 154, false}, {"p", 350, 155, false}, {"p", 350, 0, false}, {"td", 350, 100, false}, {"th", 350, 100, false}, {"p", 0, 40, true}, {"p", 1, 40, false},
	} {
		src := fmt.Sprintf("<p x=%d w=%d>%s</p>", tc.x, tc.w, worded(60))
		if tc.tag != "p" {
			src = fmt.Sprintf("<table><tr><%s x=%d w=%d>%s</table>", tc.tag, tc.x, tc.w, worded(60))
		}
		other := textOf(t, src)
		other.left, other.right = 40, 350
		if got := other.outside(&other.all[0]); got != tc.beside {
			t.Errorf("<%s> at %d, %d px wide: beside the text: %v", tc.tag, tc.x, tc.w, got)
		}
	}
	page.left, page.right = 40, 40
	if page.outside(&page.all[0]) {
		t.Error("something is beside a text without a column")
	}
}

func TestHiddenTextIsUsedIfItIsMostOfAll(t *testing.T) {
	p := func(n int) string { return "<p>" + worded(n) + "</p>" }
	hidden := func(n int) string { return "<div hidden>" + p(n) + "</div>" }
	main := func(n int) string { return "<main hidden>" + p(n) + "</main>" }
	for _, tc := range []struct {
		src  string
		want string // words that are seen
	}{
		{p(20) + hidden(99), "20"}, {hidden(20), "20"}, {hidden(9), ""}, {"<p>x</p>" + hidden(10), "1 10"},
		{p(20) + main(60), "20"}, {p(20) + main(61), "20 61"}, {p(20) + main(61) + hidden(50), "20 61"}, {"<p>x</p>" + main(20) + hidden(50), "1 20 50"},
		{`<div hidden><a href=x>` + worded(20) + `</a></div>`, ""}, {p(20) + `<main hidden><a href=x>` + worded(99) + `</a></main>`, "20"},
	} {
		var got []string
		for _, q := range textOf(t, tc.src).all {
			if q.seen {
				got = append(got, fmt.Sprint(q.weight()))
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%.60s: of the words %v are seen, want %s", tc.src, got, tc.want)
		}
	}
}

func TestProseIsLongAndNotMostlyLinks(t *testing.T) {
	for src, want := range map[string]int32{
		worded(9): 0, worded(10): 10, worded(150): 150, worded(151): 150, strings.Repeat("日", 17): 0, strings.Repeat("日", 18): 10,
		worded(6) + " <a href=x>" + worded(5) + "</a>": 11, worded(5) + " <a href=x>" + worded(5) + "</a>": 0,
	} {
		page := textOf(t, "<p>"+src+"</p>")
		if got := page.all[0].proseWeight(); got != want {
			t.Errorf("%.40s weighs %d, want %d", src, got, want)
		}
		if got := page.written(); got != (want > 0) {
			t.Errorf("%.40s is written: %v", src, got)
		}
	}
}
