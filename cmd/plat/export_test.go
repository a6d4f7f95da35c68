package main

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/textproto"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/warc"
)

// indexOf is the index of a WACZ, as text.
func indexOf(t *testing.T, wacz string) string {
	t.Helper()
	z, err := zip.OpenReader(wacz)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("indexes/index.cdx.gz")
	if err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stored is a record as it stands in a file.
type stored struct {
	head  textproto.MIMEHeader
	block []byte
}

// recordsIn reads a WARC file.
func recordsIn(t *testing.T, file string) []stored {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []stored
	for in := bufio.NewReader(gz); ; {
		if line, err := in.ReadString('\n'); err == io.EOF {
			return all
		} else if line != "WARC/1.1\r\n" {
			t.Fatalf("a record begins with %q, %v", line, err)
		}
		head, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		var n int
		fmt.Sscan(head.Get("Content-Length"), &n)
		block := make([]byte, n+4)
		if _, err := io.ReadFull(in, block); err != nil {
			t.Fatal(err)
		}
		all = append(all, stored{head, block[:n]})
	}
}

func TestLinesHoldVersionsWithTreeAndTexts(t *testing.T) {
	golden(t, "export.jsonl", must(t, "export", "--format", "jsonl", madeUp(t)))
}

func TestExportTakesWhatIsAskedFor(t *testing.T) {
	store := madeUp(t)
	one, two, three, zh := paperURL+"@1", paperURL+"@2", paperURL+"@3", zhURL+"@1"
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{nil, []string{one, two, three, zh}},
		{[]string{paperURL}, []string{one, two, three}},
		{[]string{paperURL + "@2"}, []string{two}},
		{[]string{paperURL + "@0"}, []string{three}},
		{[]string{paperURL + "@1", paperURL + "@3"}, []string{one, three}},
		{[]string{paperURL, paperURL + "@3", "http://news.test/*"}, []string{one, two, three}},
		{[]string{paperURL + "@0", paperURL}, []string{three, one, two}},
		{[]string{"http://*"}, []string{one, two, three, zh}},
		{[]string{"--site", "zh.test:8080"}, []string{zh}},
		{[]string{"--site", "http://news.test/"}, []string{one, two, three}},
		{[]string{"http://*", "--site", "NEWS.test", "--since", "2026-01-04"}, []string{two, three}},
		{[]string{"--until", "2026-01-04"}, []string{one, zh}},
		{[]string{"--since", "2026-01-04", "--until", "2026-01-05"}, []string{two}},
	} {
		var got []string
		for _, v := range jsonLines[struct {
			URL     string
			Version int
		}](t, must(t, append([]string{"export", "--format", "jsonl", store}, tc.args...)...)) {
			got = append(got, fmt.Sprintf("%s@%d", v.URL, v.Version))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("export %v takes %v, want %v", tc.args, got, tc.want)
		}
	}
}

func TestAURLNamedTwiceCountsOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	sum := jsonLines[exported](t, must(t, "export", paperURL+"@1", paperURL, "-o", file, "--json", madeUp(t)))[0]
	if sum.URLs != 1 || sum.Versions != 3 || sum.Format != formatLines {
		t.Errorf("export says %+v", sum)
	}
}

func TestExportThatCannotBeSaysWhy(t *testing.T) {
	store := madeUp(t)
	file := filepath.Join(t.TempDir(), "a.wacz")
	for _, tc := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no format", nil, exitUsage, "--format warc, wacz, jsonl, html"},
		{"unknown format", []string{"--format", "pdf"}, exitUsage, `"pdf"`},
		{"a file whose name says nothing", []string{"-o", file + ".txt"}, exitUsage, "-o FILE"},
		{"a web archive to a terminal", []string{"--format", "wacz"}, exitUsage, "-o FILE"},
		{"JSON to nowhere", []string{"--format", "jsonl", "--json"}, exitUsage, "-o FILE"},
		{"a report of all", []string{"--format", "html"}, exitUsage, "one URL"},
		{"a report of a version", []string{"--format", "html", paperURL + "@1"}, exitUsage, "one URL"},
		{"a time that is none", []string{"-o", file, "--since", "soon"}, exitUsage, "2026-01-31"},
		{"nothing in that time", []string{"-o", file, "--since", "2027-01-01"}, exitError, "no version answers that"},
		{"a URL that is not there", []string{"-o", file, "http://other.test/"}, exitError, "archive it first"},
		{"a version that is not there", []string{"-o", file, paperURL + "@9"}, exitError, "plat versions"},
		{"a picture of no kind", nil, exitUsage, ".png or .svg"},
		{"a picture by nothing known", nil, exitUsage, "label, age, change"},
	} {
		args := append([]string{"export", store}, tc.args...)
		switch tc.name {
		case "a picture of no kind":
			args = []string{"show", paperURL, "--picture", "a.gif", store}
		case "a picture by nothing known":
			args = []string{"show", paperURL, "--picture", "a.png", "--by", "size", store}
		}
		if r := command(t, args...); r.code != tc.code || !strings.Contains(r.err, tc.says) {
			t.Errorf("%s: exit %d, want %d; stderr %q, want %q in it", tc.name, r.code, tc.code, r.err, tc.says)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("an export that failed left a file")
	}
}

