package article

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/plat/calendar"
)

// textOf returns a page split into passages.
func textOf(t testing.TB, src string) *text {
	t.Helper()
	return newText(read(rendered(t, src), false), nil)
}

// lines returns n passages of one letter, some of which are replaced by other elements.
func lines(n int, others map[int]string) string {
	var b strings.Builder
	for i := range n {
		if other, ok := others[i]; ok {
			b.WriteString(other)
		} else {
			b.WriteString("<div>x</div>")
		}
	}
	return b.String()
}

// found returns the positions of one passage, among n others, at which it is found, as "2-4 7".
func found(n int, at func(i int) bool) string {
	var b strings.Builder
	for i := 0; i < n; i++ {
		if !at(i) {
			continue
		}
		last := i
		for last+1 < n && at(last+1) {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, i)
		if last > i {
			fmt.Fprintf(&b, "-%d", last)
		}
		i = last
	}
	return b.String()
}

func TestBylinesAndDatesAreNearTheTitleOrBelowTheText(t *testing.T) {
	const n = 44
	for _, tc := range []struct {
		title, begin, end int
		byline, date      string
		day               string // near the title of a page that shows its date elsewhere
	}{
		{14, 16, 24, "6-13 15-17 22-35", "2-29", "2-26"},
		{-1, 16, 24, "8-15 17 22-35", "4-29", "0-11"},
		{18, 16, 24, "8-15 17 22-35", "4-29", "6-30"}, // a title below the beginning is none
		{3, 4, 6, "0-2 4-17", "0-11", "0-15"},
		{40, 41, 43, "32-39 41-43", "28-43", "28-43"},
	} {
		byline := found(n, func(i int) bool {
			page := textOf(t, lines(n, map[int]string{i: "<div>By Ann Rivers</div>"}))
			return slices.Equal(page.bylineOf(tc.title, tc.begin, tc.end), []string{"Ann Rivers"})
		})
		dated := func(i int) *text { return textOf(t, lines(n, map[int]string{i: "<div>31.01.2026</div>"})) }
		date := found(n, func(i int) bool {
			day, _ := dated(i).shownDate(tc.title, tc.begin, tc.end, calendar.Style{})
			return day == "2026-01-31"
		})
		day := found(n, func(i int) bool {
			_, day := dated(i).byTitle(&declared{}, &Article{Date: "2026-01-31"}, tc.title)
			return day == 1
		})
		if byline != tc.byline || date != tc.date || day != tc.day {
			t.Errorf("title %d, text %d to %d: bylines at %s, dates at %s, days at %s", tc.title, tc.begin, tc.end, byline, date, day)
		}
	}
}

