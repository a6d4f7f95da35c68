package mongo

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/storage/storagetest"
)

var (
	archives = flag.String("archives", "", "SQLite archives to measure what they take in MongoDB, comma separated")
	perURL   = flag.Int("per-url", 0, "measure with so many changes and unchanged visits of each URL at most; 0: all")
)

// TestSizing copies archives into MongoDB and logs their size there: the figures of
// docs/mongo.md. It copies the first versions of all URLs, then the later versions, then the
// unchanged visits, each with the calls that a visit makes.
//
//	go run ./scripts/histories -keep /tmp/archives
//	go test ./storage/mongo -run Sizing -v -timeout 1h -args -per-url 3 -archives /tmp/archives/news.db,/tmp/archives/docs.db
//
// Beside them it logs what the same calls add to the files of a SQLite archive, and to those of its search index.
//
// Bytes are those of BSON, before the server's compression. An index entry counts as
// its keys in MongoDB's ordered form and its record's number, before prefix
// compression.
func TestSizing(t *testing.T) {
	if *archives == "" {
		t.Skip("no archive to measure: -archives FILE,…")
	}
	count := &counter{}
	s := open(t, Options{Monitor: &event.CommandMonitor{Started: count.started}})
	type job struct {
		from *sqlite.Store
		url  string
		head int
	}
	var jobs []job
	for _, path := range strings.Split(*archives, ",") {
		from, err := sqlite.Open(path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		for st, err := range from.States(t.Context(), "", "") {
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, job{from, st.URL, st.Head})
		}
	}
	beside := newBeside(t)
	before := measure(t, s)
	gzipped := 0 // bytes of the pages: what page-level deduplication with gzip stores of them
	kind := func(name string, visit func(j job) (visits int)) {
		count.reset()
		n, started := 0, time.Now()
		for _, j := range jobs {
			n += visit(j)
		}
		spent := time.Since(started)
		commands := &counter{commands: count.commands, documents: count.documents}
		count.reset() // the remainder only measures
		after := measure(t, s)
		t.Logf("%d %s in %v; each takes:\n%s\ngzip of the page: %d\n%s", n, name, spent.Round(time.Second), report(n, commands, before, after), gzipped/max(1, n), beside.grown(n))
		gzipped = 0
		before = after
	}
	commit := func(j job, n int) {
		c := reread(t, j.from, j.url, n)
		page, err := history.Page(t.Context(), j.from, c.Version)
		if err != nil {
			t.Fatal(err)
		}
		gzipped += gzipBytes(t, page)
		if n > 1 { // a visit's reads of the previous version
			old, err := s.Version(t.Context(), j.url, 0)
			if err != nil {
				t.Fatal(err)
			}
			c.LayoutBase = old.Layout
			if old.Layout != c.Version.Layout {
				if _, err := s.Layout(t.Context(), old.Layout); err != nil {
					t.Fatal(err)
				}
			}
			if bases := basesOf(c.Version); len(bases) > 0 {
				if _, err := s.Contents(t.Context(), bases); err != nil {
					t.Fatal(err)
				}
			}
		} else if _, err := s.Version(t.Context(), j.url, 0); err == nil {
			t.Fatalf("%s exists already", j.url)
		}
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if _, err := beside.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	kind("first visits", func(j job) int {
		if j.head == 0 {
			return 0
		}
		commit(j, 1)
		return 1
	})
	kind("visits that found a change", func(j job) int {
		last := j.head
		if *perURL > 0 {
			last = min(last, 1+*perURL)
		}
		for n := 2; n <= last; n++ {
			commit(j, n)
		}
		return max(0, last-1)
	})
	kind("visits that found nothing new", func(j job) (visits int) {
		for v, err := range j.from.Visits(t.Context(), j.url, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome != plat.OutcomeUnchanged {
				continue
			}
			if visits == *perURL && *perURL > 0 {
				break
			}
			visits++
			if _, err := s.Version(t.Context(), j.url, 0); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Record(t.Context(), v, 20_000), beside.Record(t.Context(), v, 20_000)); err != nil {
				t.Fatal(err)
			}
		}
		return visits
	})
	r, err := s.Verify(t.Context(), nil)
	if err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}

