package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"plat/export/warc"
	"plat/export/warc/warctest"
	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// grow commits versions of one URL, each with n unique random bytes.
func grow(t *testing.T, s *sqlite.Store, url string, versions, n int) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{1})
	layout := plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12}}
	for i := 1; i <= versions; i++ {
		noise := make([]byte, n/2)
		source.Read(noise)
		content := fmt.Appendf(nil, "<div><p>%x</p></div>", noise)
		b := plat.Block{
			Path: []int32{0, 1, 0}, Run: 1, Level: 1, Tag: "div", Box: plat.Rect{W: 1280, H: 100}, Hash: plat.HashOf(content), Content: content,
			Hidden: []int32{0, int32(len(content))}, Label: plat.LabelMain, Topic: "Noise", Lineage: 1,
		}
		taken := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		v := &plat.Version{URL: url, N: i, Taken: taken, Layout: layout.Sum(), Lineages: 1, Blocks: []plat.Block{{Parent: -1, Slot: -1, Run: 1, Tag: "#document"}, b}}
		c := &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: i}}
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// exporting returns an export into a file of a store made by grow.
func exporting(t *testing.T, versions, n int, file string) *run {
	t.Helper()
	s := sqlitetest.Open(t)
	grow(t, s, "http://big.test/", versions, n)
	return &run{Job: Job{Store: s, File: filepath.Join(t.TempDir(), file), PartSize: warc.MaxFile}}
}

func TestALargeExportIsSplitIntoFiles(t *testing.T) {
	e := exporting(t, 12, 20_000, "big.warc.gz")
	e.PartSize = 60_000
	if err := e.writeWARC(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, f := range e.sum.Files {
		all := warctest.Records(t, f)
		if n += len(all) - 1; len(all) < 2 || all[0].Head.Get("WARC-Type") != "warcinfo" || all[0].Head.Get("WARC-Filename") != filepath.Base(f) {
			t.Errorf("file %d, %s, begins with %v", i, f, all[0].Head)
		}
	}
	if len(e.sum.Files) < 3 || n != e.sum.Records || filepath.Base(e.sum.Files[1]) != "big-00001.warc.gz" {
		t.Errorf("%d records of %d in %v", n, e.sum.Records, e.sum.Files)
	}
}

func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
	e := exporting(t, 5, 20_000, "big.warc.gz")
	e.PartSize = 10_000
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	layouts := 0
	e.Store = &storagetest.Fake{Store: e.Store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "Layout" {
			if layouts++; layouts == 3 {
				stop()
			}
		}
		return do(ctx)
	}}
	err := e.writeWARC(ctx)
	left, globbed := filepath.Glob(filepath.Join(filepath.Dir(e.File), "*"))
	if err == nil || globbed != nil || len(left) > 0 || len(e.sum.Files) == 0 {
		t.Errorf("it ended with %v after %v, and left %v", err, e.sum.Files, left)
	}
}

func TestMemoryDoesNotGrowWithTheExport(t *testing.T) {
	const versions, size = 80, 1 << 20
	e := exporting(t, versions, size, "big.wacz")
	var most uint64
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	p := &warc.WACZ{About: e.aboutFile, Now: e.Begun}
	defer p.Close()
	p.Begin(io.Discard)
	n := int64(0)
	err := e.parts(t.Context(), func(x part) error {
		if x.record == nil {
			return nil
		}
		if n += int64(len(x.record.Block)); e.sum.Records%20 == 0 {
			most = max(most, live())
		}
		return p.Write(x.record)
	})
	if err != nil {
		t.Fatal(err)
	}
	if grown := int64(most) - int64(before); n < versions*size || grown > 30<<20 {
		t.Errorf("%d MB of memory hold %d MB on their way", grown>>20, n>>20)
	}
}

func TestAReportTellsOfEveryVersion(t *testing.T) {
	e := exporting(t, 3, 100, "history.html")
	e.Format, e.Version, e.Wanted = HTML, "test", []Wanted{{URL: "http://big.test/"}}
	if !e.OneURL() {
		t.Error("OneURL is false for one URL")
	}
	sum, err := Run(t.Context(), e.Job)
	if err != nil || sum.URLs != 1 || sum.Versions != 3 || len(sum.Files) != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	b, err := os.ReadFile(e.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="v1"`, `id="v3"`, `<svg xmlns="http://www.w3.org/2000/svg" class="overlay plan"`, ".label-main {", "plat test · times are UTC"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("there is no %s in it", want)
		}
	}
	for _, from := range []string{`src="`, "<script", "<link", "@import"} {
		if strings.Contains(string(b), from) {
			t.Errorf("it needs what %s names", from)
		}
	}
}

