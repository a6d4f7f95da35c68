package chinese

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLexiconHoldsBothScriptsAndStaysSmall(t *testing.T) {
	l := NewLexicons().Both()
	find := func(word string) bool {
		found := false
		l.prefixes(word, func(n int, _ float32) { found = found || n == len(word) })
		return found
	}
	for _, w := range []string{"经济", "經濟", "人民大会堂", "中華民國", "龟裂", "一"} {
		if want := w != "一"; find(w) != want {
			t.Errorf("%s: found %v, want %v", w, !want, want)
		}
	}
	if bytes := len(l.text) + 4*(len(l.at)+len(l.cost)+len(l.first)); bytes > 8<<20 || len(l.cost) < 200000 {
		t.Errorf("%d words in %d bytes, want 200,000 and more in at most 8 MB", len(l.cost), bytes)
	}
	if !slices.IsSortedFunc(l.at, func(a, b uint32) int { return int(a) - int(b) }) {
		t.Error("words overlap")
	}
}

// BenchmarkLexiconLoad measures the cost of a worker's first Chinese page: the
// time, the retained heap, and (in a process that does nothing else: -benchtime
// 1x) the peak memory of the process.
func BenchmarkLexiconLoad(b *testing.B) {
	b.Run("simplified", func(b *testing.B) {
		benchmarkLoad(b, func(l Lexicons) *Lexicon { return l.Simplified() })
	})
	b.Run("both", func(b *testing.B) { benchmarkLoad(b, func(l Lexicons) *Lexicon { return l.Both() }) })
}

func benchmarkLoad(b *testing.B, load func(Lexicons) *Lexicon) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := load(NewLexicons())
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-kept")
		b.ReportMetric(float64(len(l.cost)), "words")
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return // not Linux: no peak to report
	}
	for line := range strings.Lines(string(status)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			b.ReportMetric(kb/1e3, "MB-peak")
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			b.ReportMetric(kb/1e3, "MB-resident")
		}
	}
}

// small is a lexicon of five words whose costs are known: they occur 8, 4, 2, 1 and 1 times of 16.
func small() *Lexicon {
	return packLexicon([]entry{{"中国", 8}, {"中国人", 4}, {"人民", 2}, {"人民", 1}, {"民国", 1}, {"国人民", 1}})
}

func TestCostsAreTheLogarithmsOfFrequencies(t *testing.T) {
	l := small()
	want := map[string]float32{"中国": 1, "中国人": 2, "人民": 3, "民国": 4, "国人民": 4}
	for text := range want {
		l.prefixes(text+"民", func(n int, cost float32) {
			if word := (text + "民")[:n]; cost != want[word] {
				t.Errorf("%s costs %v, want %v", word, cost, want[word])
			}
		})
	}
	var found []string
	l.prefixes("中国人民", func(n int, _ float32) { found = append(found, "中国人民"[:n]) })
	if !slices.Equal(found, []string{"中国", "中国人"}) {
		t.Errorf("words at the start of 中国人民: %v", found)
	}
	for _, text := range []string{"", "a中国", "㏿", "国", "国人", "豈"} {
		l.prefixes(text, func(n int, _ float32) { t.Errorf("%q begins with a word of %d bytes", text, n) })
	}
	if l.single != 4 {
		t.Errorf("a single character costs %v, want log₂ of 16", l.single)
	}
}

// TestTextsAreCutAtTheLeastCost compares with all divisions of short texts.
func TestTextsAreCutAtTheLeastCost(t *testing.T) {
	l, c := small(), Cutter{}
	costs := map[string]float32{"中国": 1, "中国人": 2, "人民": 3, "民国": 4, "国人民": 4}
	var least func(s string) float32
	least = func(s string) float32 {
		if s == "" {
			return 0
		}
		best := l.single + least(s[3:])
		for w, cost := range costs {
			if rest, ok := strings.CutPrefix(s, w); ok {
				best = min(best, cost+least(rest))
			}
		}
		return best
	}
	texts := []string{""}
	for i := 0; len(texts[i]) < 5*3; i++ {
		for _, r := range "中国人民猫" {
			texts = append(texts, texts[i]+string(r))
		}
	}
	for _, text := range texts {
		got, sum := "", float32(0)
		c.Cut(l, text, func(w string) bool {
			cost, known := costs[w]
			if !known {
				if cost = l.single; len(w) != 3 {
					t.Errorf("%s is cut into a word %s", text, w)
				}
			}
			got, sum = got+w, sum+cost
			return true
		})
		if got != text || sum != least(text) {
			t.Fatalf("%s is cut into words of %s that cost %v, the least is %v", text, got, sum, least(text))
		}
	}
}

