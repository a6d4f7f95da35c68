package noise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// span returns where a part of a text is.
func spanOf(text, part string) Span {
	i := strings.Index(text, part)
	return Span{i, i + len(part)}
}

// A stretch of any text is found again in that text, and in one with other words in its place.
func TestStretchesAreFoundByTheirSurroundings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var all []string
		for range r.IntN(9) {
			all = append(all, string(rune('a'+r.IntN(3))))
		}
		w := parse(strings.Join(all, " "))
		from := r.IntN(len(w.all) + 1)
		to := from + r.IntN(len(w.all)-from+1)
		in := Span{0, len(w.text)}
		if from > 0 {
			in.From = w.all[from-1].To
		}
		if to < len(w.all) {
			in.To = w.all[to].From
		}
		if in.From > in.To {
			continue
		}
		// The words of in are those from..to.
		if got, ok := w.stretch(w.aroundStretch(in)); !ok || got != in {
			t.Fatalf("%q: words %d to %d at %v are found at %v, %v", w.text, from, to, in, got, ok)
		}
	}
	whole, other := parse("Quote: be bold. Imprint"), parse("Quote: stay calm, always. Imprint")
	a := whole.aroundStretch(spanOf(whole.text, "be bold"))
	if in, ok := other.stretch(a); !ok || other.text[in.From:in.To] != " stay calm, always" {
		t.Errorf("in another text it is %q, %v", other.text[in.From:in.To], ok)
	}
	for _, text := range []string{"Quote: be bold", "Quote be bold. Imprint", "Quote: a Quote: b. Imprint", ""} {
		if in, ok := parse(text).stretch(a); ok {
			t.Errorf("in %q it is at %v", text, in)
		}
	}
	// Of two ends that look alike the second is meant.
	double := parse("x a . b . b . b")
	if in, ok := double.stretch(double.aroundStretch(Span{2, 8})); !ok || in.To != 8 {
		t.Errorf("an end of several is at %v, %v", in, ok)
	}
}

func TestSurroundingsOfWords(t *testing.T) {
	w := parse("Views: 12 of 34, new 5")
	h := hashOf
	want := map[string]around{
		"Views": {0, h("of"), 0, 2, 0, 1}, "12": {h("Views"), h("of"), 1, 0, 0, 1}, "of": {h("Views"), h("new"), 2, 2, 0, 1}, "34": {h("of"), h("new"), 0, 1, 0, 1}, "new": {h("of"), 0, 2, 1, 0, 1}, "5": {h("new"), 0, 0, 0, 0, 1},
	}
	for word, want := range want {
		if got, ok := w.aroundWord(spanOf(w.text, word)); !ok || got != want {
			t.Errorf("%s: %+v, %v; want %+v", word, got, ok, want)
		}
	}
	for _, in := range []Span{{0, 0}, {len(w.text), len(w.text) + 1}, {0, 9}} {
		if _, ok := w.aroundWord(in); ok {
			t.Errorf("%v is one word", in)
		}
	}
	same := parse("1 a 2 a 3 a")
	for i, want := range []around{{0, h("a"), 0, 0, 0, 1}, {0, h("a"), 1, 1, 0, 1}, {h("a"), h("a"), 0, 0, 0, 2}, {h("a"), h("a"), 1, 1, 0, 1}, {h("a"), h("a"), 0, 0, 1, 2}} {
		if got := surroundings(same.all)[i]; got != want {
			t.Errorf("word %d: %+v, want %+v", i, got, want)
		}
	}
	if few(255) != 255 || few(256) != 255 || few(7) != 7 {
		t.Error("counts are not capped at 255")
	}
	for _, tc := range []struct {
		a, b string
		want bool
	}{{"a b c", "c a b", true}, {"a b", "a b", false}, {"a", "b", false}, {"a b", "a c", false}, {"a b", "a b c", false}, {"a a b", "a b b", false}, {"a b", "b a", true}} {
		if got := reordered(parse(tc.a), parse(tc.b)); got != tc.want {
			t.Errorf("%q and %q have another order: %v", tc.a, tc.b, got)
		}
	}
}