func TestMissingNamedVersionsAreReported(t *testing.T) {
	e := exporting(t, 1, 100, "a.jsonl")
	e.Format = Lines
	for _, w := range []Wanted{{URL: "http://none.test/"}, {URL: "http://big.test/", N: 2, One: true}} {
		e.Wanted = []Wanted{w}
		_, err := Run(t.Context(), e.Job)
		if x, ok := errors.AsType[*Error](err); !ok || !x.Named || x.URL != w.URL || x.N != w.N || !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("%+v: %v", w, err)
		}
	}
	e.Wanted = []Wanted{{URL: "http://none.", Prefix: true}}
	if _, err := Run(t.Context(), e.Job); !errors.Is(err, ErrNothing) {
		t.Errorf("of a prefix that none has: %v", err)
	}
}

// pageOf commits a version of a URL that has a title and resources.
func pageOf(t *testing.T, s storage.Store, url, title string, all ...plat.Resource) {
	t.Helper()
	page := []byte("<html><body><p>" + title + "</p></body></html>")
	layout := plat.Layout{HTML: []byte{}, Slots: []int32{0}}
	for i := range all {
		all[i].Hash, all[i].Size = plat.HashOf(all[i].Data), int64(len(all[i].Data))
	}
	m := plat.ManifestOf(all)
	b := plat.Block{Path: []int32{0}, Run: 1, Level: 1, Tag: "html", Hash: plat.HashOf(page), Content: page, Text: title, Label: plat.LabelMain, Topic: title, Lineage: 1}
	taken := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	v := &plat.Version{URL: url, N: 1, Taken: taken, Layout: layout.Sum(), Lineages: 1, Resources: m.Sum(), Blocks: []plat.Block{{Parent: -1, Slot: -1, Run: 1, Tag: "#document"}, b}}
	v.Capture.Title = title
	c := &storage.Commit{Version: v, Layout: layout, Resources: all, Visit: plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: 1}}
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func TestResourcesAreExportedAsNothingThatRuns(t *testing.T) {
	e := exporting(t, 1, 100, "all.warc.gz")
	const script = "<script>BAD</script>"
	pageOf(t, e.Store, "http://res.test/", "words",
		plat.Resource{URL: "http://res.test/evil.css", Type: "text/html", Data: []byte(script + "p{color:red}")},
		plat.Resource{URL: "http://res.test/evil.svg", Type: "image/svg+xml", Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="BAD"><rect width="5"/>` + script + `</svg>`)},
		plat.Resource{URL: "http://res.test/wrong.svg", Type: "image/svg+xml", Data: []byte(script)},
		plat.Resource{URL: "http://res.test/a.xml", Type: "image/x+xml", Data: []byte(script)},
		plat.Resource{URL: "http://res.test/a.css", Type: "text/css", Data: []byte("p{top:0}")})
	e.Wanted = []Wanted{{URL: "http://res.test/"}}
	if err := e.writeWARC(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"evil.css": "application/octet-stream " + script + "p{color:red}", "wrong.svg": "application/octet-stream " + script, "a.xml": "application/octet-stream " + script,
		"evil.svg": `image/svg+xml <svg xmlns="http://www.w3.org/2000/svg"><rect width="5"></rect></svg>`, "a.css": "text/css; charset=utf-8 p{top:0}",
	}
	for _, r := range warctest.Records(t, e.sum.Files[0]) {
		name, ok := strings.CutPrefix(r.Head.Get("WARC-Target-URI"), "http://res.test/")
		if !ok || name == "" || r.Head.Get("WARC-Type") == "revisit" {
			continue
		}
		if got := r.Head.Get("Content-Type") + " " + string(r.Block); got != want[name] {
			t.Errorf("%s is exported as %s, want %s", name, got, want[name])
		}
		if r.Head.Get("WARC-Payload-Digest") != warc.Digest(r.Block) {
			t.Errorf("%s has the digest %s of something else", name, r.Head.Get("WARC-Payload-Digest"))
		}
		delete(want, name)
	}
	for name := range want {
		if name != "wrong.svg" && name != "a.xml" { // equal payloads are written once
			t.Errorf("%s is not in the file", name)
		}
	}
}

func TestNoExportHoldsWhatATerminalObeys(t *testing.T) {
	e := exporting(t, 1, 100, "x")
	pageOf(t, e.Store, "http://odd.test/", "a\u009b31mb\u202ec\u2066d\x1b[0m e")
	e.Wanted = []Wanted{{URL: "http://odd.test/"}}
	for _, format := range []Format{Lines, HTML} {
		var out strings.Builder
		e.Format, e.File, e.Out = format, "", &out
		if _, err := Run(t.Context(), e.Job); err != nil {
			t.Fatal(err)
		}
		for i, r := range out.String() {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("%s: %U is written as it is, at byte %d", format, r, i)
			}
		}
		if format != Lines {
			continue
		}
		var d Document
		if err := json.Unmarshal([]byte(out.String()), &d); err != nil || d.Title != "a\u009b31mb\u202ec\u2066d\x1b[0m e" {
			t.Errorf("the title is read back as %q, %v", d.Title, err)
		}
	}
}
