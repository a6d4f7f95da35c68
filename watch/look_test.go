package watch

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"plat/plat"
	"plat/plat/calendar"
)

func TestAPageIsBrokenWhileMostOfItsEntriesAreGone(t *testing.T) {
	for _, tc := range []struct {
		was, doubts, now int
		want             string
		entries, after   int
	}{
		{0, 0, 0, NoList, 0, 0}, {0, 0, 3, "", 3, 0}, {8, 0, 2, "", 2, 0}, {9, 0, 2, "of 9 entries only 2 are left", 9, 1}, {9, 1, 2, "", 2, 0}, {9, 0, 0, "the list of 9 entries is gone", 9, 1}, {9, 1, 0, gone, 0, 0}, {0, 1, 0, NoList, 0, 1},
	} {
		m := New()
		m.entries, m.doubts = tc.was, tc.doubts
		if got := m.broken([]*list{entriesOf(numbered(tc.now)...)}, false); got != tc.want || m.entries != tc.entries || m.doubts != tc.after {
			t.Errorf("%+v: %q, then %d entries, %d doubts", tc, got, m.entries, m.doubts)
		}
	}
}

func TestHistoryVotesOnAList(t *testing.T) {
	none := &track{last: -1}
	for _, tc := range []struct {
		name         string
		looks        int
		known        *track
		all, unknown int
		class        class
		method       Method
		told, fresh  bool
		churn        int
	}{
		{"the first check", 1, none, 5, 5, article, Full, false, true, 1},
		{"a list that appears", 5, none, 5, 3, article, Full, false, true, 1}, {"two entries of it", 5, none, 3, 2, article, Full, true, true, 1}, {"half of it", 5, none, 6, 3, article, Full, true, true, 0}, {"without a vote", 5, none, 5, 5, article, NoVote, true, true, 1},
		{"a known list", 5, &track{last: 4}, 5, 5, article, Full, true, false, 1}, {"one that was not there", 5, &track{last: 3}, 5, 5, article, Full, false, true, 1}, {"three fifths are new", 5, &track{last: 4, churn: 1}, 5, 3, article, Full, true, false, 2}, {"fewer", 5, &track{last: 4, churn: 9}, 5, 2, article, Full, true, false, 0},
		{"links that change at each check", 9, &track{last: 8, churn: 4}, 5, 5, linking, Full, false, false, 5}, {"once less", 9, &track{last: 8, churn: 3}, 5, 5, linking, Full, true, false, 4}, {"dated ones", 9, &track{last: 8, churn: 4}, 5, 5, dated, Full, true, false, 5}, {"rows", 9, &track{last: 8, churn: 4}, 5, 5, row, Full, false, false, 5},
	} {
		m := New()
		m.looks = tc.looks
		l := entriesOf(numbered(tc.all)...)
		l.class, l.shape = tc.class, 7
		if tc.known != none {
			m.lists[7] = tc.known
		}
		got, fresh := m.vote(l, make([]*Entry, tc.unknown), tc.method, false, false)
		if (got != nil) != tc.told || fresh != tc.fresh || m.lists[7].last != tc.looks || m.lists[7].churn != tc.churn {
			t.Errorf("%s: told %v, fresh %v, %+v", tc.name, got != nil, fresh, *m.lists[7])
		}
	}
	m := New()
	m.looks = 30
	m.lists[1], m.lists[2] = &track{last: 10}, &track{last: 9}
	if m.learn(nil, nil); len(m.lists) != 1 || m.lists[1] == nil {
		t.Errorf("after twenty checks %d lists are known", len(m.lists))
	}
	for i := range uint64(30_000) {
		m.lists[i] = &track{last: 29}
	}
	if m.learn(nil, nil); len(m.lists) != 30_000 {
		t.Errorf("%d lists are known", len(m.lists))
	}
	m.lists[30_001] = &track{last: 30}
	if m.learn(nil, nil); len(m.lists) != 1 {
		t.Errorf("of too many lists %d are known", len(m.lists))
	}
}

