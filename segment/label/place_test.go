package label

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/label/chinese"
)

// pageWith returns gathered facts of leaves under the root.
func pageWith(blocks []plat.Block, all ...facts) *gathered {
	g := &gathered{snap: &plat.Snapshot{Width: 1000}, page: &plat.Page{Blocks: blocks}, facts: all, overlays: make([]bool, len(blocks))}
	for i := range blocks {
		g.overlays[i] = blocks[i].Rule == plat.RuleOverlay
	}
	return g
}

func TestTheMainTextAndTheHeaviestRegion(t *testing.T) {
	root := plat.Block{Parent: -1, Slot: -1}
	in := func(parent int32, w float32) plat.Block {
		return plat.Block{Parent: parent, Box: plat.Rect{W: w, H: 10}}
	}
	inner := plat.Block{Slot: -1, Box: plat.Rect{W: 900}}
	over := in(0, 900)
	over.Rule = plat.RuleOverlay
	text := func(chars int32) facts { return facts{chars: chars, mass: chars} }
	linked := facts{chars: 100, linkChars: 100, mass: 100}
	for name, tc := range map[string]struct {
		blocks       []plat.Block
		facts        []facts
		main, region int32
		regions      string
	}{
		"none":                          {[]plat.Block{root}, []facts{{}}, 0, 0, "[0]"},
		"the longest":                   {[]plat.Block{root, in(0, 500), in(0, 500), in(0, 500)}, []facts{text(60), text(10), text(30), text(20)}, 2, 2, "[0 1 2 3]"},
		"the first of equals":           {[]plat.Block{root, in(0, 500), in(0, 500)}, []facts{text(20), text(10), text(10)}, 1, 1, "[0 1 2]"},
		"a wide one before a long one":  {[]plat.Block{root, in(0, 300), in(0, 900)}, []facts{text(200), text(110), text(90)}, 2, 1, "[0 1 2]"}, // 110 × .5 and 90 × 1.1
		"links count less":              {[]plat.Block{root, in(0, 500), in(0, 500)}, []facts{text(200), linked, text(31)}, 2, 1, "[0 1 2]"},
		"but as many links count more":  {[]plat.Block{root, in(0, 500), in(0, 500)}, []facts{text(200), linked, text(29)}, 1, 1, "[0 1 2]"},
		"one without text":              {[]plat.Block{root, in(0, 500)}, []facts{{}, {}}, 1, 1, "[0 1]"},
		"no parent block":               {[]plat.Block{root, inner, in(1, 500), in(1, 500)}, []facts{text(60), text(60), text(20), text(40)}, 3, 1, "[0 1 1 1]"},
		"no overlay":                    {[]plat.Block{root, over, in(0, 500)}, []facts{text(60), text(50), text(10)}, 2, 2, "[0 1 2]"},
		"none but an overlay":           {[]plat.Block{root, over}, []facts{text(50), text(50)}, 0, 0, "[0 1]"},
		"a parent that comes too late":  {[]plat.Block{root, in(2, 500), in(0, 500)}, []facts{text(60), text(50), text(10)}, 1, 1, "[0 1 2]"},
		"a region of two levels of one": {[]plat.Block{root, inner, {Parent: 1, Slot: -1}, in(2, 500)}, []facts{text(9), text(9), text(9), text(9)}, 3, 1, "[0 1 1 1]"},
	} {
		s := pageWith(tc.blocks, tc.facts...).survey()
		if s.main != tc.main || s.region != tc.region || fmt.Sprint(s.regions) != tc.regions {
			t.Errorf("%s: main %d, region %d of %v", name, s.main, s.region, s.regions)
		}
	}
}