// TestLongTextsAreCutInParts: a part ends between characters, wherever the limit is within one.
func TestLongTextsAreCutInParts(t *testing.T) {
	l, c := small(), Cutter{}
	for _, ahead := range []string{"", "é", "ab"} {
		text := ahead + strings.Repeat("人民", 2*maxCut/6+5)
		got, words := "", 0
		if !c.Cut(l, text, func(w string) bool { got += w; words++; return utf8.ValidString(w) }) {
			t.Errorf("after %q a word is not UTF-8", ahead)
		}
		if got != text || words > 2*maxCut/6+5+len(ahead)+6 {
			t.Errorf("after %q: %d words of %d bytes", ahead, words, len(got))
		}
	}
	words := 0
	if c.Cut(l, "中国人民", func(string) bool { words++; return words < 1 }) || words != 1 {
		t.Errorf("a caller that wants one word got %d", words)
	}
}

// TestTraditionalTextsAreStrange: at more than one of twenty characters that start no word the larger lexicon is loaded.
func TestTraditionalTextsAreStrange(t *testing.T) {
	l := small()
	known, odd := "中", "猫"
	for _, tc := range []struct {
		texts []string
		want  bool
	}{
		{nil, false},
		{[]string{"abc é ひらがな"}, false},
		{[]string{strings.Repeat(known, 19) + odd}, false},
		{[]string{strings.Repeat(known, 18) + odd}, true},
		{[]string{strings.Repeat(known, 18), "a" + odd}, true},
		{[]string{strings.Repeat(known, 20_000), strings.Repeat(odd, 20_000)}, true},
		{[]string{strings.Repeat(known, 20_001), strings.Repeat(odd, 20_000)}, false}, // enough is seen
		{[]string{"\u3400"}, true}, {[]string{"\u9fff"}, true}, {[]string{"\u33ff\ua000"}, false},
	} {
		if got := l.strange(tc.texts); got != tc.want {
			t.Errorf("%.60q: strange %t", tc.texts, got)
		}
	}
	loaded := ""
	ls := Lexicons{Simplified: func() *Lexicon { loaded += "s"; return l }, Both: func() *Lexicon { loaded += "b"; return l }}
	ls.For([]string{known})
	ls.For([]string{odd})
	if loaded != "ssb" {
		t.Errorf("loaded %s", loaded)
	}
}

// TestWordsAreUnpacked reads lines as pack writes them: with the number of bytes shared with the word before.
func TestWordsAreUnpacked(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, " 中国 3\n%c人 0.5\n 民 2\n", ' '+6)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	got := unpack(b.Bytes(), func(n float64) float64 { return 2 * n })
	if want := []entry{{"中国", 6}, {"中国人", 1}, {"民", 4}}; !slices.Equal(got, want) {
		t.Errorf("unpacked %v, want %v", got, want)
	}
}

// Damaged words cannot be used: they are part of the program.
func TestDamagedBuiltInWordsPanic(t *testing.T) {
	packed := func(lines string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(lines))
		z.Close()
		return b.Bytes()
	}
	one := func(x float64) float64 { return x + 1 }
	if got := unpack(packed(" ab 2\n!c 3.5\n\"d 0\n"), one); fmt.Sprint(got) != "[{ab 3} {ac 4.5} {acd 1}]" {
		t.Errorf("words are read as %v", got)
	}
	whole := packed(strings.Repeat(" ab 2\n", 1000))
	for name, damaged := range map[string][]byte{"no archive": []byte("ab 2\n"), "nothing": nil, "a number": packed(" ab x\n"), "no number": packed(" ab\n"), "a part": whole[:len(whole)-9]} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, "are damaged") {
					t.Errorf("%s: %s", name, said)
				}
			}()
			unpack(damaged, one)
			t.Errorf("%s is read", name)
		}()
	}
}
