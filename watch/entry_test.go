package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"plat/plat"
	"plat/plat/calendar"
)

// treeOf parses a page.
func treeOf(t testing.TB, src string) *tree {
	t.Helper()
	tr, err := read(pageOf(t, pageURL, src))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// at returns the first element of a name as a record.
func (t *tree) at(name string) record {
	for i := range t.nodes {
		if t.nodes[i].name == name {
			return record{int32(i), t.nodes[i].end}
		}
	}
	return record{}
}

// traits lists what is known of an entry.
func traits(e *Entry) string {
	var b strings.Builder
	day := ""
	if e.Dated.OK() {
		day = e.Dated.String()
	}
	fmt.Fprintf(&b, "%s|%s|%s|", e.Title, strings.TrimPrefix(e.URL, "https://site.test"), day)
	for _, f := range []struct {
		is   bool
		name string
	}{{e.linked, " linked"}, {e.heading, " heading"}, {e.own, " own"}, {e.prose, " prose"}, {e.opens, " opens"}, {e.outer, " outer"}} {
		if f.is {
			b.WriteString(f.name)
		}
	}
	fmt.Fprintf(&b, "|%d words, %d characters, %d before, %d links, %d cells, %s", e.words, e.text, e.lead, e.links, e.cells, e.called)
	return b.String()
}

func TestWhatIsReadOfAnEntry(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, tc := range []struct{ src, want string }{
		{`<li><a href="/a">The bridge</a></li>`, "The bridge|/a|| linked|2 words, 9 characters, 0 before, 1 links, 0 cells, The bridge"},
		{`<li>New: <a href="/a">The bridge</a> <i>x</i></li>`, "The bridge|/a|| linked|2 words, 14 characters, 4 before, 1 links, 0 cells, The bridge"},
		{`<li><i>News of the mill:</i> <a href="/a">The bridge</a></li>`, "News of the mill: The bridge|/a|||6 words, 23 characters, 14 before, 1 links, 0 cells, The bridge"},
		{`<li><a name="x">ab</a> <a href="/a">The bridge</a></li>`, "The bridge|/a|| linked|2 words, 11 characters, 0 before, 1 links, 0 cells, The bridge"},
		{`<li><a name="x">ab</a>c <a href="/a">The bridge</a></li>`, "The bridge|/a|| linked|2 words, 12 characters, 1 before, 1 links, 0 cells, The bridge"},
		{`<li><h3>The bridge</h3><a href="/a">more</a></li>`, "The bridge|/a|| linked heading|2 words, 13 characters, 9 before, 1 links, 0 cells, more"},
		{`<li><h3>The bridge</h3><a href="/a">more</a> <a href="/b">share</a></li>`, "The bridge|/b|| heading|2 words, 18 characters, 9 before, 2 links, 0 cells, share"},
		{`<li><h3>The bridge</h3><a href="/a">by Ann</a></li>`, "The bridge|/a|| heading|2 words, 14 characters, 9 before, 1 links, 0 cells, by Ann"},
		{`<li><h3><a href="/a">The bridge</a></h3><a href="/b">A much longer link to more</a></li>`, "The bridge|/a|| linked heading|2 words, 30 characters, 0 before, 2 links, 0 cells, A much longer link to more"},
		{`<li><a href="/a"><h3>The bridge</h3></a></li>`, "The bridge|/a|| linked heading|2 words, 9 characters, 0 before, 1 links, 0 cells, The bridge"},
		{`<li><h3>3 May 2026</h3><a href="/a">The bridge</a></li>`, "The bridge|/a|2026-05-03| linked|2 words, 17 characters, 8 before, 1 links, 0 cells, The bridge"},
		{`<li><h3></h3><h3>The bridge</h3></li>`, "The bridge||| heading|2 words, 9 characters, 9 before, 0 links, 0 cells, "},
		{`<li><h3>The bridge</h3><h3>The mill</h3></li>`, "The bridge||| heading|2 words, 16 characters, 16 before, 0 links, 0 cells, "},
		{`<li><a href="#x">The bridge</a></li>`, "The bridge|/news/#x|| linked own|2 words, 9 characters, 0 before, 0 links, 0 cells, The bridge"},
		{`<li><a href="/a">The bridge</a> <a href="/a">again</a></li>`, "The bridge|/a|| linked|2 words, 14 characters, 0 before, 1 links, 0 cells, again"},
		{`<li><a href="javascript:x">The bridge</a></li>`, "The bridge||||2 words, 9 characters, 0 before, 0 links, 0 cells, "},
		{`<li><a href="/a"></a>The bridge</li>`, "The bridge||||2 words, 9 characters, 9 before, 0 links, 0 cells, "},
		{`<li><time datetime="2026-05-03">x</time> <time datetime="2026-05-04">y</time>The bridge</li>`, "x yThe bridge||2026-05-03||3 words, 11 characters, 11 before, 0 links, 0 cells, "},
		{`<table><tr><td><a href="/a">The bridge</a></td><td>ab</td></tr></table>`, "The bridge|/a|| linked|2 words, 11 characters, 0 before, 1 links, 2 cells, The bridge"},
		{`<table><tr><td>The mill</td><td><a href="/a">The bridge</a></td></tr></table>`, "The mill|/a|||2 words, 16 characters, 7 before, 1 links, 2 cells, The bridge"},
		{`<table><tr><td>The mill</td><td><a href="/a">The bridge</a></td><td><a href="/b">x</a></td></tr></table>`, "The mill||||2 words, 17 characters, 7 before, 2 links, 3 cells, x"},
		{`<table><tr><th>The mill</th><td>ab</td></tr></table>`, "The mill||||2 words, 9 characters, 9 before, 0 links, 0 cells, "},
		{`<li>3 May 2026<br><div>the bridge opens</div></li>`, "3 May 2026 the bridge opens||2026-05-03| opens|6 words, 22 characters, 22 before, 0 links, 0 cells, "},
		{`<li>3 May 2026: abcdef</li>`, "3 May 2026: abcdef||2026-05-03| opens|4 words, 15 characters, 15 before, 0 links, 0 cells, "}, {`<li>3 May 2026: abcde</li>`, "3 May 2026: abcde||2026-05-03||4 words, 14 characters, 14 before, 0 links, 0 cells, "},
		{`<li>3 May 2026: ` + words(97) + `x</li>`, "3 May 2026: " + words(97) + "x||2026-05-03| prose opens|100 words, 398 characters, 398 before, 0 links, 0 cells, "},
		{`<li><p>` + words(25) + `</p></li>`, words(25) + "||||25 words, 100 characters, 100 before, 0 links, 0 cells, "}, {`<li><p>` + words(26) + `</p></li>`, words(26) + "||| prose|26 words, 104 characters, 104 before, 0 links, 0 cells, "},
		{`<li><a href="/a">abcdefghijkl</a> and a counter of those who read it</li>`, "abcdefghijkl|/a|||1 words, 39 characters, 0 before, 1 links, 0 cells, abcdefghijkl"}, {`<li><a href="/a">abcdefghijk</a> and a counter of those who read it</li>`, "abcdefghijk and a counter of those who read it|/a|||9 words, 38 characters, 0 before, 1 links, 0 cells, abcdefghijk"},
		{`<li><p>More</p><a href="/a">The bridge</a></li>`, "The bridge|/a|| linked|2 words, 13 characters, 4 before, 1 links, 0 cells, The bridge"}, {`<nav><li>The bridge</li></nav>`, "The bridge||| outer|2 words, 9 characters, 9 before, 0 links, 0 cells, "},
		{`<li><a href="/2026/05/03/x">The bridge</a></li>`, "The bridge|/2026/05/03/x|2026-05-03| linked|2 words, 9 characters, 0 before, 1 links, 0 cells, The bridge"}, {`<li><i>A word of the mill at</i> <a href="/2026/05/03/x">The bridge</a></li>`, "A word of the mill at The bridge|/2026/05/03/x|||8 words, 25 characters, 16 before, 1 links, 0 cells, The bridge"},
		{`<li><h3>The bridge</h3><ul><li>3 May 2026</ul></li>`, "The bridge||| heading|2 words, 17 characters, 17 before, 0 links, 0 cells, "}, {`<li><h3>The bridge</h3><p>3 May 2026</p></li>`, "The bridge||2026-05-03| heading|2 words, 17 characters, 17 before, 0 links, 0 cells, "},
		{`<li><a href="/a"><img alt="The bridge"></a></li>`, "The bridge|/a|| linked|2 words, 0 characters, 0 before, 1 links, 0 cells, The bridge"}, {`<li><a href="https://other.test/a"><img alt="The bridge"></a></li>`, ""}, {`<li><a href="#x"><img alt="The bridge"></a></li>`, ""}, {`<base href="/other/"><li><a><img alt="The bridge"></a></li>`, ""}, {`<li> </li>`, ""},
	} {
		tr := treeOf(t, tc.src)
		name := "li"
		if strings.Contains(tc.src, "<tr>") {
			name = "tr"
		}
		e, ok := tr.entry(tr.at(name))
		got := traits(&e)
		if !ok {
			got = ""
		}
		if got != tc.want {
			t.Errorf("%.90s:\n%s, want\n%s", tc.src, got, tc.want)
		}
	}
}

func TestClassesOfEntries(t *testing.T) {
	day, _ := calendar.Find("2026-05-03", calendar.Style{})
	tr := &tree{blocks: []plat.Block{{Parent: -1}, {Parent: 0, Label: plat.LabelSidebar}, {Parent: 1}}, nodes: []node{{tag: atom.Tr}, {tag: atom.Li}}}
	link := Entry{Title: "The bridge", URL: "u", features: features{words: 2, links: 1}}
	with := func(f func(e *Entry)) Entry { e := link; f(&e); return e }
	for name, tc := range map[string]struct {
		e      Entry
		headed bool
		chosen bool
		row    bool
		want   class
	}{
		"a link":                            {e: link, want: linking},
		"a vague one":                       {e: with(func(e *Entry) { e.Title = "Read more" }), want: none},
		"a long title":                      {e: with(func(e *Entry) { e.words = 60 }), want: linking},
		"too long a title":                  {e: with(func(e *Entry) { e.words = 61 }), want: none},
		"three characters before it":        {e: with(func(e *Entry) { e.lead = 3 }), want: linking},
		"four":                              {e: with(func(e *Entry) { e.lead = 4 }), want: none},
		"four, and a usual text":            {e: with(func(e *Entry) { e.lead, e.named = 4, true }), want: linking},
		"three links":                       {e: with(func(e *Entry) { e.links = 3 }), want: linking},
		"four links":                        {e: with(func(e *Entry) { e.links = 4 }), want: none},
		"a sentence":                        {e: with(func(e *Entry) { e.prose = true }), want: none},
		"on the same page":                  {e: with(func(e *Entry) { e.own = true }), want: none},
		"without an address":                {e: with(func(e *Entry) { e.URL = "" }), want: none},
		"that opens with its day":           {e: with(func(e *Entry) { e.opens, e.outer = true, true }), want: dated},
		"in a menu":                         {e: with(func(e *Entry) { e.outer = true }), want: none},
		"in a chosen menu":                  {e: with(func(e *Entry) { e.outer = true }), chosen: true, want: linking},
		"in a sidebar":                      {e: with(func(e *Entry) { e.Block = 2 }), want: none},
		"in a chosen sidebar":               {e: with(func(e *Entry) { e.Block = 2 }), chosen: true, want: linking},
		"with a day":                        {e: with(func(e *Entry) { e.Dated = day }), want: dated},
		"with a version":                    {e: with(func(e *Entry) { e.version = "1.2" }), want: dated},
		"199 characters before it":          {e: with(func(e *Entry) { e.Dated, e.lead = day, 199 }), want: dated},
		"200":                               {e: with(func(e *Entry) { e.Dated, e.lead = day, 200 }), want: none},
		"a day, and no link":                {e: with(func(e *Entry) { e.Dated, e.links, e.lead = day, 0, 9 }), want: none},
		"a sentence with a day":             {e: with(func(e *Entry) { e.Dated, e.prose = day, true }), want: none},
		"a day on the same page":            {e: with(func(e *Entry) { e.Dated, e.own = day, true }), want: none},
		"a heading":                         {e: with(func(e *Entry) { e.heading = true }), want: linking},
		"a heading that is a link":          {e: with(func(e *Entry) { e.heading, e.linked = true, true }), want: article},
		"one on the same page":              {e: with(func(e *Entry) { e.heading, e.linked, e.own = true, true, true }), want: none},
		"a heading with a day":              {e: with(func(e *Entry) { e.heading, e.Dated = true, day }), want: article},
		"without a link":                    {e: with(func(e *Entry) { e.heading, e.Dated, e.links, e.lead = true, day, 0, 9 }), want: none},
		"a title that is a link, and a day": {e: with(func(e *Entry) { e.linked, e.Dated = true, day }), want: article},
		"with seven links":                  {e: with(func(e *Entry) { e.linked, e.Dated, e.links = true, day, 7 }), want: article},
		"with eight":                        {e: with(func(e *Entry) { e.linked, e.Dated, e.links = true, day, 8 }), want: dated},
		"below a heading":                   {e: link, headed: true, want: none},
		"a row":                             {e: with(func(e *Entry) { e.lead, e.cells = 9, 2 }), row: true, want: row},
		"a row of one cell":                 {e: with(func(e *Entry) { e.lead, e.cells = 9, 1 }), row: true, want: none},
		"cells outside of a row":            {e: with(func(e *Entry) { e.lead, e.cells = 9, 2 }), want: none},
	} {
		l := &list{headed: tc.headed, records: []record{{first: 1}}, entries: []Entry{tc.e}}
		if tc.row {
			l.records[0].first = 0
		}
		if got := tr.classOf(l, 0, tc.chosen); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// entriesOf returns a list of entries with these titles.
func entriesOf(titles ...string) *list {
	l := &list{}
	for _, s := range titles {
		e := Entry{Title: s, key: titleKey(s), version: versionOf(s), URL: "u/" + s, Block: -1}
		e.words, e.links, e.lines = 2, 1, []string{s}
		l.entries, l.records = append(l.entries, e), append(l.records, record{})
	}
	return l
}

func numbered(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("Title ", i))
	}
	return out
}

func TestListsNeedEnoughEntriesOfAClass(t *testing.T) {
	day, _ := calendar.Find("2026-05-03", calendar.Style{})
	tr := &tree{nodes: []node{{tag: atom.Li}}}
	for _, tc := range []struct {
		name                   string
		links, dates, articles int
		set                    func(l *list)
		chosen                 bool
		want                   class
		left                   int
	}{
		{"four links", 4, 0, 0, nil, false, none, 4}, {"five links", 5, 0, 0, nil, false, linking, 5}, {"two dates", 0, 2, 0, nil, false, none, 2}, {"three dates", 0, 3, 0, nil, false, dated, 3}, {"one article", 0, 0, 1, nil, false, none, 1}, {"two articles", 0, 0, 2, nil, false, article, 2},
		{"one chosen link", 1, 0, 0, nil, true, none, 1}, {"two chosen links", 2, 0, 0, nil, true, linking, 2}, {"three dates among links", 3, 3, 0, nil, false, dated, 3}, {"fewer dates than links", 5, 4, 0, nil, false, linking, 9}, {"as many", 5, 5, 0, nil, false, dated, 5},
		{"two articles among dates", 0, 3, 2, nil, false, dated, 5}, {"two articles among fewer dates", 0, 2, 2, nil, false, article, 2}, {"two articles among links", 5, 0, 2, nil, false, linking, 7},
		{"half of the titles", 6, 0, 0, func(l *list) { l.entries[0].key, l.entries[1].key, l.entries[2].key = "", "", "" }, false, linking, 6}, {"fewer", 7, 0, 0, func(l *list) { l.entries[0].key, l.entries[1].key, l.entries[2].key, l.entries[3].key = "", "", "", "" }, false, none, 7},
		{"one release below a heading", 0, 0, 1, func(l *list) { l.headed, l.entries[0].version = true, "1.2" }, false, article, 1}, {"one heading", 0, 0, 1, func(l *list) { l.headed = true }, false, none, 1}, {"nothing", 0, 0, 0, nil, false, none, 0},
	} {
		l := entriesOf(numbered(tc.links + tc.dates + tc.articles)...)
		for i := tc.links; i < len(l.entries); i++ {
			e := &l.entries[i]
			e.Dated = day
			e.heading = i >= tc.links+tc.dates
		}
		if tc.set != nil {
			tc.set(l)
		}
		if got := tr.qualify(l, &region{chosen: tc.chosen}); got != tc.want || len(l.entries) != tc.left && got != none {
			t.Errorf("%s: %d %s, want %d %s", tc.name, len(l.entries), got, tc.left, tc.want)
		}
	}
	l := entriesOf(numbered(6)...)
	l.entries[0].Block = 0
	if got := tr.qualify(l, &region{leaves: []bool{false}}); got != none || len(l.entries) != 0 {
		t.Errorf("outside of the region: %d %s", len(l.entries), got)
	}
}

func TestScoresOfLists(t *testing.T) {
	day, _ := calendar.Find("2026-05-03", calendar.Style{})
	tr := &tree{blocks: []plat.Block{{Parent: -1, Label: plat.LabelFooter}}}
	for name, tc := range map[string]struct {
		set  func(e *Entry, i int)
		want float64
	}{
		"nothing": {func(e *Entry, i int) {}, .6}, "linked": {func(e *Entry, i int) { e.linked = true }, 1.4}, "headings": {func(e *Entry, i int) { e.heading = true }, 1.2}, "dated": {func(e *Entry, i int) { e.Dated = day }, 1.2}, "a third of them": {func(e *Entry, i int) { e.linked = i == 0 }, 2 * (.3 + .4/3)},
		"versions": {func(e *Entry, i int) { e.version = "1.2" }, 1}, "one title": {func(e *Entry, i int) { e.key = "x" }, .2}, "outer": {func(e *Entry, i int) { e.outer = i == 0 }, .4}, "in the footer": {func(e *Entry, i int) { e.Block = 0 }, 0}, "which opens with its day": {func(e *Entry, i int) { e.Block, e.outer, e.opens = 0, true, true }, .6},
		"ten links": {func(e *Entry, i int) { e.links = 10 }, .6}, "eleven": {func(e *Entry, i int) { e.links = 11 }, .18}, "eleven, and dated": {func(e *Entry, i int) { e.links, e.Dated = 11, day }, 1.2},
	} {
		l := entriesOf(numbered(3)...)
		for i := range l.entries {
			tc.set(&l.entries[i], i)
		}
		if l.weigh(tr); math.Abs(l.score-tc.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, l.score, tc.want)
		}
	}
}

