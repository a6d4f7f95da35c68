package noise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/diff"
)

// long returns a text of a thousand lines, each with a counter and an age.
func long(n int) string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "Story %d of the harbour, by Ann Berg, %d views, %d minutes ago.\n", i, 1000+i+n, 5+i%50+n)
	}
	return b.String()
}

func BenchmarkEdits(b *testing.B) {
	old, new := Text{long(0), then}, Text{long(1), then.Add(time.Minute)}
	b.SetBytes(int64(len(old.Text)))
	b.ReportAllocs()
	for b.Loop() {
		Edits(old, new)
	}
}

// For comparison: the word diff shown to readers.
func BenchmarkWords(b *testing.B) {
	old, new := long(0), long(1)
	b.SetBytes(int64(len(old)))
	b.ReportAllocs()
	for b.Loop() {
		diff.Words(old, new)
	}
}

func BenchmarkConfirmAndLearn(b *testing.B) {
	old, new, again := parse(long(0)), parse(long(1)), parse(long(2))
	all := edits(old, seen{then, then}, new, then.Add(time.Second))
	b.ReportAllocs()
	for b.Loop() {
		confirmed(append([]Edit(nil), all...), old, new, again)
		var m Mask
		m.learnWords(1, new, again)
		m.Encode()
	}
}

func BenchmarkKnown(b *testing.B) {
	old, new := parse(long(0)), parse(long(1))
	var m Mask
	m.learnWords(1, old, new)
	m.Encode()
	all := edits(old, seen{then, then}, new, then.Add(time.Second))
	b.ReportAllocs()
	for b.Loop() {
		m.explain(1, old, new, append([]Edit(nil), all...))
	}
}
