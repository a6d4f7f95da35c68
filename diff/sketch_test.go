package diff

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestResemblanceIsTheShareOfCommonPairsOfWords(t *testing.T) {
	of := func(text string) *sketch { return &sketch{least: shingles(text)} }
	for _, tc := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0}, {"", "a", 0}, {"a", "a", 1}, {"a", "b", 0}, {"a b", "b a", 0}, {"a b c", "a b d", 1. / 3}, {"a b c d", "a b c d", 1},
		{"a b c d", "a b", 1. / 3}, {"a b", "a b c d", 1. / 3}, {"a b a b", "a b a", 1}, {"a  b\nc", "a b c", 1},
		{"日本語", "日本", 0.5}, {"ab日本c", "ab 日 本 c", 1}, {"ภาษา", "ภาษ", 2. / 3}, {"ab", "a b", 0},
	} {
		if got := of(tc.a).resemblance(of(tc.b)); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%q and %q resemble by %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	long := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprint(&b, i, " ")
		}
		return b.String()
	}
	if got := of(long(0, 1000)).resemblance(of(long(500, 1500))); math.Abs(got-1./3) > 0.2 {
		t.Errorf("texts with half of their words in common resemble by %v", got)
	}
	if n := len(shingles(long(0, 1000))); n != sketchSize {
		t.Errorf("a long text has %d hashes, want %d", n, sketchSize)
	}
	if all := shingles(long(0, 100)); !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("hashes are not distinct and ascending")
	}
	if !slices.Equal(shingles(long(0, sketchWords)), shingles(long(0, sketchWords)+"and more")) {
		t.Error("words beyond the limit are read")
	}
	if slices.Equal(shingles(long(0, 50)), shingles(long(0, 49)+"x")) {
		t.Error("the last word does not matter")
	}
}

func TestByWhatLeavesAreFound(t *testing.T) {
	at := func(text, content, topic, tag string, path ...int32) *sketch {
		return newSketch(&leaf{Block: &plat.Block{Content: []byte(content), Topic: topic, Tag: tag, Path: path}, text: text})
	}
	shares := func(a, b *sketch) (n int) {
		for _, f := range a.features {
			if slices.Contains(b.features, f) {
				n++
			}
		}
		return n
	}
	base := at("a b c", "<p>", "t", "p", 0, 1)
	for _, tc := range []struct {
		name  string
		other *sketch
		want  int
	}{
		{"the same", at("a b c", "<p>", "t", "p", 0, 1), 4},
		{"other markup", at("a b c", "<b>", "t", "p", 0, 1), 4},
		{"other words", at("x y z", "<p>", "t", "p", 0, 1), 2},
		{"another topic", at("a b c", "<p>", "u", "p", 0, 1), 3},
		{"another path", at("a b c", "<p>", "t", "p", 0, 2), 3},
		{"another element", at("a b c", "<p>", "t", "li", 0, 1), 3},
		{"nothing alike", at("x y z", "<p>", "u", "p", 0, 2), 0},
	} {
		if got := shares(base, tc.other); got != tc.want {
			t.Errorf("%s: %d features in common, want %d", tc.name, got, tc.want)
		}
	}
	if n := len(at("a b c", "", "", "p").features); n != 3 {
		t.Errorf("a leaf of three words without a topic has %d features", n)
	}
	if n := len(at(strings.Repeat("a b c d e f g h i j k l m n ", 3)+"z", "", "", "p").features); n != textFeatures+1 {
		t.Errorf("a leaf of many words has %d features", n)
	}
	// Pictures are found by their markup.
	if a, b := at("", `<img src="a.png" width=5>`, "", "img", 1), at("", `<img src="a.png" width=6>`, "", "img", 2); shares(a, b) == 0 {
		t.Error("pictures of one address have nothing in common")
	}
	if got := markupWords([]byte(strings.Repeat("a", 1<<16) + "b")); len(got) != 1<<16 {
		t.Errorf("of long markup %d bytes are read", len(got))
	}
}