func TestTitlesThatAreAlikeAreReplacedByAnotherLine(t *testing.T) {
	of := func(lines ...string) *list {
		l := &list{}
		for _, s := range lines {
			e := Entry{URL: "u", features: features{lines: strings.Split(s, "|")}}
			e.Title, e.linked = e.lines[0], true
			e.key = titleKey(e.Title)
			l.entries = append(l.entries, e)
		}
		return l
	}
	for name, tc := range map[string]struct {
		l    *list
		want string
	}{
		"two":                          {of("n|a", "n|b"), "n, n"},
		"three":                        {of("n|a", "n|b", "n|c 1.2"), "a, b, c 1.2"},
		"seven of ten differ":          {of("a|1x", "b|2x", "c|3x", "d|4x", "e|5x", "f|6x", "g|7x", "g|8x", "g|9x", "g|10x"), "a, b, c, d, e, f, g, g, g, g"},
		"six of ten differ":            {of("a|1x", "b|2x", "c|3x", "d|4x", "e|5x", "f|6x", "f|7x", "f|8x", "f|9x", "f|10x"), "1x, 2x, 3x, 4x, 5x, 6x, 7x, 8x, 9x, 10x"},
		"the second line is alike too": {of("n|x|a", "n|x|b", "n|x|c"), "a, b, c"},
		"the fourth line":              {of("n|x|y|a", "n|x|y|b", "n|x|y|c"), "a, b, c"},
		"not the fifth":                {of("n|x|y|z|a", "n|x|y|z|b", "n|x|y|z|c"), "n, n, n"},
		"one has no second line":       {of("n|a", "n|b", "n"), "a, b, n"},
		"dates are no part of it":      {of("n|a bridge, 3 May 2026", "n|b bridge, 4 May 2026", "n|c"), "a bridge, b bridge, c"},
	} {
		tc.l.retitle(&tree{})
		var got []string
		for _, e := range tc.l.entries {
			got = append(got, e.Title)
			if e.key != titleKey(e.Title) || e.version != versionOf(e.Title) || e.linked != (e.Title == e.lines[0]) {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: %s", name, strings.Join(got, ", "))
		}
	}
	l := of("n|a", "n|b", "n|c")
	l.entries[0].heading = true
	if l.retitle(&tree{}); l.entries[0].Title != "n" || l.entries[1].Title != "b" {
		t.Errorf("a heading is replaced: %q", titles(l.entries))
	}
}

func TestAnAddressThatEntriesShareIsReplacedByTheirOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		urls   string // of each entry its own first
		linked bool
		want   string
	}{
		"shared": {"s a, s b", false, "a b"}, "not shared": {"x a, y b", false, "x y"}, "the first of its own": {"s t a b, s t c", false, "a c"}, "none of its own": {"s a, s a", false, "s s"}, "signatures": {"s s.asc, s b", false, "s b"}, "titles that are links": {"s a, s b", true, "s s"},
	} {
		l := &list{}
		for s := range strings.SplitSeq(tc.urls, ", ") {
			e := Entry{}
			e.urls = strings.Fields(s)
			e.URL, e.linked = e.urls[0], tc.linked
			l.entries = append(l.entries, e)
		}
		l.readdress()
		var got []string
		for _, e := range l.entries {
			got = append(got, e.URL)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %s", name, strings.Join(got, " "))
		}
	}
}

