package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// linksTo writes links in a form with {url} and {title}.
func linksTo(format string, titles ...string) string {
	var b strings.Builder
	for _, t := range titles {
		b.WriteString(strings.NewReplacer("{url}", "/n/"+strings.ReplaceAll(strings.ToLower(t), " ", "-"), "{title}", t).Replace(format))
	}
	return b.String()
}

var prose = strings.Repeat("<p>The mill has stood at the river for three hundred years, and its wheel still turns in spring when the water is high.</p>", 6)

// A heading that announces news makes a list of few links, in any language, form and place of the main part.
func TestAHeadingAnnouncesAFewLinks(t *testing.T) {
	const item = `<li><a href="{url}">{title}</a></li>`
	for _, tc := range []struct {
		name, before, form, after string
		titles                    []string
		want                      bool
	}{
		{"three below Latest", "<h2>Latest</h2><ul>", item, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, true},
		{"two", "<h3>News from the mill</h3><ul>", item, "</ul>", []string{"Lost dog", "Choir sings"}, true},
		{"one", "<h2>Aktuelles</h2><ul>", item, "</ul>", []string{"Lost dog"}, true},
		{"bold words in a paragraph", "<p><b>Dernières nouvelles</b></p><ul>", item, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, true},
		{"without blanks between words", "<h2>お知らせ一覧</h2><ul>", item, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, true},
		{"a wrapper around the list", "<h2>Village news</h2><div><div><ul>", item, "</ul></div></div>", []string{"Lost dog", "Choir sings"}, true},
		{"divs", "<section><h2>Upcoming events</h2>", `<div class="n"><a href="{url}">{title}</a></div>`, "</section>", []string{"Lost dog", "Choir sings", "Road closed"}, true},
		{"a heading of a different kind", "<h2>Directions</h2><ul>", item, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, false},
		{"no heading", "<ul>", item, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, false},
		{"a sentence", "<p>Latest of all, the miller went home, closed the gate, and read these:</p><ul>", item, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, false},
		{"one paragraph with a link", "<h2>Latest</h2>", `<p><a href="{url}">{title}</a></p>`, "", []string{"Lost dog"}, false},
		{"places on the page", "<h2>Latest</h2><ul>", `<li><a href="#{title}">{title}</a></li>`, "</ul>", []string{"Lost dog", "Choir sings", "Road closed"}, false},
		{"a side column by its label", `<div block="sidebar 3"><h2>Latest</h2><ul>`, item, "</ul></div>", []string{"Lost dog", "Choir sings", "Road closed"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := func(titles ...string) *Page {
				return pageOf(t, pageURL, frame("<main><h1>The mill</h1>"+prose+tc.before+linksTo(tc.form, titles...)+tc.after+"</main>", false))
			}
			m := New()
			if _, broken := look(t, m, page(tc.titles...)); (broken == "") != tc.want {
				t.Fatalf("broken: %q", broken)
			}
			now := append([]string{"The fair begins"}, tc.titles...)
			told, _ := look(t, m, page(now[:len(tc.titles)]...)) // the list keeps its length
			if tc.want != slices.Equal(told, []string{"new The fair begins </n/the-fair-begins>"}) {
				t.Errorf("told %q", told)
			}
		})
	}
}

// A plain list that is most of the page stays the list beside a few announced links.
func TestAFewLinksReplaceNoLargerList(t *testing.T) {
	texts := linksTo("<li>{title}, and all are invited to come</li>", "The bridge is shut", "A concert is given", "Bread is baked", "The wheel is oiled", "Flour is sold", "The pond is cleaned", "Rain has come")
	m := New()
	page := func(more string) *Page {
		return pageOf(t, pageURL, "<main><h1>The mill</h1><ul>"+more+texts+`</ul><h3>Latest</h3><ul class="x">`+linksTo(`<li><a href="{url}">{title}</a></li>`, "Lost dog", "Choir sings")+"</ul></main>")
	}
	look(t, m, page(""))
	p := page("<li>A stork is seen, and all are invited to come</li>")
	p.Before = func() (string, error) { return "", nil }
	if told, _ := look(t, m, p); len(told) != 1 || !strings.Contains(told[0], "stork") {
		t.Errorf("told %q", told)
	}
}

