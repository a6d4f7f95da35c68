package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// first returns a memory that has examined a page once.
func first(t *testing.T, p *Page) *Memory {
	t.Helper()
	m := New()
	if told, _ := look(t, m, p); len(told) > 0 {
		t.Fatalf("the first look tells %q", told)
	}
	return m
}

func TestAPageThatLostItsListIsBrokenOnce(t *testing.T) {
	blog := func(ps []post) *Page { return pageOf(t, pageURL, shapes[0].page(ps, false)) }
	all := posts()
	for _, tc := range []struct {
		name, reason string
		page         *Page
	}{
		{"everything is gone", "the list of 9 entries is gone", pageOf(t, pageURL, `<main><h1>Are you human?</h1><p>Please wait.</p></main>`)},
		{"an empty page", "the list of 9 entries is gone", raw("")},
		{"most are gone", "of 9 entries only 2 are left", blog(all[:2])},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := first(t, blog(all))
			if told, broken := look(t, m, tc.page); len(told) > 0 || broken != tc.reason {
				t.Fatalf("told %q, broken %q, want %q", told, broken, tc.reason)
			}
			if told, broken := look(t, memoryOf(t, bytesOf(t, m)), blog(with(all, 0, fresh))); !slices.Equal(told, []string{shapes[0].told("new", fresh)}) || broken != "" {
				t.Errorf("when it is back: told %q, broken %q", told, broken)
			}
			for range 3 { // a state that lasts is accepted
				if told, broken := look(t, m, tc.page); len(told) > 0 || strings.Contains(broken, "9") {
					t.Errorf("when it stays: told %q, broken %q", told, broken)
				}
			}
			if told, broken := look(t, m, blog(all)); len(told) > 0 || broken != "" {
				t.Errorf("when it is back after that: told %q, broken %q", told, broken)
			}
		})
	}
}

func TestWhatIsNoList(t *testing.T) {
	text := strings.Repeat("<p>The mill has stood at the river for three hundred years, and its wheel still turns in spring when the water is high.</p>", 6)
	manual := `<ul>` + counted(6, `<li>If the wheel no <a href="/w/%[1]d">%[1]d of the mill</a> has stopped after a flood, clean it of all the leaves and branches with a long rake, oil its bearings, and only then open the gate to the river again.</li>`) + `</ul>`
	for _, tc := range []struct{ name, page string }{
		{"long sentences with a link near their begin", frame(strings.ReplaceAll(manual, "If the wheel no <a", "A <a"), false)},
		{"menu and footer", frame(text, false)},
		{"links in a text", frame(`<p>See <a href="/a">the mill</a>, <a href="/b">the bridge</a> and <a href="/c">the tower</a>, all of which are near <a href="/d">the square</a>, where <a href="/e">the market</a> is.</p>`+text, false)},
		{"sentences with links", frame(`<ul><li>To build it you need <a href="/jdk">a compiler</a> and some patience.</li><li>Then run <a href="/make">the builder</a> in the directory.</li><li>If it fails, read <a href="/faq">the questions</a> first.</li><li>Do not ask on <a href="/list">the list</a> before that.</li><li>Last, install <a href="/bin">the program</a> for all.</li></ul>`, false)},
		{"table of contents", frame(`<ul><li><a href="#one">First things</a></li><li><a href="#two">Second things</a></li><li><a href="#three">Third things</a></li><li><a href="#four">Fourth things</a></li><li><a href="#five">Fifth things</a></li></ul><h2 id="one">First things</h2>`+text+`<h2 id="two">Second things</h2>`+text+`<h2 id="three">Third things</h2>`+text, false)},
		{"sidebar in an aside", frame(text, false) + `<aside><ul><li><a href="/1">Popular story one</a></li><li><a href="/2">Popular story two</a></li><li><a href="/3">Popular story three</a></li><li><a href="/4">Popular story four</a></li><li><a href="/5">Popular story five</a></li></ul></aside>`},
		{"menu by its label", `<body><div block="navigation 3"><ul><li><a href="/1">Title one</a></li><li><a href="/2">Title two</a></li><li><a href="/3">Title three</a></li><li><a href="/4">Title four</a></li><li><a href="/5">Title five</a></li></ul></div>` + text},
		{"adverts by their label", `<body><div block="advertisement 3"><ul><li><a href="/1">Buy one</a></li><li><a href="/2">Buy two</a></li><li><a href="/3">Buy three</a></li><li><a href="/4">Buy four</a></li><li><a href="/5">Buy five</a></li></ul></div>` + text},
		{"menu by its role", `<body><div role="navigation"><ul><li><a href="/1">Title one</a></li><li><a href="/2">Title two</a></li><li><a href="/3">Title three</a></li><li><a href="/4">Title four</a></li><li><a href="/5">Title five</a></li></ul></div>` + text},
		{"logos of sponsors", frame(`<ul><li><a href="https://a.test"><img alt="Acme"></a></li><li><a href="https://b.test"><img alt="Bolt"></a></li><li><a href="https://c.test"><img alt="Cork"></a></li><li><a href="https://d.test"><img alt="Dune"></a></li><li><a href="https://e.test"><img alt="East"></a></li></ul>`+text, false)},
		{"numbers of pages", frame(text+`<ul><li><a href="?p=1">1</a></li><li><a href="?p=2">2</a></li><li><a href="?p=3">3</a></li><li><a href="?p=4">4</a></li><li><a href="?p=5">5</a></li></ul>`, false)},
		{"text for browsers without scripts", frame(text+`<noscript><ul><li><a href="/1">Title one</a></li><li><a href="/2">Title two</a></li><li><a href="/3">Title three</a></li><li><a href="/4">Title four</a></li><li><a href="/5">Title five</a></li></ul></noscript>`, false)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lists, err := chosen(pageOf(t, pageURL, tc.page), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lists {
				t.Errorf("a list of %s: %q", l.Kind, titles(l.Entries))
			}
		})
	}
}