// beside is a SQLite archive that is filled beside the one in MongoDB.
type beside struct {
	*sqlite.Store
	t              testing.TB
	path           string
	archive, index int64 // bytes of the files
}

func newBeside(t testing.TB) *beside {
	b := &beside{t: t, path: filepath.Join(t.TempDir(), "beside.db")}
	b.open()
	t.Cleanup(func() { b.Close() })
	b.grown(1) // the empty tables
	return b
}

func (b *beside) open() {
	b.t.Helper()
	var err error
	if b.Store, err = sqlite.Open(b.path, sqlite.Options{}); err != nil {
		b.t.Fatal(err)
	}
}

// grown returns by how much a visit let the files grow. It closes the archive, so that its log is in the files.
func (b *beside) grown(visits int) string {
	b.t.Helper()
	if err := errors.Join(b.Index(b.t.Context(), nil), b.Close()); err != nil {
		b.t.Fatal(err)
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			b.t.Fatal(err)
		}
		return info.Size()
	}
	archive, index := size(b.path), size(b.path+"-search")
	per := func(n int64) float64 { return float64(n) / float64(max(1, visits)) }
	out := fmt.Sprintf("SQLite: %.0f bytes, and %.0f of the search index", per(archive-b.archive), per(index-b.index))
	b.archive, b.index = archive, index
	b.open()
	return out
}

func gzipBytes(t testing.TB, b []byte) int {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Len()
}

// reread returns the commit that stored a version.
func reread(t testing.TB, from *sqlite.Store, url string, n int) *storage.Commit {
	t.Helper()
	v, err := from.Version(t.Context(), url, n)
	if err != nil {
		t.Fatal(err)
	}
	contents := storagetest.Leaves(t, from, v)
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			v.Blocks[i].Content, contents = contents[0], contents[1:]
		}
	}
	c := &storage.Commit{Version: v}
	if c.Layout, err = from.Layout(t.Context(), v.Layout); err != nil {
		t.Fatal(err)
	}
	for visit, err := range from.Visits(t.Context(), url, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if visit.Version == n && (visit.Outcome == plat.OutcomeNew || visit.Outcome == plat.OutcomeChanged || visit.Outcome == plat.OutcomeBlank) {
			c.Visit = visit
		}
	}
	if c.Visit.URL == "" {
		t.Fatalf("no visit of %s stored version %d", url, n)
	}
	return c
}

// basesOf returns the replaced contents, which a comparison reads.
func basesOf(v *plat.Version) (bases []plat.Hash) {
	for i := range v.Blocks {
		if b := &v.Blocks[i]; !b.Base.IsZero() && b.Base != b.Hash {
			bases = append(bases, b.Base)
		}
	}
	return bases
}

// size is the size of a collection: numbers of documents and index entries, their bytes, and
// the bytes of documents compressed in runs of 32 KiB (leaf_page_max of WiredTiger), and, as zstdMost, in
// runs of 128 KiB (its memory_page_image_max, unless that is configured: the largest page before it is
// compressed to about 32 KiB).
type size struct{ documents, bytes, entries, keys, snappy, zstd, zstdMost int }

func measure(t testing.TB, s *Store) map[string]size {
	t.Helper()
	out := map[string]size{}
	for _, c := range []*mongo.Collection{s.urls, s.pages, s.versions, s.blockVersions, s.blocks, s.layouts, s.visits} {
		var x size
		all := append([]index{on("_id")}, indexes()[c.Name()]...)
		var run, long []byte
		flush := func() {
			x.snappy += min(len(run), len(snappy.Encode(nil, run)))
			x.zstd += min(len(run), len(compressor.EncodeAll(run, nil)))
			run = run[:0]
		}
		flushLong := func() {
			x.zstdMost += min(len(long), len(compressor.EncodeAll(long, nil)))
			long = long[:0]
		}
		eachRaw(t, c, func(d bson.Raw) {
			x.documents++
			x.bytes += len(d)
			if run = append(run, d...); len(run) >= 32<<10 {
				flush()
			}
			if long = append(long, d...); len(long) >= 128<<10 {
				flushLong()
			}
			for i := range all {
				n, b := entries(t, d, &all[i])
				x.entries += n
				x.keys += b
			}
		})
		flush()
		flushLong()
		out[c.Name()] = x
	}
	return out
}