func TestColumnsOfTitles(t *testing.T) {
	at := func(x, y, w float32) plat.Block { return plat.Block{Box: plat.Rect{X: x, Y: y, W: w, H: 50}} }
	inner, over := at(0, 0, 100), at(0, 0, 100)
	inner.Slot, over.Rule = -1, plat.RuleOverlay
	for name, tc := range map[string]struct {
		blocks []plat.Block
		want   string // X, Y, W, H and titles of each
	}{
		"two below each other":          {[]plat.Block{at(700, 100, 200), at(700, 400, 250)}, "700,100 250×350 2"},
		"one":                           {[]plat.Block{at(700, 100, 200)}, ""},
		"29 px beside":                  {[]plat.Block{at(700, 100, 200), at(729, 400, 200)}, "700,100 229×350 2"},
		"30 px beside":                  {[]plat.Block{at(700, 100, 200), at(730, 400, 200)}, ""},
		"29 px at the other side":       {[]plat.Block{at(700, 100, 200), at(671, 400, 200)}, "671,100 229×350 2"},
		"30 px at the other side":       {[]plat.Block{at(700, 100, 200), at(670, 400, 200)}, ""},
		"one above":                     {[]plat.Block{at(700, 100, 200), at(700, 99, 200)}, ""},
		"at the same height":            {[]plat.Block{at(700, 100, 200), at(700, 100, 200)}, "700,100 200×50 2"},
		"400 px wide":                   {[]plat.Block{at(0, 0, 400), at(0, 50, 400)}, "0,0 400×100 2"},
		"wider":                         {[]plat.Block{at(0, 0, 401), at(0, 50, 401)}, ""},
		"in the middle":                 {[]plat.Block{at(451, 0, 100), at(451, 50, 100)}, ""},
		"at the left":                   {[]plat.Block{at(300, 0, 100), at(300, 50, 100)}, "300,0 100×100 2"},
		"a little off the left":         {[]plat.Block{at(301, 0, 100), at(301, 50, 100)}, ""},
		"at the right":                  {[]plat.Block{at(600, 0, 100), at(600, 50, 100)}, "600,0 100×100 2"},
		"a little off the right":        {[]plat.Block{at(599, 0, 100), at(599, 50, 100)}, ""},
		"of parent blocks and overlays": {[]plat.Block{at(0, 0, 100), inner, over}, ""},
		"two columns":                   {[]plat.Block{at(0, 0, 100), at(800, 0, 100), at(0, 50, 100), at(800, 50, 100)}, "0,0 100×100 2, 800,0 100×100 2"},
	} {
		g := pageWith(tc.blocks, make([]facts, len(tc.blocks))...)
		for i := range g.facts {
			g.facts[i].titles = 1
		}
		var got []string
		for _, c := range g.columns() {
			got = append(got, fmt.Sprint(c.box, " ", c.titles))
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: %s", name, strings.Join(got, ", "))
		}
	}
	if g := pageWith([]plat.Block{at(0, 0, 100), at(0, 50, 100)}, facts{titles: 3}, facts{}); len(g.columns()) != 1 || g.columns()[0].titles != 3 {
		t.Errorf("columns %v", g.columns())
	}
}

func TestPlacesOfBlocks(t *testing.T) {
	root := plat.Block{Parent: -1, Slot: -1}
	in := func(x, y, w, h float32) plat.Block { return plat.Block{Box: plat.Rect{X: x, Y: y, W: w, H: h}} }
	blocks := []plat.Block{root, in(100, 0, 400, 500), in(450, 460, 100, 10), in(450, 459, 100, 10), in(600, 500, 100, 10), in(200, 500, 0, 10)}
	g := pageWith(blocks, facts{chars: 100, linkChars: 25, mass: 200}, facts{chars: 60, mass: 100}, facts{mass: 50}, facts{mass: 20}, facts{mass: 30}, facts{})
	s := g.survey()
	for i, want := range []string{"false 1 false 0 0.25", "true 0 false 0.5 0.25", "false 0.5 true 0.25 0.25", "false 0.5 false 0.1 0.25", "false 1 true 0.15 0.25", "false 0 true 0 0.25"} {
		f := &g.facts[i]
		if g.place(i, &s); i == 0 {
			f.off = 1 // of a box without a width
		}
		if got := fmt.Sprint(f.most, " ", f.off, " ", f.below, " ", f.region, " ", f.pageLinks); got != want {
			t.Errorf("block %d: most, off, below, region, links %s; want %s", i, got, want)
		}
	}
	if b := g.facts[1].main; b != blocks[1].Box {
		t.Errorf("the main text is at %v", b)
	}
}

