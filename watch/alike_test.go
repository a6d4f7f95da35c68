package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rowsOf writes entries in a form with {0}, {1}, … for their parts, which bars divide.
func rowsOf(form string, all []string) string {
	var b strings.Builder
	for _, parts := range all {
		s := form
		for i, v := range strings.Split(parts, "|") {
			s = strings.ReplaceAll(s, fmt.Sprintf("{%d}", i), v)
		}
		b.WriteString(s)
	}
	return b.String()
}

// around puts entries into the main part of a page, between an opening and an end.
func around(t *testing.T, open, form, end string, all []string) *Page {
	return textPage(t, `<html lang="en"><body><header block="header 1"><a href="/">The mill</a></header><main block="main 3"><h1>The mill</h1>`+open+rowsOf(form, all)+end+`</main><footer block="footer 4"><p>Mill Lane 4</p></footer></body></html>`)
}

// TestEntriesThatShareATitleAreToldApart by their dates, addresses and further texts. A new one is told, whether the list grows or
// drops its oldest, and the list does not vanish.
func TestEntriesThatShareATitleAreToldApart(t *testing.T) {
	for _, tc := range []struct {
		name, open, form, end string
		was                   []string
		fresh, want           string
	}{
		{"rehearsals with a link and a date", "<ul>", `<li><a href="/r/{0}">Open rehearsal</a> on {1}</li>`, "</ul>", []string{"4|4 May 2026", "3|27 April 2026", "2|20 April 2026", "1|13 April 2026"}, "5|11 May 2026", "new Open rehearsal on </r/5> 2026-05-11"},
		{"rows of builds", "<table><tr><th>Build</th><th>Of</th></tr>", `<tr><td>Nightly image</td><td>{0}</td></tr>`, "</table>", []string{"4 May 2026", "3 May 2026", "2 May 2026", "1 May 2026"}, "5 May 2026", "new Nightly image 2026-05-05"},
		{"headings without links", "", `<section><h3>Repair café</h3><p>{0}, {1}</p></section>`, "", []string{"4 May 2026|old hall", "6 April 2026|barn", "2 March 2026|old hall"}, "1 June 2026|barn", "new Repair café 2026-06-01"},
		{"articles of one day", "", `<article><h2><a href="/c/{0}">Fix a typo</a></h2><p>4 May 2026</p></article>`, "", []string{"c", "b"}, "d", "new Fix a typo </c/d> 2026-05-04"},
		{"lines of a paragraph", "<p>", `Ferry timetable as of {0}<br>`, "</p>", []string{"4 May 2026", "6 April 2026", "2 March 2026", "2 February 2026"}, "1 June 2026", "new Ferry timetable as of 2026-06-01"},
		{"one address", "<ul>", `<li><a href="/water">Water shut off</a> {0}</li>`, "</ul>", []string{"4 May 2026", "6 April 2026", "2 March 2026"}, "1 June 2026", "new Water shut off </water> 2026-06-01"},
	} {
		for _, rolls := range []bool{false, true} {
			m := New()
			before := around(t, tc.open, tc.form, tc.end, tc.was)
			if _, broken := look(t, m, before); broken != "" {
				t.Errorf("%s: %s", tc.name, broken)
			}
			all := slices.Insert(slices.Clone(tc.was), 0, tc.fresh)
			if rolls {
				all = all[:len(tc.was)]
			}
			now := around(t, tc.open, tc.form, tc.end, all)
			if told := lookAfter(t, m, before, now); !slices.Equal(told, []string{tc.want}) {
				t.Errorf("%s, rolls %v: told %q", tc.name, rolls, told)
			}
			if told, broken := look(t, m, around(t, tc.open, tc.form, tc.end, all)); len(told) > 0 || broken != "" {
				t.Errorf("%s, rolls %v: told %q again, %q", tc.name, rolls, told, broken)
			}
		}
	}
}

// TestAListDoesNotVanishByEqualTitles: what is a list remains one when it grows.
func TestAListDoesNotVanishByEqualTitles(t *testing.T) {
	for name, tc := range map[string]struct {
		form string
		was  []string
		more []string
		want string
	}{
		"articles": {`<article><h2><a href="/a/{0}">{1}</a></h2><p>Read it here.</p></article>`, []string{"2|Letter from the mill", "1|The wheel turns"}, []string{"5|Letter from the mill", "4|Letter from the mill", "3|Letter from the mill"}, "</a/{0}>"},
		"links":    {`<li><a href="/a/{0}">{1}</a></li>`, []string{"5|Letter from the mill", "4|The wheel turns", "3|Flour", "2|Bread", "1|The pond"}, []string{"9|Letter from the mill", "8|Letter from the mill", "7|Letter from the mill", "6|Letter from the mill", "y|Flour", "x|Bread"}, "</a/{0}>"},
		"rows":     {`<tr><td><a href="/a/{0}">{1}</a></td><td>{0} tons</td></tr>`, []string{"5|Rye", "4|Oats", "3|Wheat", "2|Barley", "1|Spelt"}, []string{"9|Rye", "8|Rye", "7|Oats", "6|Oats", "y|Oats", "x|Rye"}, "</a/{0}>"},
	} {
		m := New()
		all := tc.was
		open, end := "", ""
		if strings.HasPrefix(tc.form, "<tr") {
			open, end = "<table>", "</table>"
		}
		before := around(t, open, tc.form, end, all)
		look(t, m, before)
		for _, more := range slices.Backward(tc.more) {
			all = slices.Insert(slices.Clone(all), 0, more)
			now := around(t, open, tc.form, end, all)
			told := lookAfter(t, m, before, now)
			if len(told) != 1 || !strings.HasSuffix(told[0], rowsOf(tc.want, []string{more})) {
				t.Errorf("%s: %s: told %q", name, more, told)
			}
			before = now
		}
	}
}