func TestAListThatIsPassedOverIsNamed(t *testing.T) {
	const item = `<li><a href="{url}">{title}</a></li>`
	for _, tc := range []struct{ name, page, first, why string }{
		{"three links", `<div block="main 7"><ul>` + linksTo(item, "Lost dog", "Choir sings", "Road closed") + "</ul></div>", "Lost dog", "they are only 3, and 5 links make a list"},
		{"a single article", `<div block="main 7"><article><h2><a href="/a">Lost dog</a></h2><p>It is brown.</p></article></div>`, "Lost dog", "it is a single one, and 2 articles make a list"},
		{"three rows", `<div block="main 7"><table><tr><th>Title</th><th>Place</th></tr>` + linksTo("<tr><td>{title}</td><td>Hall</td></tr>", "Lost dog", "Choir sings", "Road closed") + "</table></div>", "Lost dog", "they are only 3, and 5 rows make a list"},
		{"three links in a side column", `<div block="sidebar 7"><ul>` + linksTo(item, "Lost dog", "Choir sings", "Road closed") + "</ul></div>", "Lost dog", "in block #7, labelled sidebar"},
		{"four links", `<div block="main 7"><ul>` + linksTo(item, "Lost dog", "Choir sings", "Road closed", "Hall shut") + "</ul></div>", "Lost dog", "they are only 4, and 5 links make a list"},
		{"two links", `<div block="main 7"><ul>` + linksTo(item, "Lost dog", "Choir sings") + "</ul></div>", "Lost dog", "they are only 2, and 5 links make a list"},
		{"a single link of a list", `<div block="main 7"><ul>` + linksTo(item, "Lost dog") + "</ul></div>", "Lost dog", "it is a single one, and 5 links make a list"},
		{"a single dated paragraph", `<div block="main 7"><p>3 May 2026: <a href="/a">Lost dog</a> is found</p></div>`, "Lost dog is found", "it is a single one, and 3 dated entries make a list"},
		{"two of seven are links", `<div block="main 7"><ul>` + linksTo(item, "Lost dog", "Choir sings") + linksTo("<li>{title}</li>", "A", "B", "C", "D", "E", "F") + "</ul></div>", "Lost dog", "they are only 2, and 5 links make a list"},
		{"two lists that begin alike", `<div block="main 7"><ul class="a">` + linksTo(item, "Lost dog", "Choir sings") + `</ul><ul class="b">` + linksTo(item, "Lost dog", "Road closed", "Hall shut") + "</ul></div>", "Lost dog", "they are only 3, and 5 links make a list"},
		{"two lists that begin alike, the longer one first", `<div block="main 7"><ul class="a">` + linksTo(item, "Lost dog", "Choir sings", "Hall shut") + `</ul><ul class="b">` + linksTo(item, "Lost dog", "Road closed") + "</ul></div>", "Lost dog", "they are only 3, and 5 links make a list"},
		{"three links in an aside", `<div block="main 7"><aside><ul>` + linksTo(item, "Lost dog", "Choir sings", "Road closed") + "</ul></aside></div>", "Lost dog", "in an element for navigation, a header, a footer or an aside"},
		{"six places on the page", `<div block="main 7"><ul>` + linksTo(`<li><a href="#{title}">{title}</a></li>`, "Lost dog", "Choir sings", "Road closed", "Hall shut", "Water off", "New bins") + "</ul></div>", "Lost dog", "it leads to places on the page itself"},
		{"six titles that are alike", `<div block="main 7"><ul>` + linksTo(`<li><a href="{url}">Buy it</a></li>`, "Lost dog", "Choir sings", "Road closed", "Hall shut", "Water off", "New bins") + "</ul></div>", "Buy it", "its titles are alike"},
		{"nine links in a menu", `<div block="navigation 7"><ul>` + linksTo(item, "Lost dog", "Choir sings", "Road closed", "Hall shut", "Water off", "New bins", "Old bins", "A fair", "A dance") + "</ul></div>", "Lost dog", "in block #7, labelled navigation"},
	} {
		found, err := Find(pageOf(t, pageURL, "<body>"+prose+tc.page), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Chosen) > 0 || len(found.Passed) != 1 || found.Passed[0].First != tc.first || found.Passed[0].Why != tc.why || found.Passed[0].Block != 7 {
			t.Errorf("%s: chosen %d, passed %+v", tc.name, len(found.Chosen), found.Passed)
		}
	}
	for name, page := range map[string]string{
		"a single div with a link": `<div><div class="n"><a href="/a">The mill</a></div></div>`, "a single link in an aside": `<aside><ul><li><a href="/">Mill Street</a></li></ul></aside>`,
		"nine entries of which two are links": "<ul>" + linksTo(`<li><a href="{url}">{title}</a> is here</li>`, "Lost dog", "Choir sings") + linksTo("<li>{title}</li>", "A", "B", "C", "D", "E", "F", "G") + "</ul>",
		"links in a text":                     `<p>See <a href="/a">the mill</a>, <a href="/b">the bridge</a> and <a href="/c">the tower</a>, all of which are near.</p>`, "no links": "<p>A text.</p>", "a link in a header": `<header><ul><li><a href="/">Mill Street</a></li></ul></header><p>A text.</p>`,
	} {
		if found, err := Find(pageOf(t, pageURL, "<body>"+page), Options{}); err != nil || len(found.Passed) > 0 {
			t.Errorf("%s: %v, %+v", name, err, found.Passed)
		}
	}
}