func TestAnItemIsToldOnce(t *testing.T) {
	day, _ := calendar.Find("2026-05-03", calendar.Style{})
	entry := func(title, url string, day calendar.Day) *Entry {
		return &Entry{Title: title, URL: url, Dated: day, key: titleKey(title), version: versionOf(title)}
	}
	a := entry("The bridge", "u", day)
	for name, tc := range map[string]struct {
		b      *Entry
		shared bool
		want   bool
	}{
		"the same title and day": {entry("the BRIDGE", "v", day), false, true}, "another day": {entry("The bridge", "v", calendar.Day{}), false, false}, "the same address": {entry("A mill", "u/", day), false, true}, "one that is shared": {entry("A mill", "u", day), true, false}, "neither": {entry("A mill", "v", day), false, false},
	} {
		told := map[string]bool{}
		if once(told, a, company{address: tc.shared}) {
			t.Errorf("%s: the first was told", name)
		}
		if got := once(told, tc.b, company{address: tc.shared}); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	told := map[string]bool{}
	once(told, entry("Mill 1.2", "", day), company{})
	if !once(told, entry("The Mill release 1.2", "", calendar.Day{}), company{}) || once(told, entry("Mill 1.3", "", calendar.Day{}), company{}) {
		t.Error("a product is not told from others")
	}
	if told := map[string]bool{}; once(told, entry("a", "", day), company{}) || once(told, entry("b", "", day), company{}) {
		t.Error("two entries without an address are one")
	}
}

func TestHiddenLinesCountWhereNoneIsVisible(t *testing.T) {
	for _, tc := range []struct {
		hidden []int
		want   string
	}{{nil, "a|b"}, {[]int{1}, "a"}, {[]int{0, 1}, "a|b"}} {
		tr, texts := treeOf(t, "<li><p>a</p><p>b</p></li>"), []int(nil)
		for i := range tr.nodes {
			if tr.nodes[i].isText() {
				texts = append(texts, i)
			}
		}
		for _, k := range tc.hidden {
			tr.nodes[texts[k]].hidden = true
		}
		if got := strings.Join(tr.lines(tr.at("li")), "|"); got != tc.want {
			t.Errorf("with hidden %v: %q, want %q", tc.hidden, got, tc.want)
		}
	}
}

func TestLinesOfRecords(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, tc := range []struct{ src, want string }{
		{"<li>a<b>b</b> <i>c</i></li>", "ab c"}, {"<li>a<p>b</p>c</li>", "a|b|c"}, {"<li>a<br>b</li>", "a|b"}, {"<li><b>a<p>b</p></b>c</li>", "a|b|c"}, {"<li><b>a</b><b>b</b></li>", "ab"}, {"<li><i><p>a</p></i><i>b</i></li>", "a|b"}, {"<li> a\n  b </li>", "a b"}, {"<li>a <!-- x --> b</li>", "a b"}, {"<li><b>a</b> <b>b</b></li>", "a b"},
		{"<li>" + strings.Repeat("<p>a</p>", 9) + "</li>", "a|a|a|a|a|a|a|a|a"}, {"<li><p>" + x(2000) + "</p>" + strings.Repeat("<p>a</p>", 9) + "</li>", x(2000) + "|a|a|a|a|a|a|a"}, {"<li><p>" + x(1992) + "</p>" + strings.Repeat("<p>a</p>", 9) + "</li>", x(1992) + "|a|a|a|a|a|a|a|a"},
		{"<li>" + x(4096) + "<b>a</b></li>", x(4096)}, {"<li>" + x(4095) + "<b>ab</b><i>c</i></li>", x(4095) + "ab"}, {"<li>" + x(4097) + "</li>", x(4096)},
		{"<li><script>a</script><style>b</style><title>c</title><svg><text>d</text></svg>e</li>", "d|e"},
	} {
		tr := treeOf(t, tc.src)
		if got := strings.Join(tr.lines(tr.at("li")), "|"); got != tc.want {
			t.Errorf("%.60s: %.90q", tc.src, got)
		}
	}
	for _, tc := range []struct{ src, want string }{
		{"<li>a<p>b</p>c</li>", "a bc"}, {`<li><img alt=" a  b "><img alt="c"></li>`, "a b"}, {`<li>x<img alt="a"></li>`, "x"}, {"<li>" + x(4096) + "<b>a</b></li>", x(4096)}, {"<li>" + x(4095) + "<b>ab</b><i>c</i></li>", x(4095) + "ab"}, {"<li><b>a</b> <b>b</b></li>", "a b"},
	} {
		tr := treeOf(t, tc.src)
		if got := tr.textOf(tr.at("li").first); got != tc.want {
			t.Errorf("%.60s: %.90q", tc.src, got)
		}
	}
}

func TestBlocksOfNodes(t *testing.T) {
	p := pageOf(t, pageURL, `<p>a</p><div block="main 5"><p>b</p><i>c</i></div><p>d</p><div block="main 6">e</div><div block="main 7">f</div>g`)
	p.Blocks[1].Hidden = []int32{5, 12, 13, 20}
	p.Blocks[2].Lead = " "
	tr, err := read(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range tr.nodes {
		if n := &tr.nodes[i]; n.isText() {
			got = append(got, fmt.Sprint(n.text, n.block, n.hidden))
		}
	}
	hidden := string(p.Blocks[1].Content)
	if want := "a-1 false b1 false c1 false d-1 false e2 false f3 false g-1 false"; strings.Join(got, " ") != want {
		t.Errorf("%s; %s", strings.Join(got, " "), hidden)
	}
	b := int32(strings.Index(hidden, "b<"))
	c := int32(strings.Index(hidden, "c<"))
	for _, tc := range []struct {
		hidden []int32
		want   string
	}{
		{[]int32{b, b + 1}, "b"}, {[]int32{b + 1, b + 2}, ""}, {[]int32{b - 1, b}, ""}, {[]int32{b, b + 1, c, c + 1}, "b c"}, {[]int32{0, b, c, c + 1}, "b c"}, {[]int32{0, 99}, "b c"}, {[]int32{0}, ""}, {[]int32{c, c + 1}, "c"},
	} {
		p.Blocks[1].Hidden = tc.hidden
		if tr, err = read(p); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range tr.nodes {
			if n := &tr.nodes[i]; n.isText() && n.hidden {
				got = append(got, n.text)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("of %v hidden in %s: %q", tc.hidden, hidden, got)
		}
	}
	for _, bad := range []*Page{{URL: "http://[", Layout: p.Layout, Blocks: p.Blocks}, {URL: pageURL, Layout: &plat.Layout{Slots: []int32{9}}, Blocks: p.Blocks}} {
		if _, err := read(bad); err == nil || !strings.HasPrefix(err.Error(), "watch: ") {
			t.Errorf("%s: %v", bad.URL, err)
		}
	}
}

func TestElementsOfAPage(t *testing.T) {
	tr := treeOf(t, `<base href="/base/"><base href="/other/"><nav><a href="x" href="y" class="c d">a</a></nav><main><header>b</header><time datetime="2026">c</time></main><img alt="d"><div role="search">e</div><div role="main" alt="x">f</div><aside>g</aside><footer>h</footer><header>i</header><article><footer>j</footer></article><li><nav>k</nav></li>`)
	var got []string
	for i := range tr.nodes {
		n := &tr.nodes[i]
		if !n.isText() {
			continue
		}
		up := &tr.nodes[n.parent]
		got = append(got, fmt.Sprint(n.text, " ", n.outer, " ", n.item, " ", n.linked, " ", up.href, up.time, up.class))
	}
	want := "a true false true xc d|b false true false |c false true false 2026|e true false false |f false false false |g true false false |h true false false |i true false false |j false true false |k false true false "
	if strings.Join(got, "|") != want || tr.base.String() != "https://site.test/base/" {
		t.Errorf("%s\nwant\n%s\nbase %s", strings.Join(got, "|"), want, tr.base)
	}
	if all := tr.totals[len(tr.totals)-1]; all != (total{11, 1}) {
		t.Errorf("texts %+v", all)
	}
	for href, want := range map[string]string{"x": "https://site.test/base/x", " /x ": "https://site.test/x", "mailto:a@b": "mailto:a@b", "javascript:x": "", "http://[": "", "tel:1": "tel:1", "/" + strings.Repeat("x", 16383): "https://site.test/" + strings.Repeat("x", 16383), "/" + strings.Repeat("x", 16384): "",
		`story\old.html`: "https://site.test/base/story/old.html", "/story/50%+done": "https://site.test/story/50%+done", "/story/bro\n ken": "https://site.test/story/bro%20ken", "https:well": "https://site.test/base/well", "?q=ü|'": "https://site.test/base/?q=%C3%BC|%27"} {
		if got := tr.resolve(href); got != want {
			t.Errorf("%.20q leads to %.30q", href, got)
		}
	}
	for u, want := range map[string]bool{"https://site.test/news/#x": true, "http://site.test/news": true, "https://site.test/news/index.html#y": true, "https://site.test/new": false} {
		if tr.samePage(u) != want {
			t.Errorf("%s is on the same page: %v", u, !want)
		}
	}
	odd := &tree{base: tr.base, totals: make([]total, 1)}
	odd.parse(strings.Repeat("<b>", 64)+"a</p>x", nil)
	if n := len(odd.nodes); n != 66 || odd.nodes[0].end != 66 || odd.nodes[65].parent != 63 {
		t.Errorf("%d nodes, the first ends at %d", n, odd.nodes[0].end)
	}
	for up, want := range map[int]int32{63: -1, 64: 64} { // levels above which an end tag is searched
		odd := &tree{base: tr.base, totals: make([]total, 1)}
		odd.parse("<p>"+strings.Repeat("<b>", up)+"</p>x", nil)
		if got := odd.nodes[len(odd.nodes)-1].parent; got != want {
			t.Errorf("%d levels up: the next text is in node %d, want %d", up, got, want)
		}
	}
}

func TestShapesOfRecords(t *testing.T) {
	for class, want := range map[string]string{"": "div", "a b": "div.a.b", "post-12 post": "div.post", "is-active post": "div.post", "post_odd first": "div", "ODD x": "div.x", strings.Repeat("x", 8191) + " a": "div." + strings.Repeat("x", 8191), "firsts": "div.firsts"} {
		tr := &tree{nodes: []node{{name: "div", class: class}}}
		if got := tr.shapeOf(0); got != want {
			t.Errorf("%.20q: %.30s", class, got)
		}
	}
	for state := range strings.FieldsSeq("active current selected first last odd even alt sticky new visited read unread hidden open collapsed") {
		tr := &tree{nodes: []node{{name: "li", class: "item-" + state + " " + state + " x" + state}}}
		if got := tr.shapeOf(0); got != "li.x"+state {
			t.Errorf("an item that is %s has the shape %s", state, got)
		}
	}
	for n, want := range map[int]int{3998: 2, 3999: 1} { // elements in the second item
		tr := treeOf(t, "<ul><li><b>a</b></li><li>a"+strings.Repeat("<b></b>", n)+"</li></ul>")
		for _, l := range tr.lists() {
			if tr.nodes[l.records[0].first].tag == atom.Li && len(l.records) != want {
				t.Errorf("%d elements: %d items, want %d", n, len(l.records), want)
			}
		}
	}
	tr := treeOf(t, "<table><tr><th>Year<th>Ships</tr><tr><td>2006<td>3</tr></table><table><tr><td>x</tr></table><div><tr></div>")
	rows := []string{}
	known := map[int32]string{}
	for i := range tr.nodes {
		if tr.nodes[i].tag == atom.Tr {
			rows = append(rows, tr.header(int32(i), known))
		}
	}
	if want := []string{"Year Ships", "Year Ships", ""}; !slices.Equal(rows, want) {
		t.Errorf("headers of rows %q", rows)
	}
	deep := &tree{nodes: []node{{tag: atom.Table, parent: -1, end: 6}, {tag: atom.Tbody, parent: 0, end: 6}, {tag: atom.Div, parent: 1, end: 6}, {tag: atom.Div, parent: 2, end: 6}, {tag: atom.Div, parent: 3, end: 6}, {tag: atom.Tr, parent: 4, end: 6}}}
	for row, want := range map[int32]string{1: "x", 2: "x", 3: "x", 4: "x", 5: ""} {
		if got := deep.header(row, map[int32]string{0: "x"}); got != want {
			t.Errorf("%d levels below its table a row has the header %q", row, got)
		}
	}
	for n, want := range map[int]string{399: "a", 400: ""} {
		tr := &tree{nodes: []node{{tag: atom.Table, parent: -1}, {tag: atom.Tr, name: "tr", parent: 0}, {text: "a", parent: 1, end: 3}}}
		for i := range n - 2 {
			tr.nodes = append(tr.nodes, node{tag: atom.B, name: "b", parent: 1, end: int32(4 + i)})
		}
		tr.nodes[0].end, tr.nodes[1].end = int32(n+1), int32(n+1)
		if n == 400 {
			tr.nodes = append(tr.nodes, node{tag: atom.B, parent: 1, end: int32(n + 2)})
			tr.nodes[0].end, tr.nodes[1].end = int32(n+2), int32(n+2)
		}
		if got := tr.headerOf(0); got != want {
			t.Errorf("a row of %d nodes has the header %q", n, got)
		}
	}
	for src, want := range map[string]bool{"<div><a href=x>aaaa</a>b</div>": true, "<div><a href=x>aaa</a>b</div>": false, "<div></div>": true} {
		tr := treeOf(t, "<p>xxxxxxxxxxx</p>"+src)
		if got := tr.bar(tr.at("div").first); got != want {
			t.Errorf("%s is a bar: %v", src, got)
		}
	}
	tr = treeOf(t, "<section><p>x</p><h2>a</h2><p>b</p><h3>c</h3><h3>d</h3><h2>e</h2><p>f</p></section>")
	at := tr.at("section").first
	var records []string
	tr.headed(at, 0, func(key uint64, headed bool, r record) {
		var text []string
		for c := r.first; c < r.end; c++ {
			text = append(text, tr.nodes[c].text)
		}
		records = append(records, fmt.Sprint(strings.Join(text, ""), key == mix(0, "#2"), key == mix(0, "#3"), headed))
	})
	if want := "cfalse true true abcdtrue false true dfalse true true eftrue false true"; strings.Join(records, " ") != want {
		t.Errorf("%q, want %s", records, want)
	}
}

func TestChosenBlocksAreFoundAgain(t *testing.T) {
	leaf := func(parent, lineage int32, label plat.Label, lines ...string) plat.Block {
		return plat.Block{Parent: parent, Lineage: lineage, Label: label, Text: strings.Join(lines, "\n")}
	}
	inner := func(parent, lineage int32, label plat.Label) plat.Block {
		return plat.Block{Parent: parent, Lineage: lineage, Label: label, Slot: -1}
	}
	blocks := []plat.Block{inner(-1, 1, ""), inner(0, 2, plat.LabelMain), leaf(1, 3, plat.LabelMain, "a", "b"), leaf(1, 4, plat.LabelList, "c"), leaf(0, 5, plat.LabelFooter, "d")}
	for name, tc := range map[string]struct {
		opt    Options
		leaves []int32
		lines  []string
		want   string
		chosen string
		left   string
	}{
		"a block":                   {Options{Blocks: []int32{4}}, nil, nil, "[3] true", "[3]", "[4]"},
		"an inner block":            {Options{Blocks: []int32{2}}, nil, nil, "[2 3] true", "[2 3]", "[3 4]"},
		"muted in it":               {Options{Blocks: []int32{2}, Muted: []int32{3}}, nil, nil, "[3] true", "[3]", "[3 4]"},
		"muted around":              {Options{Muted: []int32{2}}, nil, nil, "[4] true", "[]", "[]"},
		"a label":                   {Options{Labels: []plat.Label{plat.LabelMain}}, nil, nil, "[2 3] true", "[]", "[]"},
		"a label in a block":        {Options{Blocks: []int32{1}, Labels: []plat.Label{plat.LabelList, plat.LabelFooter}}, nil, nil, "[3 4] true", "[3 4]", "[3 4 5]"},
		"a lost block":              {Options{Blocks: []int32{9}}, nil, nil, "[] false", "[]", "[]"},
		"one whose leaf is left":    {Options{Blocks: []int32{9}}, []int32{4}, nil, "[3] true", "[3]", "[4]"},
		"of two leaves":             {Options{Blocks: []int32{9}}, []int32{3, 4}, nil, "[2 3] true", "[2 3]", "[3 4]"},
		"of leaves all over":        {Options{Blocks: []int32{9}}, []int32{4, 5}, nil, "[2 3 4] true", "[2 3 4]", "[3 4 5]"},
		"two of its three lines":    {Options{Blocks: []int32{5}}, nil, []string{"a", "b", "x"}, "[4] true", "[4]", "[5]"},
		"its lines moved":           {Options{Blocks: []int32{5}}, nil, []string{"a", "b", "c"}, "[2 3] true", "[2 3]", "[3 4]"},
		"as many in the block":      {Options{Blocks: []int32{3}}, nil, []string{"a", "b", "c", "d"}, "[2] true", "[2]", "[3]"},
		"fewer in the block":        {Options{Blocks: []int32{4}}, nil, []string{"a", "b", "c", "d"}, "[2 3 4] true", "[2 3 4]", "[3 4 5]"},
		"the whole page":            {Options{}, nil, nil, "[] true", "[]", "[]"},
		"lines of a page unchosen":  {Options{Muted: []int32{5}}, nil, []string{"a", "b", "c"}, "[2 3] true", "[]", "[]"},
		"a block that exists twice": {Options{Blocks: []int32{3, 4}}, nil, nil, "[2 3] true", "[2 3]", "[3 4]"},
	} {
		m := New()
		m.leaves = tc.leaves
		key := &region{chosen: true}
		for _, l := range tc.lines {
			m.lines = append(m.lines, key.key(l))
		}
		g, ok := m.region(blocks, &tc.opt)
		in := []int32{}
		for i := range g.leaves {
			if g.leaves[i] {
				in = append(in, int32(i))
			}
		}
		chosen := append([]int32{}, g.chosenLeaves()...)
		if got := fmt.Sprint(in, " ", ok); got != tc.want || fmt.Sprint(chosen) != tc.chosen || fmt.Sprint(m.leaves) != tc.left {
			t.Errorf("%s: %s, chosen %v, leaves %v", name, got, chosen, m.leaves)
		}
	}
	if g := (&region{leaves: []bool{true, false}}); g.has(-1) || !g.has(0) || g.has(1) || !(&region{}).has(-1) {
		t.Error("a leaf is not told from others")
	}
	plain, chosen := &region{}, &region{chosen: true}
	for _, tc := range []struct {
		g    *region
		a, b string
		want bool
	}{
		{plain, "12 ships", "13 ships", true}, {plain, "12 ships", "12 boats", false}, {chosen, "12 ships", "13 ships", false}, {chosen, "at 10:45", "at 9:00:12", true}, {chosen, "at 10:45", "at 10:4", false}, {chosen, "3 May 2026, 12 ships", "4 May 2026, 12 ships", true}, {chosen, "3 May 2026, 12 ships", "4 May 2026, 13 ships", false}, {chosen, "3 May 2026 to 4 June 2026", "5 May 2026 to 7 June 2026", true},
	} {
		if got := tc.g.key(tc.a) == tc.g.key(tc.b); got != tc.want {
			t.Errorf("%q and %q are the same: %v", tc.a, tc.b, got)
		}
	}
}

func TestTextThatIsNotRemembered(t *testing.T) {
	blocks := []plat.Block{{Parent: -1, Slot: -1}, {Parent: 0, Text: "a\n\nb\na"}, {Parent: 0, Label: plat.LabelFooter, Text: "c"}}
	tr := &tree{blocks: blocks}
	m := New()
	if it := m.text(tr, &region{}); it != nil || len(m.lines) != 3 {
		t.Errorf("at first %+v, of %d lines", it, len(m.lines))
	}
	blocks[1].Text = "a\nx\nb\nx\ny"
	want := &Item{Kind: plat.ItemText, Entry: Entry{Title: "x", Excerpt: "x\ny", Block: 1}}
	if it := m.text(tr, &region{}); !reflect.DeepEqual(it, want) {
		t.Errorf("then %+v", it)
	}
	if it := m.text(tr, &region{leaves: []bool{true, false, true}, chosen: true}); it == nil || it.Title != "c" || it.Block != 2 {
		t.Errorf("of a chosen footer %+v", it)
	}
	blocks[1].Text = strings.Repeat("z", 1001) + "\n" + strings.Repeat("w", 7000)
	if it := m.text(tr, &region{}); len(it.Title) != 1000 || len(it.Excerpt) != 8000 {
		t.Errorf("a title of %d bytes, a text of %d", len(it.Title), len(it.Excerpt))
	}
}