// TestAFeedIsAListWhateverItsTitles: entries of a feed may all have one title.
func TestAFeedIsAListWhateverItsTitles(t *testing.T) {
	page := func(all ...string) *Page {
		return textPage(t, `<html><head><meta name="generator" content="plat feed"></head><body><header><h1>Builds</h1></header><main block="main 3">`+rowsOf(`<article><h2><a href="/b/{0}">Deploy</a></h2><p class="about"><time datetime="{1}">{1}</time></p></article>`, all)+`</main></body></html>`)
	}
	m := New()
	all := []string{"3|2026-05-03", "2|2026-05-02", "1|2026-05-02"}
	look(t, m, page(all...))
	for _, more := range []string{"4|2026-05-03", "5|2026-05-04"} {
		all = slices.Insert(all, 0, more)
		if told, broken := look(t, m, page(all...)); len(told) != 1 || broken != "" || !strings.Contains(told[0], "/b/"+more[:1]) {
			t.Errorf("%s: told %q, %q", more, told, broken)
		}
	}
}

// TestEntriesOfAFeedAreKnownByTheirIdentifiers: by them alone if title and link change, and new by them if nothing else differs. Identifiers
// that several entries share count for nothing.
func TestEntriesOfAFeedAreKnownByTheirIdentifiers(t *testing.T) {
	const linked, plain = `<article data-entry="{0}"><h2><a href="{1}">{2}</a></h2></article>`, `<article data-entry="{0}"><h2>{2}</h2></article>`
	for _, tc := range []struct {
		name, form, was, is string
		want                []string
	}{
		{"a title and a link are changed", linked, "a|/1|Tide tabels;b|/2|Dredging", "a|/en/1|Tables of tides;b|/2|Dredging", nil},
		{"all moved", linked, "a|/1|Tides;b|/2|Dredging", "a|https://tides.test/x|High and low;b|https://tides.test/y|A digger comes", nil},
		{"one build more", plain, "7||Deploy of main;6||Deploy of main", "8||Deploy of main;7||Deploy of main;6||Deploy of main", []string{"new Deploy of main"}},
		{"one build more, the oldest less", plain, "7||Deploy of main;6||Deploy of main", "8||Deploy of main;7||Deploy of main", []string{"new Deploy of main"}},
		{"one build more with the link of all", linked, "7|/ci|Deploy of main;6|/ci|Deploy of main", "8|/ci|Deploy of main;7|/ci|Deploy of main;6|/ci|Deploy of main", []string{"new Deploy of main </ci>"}},
		{"a new one", linked, "a|/1|Tides;b|/2|Dredging", "c|/3|Storm;a|/1|Tides;b|/2|Dredging", []string{"new Storm </3>"}},
		{"a known link and title of a new identifier", linked, "a|/1|Tides;b|/2|Dredging", "x|/1|Tides;y|/2|Dredging", nil},
		{"one identifier of all", linked, "a|/1|Tides;a|/2|Dredging", "a|/3|Storm;a|/1|Tides;a|/2|Dredging", []string{"new Storm </3>"}},
		{"the order", plain, "7||Deploy of main;6||Deploy of main", "6||Deploy of main;7||Deploy of main", nil},
	} {
		page := func(all string) *Page {
			return textPage(t, `<html><head><meta name="generator" content="plat feed"></head><body><header><h1>Port</h1></header><main block="main 3">`+rowsOf(tc.form, strings.Split(all, ";"))+`</main></body></html>`)
		}
		m := New()
		look(t, m, page(tc.was))
		m = memoryOf(t, bytesOf(t, m))
		told, broken := look(t, m, page(tc.is))
		told = slices.DeleteFunc(told, func(line string) bool { return !strings.HasPrefix(line, "new ") })
		if !slices.Equal(told, tc.want) || broken != "" {
			t.Errorf("%s: told %q, want %q; %s", tc.name, told, tc.want, broken)
		}
	}
}

// TestTitlesThatAreAlikeMakeNoList without dates or addresses of articles, or apart from one another.
func TestTitlesThatAreAlikeMakeNoList(t *testing.T) {
	for _, tc := range []struct{ name, open, form, end, was, now string }{
		{"dates of the parts of a document", "", `<section><h2>{0}</h2>` + prose + `<p class="at">Updated on {1}</p></section>`, "", "Wheels|3 May 2026;Stones|5 May 2026;Sieves|1 April 2026", "Wheels|3 May 2026;Stones|12 May 2026;Sieves|1 April 2026"},
		{"dates of the parts of a flat document", "", `<h2>{0}</h2>` + prose + `<p class="at">Updated on {1}</p>`, "", "Wheels|3 May 2026;Stones|5 May 2026;Sieves|1 April 2026", "Wheels|3 May 2026;Stones|12 May 2026;Sieves|1 April 2026"},
		{"buttons", "<ul>", `<li><a href="/buy/{0}">Buy it</a></li>`, "</ul>", "1;2;3;4;5;6", "7;1;2;3;4;5;6"},
		{"counters", "<ul>", `<li>Grinding now: {0}</li>`, "</ul>", "1;2;3;4", "5;2;3;4"},
		{"one date", "", `<div class="c"><p>Open on 4 May 2026</p></div>`, "", "1;2;3", "1;2;3;4"},
	} {
		m := New()
		before := around(t, tc.open, tc.form, tc.end, strings.Split(tc.was, ";"))
		look(t, m, before)
		if told := lookAfter(t, m, before, around(t, tc.open, tc.form, tc.end, strings.Split(tc.now, ";"))); len(told) > 0 {
			t.Errorf("%s: told %q", tc.name, told)
		}
	}
}