func TestCommentsAreBetweenTheirHeadingAndTheField(t *testing.T) {
	at := func(parent int32, x, y, w, h float32) plat.Block {
		return plat.Block{Parent: parent, Box: plat.Rect{X: x, Y: y, W: w, H: h}}
	}
	root, around := plat.Block{Parent: -1, Slot: -1}, at(0, 90, 0, 500, 900)
	around.Slot = -1
	heading := facts{commentWord: true, chars: 99}
	field := facts{areas: 1, asks: true}
	for name, tc := range map[string]struct {
		blocks []plat.Block
		facts  []facts
		want   string
	}{
		"a heading":             {[]plat.Block{root, at(0, 100, 0, 400, 100), at(0, 100, 200, 300, 20), at(0, 80, 261, 400, 50)}, []facts{{}, {}, heading, field}, "[80,200 400×61]"},
		"a wide heading":        {[]plat.Block{root, at(0, 100, 0, 400, 100), at(0, 70, 200, 500, 20), at(0, 80, 261, 400, 50)}, []facts{{}, {}, heading, field}, "[70,200 500×61]"},
		"one just above":        {[]plat.Block{root, at(0, 100, 0, 400, 100), at(0, 100, 200, 300, 20), at(0, 80, 260, 400, 50)}, []facts{{}, {}, heading, field}, "[]"},
		"a long one is a text":  {[]plat.Block{root, at(0, 100, 0, 400, 100), at(0, 100, 200, 300, 20), at(0, 80, 261, 400, 50)}, []facts{{}, {}, {commentWord: true, chars: 100}, field}, "[]"},
		"no heading":            {[]plat.Block{root, around, at(1, 100, 0, 400, 100), at(1, 100, 700, 400, 139)}, []facts{{}, {}, {}, field}, "[90,839 500×61]"},
		"nor room below":        {[]plat.Block{root, around, at(1, 100, 0, 400, 100), at(1, 100, 700, 400, 140)}, []facts{{}, {}, {}, field}, "[]"},
		"above the text":        {[]plat.Block{root, around, at(1, 100, 700, 400, 100), at(1, 100, 700, 400, 100)}, []facts{{}, {}, {}, field}, "[]"},
		"a field for something": {[]plat.Block{root, around, at(1, 100, 0, 400, 100), at(1, 100, 700, 400, 100)}, []facts{{}, {}, {}, {areas: 1}}, "[]"},
		"no area":               {[]plat.Block{root, around, at(1, 100, 0, 400, 100), at(1, 100, 700, 400, 100)}, []facts{{}, {}, {}, {asks: true}}, "[]"},
		"around at level 1":     {[]plat.Block{root, at(0, 100, 0, 400, 100), at(0, 100, 700, 400, 100)}, []facts{{}, {}, field}, "[]"},
	} {
		g := pageWith(tc.blocks, tc.facts...)
		main := int32(1)
		if len(tc.blocks) == 4 && tc.blocks[1].Slot < 0 {
			main = 2
		}
		if got := fmt.Sprint(g.discussions(main)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		if got := g.discussions(0); got != nil {
			t.Errorf("%s: without a text %v", name, got)
		}
	}
	area := []plat.Rect{{X: 10, Y: 20, W: 30, H: 40}}
	for b, want := range map[plat.Rect]bool{{X: 10, Y: 20}: true, {X: 9, Y: 20}: false, {X: 10, Y: 19}: false, {X: 40, Y: 20}: false, {X: 39, Y: 59}: true, {X: 39, Y: 60}: false, {X: 0, Y: 0, W: 20, H: 40}: true, {X: 0, Y: 0, W: 18, H: 40}: false} {
		if inside(b, area) != want {
			t.Errorf("%v is inside: %v", b, !want)
		}
	}
}

func TestShapesOfBlocks(t *testing.T) {
	for _, tc := range []struct{ drawing, want string }{
		{"* div.card 0,0 403x20\n  h3 \"a\"\n    b \"c\"\n  \"text\"\n  p \"b\"\n  i \"x\"\n  u \"y\"", "div card 100 [h3 p i] true"}, {"* div 0,0 404x20\n  h3 \"a\"\n  p \"b\"", "div  101 [h3 p ] true"}, {"* div 0,0 4x20\n  p \"b\"", "div  1 [p  ] false"},
		{"* li 0,0 4x20", "li  1 [  ] true"}, {"* tr 0,0 4x20", "tr  1 [  ] true"}, {"* article 0,0 4x20", "article  1 [  ] true"}, {"* td 0,0 4x20", "td  1 [  ] false"},
	} {
		g := gatherOf(t, tc.drawing)
		s, ok := g.shapeOf(1)
		if got := fmt.Sprint(s.tag, " ", s.class, " ", s.width, " ", s.children, " ", ok); got != tc.want || s.parent != 0 {
			t.Errorf("%q: %s, want %s", tc.drawing, got, tc.want)
		}
		for _, at := range []int32{0, 99} {
			if g.first[1] = at; g.first[1] >= 0 {
				if _, ok := g.shapeOf(1); ok {
					t.Errorf("node %d has a shape", at)
				}
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for opt, want := range map[Options]Options{{}: {10, 30, 1}, {1, 2, 3}: {1, 2, 3}, {MinFrequency: -1}: {10, 30, 0}} {
		if d, err := New(opt); err != nil || d.opt != want {
			t.Errorf("%v is %v, %v", opt, d, err)
		}
	}
	for _, opt := range []Options{{TopicWords: -1}, {ExtractWords: -1}, {MinFrequency: -2}} {
		if _, err := New(opt); err == nil {
			t.Errorf("%v is no error", opt)
		}
	}
	d, snap, page := newDescriber(t, Options{}), &plat.Snapshot{Nodes: make([]plat.Node, 1)}, &plat.Page{Blocks: make([]plat.Block, 1)}
	if d.Describe(snap, page, nil, []bool{true}) == nil || d.Describe(snap, page, []plat.Span{{}}, nil) == nil {
		t.Error("slices of other lengths are no error")
	}
	if err := d.Describe(snap, &plat.Page{}, nil, []bool{true}); err != nil {
		t.Errorf("without blocks: %v", err)
	}
	for want, folded := range map[int32][]int32{0: nil, 5: {1, 4, 10, 12}, 3: {1, 4, 10}, 2: {9, 4, 10, 12}} {
		if got := foldedIn(&plat.Block{Folded: folded}); got != want {
			t.Errorf("%v are %d characters, want %d", folded, got, want)
		}
	}
}

func TestLanguagesOfPages(t *testing.T) {
	d := newDescriber(t, Options{})
	rep := strings.Repeat
	for _, tc := range []struct{ claim, text, want string }{
		{"fr", rep("я", 19), "fr"}, {"fr", rep("я", 20), "ru"}, {"", rep("я", 19), "ru"}, {"uk", rep("я", 20), "uk"}, {"sr", rep("я", 20), "sr"}, {"", rep("ლ", 20), ""}, {"ka", rep("ლ", 20), "ka"}, {"de", rep("ლ", 20), ""}, {"th", rep("ก", 20), "th"},
		{"", rep("漢", 10) + rep("a", 29), "zh"}, {"", rep("漢", 10) + rep("a", 30), ""}, {"", rep("の", 10) + rep("a", 29), "ja"}, {"", rep("한", 10) + rep("a", 19), "ko"}, {"", rep("한", 10) + rep("a", 20), ""},
		{"", rep("漢", 90) + rep("の", 10), "zh"}, {"", rep("漢", 89) + rep("の", 11), "ja"}, {"ja", rep("漢", 49), "ja"}, {"ja", rep("漢", 50), "zh"}, {"ko", rep("漢", 60) + "한", "ko"}, {"ko", rep("漢", 60), "zh"}, {"zh", rep("漢", 60), "zh"},
		// Stop words: at least three, and a twentieth of all words.
		{"", "the and of" + rep(" qxq", 57), "en"}, {"", "the and of" + rep(" qxq", 58), ""}, {"", "the and" + rep(" qxq", 10), ""},
		// A claim with a list keeps, unless another has twice as many and five.
		{"de", "die und der the this with" + rep(" which", 7) + rep(" qxq", 9), "de"}, {"de", "und der ich the this with" + rep(" which", 8) + rep(" qxq", 9), "en"}, {"de", "und der ich the this with" + rep(" which", 7) + rep(" qxq", 9), "de"},
		{"de", "the this with which qxq", "de"}, {"de", "the this with which would qxq", "en"},
		// A claim without one keeps, unless ten and a quarter of the words are another's.
		{"pl", rep("which ", 10) + rep("qxq ", 30), "en"}, {"pl", rep("which ", 10) + rep("qxq ", 31), "pl"}, {"pl", rep("which ", 9) + rep("qxq ", 9), "pl"},
		// Six hundred words are read.
		{"", rep("qxq ", 597) + "the and of", ""}, {"", rep("which ", 30) + rep("qxq ", 570) + rep("qxq ", 900), "en"},
	} {
		if got := d.detect(tc.claim, []string{tc.text}); got != tc.want {
			t.Errorf("%.40q, declared as %q, is %q, want %q", tc.text, tc.claim, got, tc.want)
		}
	}
	if got := d.detect("", []string{rep("qxq ", 570), rep("which ", 30), rep("und ", 600)}); got != "en" {
		t.Errorf("of several texts the language is %q", got)
	}
}

func TestWordsOfOtherScripts(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, tc := range []struct{ language, text, want string }{
		{"ja", "カタカナー漢字ひらがなの", "カタカナー/3 漢字/2 ひらがなの/7"}, {"ja", "のに", "のに/7"}, {"ja", "のにの", "のにの/3"}, {"ja", "ひらがなカタカナ", "ひらがな/3 カタカナ/3"}, {"ja", "あー漢", "あー/7 漢/2"}, {"ja", "あーあ漢", "あーあ/3 漢/2"},
		{"en", "研究生命", "研究生命/2"}, {"en", "研究生命的", "研究/2 生命/2 的/2"}, {"zh", "研究生命", "研究/2 生命/2"}, {"", "研究生命", "研究/2 生命/2"},
		{"th", "กขคab", "กขค/5 ab/0"}, {"th", "abกขค", "ab/0 กขค/5"}, {"th", "กข-คง", "กข/5 คง/5"}, {"ko", "한국어", "한국어/4"}, {"ru", "Ёжик", "Ёжик/1"}, {"el", "αβγ", "αβγ/6"}, {"en", "À la ǅ÷×x", "À/0 la/0 ǅ/0 x/0"}, {"en", "Ҋ҉a", "Ҋ҉a/1"}, {"en", "_ a_b __", "a_b/0"},
		{"en", "a.b a:b a'b a,b a;b", "a.b/0 a:b/0 a'b/0 a/0 b/0 a/0 b/0"}, {"en", "1.2 1,2 1;2 1'2 1:2", "1.2/0 1,2/0 1;2/0 1'2/0 1/0 2/0"}, {"en", "a.1 1.a a. .a", "a/0 1/0 1/0 a/0 a/0 a/0"}, {"en", "a.é é.a é.ê 1.é", "a.é/0 é.a/0 é.ê/0 1/0 é/0"}, {"en", "a«b»c…d、e", "a/0 b/0 c/0 d/0 e/0"},
	} {
		d.chinese.Simplified = func() *chinese.Lexicon { return sharedLexicons.Simplified() }
		var got []string
		d.words(tc.language, []string{tc.text}).each(tc.text, func(word string, s script) bool {
			got = append(got, fmt.Sprint(word, "/", s))
			return true
		})
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s %q: %s, want %s", tc.language, tc.text, strings.Join(got, " "), tc.want)
		}
		for stop := range got {
			n := 0
			if d.words(tc.language, []string{tc.text}).each(tc.text, func(string, script) bool { n++; return n <= stop }) || n != stop+1 {
				t.Errorf("%q goes on for %d words after word %d", tc.text, n, stop)
			}
		}
	}
	for r, want := range map[rune]bool{0xbf: false, 0xc0: true, 0xd7: false, 0xd6: true, 0xd8: true, 0xf7: false, 0x24f: true, 0x250: false, 0x3ff: false, 0x400: true, 0x481: true, 0x482: false, 0x489: false, 0x48a: true, 0x52f: true, 0x530: false} {
		if plainLetter(r) != want {
			t.Errorf("%U is a plain letter: %v", r, !want)
		}
	}
	for code, want := range map[string]string{"en": "connect", "fr": "connect", "es": "conexion", "ru": "архив", "sv": "hamn", "no": "havn", "hu": "kikötő", "de": "häfen", "": "connect"} {
		word := map[string]string{"en": "connections", "": "connections", "fr": "connections", "es": "conexiones", "ru": "архивы", "sv": "hamnen", "no": "havnen", "hu": "kikötőben", "de": "Häfen"}[code]
		s := latin
		if code == "ru" {
			s = cyrillic
		}
		if got := d.words(code, nil).stem(word, s); got != want {
			t.Errorf("%s: the stem of %s is %q, want %q", code, word, got, want)
		}
	}
	var plain []string
	eachPlain("don’t 1a'b ß-é", func(w string) bool { plain = append(plain, w); return len(plain) < 4 })
	if got := strings.Join(plain, "|"); got != "don’t|a'b|ß|é" {
		t.Errorf("runs of letters %s", got)
	}
	n := 0
	if eachPlain("a b c", func(string) bool { n++; return n < 2 }); n != 2 {
		t.Errorf("it goes on for %d words", n)
	}
	var buf [48]byte
	for word, want := range map[string]string{"AZ[É’İ": "az[é'i", strings.Repeat("a", 44): strings.Repeat("a", 44), strings.Repeat("a", 45): "", strings.Repeat("é", 22): strings.Repeat("é", 22), strings.Repeat("é", 23): "", "": ""} {
		if got, ok := lowerInto(buf[:], word); string(got) != want || ok != (want != "" || word == "") {
			t.Errorf("%q in lower case is %q, %v", word, got, ok)
		}
	}
	for _, tc := range []struct {
		language, word string
		s              script
		want           string
	}{
		{"fr", "l'archive", latin, "archive"}, {"it", "dell’arte", latin, "arte"}, {"en", "l'archive", latin, "l'archive"}, {"fr", "x'y", latin, "x'y"}, {"fr", "l'", latin, "l'"}, {"fr", "l'a", cyrillic, "l'a"}, {"fr", "QU'il", latin, "il"}, {"de", "l'a", latin, "l'a"}, {"pl", "l'a", latin, "l'a"},
	} {
		if got := d.words(tc.language, nil).bare(tc.word, tc.s); got != tc.want {
			t.Errorf("%s: %q without its article is %q", tc.language, tc.word, got)
		}
	}
}
