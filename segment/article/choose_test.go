package article

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatATextIsMadeOf(t *testing.T) {
	long := paragraphs(first, second, third, fourth)
	ended := joined(first, second, third, fourth)
	n := func(words int) string { return worded(words-1) + " end." }
	for _, tc := range []struct{ name, body, want string }{
		{"a short sentence of five words ends it", `<div>` + long + `<p>` + n(5) + `</p></div>`, ended + "\n\n" + n(5)},
		{"one of four in a paragraph does, too", `<div>` + long + `<p>` + n(4) + `</p></div>`, ended + "\n\n" + n(4)},
		{"but not in another element", `<div>` + long + `<div>` + n(4) + `</div></div>`, ended},
		{"while five do", `<div>` + long + `<div>` + n(5) + `</div></div>`, ended + "\n\n" + n(5)},
		{"five without an end do not", `<div>` + long + `<div>` + worded(5) + `</div></div>`, ended},
		{"a line of links does not end it", `<div>` + long + `<p><a href=x>` + worded(2) + `</a> ` + worded(2) + `</p></div>`, ended},
		{"with fewer links it does", `<div>` + long + `<p><a href=x>` + worded(2) + `</a> ` + worded(3) + `</p></div>`, ended + "\n\n" + worded(5)},
		{"a heading at the end is left out", `<div>` + long + `<h3>More</h3></div>`, ended},
		{"and one before the last paragraph is not", `<div>` + long + `<h3>More</h3><p>` + first + `</p></div>`, ended + "\n\nMore\n\n" + first},
		{"a heading before a short last line", `<div>` + long + `<h3>More</h3><p>x</p></div>`, ended + "\n\nMore\n\nx"},
		{"nothing after a line of another kind", `<div>` + long + `<div>x</div><p>y</p></div>`, ended},
		{"a heading above the first paragraph", `<h1>Pier</h1><div><h2>Stones</h2>` + long + `</div>`, "Stones\n\n" + ended},
		{"a long one right below the title is a subtitle", `<h1>Pier</h1><div><h2>` + worded(8) + `</h2>` + long + `</div>`, ended},
		{"a shorter one is not", `<h1>Pier</h1><div><h2>` + worded(7) + `</h2>` + long + `</div>`, worded(7) + "\n\n" + ended},
		{"nor is a long one further below", `<h1>Pier</h1><div>x</div><div>y</div><div><h2>` + worded(8) + `</h2>` + long + `</div>`, worded(8) + "\n\n" + ended},
		{"but one line below it is", `<h1>Pier</h1><div>x</div><div><h2>` + worded(8) + `</h2>` + long + `</div>`, ended},
		{"an outermost heading above it is not of the text", `<h2>Pier closes</h2><div><h1>Stones</h1>` + long + `</div>`, ended},
		{"a heading with a day is not", `<h1>Pier</h1><div><h2>31.01.2026</h2>` + long + `</div>`, ended},
		{"a short paragraph above the first", `<h1>Pier</h1><div><p>Harbour</p>` + long + `</div>`, "Harbour\n\n" + ended},
		{"two of them", `<h1>Pier</h1><div><p>Harbour</p><p>Ferry</p>` + long + `</div>`, "Harbour\n\nFerry\n\n" + ended},
		{"an item beside it", `<h1>Pier</h1><div><ul><li>Harbour</li></ul>` + long + `</div>`, "Harbour\n\n" + ended},
		{"a line in an element around it", `<h1>Pier</h1><div><div><p>Harbour</p></div>` + long + `</div>`, ended},
		{"a line that is no paragraph", `<h1>Pier</h1><div><div>Harbour</div>` + long + `</div>`, ended},
		{"a byline", `<h1>Pier</h1><div><p>By Ann Rivers</p>` + long + `</div>`, ended},
		{"a name", `<h1>Pier</h1><div><p class="author">Ann Rivers</p>` + long + `</div>`, ended},
		{"a day", `<h1>Pier</h1><div><p>31.01.2026</p>` + long + `</div>`, ended},
		{"a link", `<h1>Pier</h1><div><p><a href=x>Harbour</a></p>` + long + `</div>`, ended},
		{"a link of four words in the text", `<div>` + paragraphs(first, second) + `<p><a href=x>` + worded(4) + `</a></p>` + paragraphs(third) + `</div>`, joined(first, second, third)},
		{"a link of three in a paragraph may be a source", `<div>` + paragraphs(first, second) + `<p><a href=x>` + worded(3) + `</a></p>` + paragraphs(third) + `</div>`, joined(first, second, worded(3), third)},
		{"but not elsewhere", `<div>` + paragraphs(first, second) + `<div><a href=x>` + worded(3) + `</a></div>` + paragraphs(third) + `</div>`, joined(first, second, third)},
		{"signs without a letter", `<div>` + paragraphs(first, second) + `<p>* * *</p>` + paragraphs(third) + `</div>`, joined(first, second, third)},
		{"a summary in the text of 21 words", `<h1>Pier</h1><div><p class="summary">` + n(21) + `</p>` + long + `</div>`, ended},
		{"a summary of 22", `<h1>Pier</h1><div><p class="summary">` + n(22) + `</p>` + long + `</div>`, n(22) + "\n\n" + ended},
		{"a summary after seven passages", `<div>` + strings.Repeat("<p>"+first+"</p>", 7) + `<p class="summary">` + n(21) + `</p>` + long + `</div>`, strings.Repeat(first+"\n\n", 7) + ended},
		{"a summary after eight", `<div>` + strings.Repeat("<p>"+first+"</p>", 8) + `<p class="summary">` + n(21) + `</p>` + long + `</div>`, strings.Repeat(first+"\n\n", 8) + n(21) + "\n\n" + ended},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Extract(rendered(t, tc.body)).Text; got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

func TestASummaryAboveTheTextLeadsIt(t *testing.T) {
	n := func(words int) string { return worded(words-1) + " end." }
	for _, tc := range []struct {
		name, between string
		want          string
	}{
		{"22 words", "<p>" + n(22) + "</p>", "1"}, {"21", "<p>" + n(21) + "</p>", ""}, {"no sentence", "<p>" + worded(22) + "</p>", ""}, {"a heading", "<h2>" + n(22) + "</h2>", ""},
		{"two", "<p>" + n(22) + "</p><p>x</p><p>" + n(23) + "</p>", "1 3"}, {"three are too many", strings.Repeat("<p>"+n(22)+"</p>", 3), ""},
		{"hidden", "<p hidden>" + n(22) + "</p>", ""}, {"a menu", "<nav><p>" + n(22) + "</p></nav>", ""}, {"in a header", "<header><p>" + n(22) + "</p></header>", "1"},
		{"a fifth of links", `<p><a href=x>` + worded(5) + `</a> ` + worded(20) + ` end.</p>`, "1"}, {"more links", `<p><a href=x>` + worded(6) + `</a> ` + worded(20) + ` end.</p>`, ""},
		{"the same as the text", "<p>" + fourth + " " + fourth + "</p>", ""},
		{"29 lines below the title", strings.Repeat("<p>x</p>", 28) + "<p>" + n(22) + "</p>", "29"}, {"30 lines", strings.Repeat("<p>x</p>", 29) + "<p>" + n(22) + "</p>", ""},
	} {
		page := textOf(t, "<h1>Pier</h1>"+tc.between+strings.Repeat("<p>"+fourth+" "+fourth+"</p>", 5))
		begin := len(page.all) - 5
		if got := strings.Trim(fmt.Sprint(page.lead(0, begin)), "[]"); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
		if got := page.lead(-1, begin); got != nil {
			t.Errorf("%s: without a title %v", tc.name, got)
		}
	}
}

func TestWhatEndsAText(t *testing.T) {
	const ending = "<h3>Comments</h3>"
	long := paragraphs(first, second, third, fourth)
	all := joined(first, second, third, fourth)
	for name, tc := range map[string][2]string{
		"after most of it":                        {`<div>` + long + `</div>` + ending + `<div>` + paragraphs(first) + `</div>`, all},
		"before most of it":                       {`<div>` + paragraphs(first) + ending + paragraphs(second, third) + `</div>`, joined(first, second, third)},
		"as the first line":                       {`<div>` + ending + long + `</div>`, all},
		"inserted into a text that continues":     {`<div>` + paragraphs(first, second, third) + ending + paragraphs(fourth) + `</div>`, all},
		"before another part of the page":         {`<section><div>` + paragraphs(first, second, third) + `</div></section>` + ending + `<section><div>` + paragraphs(fourth) + `</div></section>`, joined(first, second, third)},
		"paragraphs in wrappers of their own":     {`<main><div><p>` + first + `</p></div><div><p>` + second + `</p></div>` + ending + `<div><p>` + third + `</p></div></main>`, joined(first, second, third)},
		"before what a name marks as boilerplate": {`<div>` + paragraphs(first, second, third) + ending + `<p class="comment">` + fourth + `</p></div>`, joined(first, second, third)},
	} {
		if got := Extract(rendered(t, tc[0])).Text; got != tc[1] {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, tc[1])
		}
	}
}

func TestTheDeclaredTextReplacesABeginning(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, tc := range map[string]struct{ body, shown, want string }{
		"three times as long":     {x(300), x(100), x(300)},
		"less":                    {x(300), x(101), x(101)},
		"a short one":             {x(299), "", ""},
		"a short one with blanks": {" " + x(299), "", ""},
		"with markup":             {x(300) + "<p>", "", ""},
		"with escaped markup":     {x(300) + "&lt;/p>", "", ""},
		"with signs":              {x(300) + " 1 &lt; 2", "", x(300) + " 1 < 2"},
	} {
		if got := (&declared{piece: piece{body: tc.body}}).instead(tc.shown); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for in, want := range map[string]string{
		"": "", "a  b": "a b", "a\r\nb": "a\nb", "a\n\n\n b \n c\n\n": "a\n\nb\nc", "\n\na": "a", "a\n \nb\n\nc": "a\n\nb\n\nc",
	} {
		if got := squeezeLines(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
