package sorted

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// A set of a million texts, of which each is a hash with its referrer, is in memory only in part.
func TestASetIsNotInMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // whatever GOGC is: garbage is measured, too
	heap := func() float64 {
		m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(m)
		return float64(m[0].Value.Uint64()) / 1e6
	}
	const n = 1_000_000
	s := New(t.Context())
	defer s.Close()
	before, peak := heap(), 0.0
	for i := range n {
		s.Add(fmt.Sprintf("%016x%048x", uint64(i)*0x9e3779b97f4a7c15, i), fmt.Sprintf("version %d of https://a.test/a/page", i%100))
		if i%1000 == 0 {
			peak = max(peak, heap())
		}
	}
	r, read := s.Read(), 0
	for range r.All() {
		if read++; read%1000 == 0 {
			peak = max(peak, heap())
		}
	}
	if err := r.End(nil); err != nil || read != n {
		t.Fatalf("%d texts, %v", read, err)
	}
	t.Logf("%d texts of 100 bytes: %.0f MB at most, garbage included", n, peak-before)
	if peak-before > 80 {
		t.Errorf("they take %.0f MB, want at most 80 of 120", peak-before)
	}
}