func TestAPageComesOutOfAWARCByteForByte(t *testing.T) {
	store, dir := madeUp(t), t.TempDir()
	file := filepath.Join(dir, "a.warc.gz")
	sum := jsonLines[exported](t, must(t, "export", store, "-o", file, "--json"))[0]
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	all := recordsIn(t, file)
	if sum.URLs != 2 || sum.Versions != 4 || sum.Records != len(all)-1 || sum.Bytes != st.Size() || !slices.Equal(sum.Files, []string{file}) {
		t.Errorf("export says %+v of %d records in %d bytes", sum, len(all), st.Size())
	}
	for n := 1; n <= 3; n++ {
		page := must(t, "restore", "--raw", fmt.Sprintf("%s@%d", paperURL, n), store)
		found := slices.IndexFunc(all, func(r stored) bool {
			return r.head.Get("WARC-Target-URI") == urnCapture+paperURL && r.head.Get("Plat-Version") == fmt.Sprint(n) && r.head.Get("WARC-Payload-Digest") == warc.Digest([]byte(page))
		})
		// Where it needed nothing done to be played, it refers to the page.
		whole := slices.ContainsFunc(all, func(r stored) bool { return string(r.block) == page })
		if found < 0 || !whole {
			t.Errorf("version %d is not in the file as captured", n)
		} else if want := time.Date(2026, 1, 2+n, 3, 4, 5, 0, time.UTC).Format(time.RFC3339); all[found].head.Get("WARC-Date") != want {
			t.Errorf("version %d is of %s, want %s", n, all[found].head.Get("WARC-Date"), want)
		}
	}
	for _, r := range all {
		if r.head.Get("WARC-Target-URI") != urnBlocks+paperURL {
			continue
		}
		var d document
		if err := json.Unmarshal(r.block, &d); err != nil || d.URL != paperURL || len(d.Tree) != 4 {
			t.Errorf("the block tree is %+v, %v", d, err)
		}
	}
}

// grow commits versions of one URL, each with n random bytes that no other has.
func grow(t *testing.T, s *sqlite.Store, url string, versions, n int) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{1})
	layout := plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12}}
	for i := 1; i <= versions; i++ {
		noise := make([]byte, n/2)
		source.Read(noise)
		b := leaf(0, 1, fmt.Sprintf("<div><p>%x</p></div>", noise), plat.LabelMain, "Noise", 0, 100)
		b.Hidden, b.Text = []int32{0, int32(len(b.Content))}, ""
		taken := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		v := &plat.Version{URL: url, N: i, Taken: taken, Layout: layout.Sum(), Lineages: 1, Blocks: []plat.Block{{Parent: -1, Slot: -1, Run: 1, Tag: "#document"}, b}}
		c := &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: i}}
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// exporting is an export of a store made by grow, quiet, with a file in mind.
func exporting(t *testing.T, versions, n int, file string) *export {
	t.Helper()
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	grow(t, s, "http://big.test/", versions, n)
	return &export{app: &app{out: &screen{}}, store: s, file: filepath.Join(t.TempDir(), file), partSize: warc.MaxFile}
}

func TestALargeExportIsSplitIntoFiles(t *testing.T) {
	e := exporting(t, 12, 20_000, "big.warc.gz")
	e.partSize = 60_000
	if err := e.writeWARC(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, f := range e.counts.Files {
		all := recordsIn(t, f)
		if n += len(all) - 1; len(all) < 2 || all[0].head.Get("WARC-Type") != "warcinfo" || all[0].head.Get("WARC-Filename") != filepath.Base(f) {
			t.Errorf("file %d, %s, begins with %v", i, f, all[0].head)
		}
	}
	if len(e.counts.Files) < 3 || n != e.counts.Records || filepath.Base(e.counts.Files[1]) != "big-00001.warc.gz" {
		t.Errorf("%d records of %d in %v", n, e.counts.Records, e.counts.Files)
	}
}

func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
	e := exporting(t, 5, 20_000, "big.warc.gz")
	e.partSize = 10_000
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	e.store = &failing{e.store, stop, 3}
	err := e.writeWARC(ctx)
	left, globbed := filepath.Glob(filepath.Join(filepath.Dir(e.file), "*"))
	if err == nil || globbed != nil || len(left) > 0 || len(e.counts.Files) == 0 {
		t.Errorf("it ended with %v after %v, and left %v", err, e.counts.Files, left)
	}
}

// failing is a store whose user gives up after some layouts were read.
type failing struct {
	storage.Store
	stop context.CancelFunc
	left int
}

func (f *failing) Layout(ctx context.Context, h plat.Hash) (plat.Layout, error) {
	if f.left--; f.left == 0 {
		f.stop()
	}
	return f.Store.Layout(ctx, h)
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
	p := &warc.WACZ{About: aboutFile, Now: e.begun}
	defer p.Close()
	p.Begin(io.Discard)
	n := int64(0)
	err := e.parts(t.Context(), func(x part) error {
		if x.record == nil {
			return nil
		}
		if n += int64(len(x.record.Block)); e.counts.Records%20 == 0 {
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
