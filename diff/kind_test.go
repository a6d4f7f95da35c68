package diff

import (
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// Readers see folded words when they unfold them. They never see hidden words.
func TestTextThatIsNotShown(t *testing.T) {
	// part returns a block whose text in <i> is hidden, or folded on request.
	part := func(unseen string, folded bool) plat.Block {
		content := "<p>" + lead + "<i>" + unseen + "</i></p>"
		from := int32(strings.Index(content, "<i>"))
		at := []int32{from, from + int32(len("<i></i>")+len(unseen))}
		return with(block(content, lead), func(b *plat.Block) {
			b.Hidden = at
			if folded {
				b.Folded = at
			}
		})
	}
	for _, tc := range []struct {
		name     string
		old, new plat.Block
		want     string
		folded   bool
	}{
		{"other hidden words", part("one two", false), part("one three", false), "hidden 1→1", false},
		{"other folded words", part("one two", true), part("one three", true), "content 1→1", true},
		{"other folded words of an advertisement", ad(part("one two", true)), ad(part("one three", true)), "advertisement 1→1", true},
		{"the same hidden words with other markup", part("one two", false), part("one <b>two</b>", false), "format 1→1", false},
		{"hidden words are folded now", part("one two", false), part("one two", true), "format 1→1", false},
		{"hidden words of contents that are not loaded", with(part("one two", false), func(b *plat.Block) { b.Content = nil }), part("one three", false), "format 1→1", false},
		{"hidden words of contents that are not loaded any more", part("one two", false), with(part("one three", false), func(b *plat.Block) { b.Content = nil }), "format 1→1", false},
	} {
		r := Compare(page(tc.old, p(story)), page(tc.new, p(story)))
		if got := show(r); got != tc.want || r.Blocks[0].Folded != tc.folded {
			t.Errorf("%s: %s, folded %v; want %s, %v", tc.name, got, r.Blocks[0].Folded, tc.want, tc.folded)
		}
	}
	folded := with(block("<i>words</i>", ""), func(b *plat.Block) { b.Hidden, b.Folded = []int32{0, 12}, []int32{0, 12} })
	hidden := with(folded, func(b *plat.Block) { b.Folded = nil })
	for b, want := range map[*plat.Block]bool{&folded: true, &hidden: false} {
		r := Compare(page(p(story)), page(p(story), *b))
		if show(r) != "added -→2" || r.Blocks[0].Folded != want {
			t.Errorf("a new block without visible words: %+v, want folded %v", r.Blocks, want)
		}
	}
}

func TestKindsOfLayouts(t *testing.T) {
	l := func(html string, slots ...int32) *plat.Layout { return &plat.Layout{HTML: []byte(html), Slots: slots} }
	text := func(n int) string { return "<body>" + strings.Repeat("a", n) + "</body>" }
	for _, tc := range []struct {
		name     string
		old, new *plat.Layout
		doubtful bool
		want     plat.Kind
	}{
		{"none before", nil, l("<body></body>"), false, plat.Format},
		{"none now", l("<body></body>"), nil, false, plat.Format},
		{"none at all", nil, nil, false, plat.Same},
		{"little text in doubt", l(text(doubtfulText - 1)), l("<body></body>"), true, plat.Invisible},
		{"as much text as is doubtful", l(text(doubtfulText)), l("<body></body>"), true, plat.Content},
		{"as much text now", l("<body></body>"), l(text(doubtfulText)), true, plat.Content},
		{"as much text, no doubt", l(text(doubtfulText)), l("<body></body>"), false, plat.Invisible},
		{"another nonce and a slot more", l(`<body><i nonce="abcdefghij"></i></body>`, 1), l(`<body><i nonce="klmnopqrst"></i></body>`, 1, 2), false, plat.Format},
		{"another nonce", l(`<body><i nonce="abcdefghij"></i></body>`, 1), l(`<body><i nonce="klmnopqrst"></i></body>`, 1), false, plat.Volatile},
	} {
		if got := layoutKind(tc.old, tc.new, tc.doubtful); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestHowSimilarLeavesAre(t *testing.T) {
	at := func(b plat.Block, path ...int32) *leaf {
		b.Path = path
		l := &leaf{Block: &b, text: b.Text, known: true}
		l.sk = newSketch(l)
		return l
	}
	topic := func(b plat.Block, topic string) plat.Block { b.Topic = topic; return b }
	alike := similarity(at(topic(p(lead), "a"), 0, 1), at(topic(p(lead), "a"), 0, 1))
	if alike < 0.999 || alike > 1.001 {
		t.Errorf("equal leaves are similar by %v, want 1", alike)
	}
	for name, got := range map[string]float64{
		"another topic":   similarity(at(topic(p(lead), "a"), 0, 1), at(topic(p(lead), "b"), 0, 1)),
		"no topic":        similarity(at(p(lead), 0, 1), at(p(lead), 0, 1)),
		"another path":    similarity(at(topic(p(lead), "a"), 0, 1), at(topic(p(lead), "a"), 0, 2)),
		"another element": similarity(at(topic(p(lead), "a"), 0, 1), at(with(topic(p(lead), "a"), func(b *plat.Block) { b.Tag = "li" }), 0, 1)),
		"another label":   similarity(at(topic(p(lead), "a"), 0, 1), at(ad(topic(p(lead), "a")), 0, 1)),
		"other words":     similarity(at(topic(p(lead), "a"), 0, 1), at(topic(p(sport), "a"), 0, 1)),
	} {
		if got >= alike {
			t.Errorf("%s: similar by %v", name, got)
		}
	}
	for _, tc := range []struct {
		a, b []int32
		want float64
	}{{nil, nil, 1}, {[]int32{0, 1}, []int32{0, 1}, 1}, {[]int32{0, 1}, []int32{0, 2}, 0.25}, {[]int32{0}, []int32{0, 1, 2, 3}, 0.0625}, {[]int32{1}, []int32{0}, 0}} {
		if got := pathLikeness(tc.a, tc.b); got != tc.want {
			t.Errorf("paths %v and %v are alike by %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestCandidatesAreThoseNearby(t *testing.T) {
	var list []int32
	for i := range int32(3 * maxCandidates) {
		list = append(list, 2*i)
	}
	if got := nearest(list[:maxCandidates], 1000); !slices.Equal(got, list[:maxCandidates]) {
		t.Errorf("few candidates: %v", got)
	}
	for at, first := range map[int32]int{-1: 0, 0: 0, 3 * maxCandidates: maxCandidates, 1000 * maxCandidates: 2 * maxCandidates} {
		if got := nearest(list, at); len(got) != maxCandidates || got[0] != list[first] {
			t.Errorf("around %d: %d candidates from %d, want from %d", at, len(got), got[0], list[first])
		}
	}
}

// Of a parent block without common children the one at its place is the same; of several that gave it children the one
// that gave most, then the one at its path.
func TestWhichParentBlockIsTheSame(t *testing.T) {
	div := func(path ...int32) plat.Block {
		return plat.Block{Run: 1, Parent: 0, Level: 1, Slot: -1, Tag: "div", Path: path}
	}
	side := func(blocks ...plat.Block) Side {
		s := page()
		parent, pos := int32(0), int32(0)
		for _, b := range blocks {
			if b.Slot == -1 {
				parent = int32(len(s.Blocks))
			} else {
				b.Run, b.Level, b.Parent, b.Pos = 1, 2, parent, pos
				b.Path = append(slices.Clone(s.Blocks[parent].Path), pos)
				pos++
			}
			s.Blocks = append(s.Blocks, b)
		}
		return s
	}
	table := func(b plat.Block) plat.Block { b.Tag = "table"; return b }
	for _, tc := range []struct {
		name     string
		old, new Side
		want     []int32
	}{
		{"no child in common", side(div(0, 1), p(lead)), side(div(0, 1), table(p(sport))), []int32{0, 1, -1}},
		{"no child in common, elsewhere", side(div(0, 1), p(lead)), side(div(0, 2), table(p(sport))), []int32{0, -1, -1}},
		{"two children of one, one of the other", side(div(0, 1), p(lead), div(0, 2), p(story), p(sport)), side(div(0, 1), p(lead), p(story), p(sport)), []int32{0, 3, 2, 4, 5}},
		{"a child of each", side(div(0, 1), p(lead), div(0, 2), p(story)), side(div(0, 2), p(lead), p(story)), []int32{0, 3, 2, 4}},
		{"a child of each, at neither place", side(div(0, 1), p(lead), div(0, 2), p(story)), side(div(0, 3), p(lead), p(story)), []int32{0, 1, 2, 4}},
		{"nothing before", Side{}, side(div(0, 1), p(lead)), []int32{-1, -1, -1}},
	} {
		if r := Compare(tc.old, tc.new); !slices.Equal(r.Old, tc.want) {
			t.Errorf("%s: Old is %v, want %v", tc.name, r.Old, tc.want)
		}
	}
}

func TestAddressesAreRelativeToTheBase(t *testing.T) {
	for html, want := range map[string]string{
		"<head></head><body></body>":                                        "https://a.test/x/",
		`<head><base target="_top"><base href=" /y/ "></head><body></body>`: "https://a.test/y/",
		`<head><base href="https://b.test/"/></head>`:                       "https://b.test/",
		`<head><link href="/z/"></head><body><base href="/late/"></body>`:   "https://a.test/x/",
		`<head><base href="%zz"><base href="/y/"></head>`:                   "https://a.test/x/%zz",
		`<head><base href="http://["><base href="/y/"></head>`:              "",
	} {
		if got := baseOf(&Side{URL: "https://a.test/x/", Layout: &plat.Layout{HTML: []byte(html)}}); got.String() != want {
			t.Errorf("%s: %s, want %s", html, got, want)
		}
	}
	if got := baseOf(&Side{URL: "https://a.test/"}); got.String() != "https://a.test/" {
		t.Errorf("without a layout: %s", got)
	}
	if got := baseOf(&Side{URL: "%zz"}); got.String() != "" {
		t.Errorf("without an address: %s", got)
	}
}

func TestTextsOfAsManyLinesAreComparedByLine(t *testing.T) {
	split := func(s string) (all []string, ends []int) {
		for line := range strings.Lines(s) {
			all = append(all, strings.Fields(line)...)
			ends = append(ends, len(all))
		}
		return all, ends
	}
	common := func(old, new string) string {
		a, ea := split(old)
		b, eb := split(new)
		var out []string
		for _, r := range ByLines(a, b, ea, eb) {
			if !slices.Equal(a[r.A:r.A+r.N], b[r.B:r.B+r.N]) {
				t.Errorf("%q and %q: the run %v is not common", old, new, r)
			}
			out = append(out, strings.Join(a[r.A:r.A+r.N], " "))
		}
		return strings.Join(out, "|")
	}
	for _, tc := range []struct{ name, old, new, want string }{
		{"equal texts are one run", "a b c\nd e f\n", "a b c\nd e f\n", "a b c d e f"},
		{"a word of the first line", "a b c\nd e f\n", "a x c\nd e f\n", "a|c d e f"},
		{"words do not match across lines", "a b c d\nx b c d e f g h\n", "b c d\nx y e f g h\n", "b c d x|e f g h"},
		{"lines that changed places", "a b c\nd e f\n", "d e f\na b c\n", "a b c"},
		{"a line less", "a b\nc d\n", "c d\n", "c d"},
		{"one line", "a b c\n", "a x c\n", "a|c"},
		{"nothing in common", "a b\nc d\n", "e f\ng h\n", ""},
	} {
		if got := common(tc.old, tc.new); got != tc.want && !(tc.name == "lines that changed places" && got == "d e f") {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestElementsInCommon(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "cab", 3}, {"aab", "abb", 2}, {"abc", "", 0}, {"abc", "xyz", 0}, {"aaa", "a", 1}} {
		if got := common([]byte(tc.a), []byte(tc.b)); got != tc.want {
			t.Errorf("%q and %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestWordsOfAText(t *testing.T) {
	const text = "  don't pay 1,000 €,\n日本 (now)… "
	want := []string{"don't", "pay", "1,000", "€", ",", "日", "本", "(", "now", ")", "…"}
	if got := slices.Collect(Each(text)); !slices.Equal(got, want) {
		t.Errorf("Each: %q, want %q", got, want)
	}
	var split []string
	for _, w := range Split(text) {
		split = append(split, text[w[0]:w[1]])
	}
	if !slices.Equal(split, want) {
		t.Errorf("Split: %q, want %q", split, want)
	}
	for range Each(text) {
		break
	}
	if got := Split("  "); len(got) != 0 {
		t.Errorf("blanks have the words %v", got)
	}
}

func TestWhichTokensVary(t *testing.T) {
	const a, b = "550e8400-e29b-41d4-a716-446655440000", "660e8400-e29b-41d4-a716-44665544000f"
	for _, tc := range []struct {
		x, y    string
		numbers bool
		want    Reason
	}{
		{a, b, false, UUID},
		{a, strings.Replace(b, "-", "0", 1), false, Random},
		{a, strings.Replace(b, "e29b", "e29g", 1), false, Random},
		{"20260131", "20261231", false, Timestamp},
		{"20260100", "20261231", false, ""}, {"20260001", "20261231", false, ""}, {"20261301", "20261231", false, ""}, {"20260132", "20261231", false, ""},
		{"1763812345", "1763812346", false, Timestamp}, {"2763812345", "2763812346", false, ""},
		{"deadbee1", "deadbee2", false, Hex}, {"deadbe1", "deadbe2", false, ""}, {"deadbeef", "feedbeef", false, ""},
		{a, b + "0", false, Random},
		{"a1B2c3D4e5F6", "g7H8i9J0k1L2", false, Random}, {"a1B2c3D4e5F", "g7H8i9J0k1L", false, ""},
		{"January", "may", true, Timestamp}, {"January", "may", false, ""}, {"June", "mayor", true, ""},
		{"5 items", "17 items", true, Counter}, {"5 items", "17 items", false, ""}, {"5 items", "items", true, ""}, {"a5", "a", true, ""},
		{"5 items", "6 itemz", true, ""}, {"v1.2", "v10.3", true, Counter}, {"v1.2", "v1.2.3", true, ""}, {"", "", true, ""}, {"1", "", true, ""},
	} {
		if got := tokenLike(tc.x, tc.y, tc.numbers); got != tc.want {
			t.Errorf("%q and %q, numbers %v: %q, want %q", tc.x, tc.y, tc.numbers, got, tc.want)
		}
	}
}

func TestChangesAreInTheOrderOfTheNewVersion(t *testing.T) {
	new := page(p(lead), p(story), with(p(sport), func(b *plat.Block) { b.Slot = 1 }), with(p(other), func(b *plat.Block) { b.Pos = 5 }))
	new.Blocks[4].Pos = 5 // in slot 0, so before the third
	r := Result{Changes: plat.Changes{Blocks: []plat.Change{{Old: 7, New: -1}, {New: 3}, {New: 2}, {Old: 6, New: -1}, {New: 4}, {New: 1}}}}
	r.sort(new.Blocks)
	var got []int32
	for _, c := range r.Blocks {
		got = append(got, c.New, c.Old)
	}
	if want := []int32{1, 0, 2, 0, 4, 0, 3, 0, -1, 7, -1, 6}; !slices.Equal(got, want) {
		t.Errorf("new and old indexes %v, want %v", got, want)
	}
}

func TestLinesEndBeforeTheirNextWord(t *testing.T) {
	for text, want := range map[string][]int{"": {0}, "a b": {2}, "a b\nc\n": {2, 3}, "\na b": {2}, "a\n\nb": {1, 2}, "a\n b c\nd": {1, 3, 4}} {
		if got := ends(text, tokens(text)); !slices.Equal(got, want) {
			t.Errorf("%q: lines end at the words %v, want %v", text, got, want)
		}
	}
}

func TestAddressesOfFilesThatAreTheSame(t *testing.T) {
	for _, tc := range []struct {
		x, y string
		want bool
	}{
		{`<script src="/app.js?1763812345"></script>`, `<script src="/app.js?1763812346"></script>`, true},
		{`<script src="/app.js?build-17"></script>`, `<script src="/app.js?build-18"></script>`, true},
		{`<img src="/a.png?1763812345">`, `<img src="/a.png?1763812346">`, false},
		{`<img src="/a.png?v=1">`, `<img src="/a.png?v=2">`, true},
		{`<img src="/a.png?w=1">`, `<img src="/a.png?w=2">`, false},
		{`<img src="/a.png?v=1&w=1">`, `<img src="/a.png?v=2">`, false},
		{`<img src="/a.png?v=1">`, `<img src="/b.png?v=1">`, false},
		{`<script src="/app.0a1b2c3d.js"></script>`, `<script src="/app.1a2b3c4d.js"></script>`, true},
		{`<a href="/x;jsessionid=1A2B">x</a>`, `<a href="/x;jsessionid=3C4D">x</a>`, true},
	} {
		if _, ok := Volatile([]byte(tc.x), []byte(tc.y)); ok != tc.want {
			t.Errorf("%s and %s vary only: %v", tc.x, tc.y, ok)
		}
	}
}