func titles(es []Entry) (out []string) {
	for _, e := range es {
		out = append(out, e.Title)
	}
	return out
}

// sectioned returns a list whose entries all begin with the same text.
func sectioned(names ...string) string {
	out := ""
	for _, n := range names {
		out += `<div class="teaser"><div>News</div><div>Story of ` + n + ` and its wheel</div><div>1 May 2026</div><a href="/s/` + n + `">More</a></div>`
	}
	return out
}

// tagged returns a list whose entries all have the same first link.
func tagged(names ...string) string {
	out := "<ul>"
	for _, n := range names {
		out += `<li><div>Trip to ` + n + `</div><div>1 May 2026</div><a href="/trips">All the trips of this year</a> <a href="/trip/` + n + `">photographs</a></li>`
	}
	return out + "</ul>"
}

// headers returns a list of articles with the titles in their header elements.
func headers(names ...string) string {
	out := ""
	for _, n := range names {
		out += `<article><header><div><a href="/trip/` + n + `">Trip to ` + n + `</a></div></header><div>1 May 2026</div></article>`
	}
	return out
}

func TestALinkListThatIsAlwaysAnotherGrowsSilent(t *testing.T) {
	page := func(n int) *Page {
		out := "<h2>See also</h2><ul>"
		for k := range 6 {
			out += fmt.Sprintf(`<li><a href="/x/%d">Hint %c%c to read</a></li>`, 6*n+k, 'a'+n, 'a'+k)
		}
		return pageOf(t, pageURL, frame(out+"</ul>", false))
	}
	m := first(t, page(0))
	for n := range 12 {
		if told, _ := look(t, m, page(n+1)); n > maxChurn && len(told) > 0 {
			t.Errorf("look %d tells %q", n, told)
		}
	}
}