func TestLongProblemsAreDividedAtWhatIsUnique(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want string
	}{
		{"xaybz", "uavbw", "1,1 3,3"}, // a and b
		{"abc", "abc", "1,1 2,2"},     // not at the very beginning
		{"xa", "a", "1,0"},
		{"a", "xa", "0,1"},
		{"xaya", "za", ""}, // several in a
		{"xa", "zaya", ""}, // several in b
		{"xa", "zayawa", ""},
		{"xaaba", "zb", "3,1"},
		{"xab", "yba", "1,2"}, // of two that changed places one
		{"x", "y", ""},
	} {
		ids := func(s string) (all []int32) {
			for _, c := range s {
				all = append(all, c)
			}
			return all
		}
		var got []string
		for _, c := range anchors(ids(tc.a), ids(tc.b)) {
			got = append(got, fmt.Sprintf("%d,%d", c[0], c[1]))
		}
		if s := strings.Join(got, " "); s != tc.want && !(tc.want == "1,2" && s == "2,1") {
			t.Errorf("%s and %s: %s, want %s", tc.a, tc.b, s, tc.want)
		}
	}
}

func TestTheBeginningAndTheEndOfSequences(t *testing.T) {
	for _, tc := range []struct {
		a, b     string
		pre, suf int
	}{{"", "", 0, 0}, {"abc", "abc", 3, 3}, {"abc", "abd", 2, 0}, {"abc", "xbc", 0, 2}, {"abc", "ab", 2, 0}, {"bc", "abc", 0, 2}, {"a", "b", 0, 0}, {"aXb", "aYYb", 1, 1}} {
		if pre, suf := prefix([]byte(tc.a), []byte(tc.b)), suffix([]byte(tc.a), []byte(tc.b)); pre != tc.pre || suf != tc.suf {
			t.Errorf("%s and %s: %d and %d in common, want %d and %d", tc.a, tc.b, pre, suf, tc.pre, tc.suf)
		}
	}
}

// TestHashesAreMixedFNV: stored results must not depend on the process, so hashes are those of the published
// functions: 64-bit FNV-1a of the kind and the text, then the finaliser of MurmurHash3.
func TestHashesAreMixedFNV(t *testing.T) {
	for _, s := range []string{"", "a", "news", "größer 新"} {
		h := fnv.New64a()
		h.Write([]byte("w" + s))
		x := h.Sum64()
		x ^= x >> 33
		x *= 0xff51afd7ed558ccd
		x ^= x >> 33
		x *= 0xc4ceb9fe1a85ec53
		x ^= x >> 33
		if got := hashOf('w', s); got != x {
			t.Errorf("%q has the hash %x, want %x", s, got, x)
		}
	}
}

// TestShinglesArePairsOfWords: a text has the pairs of its neighbours, whose order counts, and a single word itself.
func TestShinglesArePairsOfWords(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "a b": 1, "a b c": 2, "a b a b": 2, "汉字": 1, "汉字典": 2, "a汉b": 2, "汉": 1, "a. b.": 1, "a b汉": 2} {
		if got := shingles(text); len(got) != want {
			t.Errorf("%q has %d shingles, want %d", text, len(got), want)
		}
	}
	if slices.Equal(shingles("a b"), shingles("b a")) || slices.Equal(shingles("a"), shingles("b")) || slices.Equal(shingles("ab"), shingles("a b")) {
		t.Error("different texts have the same shingles")
	}
	pairs := map[uint64]string{}
	for _, a := range strings.Fields("one two three four five six seven eight nine ten") {
		for _, b := range strings.Fields("one two three four five six seven eight nine ten") {
			s := shingles(a + " " + b)
			if len(s) != 1 || pairs[s[0]] != "" {
				t.Errorf("%s %s has the shingles of %q", a, b, pairs[s[0]])
			}
			pairs[s[0]] = a + " " + b
		}
	}
}
