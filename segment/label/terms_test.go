package label

import (
	"slices"
	"testing"
)

func TestTermsAreStemsWithoutStopWords(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, tc := range []struct {
		name, code string
		text       string
		want       []string
	}{
		{"English", "en", "The Universities are studying the connected networks.", []string{"univers", "studi", "connect", "network"}},
		{"Chinese words are cut by the dictionary", "zh", "信息采集系统的设计与实现", []string{"信息", "采集", "系统", "设计", "实现"}},
		{"mixed", "zh", "基于主题的Web信息采集系统 (Focused Crawlers)", []string{"基于", "主题", "web", "信息", "采集", "系统", "focus", "crawler"}},
		{"the language is found by the text", "", "Les universités étudient les réseaux et les systèmes dans la ville et des pages pour cela.",
			[]string{"univers", "étudient", "réseau", "system", "vill", "pag"}},
		{"elisions", "fr", "l'université d’archives", []string{"univers", "archiv"}},
		{"all elisions", "fr", "l'archive d'archive j'archive m'archive t'archive s'archive c'archive n'archive qu'archive lorsqu'archive puisqu'archive jusqu'archive dell'archive nell'archive all'archive dall'archive sull'archive coll'archive un'archive quest'archive quell'archive", slices.Repeat([]string{"archiv"}, 21)},
		{"numbers are words", "en", "HTTP 404 in 2026", []string{"http", "404", "2026"}},
		{"nothing", "en", " … , the of — ", nil},
		{"long words", "en", "x " + long(200), []string{"x", long(200)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			d.Terms(tc.code, []string{tc.text}).Each(tc.text, func(term string) bool { got = append(got, term); return true })
			if !slices.Equal(got, tc.want) {
				t.Errorf("terms of %q are %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func long(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'q'
	}
	return string(b)
}

func TestTermsEndWhenNoMoreAreWanted(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, text := range []string{"one house two houses", "信息采集系统设计实现", "กขค house ひらがなカタカナ漢字"} {
		n := 0
		terms := d.Terms("", []string{text})
		terms.Each(text, func(string) bool { n++; return n < 2 })
		if n != 2 {
			t.Errorf("%d terms of %q, want 2", n, text)
		}
		n = 0
		terms.Each(text, func(string) bool { n++; return true }) // it may be used again
		if n < 2 {
			t.Errorf("%d terms of %q", n, text)
		}
	}
}

// The topics of blocks and the terms of a page use the same words: a word frequent enough to become
// the topic has the same stem as a term.
func TestTermsAreTheWordsOfTopics(t *testing.T) {
	d := newDescriber(t, Options{})
	text := "Connected networks connect. A network connection is connecting networks, and connects the network."
	w := d.words("en", []string{text})
	count := map[string]int{}
	d.Terms("en", []string{text}).Each(text, func(term string) bool { count[term]++; return true })
	for _, word := range []string{"networks", "Network", "connection", "CONNECTS"} {
		stem := w.stem(word, latin)
		if count[stem] < 4 {
			t.Errorf("of %q, stem %q, there are %d terms: %v", word, stem, count[stem], count)
		}
	}
	if len(count) != 2 {
		t.Errorf("terms %v, want two", count)
	}
}

func TestWordsOfTermsAreAsWritten(t *testing.T) {
	d := newDescriber(t, Options{})
	const text = "The Universities of TLS 信息采集"
	var got []string
	d.Terms("en", []string{text}).EachWord(text, func(word, term string) bool {
		got = append(got, word+" "+term)
		return len(got) < 2
	})
	if want := []string{"Universities univers", "TLS tls"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