// TestPages examines pages in order, and checks the report on the last one.
func TestPages(t *testing.T) {
	const releases = `<h2>Mill 2.1.0</h2><p>Our latest release. <a href="/dl/mill-2.1.0.tgz">mill-2.1.0.tgz</a> (<a href="/dl/mill-2.1.0.tgz.asc">asc</a>)</p>`
	const stable = `<h2>All releases</h2><ul><li>Mill 2.1.0 - 2026-02-01 (<a href="/dl/mill-2.1.0.tgz">Source</a>)</li><li>Mill 2.0.1 - 2025-12-01 (<a href="/dl/mill-2.0.1.tgz">Source</a>)</li><li>Mill 2.0.0 - 2025-11-01 (<a href="/dl/mill-2.0.0.tgz">Source</a>)</li><li>Mill 1.9.0 - 2025-06-01 (<a href="/dl/mill-1.9.0.tgz">Source</a>)</li></ul>`
	rows := func(names ...string) string {
		out := "<table><tr><th>Name</th><th>Role</th><th>Since</th></tr>"
		for _, n := range names {
			out += "<tr><td>" + n + "</td><td>member</td><td>founder</td></tr>"
		}
		return out + "</table>"
	}
	updates := func(open string, lines ...string) string {
		out := `<div>Published <span>3 March 2026</span></div>` + open + `<ol>`
		for _, l := range lines {
			day, text, _ := strings.Cut(l, ": ")
			out += `<li><time datetime="` + day + `T09:30:00.000+00:00">` + spelled(day) + `</time><p>` + text + `</p></li>`
		}
		return out + `</ol></div>`
	}
	cves := func(open string, names ...string) string {
		out := "<ul>"
		for _, n := range names {
			out += `<li><a href="` + open + n + `">` + n + `</a>: a request may make the mill stop</li>`
		}
		return out + "</ul>"
	}
	forum := func(lines ...string) string {
		out := `<table><tr><th>Thread</th><th>Replies</th></tr>`
		for _, l := range lines {
			id, n, _ := strings.Cut(l, " ")
			out += `<tr><td><a href="/t/` + id + `">How do I ` + id + ` the wheel (` + n + ` replies)</a></td><td>` + n + `</td></tr>`
		}
		return out + `</table>`
	}
	links := func(hrefs ...string) string {
		out := "<ul>"
		for i, h := range hrefs {
			out += `<li><a href="` + h + `">Story number ` + strings.Repeat("i", i+1) + `</a></li>`
		}
		return out + "</ul>"
	}
	window := []string{"one", "two", "three", "four", "five", "six", "seven"}
	for _, tc := range []struct {
		name  string
		url   string
		pages []string
		want  []string
	}{
		{name: "a release on a page with a section, a list of all and contents is told once", pages: []string{
			`<ul><li><a href="#m210">Mill 2.1.0</a></li></ul>` + releases + stable,
			`<ul><li><a href="#m220">Mill 2.2.0</a></li></ul>` + strings.ReplaceAll(releases, "2.1.0", "2.2.0") + strings.Replace(stable, "<ul>", `<ul><li>Mill 2.2.0 - 2026-03-01 (<a href="/dl/mill-2.2.0.tgz">Source</a>)</li>`, 1)},
			want: []string{"new Mill 2.2.0 </dl/mill-2.2.0.tgz>"}},
		{name: "a note in a history of updates", pages: []string{
			updates("<div>", "2026-03-03: Added the figures of February.", "2026-02-03: Added the figures of January.", "2025-12-01: First published."),
			updates("<div>", "2026-04-03: Updated figures.", "2026-03-03: Added the figures of February.", "2026-02-03: Added the figures of January.", "2025-12-01: First published.")},
			want: []string{"new 3 April 2026 Updated figures. 2026-04-03"}},
		{name: "a note that says what one before did", pages: []string{
			updates("<div>", "2026-03-03: Updated figures.", "2026-02-03: Updated figures.", "2025-12-01: First published."),
			updates("<div>", "2026-04-03: Updated figures.", "2026-03-03: Updated figures.", "2026-02-03: Updated figures.", "2025-12-01: First published.")},
			want: []string{"new 3 April 2026 Updated figures. 2026-04-03"}},
		{name: "vulnerabilities whose links move to another site", pages: []string{
			cves("https://old.test/", "CVE-2025-1001", "CVE-2025-1002", "CVE-2025-1003", "CVE-2025-1004", "CVE-2025-1005"),
			cves("https://new.test/", "CVE-2025-1001", "CVE-2025-1002", "CVE-2025-1003", "CVE-2025-1004", "CVE-2025-1005", "CVE-2026-1006")},
			want: []string{"new CVE-2026-1006 <https://new.test/CVE-2026-1006>"}},
		{name: "people in a table", pages: []string{rows("Ada Hill", "Bert Lake", "Cleo Stone", "Dora Field", "Egon Ford"), rows("Ada Hill", "Bert Lake", "Bibi Moor", "Cleo Stone", "Dora Field", "Egon Ford")},
			want: []string{"new Bibi Moor"}},
		{name: "threads with counters in their titles, in another order", pages: []string{forum("oil 3", "turn 12", "stop 0", "paint 7", "build 1"), forum("stop 1", "oil 3", "turn 19", "paint 7", "build 1")}},
		{name: "a thread among others that moved", pages: []string{forum("oil 3", "turn 12", "stop 0", "paint 7", "build 1"), forum("stop 1", "break 0", "oil 4", "turn 19", "paint 7", "build 1")},
			want: []string{"new How do I break the wheel (0 replies) </t/break>"}},
		{name: "the oldest is pushed off the begin", pages: []string{rows(window[:6]...), rows(window[1:]...)}, want: []string{"new seven"}},
		{name: "addresses relative to a base", pages: []string{
			`<base href="/archive/2026/">` + links("a", "b", "c", "d", "e"),
			`<base href="/archive/2026/">` + links("a", "b", "c", "d", "e", "f")},
			want: []string{"new Story number iiiiii </archive/2026/f>"}},
		{name: "a page by the name of its index file", url: "https://site.test/blog/index.html", pages: []string{
			links("one/", "two/", "three/", "four/", "five/"),
			links("one/index.html", "two/index.html", "three", "http://site.test/blog/four/", "five/", "six/")},
			want: []string{"new Story number iiiiii </blog/six/>"}},
		{name: "an article whose link is another's for a while", pages: []string{
			`<article><h2>Wheel stopped</h2><p>1 May 2026</p><a href="/download">Read more</a></article><article><h2>Roof mended</h2><p>2 April 2026</p><a href="/roof">Read more</a></article>`,
			`<article><h2>Door painted</h2><p>9 May 2026</p><a href="/download">Read more</a></article><article><h2>Wheel stopped</h2><p>1 May 2026</p><a href="/download">Read more</a></article>`},
			want: []string{"new Door painted </download> 2026-05-09"}},
		{name: "an entry with the title of others", pages: []string{
			`<ul><li><a href="/m/1">Notes of the meeting</a></li><li><a href="/m/2">Notes of the meeting</a></li><li><a href="/m/3">Report on the roof</a></li><li><a href="/m/4">Plan for the wheel</a></li><li><a href="/m/5">Letter to the council</a></li></ul>`,
			`<ul><li><a href="/m/6">Notes of the meeting</a></li><li><a href="/m/1">Notes of the meeting</a></li><li><a href="/m/2">Notes of the meeting</a></li><li><a href="/m/3">Report on the roof</a></li><li><a href="/m/4">Plan for the wheel</a></li><li><a href="/m/5">Letter to the council</a></li></ul>`},
			want: []string{"new Notes of the meeting </m/6>"}},
		{name: "entries under the name of their section", pages: []string{
			sectioned("a", "b", "c", "d"), sectioned("n", "a", "b", "c", "d")},
			want: []string{"new Story of n and its wheel </s/n> 2026-05-01"}},
		{name: "entries whose first link is that of all", pages: []string{
			tagged("alpha", "beta", "gamma", "delta", "zeta"), tagged("omega", "alpha", "beta", "gamma", "delta", "zeta")},
			want: []string{"new Trip to omega </trip/omega> 2026-05-01"}},
		{name: "words in elements with white space between", pages: []string{
			rows("<b>Ada</b> <i>Hill</i>", "Bert Lake", "Cleo Stone", "Dora Field", "Egon Ford"), rows("<b>Ada</b> <i>Hill</i>", "<b>Bibi</b>\n<i>Moor</i>", "Bert Lake", "Cleo Stone", "Dora Field", "Egon Ford")},
			want: []string{"new Bibi Moor"}},
		{name: "titles in headers of articles", pages: []string{
			headers("alpha", "beta", "gamma"), headers("omega", "alpha", "beta", "gamma")},
			want: []string{"new Trip to omega </trip/omega> 2026-05-01"}},
		{name: "a list that turns up as a whole", pages: []string{
			rows(window[:6]...),
			rows(window[:6]...) + links("a", "b", "c", "d", "e")}},
		{name: "nested lists", pages: []string{
			`<ul><li><a href="/2026">Year of the flood</a><ul><li><a href="/a">Water in the cellar</a></li><li><a href="/b">Water in the hall</a></li><li><a href="/c">Water on the roof</a></li></ul></li><li><a href="/2025">Year of the drought</a><ul><li><a href="/d">No water in the well</a></li><li><a href="/e">No water in the brook</a></li></ul></li></ul>`,
			`<ul><li><a href="/2026">Year of the flood</a><ul><li><a href="/x">Water all gone</a></li><li><a href="/a">Water in the cellar</a></li><li><a href="/b">Water in the hall</a></li><li><a href="/c">Water on the roof</a></li></ul></li><li><a href="/2025">Year of the drought</a><ul><li><a href="/d">No water in the well</a></li><li><a href="/e">No water in the brook</a></li></ul></li></ul>`},
			want: []string{"new Water all gone </x>"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			url := tc.url
			if url == "" {
				url = pageURL
			}
			m := New()
			for i, src := range tc.pages {
				told, broken := look(t, m, pageOf(t, url, frame(src, false)))
				var want []string
				if i == len(tc.pages)-1 {
					want = tc.want
				}
				if !slices.Equal(told, want) || broken != "" {
					t.Errorf("look %d tells\n%s\nwant\n%s\nbroken %q", i, strings.Join(told, "\n"), strings.Join(want, "\n"), broken)
				}
			}
		})
	}
}