// Lists are named with the smallest block around their entries, and the largest come first.
func TestListsThatArePassedOverAreInOrder(t *testing.T) {
	const item = `<li><a href="{url}">{title}</a></li>`
	var b strings.Builder
	for i := range maxPassed + 2 {
		titles := []string{fmt.Sprintf("Lost dog %c", 'a'+i), "Choir sings", "Road closed", "Hall shut"}
		fmt.Fprintf(&b, `<center block="main %d"><ul class="list-%c">%s</ul></center>`, i+1, 'a'+i, linksTo(item, titles[:2+i%3]...))
	}
	found, err := Find(pageOf(t, pageURL, "<body>"+prose+b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found.Passed {
		got = append(got, fmt.Sprint(p.First[len(p.First)-1:], p.Entries, p.Block, len(p.Titles)))
	}
	if want := "c4 3 3 f4 6 3 i4 9 3 l4 12 3 b3 2 3 e3 5 3 h3 8 3 k3 11 3 a2 1 2 d2 4 2"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	tr := treeOf(t, "<ul><li>a</li><li>b</li><li>c</li></ul>")
	tr.blocks = []plat.Block{{Parent: -1, Lineage: 1}, {Parent: 0, Lineage: 2}, {Parent: 1, Lineage: 3}, {Parent: 1, Lineage: 4}, {Parent: 0, Lineage: 5}, {Parent: -1, Lineage: 6}}
	for blocks, want := range map[string]int32{"2": 3, "2 2": 3, "2 3": 2, "3 2": 2, "2 3 2": 2, "2 1": 2, "1 3": 2, "2 4": 0, "4 4": 5, "2 5": 0, "5": 0, "0": 0, "-1": 0, "2 -1": 0} {
		l := &list{}
		for s := range strings.FieldsSeq(blocks) {
			var e Entry
			fmt.Sscan(s, &e.Block)
			l.entries = append(l.entries, e)
		}
		if got := tr.around(l); got != want {
			t.Errorf("around entries in %s is #%d, want #%d", blocks, got, want)
		}
	}
	// Nothing is above the first element of a page, and a text too long is no heading.
	first := treeOf(t, "")
	if first.parse(`<ul><li><a href="/a">Lost dog</a></li></ul>`, nil); first.before(first.at("ul").first) != "" || first.before(first.at("li").first) != "" {
		t.Error("a text is above the first element")
	}
	for n, want := range map[int]int{maxHeading: maxHeading, maxHeading + 1: 0} {
		for deep, seen := range map[int]bool{0: true, 3: true, 4: false} {
			tr := treeOf(t, "<h2>"+strings.Repeat("x", n)+"</h2>"+nested(deep, "<div>", "<i>a</i>", "</div>"))
			if got := len(tr.before(tr.at("i").first)); got != want && seen || got != 0 && !seen {
				t.Errorf("%d characters above an element in %d others: %d are read", n, deep, got)
			}
		}
	}
}

// A feed is a list with one entry, and with none.
func TestAFeedMayHaveFewEntries(t *testing.T) {
	page := func(titles ...string) *Page {
		return pageOf(t, "https://site.test/feed", `<html><head><meta name="generator" content="plat feed"></head><body><header><h1>The mill</h1></header><main>`+
			linksTo(`<article><h2><a href="{url}">{title}</a></h2><div><ul><li><a href="/x">A link</a></li><li><a href="/y">One more link</a></li></ul></div></article>`, titles...)+"</main></body></html>")
	}
	m := New()
	for i, tc := range []struct{ titles, told []string }{
		{nil, nil}, {[]string{"Lost dog"}, []string{"Lost dog"}}, {[]string{"Choir sings"}, []string{"Choir sings"}}, {[]string{"Lost dog"}, nil},
		{[]string{"A b", "C d", "E f", "G h", "I j", "K l", "Lost dog"}, []string{"A b", "C d", "E f", "G h", "I j", "K l"}},
	} {
		var want []string
		for _, title := range tc.told {
			want = append(want, "new "+title+" </n/"+strings.ReplaceAll(strings.ToLower(title), " ", "-")+">")
		}
		p := page(tc.titles...)
		p.Before = func() (string, error) { return "", nil }
		if told, broken := look(t, m, p); !slices.Equal(told, want) || broken != "" {
			t.Errorf("look %d: told %q, broken %q", i, told, broken)
		}
	}
	all := New()
	look(t, all, page())
	many := page("A b", "C d", "E f", "G h", "I j", "K l", "M n")
	many.Before = func() (string, error) { return "", nil }
	if told, _ := look(t, all, many); len(told) != 7 {
		t.Errorf("an empty feed begins: %q", told)
	}
	linkless := pageOf(t, "https://site.test/feed", `<html><head><meta name="generator" content="plat feed"></head><body><main><article><h2>A notice</h2></article></main></body></html>`)
	if lists, err := chosen(linkless, Options{}); err != nil || len(lists) != 1 || len(lists[0].Entries) != 1 {
		t.Errorf("an entry without a link: %v, %v", lists, err)
	}
}

// Only a page that had a list is broken without one, also when its memory was stored in between.
func TestWhatWorkedBeforeIsBroken(t *testing.T) {
	text := func() *Page { return pageOf(t, pageURL, "<main><h1>The mill</h1>"+prose+"</main>") }
	m := New()
	for range 2 {
		if _, broken := look(t, m, text()); broken != NoList || !Undecided(broken) {
			t.Fatalf("a page without a list: %q", broken)
		}
	}
	look(t, m, pageOf(t, pageURL, shapes[0].page(posts(), false)))
	for i := range 4 {
		m = memoryOf(t, bytesOf(t, m))
		if _, broken := look(t, m, text()); broken == "" || Undecided(broken) {
			t.Errorf("look %d without the list: %q", i, broken)
		}
	}
}

// A list that tells nothing any more says so.
func TestAListWithOtherEntriesAtEveryCheckIsNotWell(t *testing.T) {
	m := New()
	names := []string{"Mill", "Bridge", "Tower", "Square", "Market", "Pond"}
	var broken string
	for i := range 2 * maxChurn {
		var titles []string
		for _, n := range names {
			titles = append(titles, n+" "+strings.Repeat("again ", i+1))
		}
		_, broken = look(t, m, pageOf(t, pageURL, "<main><ul>"+linksTo(`<li><a href="{url}">{title}</a></li>`, titles...)+"</ul></main>"))
		if want := i >= maxChurn; (broken == Restless) != want {
			t.Errorf("look %d: %q", i, broken)
		}
	}
	if !Undecided(broken) {
		t.Errorf("%q", broken)
	}
}

// Archives have the reasons in the words of earlier versions.
func TestReasonsOfEarlierVersionsAreUnderstood(t *testing.T) {
	for reason, want := range map[string]bool{
		NoList: true, Restless: true, "no list was found on the page": true, "the only list on the page has other entries at every visit": true,
		"": false, gone: false, "the list of 9 entries is gone": false,
	} {
		if Undecided(reason) != want {
			t.Errorf("%q: %v", reason, !want)
		}
	}
}

// Lists are named by what their reader sees: their kind, the text above them and their first entries.
func TestListsAreNamedAsAReaderSeesThem(t *testing.T) {
	named := func(page string) (out []string) {
		found, err := Find(textPage(t, frame(page, false)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range slices.Concat(found.Chosen, found.Further) {
			out = append(out, fmt.Sprint(l.Kind, " ", l.Heading, " ", l.Titles()))
		}
		for _, p := range found.Passed {
			out = append(out, fmt.Sprint("passed ", p.Heading, " ", p.Titles))
		}
		return out
	}
	for page, want := range map[string]string{
		prose + "<h2>In the mill</h2><ul><li>The wheel</li><li>The weir</li><li>The barn</li><li>A cart</li></ul>" + prose:                                                                                   "texts In the mill [The wheel The weir The barn]",
		prose + "<h2>Things</h2><table><tr><td>The wheel</td><td>of oak</td></tr><tr><td>The weir</td><td>of stone</td></tr><tr><td>The barn</td><td>of clay</td></tr></table>" + prose:                      "rows",
		prose + "<h3>The wheel</h3><p>It is old.</p><h3>The weir</h3><p>It is new.</p><h3>The barn</h3><p>It is dry.</p>" + prose:                                                                            "sections  [The wheel The weir The barn]",
		prose + "<dl><dt>The wheel</dt><dd>It is old.</dd><dt>The weir</dt><dd>It is new.</dd><dt>The barn</dt><dd>It is dry.</dd></dl>" + prose:                                                             "terms  [The wheel The weir The barn]",
		prose + "<h2>Cards</h2><div>" + `<div class="c"><h3>The wheel</h3><p>Old.</p></div><div class="c"><h3>The weir</h3><p>New.</p></div><div class="c"><h3>The barn</h3><p>Dry.</p></div></div>` + prose: "entries Cards [The wheel The weir The barn]",
		prose + `<h2>See also</h2><ul><li><a href="/a">Lost dog</a></li><li><a href="/b">Choir sings</a></li></ul>`:                                                                                          "passed See also [Lost dog Choir sings]",
	} {
		if got := named(page); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
}
