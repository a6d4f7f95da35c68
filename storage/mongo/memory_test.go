package mongo

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"plat/storage"
)

var contents = flag.Int("contents", 4000, "contents of the archive whose gc and verify are measured")

// TestMemoryOfVerifyAndGC logs the memory that verify and gc take on an archive of many contents, a tenth of which no
// version refers to. It does not grow with them.
//
//	go test ./storage/mongo -run MemoryOfVerify -v -timeout 2h -args -contents 1000000
func TestMemoryOfVerifyAndGC(t *testing.T) {
	s := open(t, Options{})
	const perPage = 100
	a := &bulkArchive{t: t, s: s}
	for p := range *contents / perPage {
		a.page(fmt.Sprintf("https://host%d.test/%d", p%100, p), perPage)
	}
	a.flush(true)
	if err := s.countAllHosts(t.Context()); err != nil {
		t.Fatal(err)
	}
	live := int64(*contents / perPage * perPage * 9 / 10)
	runtime.GC() // of what filled the archive
	before := heap()
	var r storage.Report
	var err error
	begin := time.Now()
	peak := peakHeap(func() { r, err = s.Verify(t.Context(), nil) })
	t.Logf("verify of %d contents: %.0f MB more than %.0f, %.0f s", r.Blocks, peak-before, before, time.Since(begin).Seconds())
	if err != nil || r.BrokenTotal > 0 || r.Blocks != int64(a.contents) || r.Unreferenced != r.Blocks-live {
		t.Fatalf("Verify = %+v, %v; want %d contents, %d unreferenced", r, err, a.contents, int64(a.contents)-live)
	}
	var out storage.Swept
	runtime.GC()
	begin = time.Now()
	gc := peakHeap(func() { out, err = s.GC(t.Context(), time.Now().Add(-time.Hour)) })
	t.Logf("gc of %d contents: %.0f MB more than %.0f, %.0f s, %d removed", r.Blocks, gc-before, before, time.Since(begin).Seconds(), out.Blocks)
	if err != nil || out.Blocks != r.Unreferenced {
		t.Errorf("GC = %+v, %v; want %d contents", out, err, r.Unreferenced)
	}
	if most := 150.0; peak-before > most || gc-before > most {
		t.Errorf("verify takes %.0f MB and gc %.0f, want at most %.0f", peak-before, gc-before, most)
	}
}

func heap() float64 {
	m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(m)
	return float64(m[0].Value.Uint64()) / 1e6
}

// peakHeap returns the most bytes of objects on the heap, garbage included, while f runs, in MB.
func peakHeap(f func()) (peak float64) {
	var done atomic.Bool
	go func() { f(); done.Store(true) }()
	for !done.Load() {
		peak = max(peak, heap())
		time.Sleep(10 * time.Millisecond)
	}
	return peak
}
