package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTermsFoldsAndSplitsUnsegmentedScriptsByCharacter(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"The Ferry, at noon":           "the ferry at noon",
		"Ångström ÉTÉ e\u0301te\u0301": "angstrom ete ete",
		"don't e-mail":                 "don t e mail",
		"İstanbul ﬁne ＦＵＬＬ １２":         "istanbul fine full 12",
		"北京大学":                         "北 京 大 学",
		"A北京b":                         "a 北 京 b",
		"서울에서":                         "서울에서",
		"co\u00ADoperate \u00AD":       "cooperate",
		"a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf \u200B x\u200E": "abcdef x",
		"می\u200Cخواهم":                                       "میخواهم",
		"\u0301 ⑴ \u0660":                                     "1 \u0660",
		strings.Repeat("x", 100):                              strings.Repeat("x", 64),
		strings.Repeat("д", 100):                              strings.Repeat("д", 32),
		"a\xffb":                                              "a b",
	} {
		if got := strings.Join(Terms(in), " "); got != want {
			t.Errorf("Terms(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAskReadsWordsPhrasesAndExclusions(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "[] []",
		"ferry Harbour":     "[[ferry] [harbour]] []",
		`"the ferry" -noon`: "[[the ferry]] [[noon]]",
		`-"at noon" ferry`:  "[[ferry]] [[at noon]]",
		"e-mail":            "[[e mail]] []",
		"北京大学，上海":           "[[北 京 大 学] [上 海]] []",
		"「東京 大学」":           "[[東 京 大 学]] []",
		`a"b c"d`:           "[[a] [b c] [d]] []",
		`"open`:             "[[open]] []",
		`"" " " - -- -"`:    "[] []",
		"- ferry":           "[[ferry]] []",
		"a A á":             "[[a]] []",
		"OR AND NOT":        "[[or] [and] [not]] []",
	} {
		a := Ask(in)
		if got := fmt.Sprint(a.All, a.None); got != want {
			t.Errorf("Ask(%q) = %s, want %s", in, got, want)
		}
	}
}

// marked returns a snippet with its matches in brackets.
func marked(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Match {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestSnippetShowsTheDensestMatches(t *testing.T) {
	const text = "The harbour is quiet.\nNobody is there but gulls and a dog. On Sunday the ferry leaves the harbour at noon, and nobody waits for those who are late."
	for _, tc := range []struct {
		words  string
		around int
		want   string
	}{
		{"ferry harbour", 40, "…the [ferry] leaves the [harbour] at noon…"},
		{"harbour", 30, "The [harbour] is quiet.\nNobody…"},
		{`"nobody waits"`, 30, "…and [nobody waits] for those…"},
		{"late", 20, "…those who are [late]."},
		{"nothing", 20, "The harbour is…"},
		{"", 20, "The harbour is…"},
		{"-ferry", 20, "The harbour is…"},
		{"DOG", 0, "The harbour is quiet.\nNobody is there but gulls and a [dog]. On Sunday the ferry leaves the harbour at noon, and nobody waits for those who are late."},
		{`"is quiet" "quiet nobody"`, 40, "…harbour [is quiet.\nNobody] is there but…"},
	} {
		if got := marked(Snippet(text, tc.words, tc.around)); got != tc.want {
			t.Errorf("Snippet(%q, %d) = %q, want %q", tc.words, tc.around, got, tc.want)
		}
	}
	if got := marked(Snippet("上海新闻，今日北京大学开放，学生参观。", "北京", 10)); got != "…新闻，今日[北京]大学开…" {
		t.Errorf("of Chinese: %q", got)
	}
	if got := marked(Snippet("Été à la plage", "ete PLAGE", 80)); got != "[Été] à la [plage]" {
		t.Errorf("of French: %q", got)
	}
	if got := Snippet("", "a", 10); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func FuzzAsk(f *testing.F) {
	for _, seed := range []string{`"a b" -c d-e`, "北京，上海", `-"`, "«é» ﬁ ⑴\u00AD"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		a := Ask(words)
		n := 0
		for _, p := range slices.Concat(a.All, a.None) {
			if len(p) == 0 {
				t.Fatalf("%q has an empty phrase", words)
			}
			for _, w := range p {
				n++
				if w == "" || len(w) > maxTerm || !utf8.ValidString(w) || strings.ContainsFunc(w, func(r rune) bool {
					return !inWord(r) || r < utf8.RuneSelf && !unicode.IsLower(r) && !unicode.IsDigit(r)
				}) {
					t.Fatalf("%q has the word %q", words, w)
				}
			}
		}
		if n > maxAsked {
			t.Fatalf("%q has %d words", words, n)
		}
	})
}

func FuzzSnippet(f *testing.F) {
	f.Add("The ferry leaves the harbour at noon.", "ferry noon", 20)
	f.Add("上海新闻，今日北京大学开放", "北京", 3)
	f.Fuzz(func(t *testing.T, text, words string, around int) {
		parts := Snippet(text, words, around%1000)
		var b strings.Builder
		for i, p := range parts {
			if p.Text == "" || i > 0 && p.Match == parts[i-1].Match {
				t.Fatalf("part %d of %v is empty, or should be merged with the previous one", i, parts)
			}
			b.WriteString(p.Text)
		}
		if around%1000 <= 0 && b.String() != text {
			t.Fatalf("the whole is %q", b.String())
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(b.String(), "…"), "…")
		if !strings.Contains(text, inner) {
			t.Fatalf("%q is not a substring of %q", inner, text)
		}
	})
}