func TestOfTwoDatesTheOneNearerToTheBeginningCounts(t *testing.T) {
	const early, late = "2026-01-31", "2026-02-01"
	named := func(s string) string { return `<div class="date">` + s + `</div>` }
	plain := func(s string) string { return `<div>` + s + `</div>` }
	for _, tc := range []struct {
		name string
		at   map[int]string
		want string
	}{
		{"equals: the first", map[int]string{15: plain(early), 16: plain(late)}, early},
		{"above the title, each line counts less", map[int]string{12: plain(early), 13: plain(late)}, late},
		{"above and at the title", map[int]string{13: plain(early), 14: plain(late)}, late},
		{"just below the beginning", map[int]string{3: plain(early), 17: plain(late)}, early},                        // 20 − 11 and 20 − 12
		{"twelve lines above is as far as below the text", map[int]string{2: plain(early), 26: plain(late)}, early},  // 8 each
		{"a name is worth ten lines", map[int]string{2: named(early), 13: plain(late)}, late},                        // 18 and 19
		{"but no more", map[int]string{4: named(early), 13: plain(late)}, early},                                     // 20 and 19
		{"below the text, a name", map[int]string{13: plain(early), 26: named(late)}, early},                         // 19 and 18
		{"a name below the text is better than much above", map[int]string{11: plain(early), 26: named(late)}, late}, // 17 and 18
	} {
		if got, _ := textOf(t, lines(40, tc.at)).shownDate(14, 16, 24, calendar.Style{}); got != tc.want {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
}

func TestWhereNoBylineAndNoDateIsRead(t *testing.T) {
	long := strings.Repeat("word ", 31)
	for _, tc := range []struct{ name, byline, authors, date string }{
		{"in a line", `<div>By Ann Rivers, 31.01.2026</div>`, "Ann Rivers", "2026-01-31"},
		{"in a menu", `<nav><div>By Ann Rivers, 31.01.2026</div></nav>`, "", ""},
		{"in comments", `<div class="comments"><div>By Ann Rivers, 31.01.2026</div></div>`, "", ""},
		{"in related texts", `<div class="related"><div>By Ann Rivers, 31.01.2026</div></div>`, "", ""},
		{"in a form, whose date counts", `<form><div>By Ann Rivers, 31.01.2026</div></form>`, "", "2026-01-31"},
		{"in a long line", `<div>By Ann Rivers, 31.01.2026 ` + long + `</div>`, "", ""},
		{"in a sentence", `<div>As said by Ann Rivers of the harbour office on 31.01.2026 in the town hall, it is so.</div>`, "", ""},
		{"in a sentence named for the date", `<div class="date">As said by Ann Rivers of the harbour office on 31.01.2026 in the town hall.</div>`, "", "2026-01-31"},
		{"a stamp", `<div><span itemprop="datePublished" content="2026-01-31">yesterday</span></div>`, "", "2026-01-31"},
		{"a stamp of another purpose", `<div><span itemprop="name" content="2026-01-31">yesterday</span></div>`, "", ""},
		{"a stamp around two elements", `<div><time datetime="2026-01-31"><b><i>yesterday</i></b></time></div>`, "", "2026-01-31"},
		{"a stamp around three", `<div><time datetime="2026-01-31"><b><i><u>yesterday</u></i></b></time></div>`, "", ""},
		{"a caption with a name", `<div>Photo: Ann Rivers</div>`, "", ""},
		{"an element for authors", `<div class="author">Ann Rivers</div>`, "Ann Rivers", ""},
		{"four elements around it", `<div class="author"><b><i><u>Ann Rivers</u></i></b></div>`, "Ann Rivers", ""},
		{"five elements around it", `<div class="author"><b><i><u><q>Ann Rivers</q></u></i></b></div>`, "", ""},
		{"who says it before who is named", `<div class="author">Bob Stone</div><div>By Ann Rivers</div>`, "Ann Rivers", ""},
		{"the first of two", `<div>By Ann Rivers</div><div>By Bob Stone</div>`, "Ann Rivers", ""},
		{"the first of two named", `<div class="author">Ann Rivers</div><div class="author">Bob Stone</div>`, "Ann Rivers", ""},
		{"a pen name", `<div>By admiral</div>`, "admiral", ""},
		{"a pen name that ends like a sentence", `<div>By the way.</div>`, "", ""},
		{"the first of two pen names", `<div>By admiral</div><div>By captain</div>`, "admiral", ""},
		{"a pen name after a name", `<div>By Ann Rivers</div><div class="author">admiral</div>`, "Ann Rivers", ""},
		{"the word alone", `<div>By</div><div>Ann Rivers</div>`, "Ann Rivers", ""},
		{"the word alone, and a line between", `<div>By</div><div>x</div><div>Ann Rivers</div>`, "x", ""},
	} {
		page := textOf(t, lines(14, map[int]string{7: tc.byline})+paragraphs(first))
		if got := strings.Join(page.bylineOf(6, 8, 10), "|"); got != tc.authors {
			t.Errorf("%s: the authors %q, want %q", tc.name, got, tc.authors)
		}
		if got, _ := page.shownDate(6, 8, 10, calendar.Style{}); got != tc.date {
			t.Errorf("%s: the date %q, want %q", tc.name, got, tc.date)
		}
	}
}

// A damaged file may have an element where the document should be.
func TestTheFirstNodeCounts(t *testing.T) {
	s := &plat.Snapshot{Styles: []plat.Style{{Display: "block", Opacity: 1}}, Nodes: []plat.Node{
		{Kind: plat.ElementNode, Name: "h2", Parent: -1, End: 2, Attrs: []plat.Attr{{Name: "datetime", Value: "2026-01-31"}, {Name: "class", Value: "author"}}},
		{Kind: plat.TextNode, Value: "Pier", End: 2, HasBox: true, Box: plat.Rect{W: 10, H: 10}},
	}}
	page := newText(read(s, false), nil)
	q := &page.all[0]
	if page.heading(q) != 2 || page.stamp(q) != "2026-01-31" || page.near(q) != hintAuthor {
		t.Errorf("level %d, stamp %q, hints %b", page.heading(q), page.stamp(q), page.near(q))
	}
}

func TestHeadingsAreWithinThreeElements(t *testing.T) {
	for src, want := range map[string]int{
		"<h1>x</h1>": 1, "<h6>x</h6>": 6, "<h2><div>x</div></h2>": 2, "<h2><div><p>x</p></div></h2>": 2, "<h2><div><div><p>x</p></div></div></h2>": 0,
		"<h7>x</h7>": 0, "<h0>x</h0>": 0, "<hr>x": 0, "<h1><b><i>x</i></b></h1>": 1, "<p>x</p>": 0,
	} {
		page := textOf(t, src)
		if got := page.heading(&page.all[0]); got != want {
			t.Errorf("%s is of level %d, want %d", src, got, want)
		}
	}
}

func TestNamesOfLargeElementsAreNotNear(t *testing.T) {
	for n, want := range map[int]hints{36: hintAuthor, 37: 0} {
		page := textOf(t, `<div class="author"><p>x</p>`+strings.Repeat("<wbr>", n)+`</div>`)
		if got := page.near(&page.all[0]); got != want {
			t.Errorf("%d more elements: %b", n, got)
		}
	}
}

// bylineOf returns the authors of a page by its bylines.
func (t *text) bylineOf(title, begin, end int) []string {
	c := t.byline(title, begin, end, nil)
	return c.best()
}
