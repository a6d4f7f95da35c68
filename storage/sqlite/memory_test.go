package sqlite

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

var contents = flag.Int("contents", 4000, "contents of the archive whose gc and verify are measured")

// TestMemoryOfVerifyAndGC logs the memory of the process that verify and gc take on an archive of many contents, a tenth
// of which were forgotten: SQLite's own is no part of Go's heap.
//
//	go test ./storage/sqlite -run MemoryOfVerify -v -timeout 2h -args -contents 1000000
func TestMemoryOfVerifyAndGC(t *testing.T) {
	s := openTemp(t).(*Store)
	const perPage = 100
	layout := plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12}}
	taken := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	live := int64(0)
	for p := range *contents / perPage {
		url := fmt.Sprintf("https://host%d.test/%d", p%100, p)
		v := &plat.Version{URL: url, N: 1, Taken: taken, Profile: "visual", Layout: layout.Sum(), Level: 1, Lineages: perPage, Capture: plat.Capture{FinalURL: url, Status: 200},
			Blocks: []plat.Block{{Run: 1, Parent: -1, Tag: "html", Slot: -1}}}
		for i := range perPage {
			content := fmt.Appendf(nil, "<p>%s of %s</p>", strings.Repeat(fmt.Sprint("content ", p*perPage+i, " "), 4), url)
			v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, int32(i)}, Run: 1, Level: 1, Tag: "p", Pos: int32(i), Hash: plat.HashOf(content), Content: content, Lineage: int32(i + 1), Label: plat.LabelMain})
		}
		c := &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeNew, Version: 1, Status: 200}}
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if p%10 != 9 {
			live += perPage
			continue
		}
		if _, err := s.Forget(t.Context(), url, storage.Cut{}, false); err != nil {
			t.Fatal(err)
		}
	}
	debug.FreeOSMemory() // of what filled the archive
	before := resident(t)
	var r storage.Report
	var err error
	begin := time.Now()
	peak := peakResident(t, func() { r, err = s.Verify(t.Context(), nil) })
	t.Logf("verify of %d contents: %.0f MB more than %.0f, %.0f s", r.Blocks, peak-before, before, time.Since(begin).Seconds())
	if err != nil || r.BrokenTotal > 0 || r.Blocks-r.Unreferenced != live {
		t.Fatalf("Verify = %+v, %v; want %d contents in use", r, err, live)
	}
	debug.FreeOSMemory()
	begin = time.Now()
	var out storage.Swept
	gc := peakResident(t, func() { out, err = s.GC(t.Context(), time.Now().Add(time.Hour)) })
	t.Logf("gc of %d contents: %.0f MB more than %.0f, %.0f s, %d removed", r.Blocks, gc-before, before, time.Since(begin).Seconds(), out.Blocks)
	if err != nil || out.Blocks != r.Unreferenced {
		t.Errorf("GC = %+v, %v; want %d contents", out, err, r.Unreferenced)
	}
	if most := 200.0; peak-before > most || gc-before > most {
		t.Errorf("verify takes %.0f MB and gc %.0f, want at most %.0f", peak-before, gc-before, most)
	}
}

// resident returns the memory of the process, in MB.
func resident(t testing.TB) float64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("skipped: it reads the memory of the process from Linux's /proc: ", err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return float64(pages*int64(os.Getpagesize())) / 1e6
}

// peakResident returns the most memory of the process while f runs, in MB.
func peakResident(t testing.TB, f func()) (peak float64) {
	var done atomic.Bool
	go func() { f(); done.Store(true) }()
	for !done.Load() {
		peak = max(peak, resident(t))
		time.Sleep(10 * time.Millisecond)
	}
	return peak
}
