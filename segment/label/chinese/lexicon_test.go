package chinese

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
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