func TestRangesThatAreNotNews(t *testing.T) {
	text := parse("a b c d 5 f g h i j")
	at := func(from, to int, why Reason) Edit {
		return Edit{New: Span{2 * from, 2*to - 1}, Why: why}
	}
	for name, tc := range map[string]struct {
		edits []Edit
		want  string
	}{
		"none": {nil, "[]"}, "one": {[]Edit{at(1, 2, "x")}, "[{2 3}]"}, "two words between": {[]Edit{at(0, 1, "x"), at(3, 4, "x")}, "[{0 7}]"}, "three words": {[]Edit{at(5, 6, "x"), at(9, 10, "x")}, "[{10 11} {18 19}]"}, "a number between": {[]Edit{at(3, 4, "x"), at(5, 6, "x")}, "[{6 7} {10 11}]"},
		"news between": {[]Edit{at(0, 1, "x"), at(1, 2, ""), at(2, 3, "x")}, "[{0 1} {4 5}]"}, "nothing of this text": {[]Edit{at(0, 1, "x"), {Why: ""}, at(2, 3, "x")}, "[{0 5}]"}, "news at first": {[]Edit{at(0, 1, ""), at(2, 3, "x")}, "[{4 5}]"},
	} {
		if got := fmt.Sprint(append([]plat.Range{}, quiet(tc.edits, text, func(e *Edit) Span { return e.New })...)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	long := parse(strings.Repeat("1 ", 200))
	var many []Edit
	for i := range 66 {
		many = append(many, Edit{New: Span{4 * i, 4*i + 1}, Why: "x"})
	}
	if got := len(quiet(many, long, func(e *Edit) Span { return e.New })); got != 64 {
		t.Errorf("%d ranges are listed", got)
	}
	for text, want := range map[string]bool{"": true, "a b": true, "a b c": false, "5": false, ", .": true} {
		if chance(parse(text).all) != want {
			t.Errorf("%q is chance: %v", text, !want)
		}
	}
	r := func(all ...int) (out []plat.Range) {
		for i := 0; i < len(all); i += 2 {
			out = append(out, plat.Range{From: all[i], To: all[i+1]})
		}
		return out
	}
	for _, tc := range [][3][]plat.Range{{nil, nil, nil}, {r(4, 6), r(0, 3), r(0, 3, 4, 6)}, {r(0, 3), r(3, 5), r(0, 5)}, {r(0, 9), r(2, 4), r(0, 9)}, {r(0, 2, 8, 9), r(1, 8), r(0, 9)}} {
		if got := both(tc[0], tc[1]); !slices.Equal(got, tc[2]) {
			t.Errorf("%v and %v are %v", tc[0], tc[1], got)
		}
	}
	x := joint{text: "one\ntwo three\nfour"}
	x.add(parse(x.text).all[1:3], 2)
	x.add(parse(x.text).all[3:], 2)
	x.add(parse(x.text).all[:2], 2)
	if !slices.Equal(x.quiet, r(4, 13, 0, 7)) {
		t.Errorf("the quiet ranges are %v", x.quiet)
	}
	for text, want := range map[string][]plat.Range{"two three": r(0, 9, 0, 3), "three\nfour": r(0, 5), "one": r(0, 3), "four": nil, "other": nil} {
		if got := x.in(&plat.Block{Text: text}); !slices.Equal(got, want) {
			t.Errorf("in %q they are %v, want %v", text, got, want)
		}
	}
}

func TestPartsOfAnEditThatIsNews(t *testing.T) {
	was, is := parse("a 1 b"), parse("c 2 d")
	e := Edit{Old: Span{0, 5}, New: Span{0, 5}}
	f, y := false, true
	for _, tc := range []struct {
		stood, varies []bool
		want          string
	}{
		{[]bool{y, y, y}, []bool{y, y, y}, "[{0 5}>{0 5} x]"}, {[]bool{f, f, f}, []bool{f, f, f}, "[{0 5}>{0 5} ]"}, {[]bool{f, y, f}, []bool{f, y, y}, "[{0 1}>{0 0}  {2 3}>{0 0} x {4 5}>{0 0}  {5 5}>{0 1}  {5 5}>{2 5} x]"}, {[]bool{y, y, y}, []bool{f, f, f}, "[{0 5}>{0 0} x {5 5}>{0 5} ]"},
	} {
		var all []string
		for _, e := range split(e, was.all, is.all, tc.stood, tc.varies, "x") {
			all = append(all, fmt.Sprintf("%v>%v %s", e.Old, e.New, e.Why))
		}
		if got := fmt.Sprint(all); got != tc.want {
			t.Errorf("%v, %v: %s, want %s", tc.stood, tc.varies, got, tc.want)
		}
	}
	for _, tc := range []struct {
		was, is string
		varies  string // y or n for each word
		stood   string
		inPlace bool
	}{
		{"a 1 b", "c 2 d", "nyn", "nyn", true}, {"1 a", "2", "y", "yn", false}, {"a 1", "2", "y", "ny", false}, {"1 a 2", "3 4", "yy", "yny", false}, {"a b", "c", "y", "ny", false}, {"a 1", "b c", "yy", "yn", false}, {"1", "b", "y", "n", false}, {"1 a 2 b 3", "7 x 8", "yny", "ynnny", false}, {"a 1 b 2 c", "x 3 y", "nyn", "nynnn", false}, {"a", "b", "n", "n", true},
	} {
		was, is := parse(tc.was).all, parse(tc.is).all
		varies, stood := make([]bool, len(is)), make([]bool, len(was))
		for i := range varies {
			varies[i] = tc.varies[i] == 'y'
		}
		stand(was, is, varies, stood)
		got := ""
		for _, s := range stood {
			got += map[bool]string{true: "y", false: "n"}[s]
		}
		if got != tc.stood || inPlace(was, is, varies) != tc.inPlace {
			t.Errorf("%q for %q: %s, want %s; in place %v", tc.is, tc.was, got, tc.stood, !tc.inPlace)
		}
	}
	for words, want := range map[int]int{0: 1, 1: 2, 3: 4, 4: 6, 8: 11} {
		if got := atMost(words); got != want {
			t.Errorf("at most %d words for %d, want %d", got, words, want)
		}
	}
	for _, tc := range []struct {
		was    string
		others []string
		want   []int
	}{{"x a b c y", []string{"a b c"}, []int{1, 2, 3}}, {"a b", []string{"a b"}, nil}, {"a b c", []string{"a b c"}, []int{0, 1, 2}}, {"a b c a b c", []string{"a b c"}, []int{0, 1, 2}}, {"a b c d e f", []string{"d e f", "a b c"}, []int{3, 4, 5, 0, 1, 2}}, {"a b", []string{"a b c"}, nil}, {"a b d", []string{"a b c"}, nil}} {
		var others [][]token
		for _, o := range tc.others {
			others = append(others, parse(o).all)
		}
		if got := sequence(parse(tc.was).all, others); !slices.Equal(got, tc.want) {
			t.Errorf("%q in %q: %v, want %v", tc.others, tc.was, got, tc.want)
		}
	}
	for text, want := range map[string]string{"a": "a", "Z": "a", "é": "a", "7": "0", "-": "-", "{": "{", "@": "@", "`": "`", "[": "[", ":": ":", "/": "/", "14:05:40": "t"} {
		if got := string(parse(text).all[0].shape()); got != want {
			t.Errorf("%q is of shape %s", text, got)
		}
	}
	for from, to := range map[string]string{"a b\nc\n\nd e": "[2 3 5]", "a": "[1]", "": "[0]", "a\nb": "[1 2]"} {
		if got := fmt.Sprint(parse(from).ends()); got != to {
			t.Errorf("the lines of %q end at %s, want %s", from, got, to)
		}
	}
	if w := parse("v3fa9 3 x7"); w.hasNumber(w.all[:len(w.all)-1]) != true || w.hasNumber(w.all[len(w.all)-1:]) || w.alone(Span{0, 1}) || !w.alone(Span{6, 7}) || !w.alone(Span{0, 5}) || w.alone(Span{1, 5}) {
		t.Errorf("numbers of %q", w.text)
	}
}

func TestPlacesWhereTwoRenderingsDiffer(t *testing.T) {
	for _, tc := range []struct{ first, second, want string }{
		{"a 1 b", "a 2 b", "1>2 fixed"}, {"a 1 b", "a x b", "1>x"}, {"a 1 b", "a b", "1>"}, {"a b", "a 1 b", ">1"}, {"a b", "a b", ""}, {"a one b c two d", "a three b c four d", "one>three fixed|two>four fixed"}, {"one two b c two d", "three b c four d", "one two b c two>three b c four"}, {"one two b c e two d", "three b c e four d", "one two>three|two>four fixed"},
		{"one two 5 two d", "three 5 four d", "one two>three|two>four fixed"}, {"1", "2", "1>2 fixed"}, {"a 1", "a 2", "1>2 fixed"}, {"1 a", "2 a", "1>2 fixed"},
	} {
		first, second := parse(tc.first), parse(tc.second)
		var got []string
		for _, v := range variations(first, second) {
			s := tc.first[v.first.From:v.first.To] + ">" + tc.second[v.second.From:v.second.To]
			if v.fixed {
				s += " fixed"
			}
			got = append(got, s)
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%q and %q: %s, want %s", tc.first, tc.second, strings.Join(got, "|"), tc.want)
		}
	}
	new := parse("a b c d e f")
	for _, tc := range []struct {
		first Span
		edits []Edit
		want  bool
	}{
		{Span{0, 5}, nil, true}, {Span{0, 3}, nil, false}, {Span{0, 5}, []Edit{{New: Span{4, 5}}}, false}, {Span{0, 5}, []Edit{{New: Span{6, 7}}}, true}, {Span{2, 7}, []Edit{{New: Span{0, 1}}}, true}, {Span{2, 7}, []Edit{{New: Span{0, 2}}}, true}, {Span{2, 7}, []Edit{{New: Span{0, 2}}, {New: Span{6, 7}}}, false}, {Span{2, 7}, []Edit{{New: Span{2, 2}}}, true}, {Span{2, 7}, []Edit{{New: Span{4, 4}}}, false}, {Span{2, 7}, []Edit{{New: Span{7, 7}}}, true},
	} {
		vary := []variation{{first: tc.first}}
		if stay(vary, new, tc.edits); vary[0].stays != tc.want {
			t.Errorf("%v stays beside %v: %v", tc.first, tc.edits, vary[0].stays)
		}
	}
	if w := parse("a b 5 c d"); w.toTheEnds(Span{4, 5}) != (Span{0, 9}) || w.toTheEnds(Span{6, 7}) != (Span{6, 9}) || w.toTheEnds(Span{2, 3}) != (Span{0, 3}) {
		t.Errorf("to the ends: %v, %v, %v", w.toTheEnds(Span{4, 5}), w.toTheEnds(Span{6, 7}), w.toTheEnds(Span{2, 3}))
	}
	if n := kept(parse("a b c d"), []variation{{first: Span{0, 3}}, {first: Span{6, 7}}}); n != 1 {
		t.Errorf("%d words are kept", n)
	}
	for n, want := range map[string]bool{"a b c d": true, "a b": false, "a b c": true} { // of three words
		if got := gone(parse("a b c"), []Edit{{Old: spanOf("a b c d", n)}}); got != want {
			t.Errorf("without %q it is gone: %v", n, got)
		}
	}
}