func TestTextsOfLinksThatMostEntriesHave(t *testing.T) {
	item := func(s string) string { return `<li><p>Words of ` + s + `</p>` + s + `</li>` }
	for _, tc := range []struct {
		items string
		want  string
	}{
		{item(`<a href="/a">go</a>`) + item(`<a href="/b">go</a>`) + item(`<a href="/c">on</a>`), "true true false"}, {item(`<a href="/a">go</a>`) + item(`<a href="/b">on</a>`), "false false"}, {item(`<a href="/a">go</a><a href="/d">go</a>`) + item(`<a href="/b">go</a>`) + item(`<a href="/c">go</a>`), "false true true"}, {item("x") + item("y"), "false false"},
	} {
		tr := treeOf(t, "<ul>"+tc.items+"</ul>")
		for _, l := range tr.lists() {
			if tr.nodes[l.records[0].first].tag != atom.Li {
				continue
			}
			tr.fill(l)
			var got []string
			for i := range l.entries {
				got = append(got, fmt.Sprint(l.entries[i].named))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("%s: %s, want %s", tc.items, strings.Join(got, " "), tc.want)
			}
		}
	}
}

func TestTheMainLinkOfAnEntry(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, tc := range map[string]struct {
		links []link
		first string
		want  string
	}{
		"none": {nil, "a", ""}, "the longest": {[]link{{url: "a", text: "xx"}, {url: "b", text: "xxx"}}, "y", "b"}, "the first of equals": {[]link{{url: "a", text: "xx"}, {url: "b", text: "yy"}}, "z", "a"},
		"that begins the line": {[]link{{url: "a", text: x(200)}, {url: "b", text: "yy"}}, "yyy", "b"}, "a much longer one": {[]link{{url: "a", text: x(203)}, {url: "b", text: "yy"}}, "yyy", "a"},
		"in the heading": {[]link{{url: "a", text: x(801)}, {url: "b", text: "yy", heading: true}}, x(801), "b"}, "longer than in the heading": {[]link{{url: "a", text: x(803)}, {url: "b", text: "yy", heading: true}}, x(803), "a"},
		"not on the same page": {[]link{{url: "a", text: x(501), own: true}, {url: "b", text: "yy"}}, "z", "b"}, "vague": {[]link{{url: "a", text: "read more"}, {url: "b", text: "yy"}}, "z", "b"}, "vague, and on the same page": {[]link{{url: "a", text: x(50), own: true}, {url: "b", text: "read more"}}, "z", "b"},
	} {
		got := ""
		if l := mainLink(tc.links, tc.first); l != nil {
			got = l.url
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	for s, want := range map[string]bool{"3 May 2026": true, "On 3 May 2026": true, "May 3 May 2026": false, "x 3 May 2026 y": true, "xy 3 May 2026 z": false, "": false, "bridge": false, "3 May 2026" + strings.Repeat(" ", 30): true, "3 May 2026" + strings.Repeat(" ", 31): false} {
		if (&tree{}).onlyDate(s) != want {
			t.Errorf("%q is only a date: %v", s, !want)
		}
	}
	for first, want := range map[bool]string{false: "2026-05-03", true: "2026-03-05"} {
		if all := (&tree{style: calendar.Style{MonthFirst: first}}).dates("03/05/2026"); len(all) != 1 || all[0].Day.String() != want {
			t.Errorf("a date of two orders is read as %v", all)
		}
	}
	if got := cut("äb", 2); got != "ä" || cut("äb", 1) != "" || !slices.Equal([]string{cut("ab", 2), cut("ab", 1)}, []string{"ab", "a"}) {
		t.Errorf("cut to %q", got)
	}
}
