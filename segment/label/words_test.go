package label

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"plat/segment/label/chinese"
)

func wordsOf(w *words, text string) []string {
	var got []string
	w.each(text, func(word string, s script) bool {
		got = append(got, word)
		return true
	})
	return got
}

func TestWords(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, tc := range []struct{ language, text, want string }{
		{"en", "Don't panic: it's 3.14, e.g. 1,000 foo_bar at www.example.com!", "Don't|panic|it's|3.14|e.g|1,000|foo_bar|at|www.example.com"},
		{"en", "don’t “quote” naïve café—bar", "don’t|quote|naïve|café|bar"},
		{"de", "Grüße aus Köln, 20.30 Uhr", "Grüße|aus|Köln|20.30|Uhr"},
		{"ru", "Привет, мир! 5-й", "Привет|мир|5|й"},
		{"ko", "한국어 위키백과는 백과사전이다.", "한국어|위키백과는|백과사전이다"},
		{"zh", "研究生命的起源", "研究|生命|的|起源"},
		{"zh", "国务院总理在人民大会堂会见了外国代表团", "国务院|总理|在|人民大会堂|会见|了|外国|代表团"},
		{"zh", "中華民國總統府今天發表聲明", "中華民國|總統府|今天|發表|聲明"},
		{"zh", "4S店的iPhone手机,3月", "4S|店|的|iPhone|手机|3|月"},
		{"zh", "Ünal研究生命的起源", "Ünal|研究|生命|的|起源"},
		{"zh", "Über 研究生命", "Über|研究|生命"},
		{"ja", "東京都は新しいデータを発表しました", "東京都|は|新|しい|データ|を|発表|しました"},
		{"th", "ภาษาไทย และ English", "ภาษาไทย|และ|English"},
		{"", "a\xffb \xf0\x9f", "a|b"},
		{"", "☃ — … !", ""},
		{"", "", ""},
	} {
		got := strings.Join(wordsOf(d.words(tc.language, []string{tc.text}), tc.text), "|")
		if got != tc.want {
			t.Errorf("%q: %s, want %s", tc.text, got, tc.want)
		}
	}
}

// The fast path for plain letters must agree with the Unicode algorithm.
func TestWordsOfPlainLettersAreThoseOfUnicode(t *testing.T) {
	d := newDescriber(t, Options{})
	w := d.words("en", nil)
	r := rand.New(rand.NewPCG(3, 4))
	const signs = "aB1_.':,; -\n\"éßЙ’x9" + "—\u0301"
	runes := []rune(signs)
	for range 20000 {
		text := make([]rune, r.IntN(12))
		for i := range text {
			text[i] = runes[r.IntN(len(runes))]
		}
		s := string(text)
		var want []string
		for rest, state := s, -1; rest != ""; {
			var word string
			word, rest, state = uniseg.FirstWordInString(rest, state)
			if _, ok := wordScript(word); ok {
				want = append(want, word)
			}
		}
		if got := wordsOf(w, s); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestStopListsHoldEachWordOnceInLowerCase(t *testing.T) {
	for _, l := range stopLists {
		seen := map[string]bool{}
		for w := range strings.FieldsSeq(l.words) {
			if seen[w] {
				t.Errorf("%s: %q is duplicated", l.code, w)
			}
			seen[w] = true
			if w != strings.ToLower(w) || strings.Contains(w, "’") {
				t.Errorf("%s: %q is not in lower case", l.code, w)
			}
		}
	}
}

// Only Chinese text loads the dictionary; Japanese and Korean text does not.
func TestDictionaryIsLoadedByTheFirstChineseTextOnly(t *testing.T) {
	for _, tc := range []struct {
		language, text string
		want           string
	}{
		{"en", "Harbour news of the week", ""},
		{"ko", "한국어 위키백과는 백과사전이다", ""},
		{"ja", "東京都は新しいデータを発表しました", ""},
		{"zh", "国务院发布新规定", "simplified"},
		{"en", "Chinese 研究生命的起源 text", "simplified"},
		{"zh", "中華民國總統府今天發表聲明", "both"},
	} {
		d := newDescriber(t, Options{})
		loaded := ""
		d.chinese.Simplified = func() *chinese.Lexicon { loaded = "simplified"; return sharedLexicons.Simplified() }
		d.chinese.Both = func() *chinese.Lexicon { loaded = "both"; return sharedLexicons.Both() }
		describe(t, d, tc.language, "* p 0,0 400x20 \""+tc.text+"\"")
		if loaded != tc.want {
			t.Errorf("%q: dictionary loaded: %q, want %q", tc.text, loaded, tc.want)
		}
	}
}

func TestStemsSurviveAFullMemory(t *testing.T) {
	s := stems{known: map[language]map[string]string{}}
	en := languageOf("en")
	for i := range maxStems + 10 {
		s.of(en, []byte("word"+strings.Repeat("s", i%3)+string(rune('a'+i%26))+strings.Repeat("b", i/26%40)+string(rune('a'+i/1040))))
	}
	if got := s.of(en, []byte("collecting")); got != "collect" {
		t.Errorf("stem %q", got)
	}
	if s.size > maxStems {
		t.Errorf("%d stems remembered, want at most %d", s.size, maxStems)
	}
}

func BenchmarkWords(b *testing.B) {
	for _, tc := range []struct{ name, language, text string }{
		{"english", "en", "The city council has voted to close the old harbour to lorries from next spring on. "},
		{"german", "de", "Der Stadtrat möchte den Hafen für Lastwagen künftig schließen und die Straßen öffnen. "},
		{"chinese", "zh", chineseText},
	} {
		b.Run("language="+tc.name, func(b *testing.B) {
			w := newDescriber(b, Options{}).words(tc.language, []string{tc.text})
			w.each(tc.text, func(string, script) bool { return true })
			text := strings.Repeat(tc.text, 50)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				w.each(text, func(string, script) bool { return true })
			}
		})
	}
}