func TestOptionsRestrictWhatIsLookedAt(t *testing.T) {
	part := func(label, lineage, name string) string {
		out := `<div block="` + label + " " + lineage + `"><ul class="` + name + `">`
		for _, w := range []string{"alpha", "beta", "gamma", "delta", "epsilon"} {
			out += `<li><a href="/` + name + w + `">` + name + ` of ` + w + `</a></li>`
		}
		return out + `</ul></div>`
	}
	p := pageOf(t, pageURL, part("main", "3", "News")+part("list", "4", "Films")+part("footer", "5", "Terms"))
	for _, tc := range []struct {
		name string
		opt  Options
		want string
	}{
		{"nothing", Options{}, "News Films"},
		{"a chosen block", Options{Blocks: []int32{4}}, "Films"},
		{"a muted block", Options{Muted: []int32{4}}, "News"},
		{"muted wins", Options{Blocks: []int32{3, 4}, Muted: []int32{4}}, "News"},
		{"a label", Options{Labels: []plat.Label{plat.LabelList}}, "Films"},
		{"a block that is not there", Options{Blocks: []int32{9}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lists, err := chosen(p, tc.opt)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range lists {
				name, _, _ := strings.Cut(l.Entries[0].Title, " ")
				got = append(got, name)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("lists %q, want %q", got, tc.want)
			}
		})
	}
}
