package mongo

import (
	"flag"
	"fmt"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
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
	before := heap()
	var r storage.Report
	var err error
	peak := peakHeap(func() { r, err = s.Verify(t.Context(), nil) })
	t.Logf("verify of %d contents: %.0f MB more than %.0f", r.Blocks, peak-before, before)
	if err != nil || r.BrokenTotal > 0 || r.Blocks != int64(a.contents) || r.Unreferenced != r.Blocks-live {
		t.Fatalf("Verify = %+v, %v; want %d contents, %d unreferenced", r, err, a.contents, int64(a.contents)-live)
	}
	var out storage.Swept
	gc := peakHeap(func() { out, err = s.GC(t.Context(), time.Now().Add(-time.Hour)) })
	t.Logf("gc of %d contents: %.0f MB more than %.0f", r.Blocks, gc-before, before)
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

// bulkArchive fills an archive with the documents of commits, many in one command.
type bulkArchive struct {
	t        testing.TB
	s        *Store
	contents int
	docs     map[*mongo.Collection][]any
}

// page adds a page with one version, and n contents, a tenth of which no version refers to.
func (a *bulkArchive) page(url string, n int) {
	taken := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	layout := plat.Layout{HTML: []byte("<html><body>" + url + "</body></html>")}
	v := &standing{Tree: tree.Tree{Version: plat.Version{URL: url, N: 1, Taken: taken, Layout: layout.Sum(), Level: 1, Lineages: int32(n),
		Blocks: []plat.Block{{Parent: -1, Slot: -1}}}, Since: []int32{0}}, first: []int32{0}, at: make([]time.Time, 1)}
	for i := range n {
		content := fmt.Appendf(nil, "<p>%s of %s</p>", strings.Repeat(fmt.Sprint("content ", a.contents, " "), 4), url)
		d := a.s.encode(plat.HashOf(content).String(), content, nil)
		d.Written = taken
		a.add(a.s.blocks, d)
		if a.contents++; i%10 == 9 {
			continue
		}
		v.Blocks = append(v.Blocks, plat.Block{Parent: 0, Level: 1, Slot: int32(i), Hash: plat.HashOf(content), Content: content, Lineage: int32(i + 1), Label: plat.LabelMain})
		v.Since, v.first, v.at = append(v.Since, 1), append(v.first, 1), append(v.at, taken)
	}
	l := a.s.encode(layout.Sum().String(), layout.HTML, nil)
	a.add(a.s.layouts, l)
	visit := newVisitDoc(&plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: 1})
	d := a.s.newVersionDoc(&v.Tree, nil)
	d.Visit = visit
	a.add(a.s.versions, d)
	a.add(a.s.visits, visit)
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			a.add(a.s.blockVersions, newBlockVersionDoc(v, nil, i, v.Blocks[i].Content, linkBase(url, &layout)))
		}
	}
	a.add(a.s.pages, newPageDoc(v))
	u := newURLDoc(url)
	u.Rev, u.Head, u.Newest, u.Changes = 1, 1, taken, 1
	u.count(&visit, 1000)
	a.add(a.s.urls, u)
	a.flush(false)
}

func (a *bulkArchive) add(c *mongo.Collection, doc any) {
	if a.docs == nil {
		a.docs = map[*mongo.Collection][]any{}
	}
	a.docs[c] = append(a.docs[c], doc)
}

func (a *bulkArchive) flush(all bool) {
	for c, docs := range a.docs {
		if len(docs) >= 2000 || all {
			if _, err := c.InsertMany(a.t.Context(), docs); err != nil {
				a.t.Fatal(err)
			}
			delete(a.docs, c)
		}
	}
}