// eachRaw reads a collection in the server's order.
func eachRaw(t testing.TB, c *mongo.Collection, f func(bson.Raw)) {
	t.Helper()
	cur, err := c.Find(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close(context.WithoutCancel(t.Context()))
	for cur.Next(t.Context()) {
		f(cur.Current)
	}
	if err := cur.Err(); err != nil {
		t.Fatal(err)
	}
}

// compressor is zstd at WiredTiger's level.
var compressor = must2(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(6))))

func must2(e *zstd.Encoder, err error) *zstd.Encoder {
	if err != nil {
		panic(err)
	}
	return e
}

// recordBytes is the approximate size of a record's number at the end of an index
// entry.
const recordBytes = 4

// entries returns the number of index entries of a document, one for each element of an array,
// and their bytes.
func entries(t testing.TB, d bson.Raw, x *index) (n, size int) {
	t.Helper()
	if _, err := d.LookupErr(x.only); x.only != "" && err != nil {
		return 0, 0
	}
	n, size = 1, recordBytes
	for _, k := range x.keys {
		v, err := d.LookupErr(strings.Split(k.Key, ".")...)
		if err != nil {
			size += n // null
			continue
		}
		if a, ok := v.ArrayOK(); ok {
			values, err := a.Values()
			if err != nil {
				t.Fatal(err)
			}
			each := size
			n, size = max(1, len(values)), 0
			for _, x := range values {
				size += each + keyBytes(x)
			}
			continue
		}
		size += n * keyBytes(v)
	}
	return n, size
}

// keyBytes returns the size of a value in a key: its type, and a zero-terminated text, a date,
// or a small number.
func keyBytes(v bson.RawValue) int {
	if s, ok := v.StringValueOK(); ok {
		return len(s) + 2
	}
	if v.Type == bson.TypeDateTime {
		return 9
	}
	return 3
}

// report returns a table of the cost of one visit.
func report(n int, c *counter, before, after map[string]size) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	per := func(x int) string { return fmt.Sprintf("%.2f", float64(x)/float64(max(1, n))) }
	fmt.Fprintln(w, "collection\tdocuments\tBSON\tsnappy\tzstd\tzstd 128\tindex entries\tindex bytes\tdocuments written\t")
	var all size
	for _, name := range []string{"urls", "pages", "versions", "block_versions", "blocks", "layouts", "visits"} {
		x, y := before[name], after[name]
		d := size{y.documents - x.documents, y.bytes - x.bytes, y.entries - x.entries, y.keys - x.keys, y.snappy - x.snappy, y.zstd - x.zstd, y.zstdMost - x.zstdMost}
		all = size{all.documents + d.documents, all.bytes + d.bytes, all.entries + d.entries, all.keys + d.keys, all.snappy + d.snappy, all.zstd + d.zstd, all.zstdMost + d.zstdMost}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, per(d.documents), per(d.bytes), per(d.snappy), per(d.zstd), per(d.zstdMost), per(d.entries), per(d.keys), per(c.documents[name]))
	}
	fmt.Fprintf(w, "all\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\t\n", per(all.documents), per(all.bytes), per(all.snappy), per(all.zstd), per(all.zstdMost), per(all.entries), per(all.keys))
	w.Flush()
	total := 0
	for _, name := range slices.Sorted(maps.Keys(c.commands)) {
		fmt.Fprintf(&b, "%s: %s\n", name, per(c.commands[name]))
		total += c.commands[name]
	}
	fmt.Fprintf(&b, "commands: %s", per(total))
	return b.String()
}
