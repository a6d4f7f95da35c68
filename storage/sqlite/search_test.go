package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// indexAll adds an archive of histories to the search index.
func indexAll(t *testing.T, s *Store, versions int) {
	t.Helper()
	at := time.Now()
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	took := time.Since(at)
	r, err := s.Search(t.Context(), storage.Search{Limit: 20})
	if err != nil || r.Behind > 0 || r.Total == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	var spans int
	if err := s.index.read.QueryRow("SELECT count(*) FROM spans").Scan(&spans); err != nil {
		t.Fatal(err)
	}
	archive, err := s.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d versions, %d spans in %v; the archive takes %d bytes, the index %d", versions, spans, took.Round(time.Millisecond), archive, indexSize(t, s))
}

// withPages creates an archive with one version of each URL.
func withPages(t testing.TB, path string, urls ...string) {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, url := range urls {
		if _, err := s.Commit(t.Context(), storagetest.NewPage(url, uint64(i+1)).Next()); err != nil {
			t.Fatal(err)
		}
	}
}

// readFile returns the content of a file, or nil if it does not exist.
func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return b
}

// total indexes the archive and returns the number of spans.
func total(t *testing.T, s *Store) int {
	t.Helper()
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(t.Context(), storage.Search{})
	if err != nil || r.Behind > 0 {
		t.Fatalf("Search = %+v, %v", r, err)
	}
	return r.Total
}

func TestSearchIndexIsRebuilt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.plat")
	withPages(t, path, "https://a.test/")
	was := readFile(t, path)
	s := openAt(t, path, Options{})
	if readFile(t, path+"-search") != nil {
		t.Error("opening the archive creates an index")
	}
	want := total(t, s)
	s.Close()
	if !bytes.Equal(readFile(t, path), was) {
		t.Error("the index changes the archive")
	}
	other := filepath.Join(dir, "b.plat")
	withPages(t, other, "https://b.test/1", "https://b.test/2")
	for name, change := range map[string]func(){
		"removed":               func() { os.Remove(path + "-search") },
		"of another format":     func() { alter(t, path+"-search", "PRAGMA user_version = 99; DROP TABLE mark") },
		"of an interrupted run": func() { alter(t, path+"-search", "UPDATE mark SET done = 0") },
	} {
		change()
		s := openAt(t, path, Options{})
		if got := total(t, s); got != want {
			t.Errorf("%s: %d spans, want %d", name, got, want)
		}
		s.Close()
	}
	// Replace the archive by a different one.
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path, Options{})
	if r, err := s.Search(t.Context(), storage.Search{}); err != nil || r.Total != 0 || r.Behind != 2 {
		t.Errorf("before it is indexed another archive gives %+v, %v; want nothing, and 2 behind", r, err)
	}
	got := total(t, s)
	r, err := s.Search(t.Context(), storage.Search{Host: "a.test"})
	if err != nil || got <= want || r.Total != 0 {
		t.Errorf("after replacing the archive: %d spans, %d of them of the old one (%v)", got, r.Total, err)
	}
	s.Close()
	for what, content := range map[string]string{"delete it": strings.Repeat("no database ", 1000), "move it away": ""} {
		os.WriteFile(path+"-search", []byte(content), 0o600)
		if content == "" {
			alter(t, path+"-search", "CREATE TABLE t (x)")
		}
		s := openAt(t, path, Options{})
		if err := s.Index(t.Context(), nil); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("a file that is no index: %v, want %q", err, what)
		}
		s.Close()
	}
}

// alter changes a file without the store's knowledge.
func alter(t testing.TB, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyArchivesUseATemporaryIndex(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "a.plat")
	withPages(t, path, "https://a.test/")
	s := openAt(t, path, Options{})
	want := total(t, s)
	s.Close()
	for _, begun := range []bool{true, false} { // with and without an index beside it
		s, err := Open(path, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Search(t.Context(), storage.Search{})
		if err != nil || begun && (r.Total != want || r.Behind != 0) || !begun && (r.Total != 0 || r.Behind != 1) {
			t.Errorf("begun %v: %+v, %v", begun, r, err)
		}
		if got := total(t, s); got != want {
			t.Errorf("%d spans, want %d", got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		os.Remove(path + "-search")
	}
	for _, in := range []string{dir, os.TempDir()} {
		left, err := os.ReadDir(in)
		for _, f := range left {
			if err != nil || strings.Contains(f.Name(), "search") {
				t.Errorf("%s is left in %s (%v)", f.Name(), in, err)
			}
		}
	}
}

func TestIndexSkipsUnreadableURLs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.plat")
	renumber := func(which string) func(testing.TB, string) {
		return func(t testing.TB, url string) {
			alter(t, path, "UPDATE versions SET n = -n WHERE n = (SELECT "+which+"(n) FROM versions WHERE url = (SELECT id FROM urls WHERE url = '"+url+"')) AND url = (SELECT id FROM urls WHERE url = '"+url+"')")
		}
	}
	storagetest.Unreadable(t, func(t testing.TB) storage.Store { return openAt(t, path, Options{}) }, renumber("max"), renumber("min"))
}

// Both strings have the same 64-bit FNV-1a hash, which filters once used.
func TestHashCollisionsDoNotMatch(t *testing.T) {
	const a, b = "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"
	s := openTemp(t).(*Store)
	c := storagetest.NewPage("https://"+a+"/", 1).Next()
	for i := range c.Version.Blocks {
		c.Version.Blocks[i].Label = a
	}
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for what, q := range map[string][2]storage.Search{
		"host":  {{Host: a}, {Host: b}},
		"label": {{Labels: []plat.Label{a}}, {Labels: []plat.Label{b}}},
	} {
		for i, found := range []bool{true, false} {
			if r, err := s.Search(t.Context(), q[i]); err != nil || r.Total > 0 != found {
				t.Errorf("%s %+v: %d, %v; want some: %v", what, q[i], r.Total, err, found)
			}
		}
	}
}

// Search reports unindexed versions without a query for each URL, and an idle Index does not
// examine unreadable URLs.
func TestBehindNeedsNoQueryPerURL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.plat")
	const pages = 300
	var urls []string
	for i := range pages {
		urls = append(urls, fmt.Sprintf("https://a.test/%d", i))
	}
	withPages(t, path, urls...)
	alter(t, path, "UPDATE versions SET n = -n WHERE url % 2 = 0")
	s := openAt(t, path, Options{})
	x, err := s.search(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		when               string
		behind, unreadable int
	}{{"before it is indexed", pages, 0}, {"indexed", 0, pages / 2}} {
		p, err := s.plan(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if behind, unreadable, err := s.behind(t.Context(), x, &p); err != nil || behind != tc.behind || unreadable != tc.unreadable {
			t.Errorf("%s %d are behind and %d unreadable, %v; want %d and %d", tc.when, behind, unreadable, err, tc.behind, tc.unreadable)
		}
		s.Index(t.Context(), nil) // reports half of them as unreadable
	}
	p, err := s.plan(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if todo, total, err := s.toIndex(t.Context(), x, &p); err != nil || len(todo) > 0 || total > 0 || p.done != p.top {
		t.Errorf("there are %d URLs to be indexed, with %d versions, %v; want none", len(todo), total, err)
	}
	// As if interrupted before the mark was written.
	for done, want := range map[int64]int{0: 1, p.top - 4: 2} {
		p.done = done
		if behind, _, err := s.behind(t.Context(), x, &p); err != nil || behind != want {
			t.Errorf("with a mark at %d of %d there are %d behind, %v; want %d", done, p.top, behind, err, want)
		}
	}
}

// More spans than ids at one instant.
func TestManySpansAtOneInstant(t *testing.T) {
	s := openTemp(t).(*Store)
	l := newLibrary()
	l.fill(t, s, 1, 1, 1) // a minute before the spans below
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 0, 1, 0, 0, time.UTC)
	x := &s.index
	const n = 3*spanSlots + 10
	for k := range 2 {
		err := x.transact(t.Context(), func(tx *txn) error {
			st := indexStep{url: toIndex{id: 1}}
			for i := range n {
				st.opened = append(st.opened, newSpan{Span: storage.Span{URL: "https://host0.test/page/0", Lineage: int32(1000 + k*n + i), First: 1, Since: at}, text: "many", facets: facetAll})
			}
			return insertSpans(t.Context(), tx, []*indexStep{&st})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for until, want := range map[time.Time]int{at: libraryBlocks, at.Add(time.Millisecond): storage.MaxRanked + 1} {
		found, err := x.rank(t.Context(), &storage.Search{Until: until})
		if err != nil || len(found) != want {
			t.Errorf("before %v there are %d, %v; want %d", until, len(found), err, want)
		}
	}
	var count int
	if err := x.read.QueryRow("SELECT count(DISTINCT rowid) FROM words WHERE words MATCH 'many'").Scan(&count); err != nil || count != 2*n {
		t.Errorf("%d are found, %v; want %d", count, err, 2*n)
	}
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"ferry", `"a b" -c`, "北京大学", `AND OR NOT NEAR(`, "\x00\xff", `a:b*^{}()"'`} {
		f.Add(seed)
	}
	path := filepath.Join(f.TempDir(), "a.plat")
	withPages(f, path, "https://a.test/")
	s := openAt(f, path, Options{})
	if err := s.Index(f.Context(), nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, words string) {
		r, err := s.Search(t.Context(), storage.Search{Words: words})
		if err != nil {
			t.Fatalf("Search(%q) = %v", words, err)
		}
		for _, h := range r.Hits {
			contents, err := s.Contents(t.Context(), []plat.Hash{h.Hash})
			if err != nil {
				t.Fatal(err)
			}
			all := " " + strings.Join(storage.Terms(storage.SearchText(&h.Block, contents[0])), " ") + "  " + strings.Join(storage.Terms(h.Block.Topic), " ") + " "
			for _, p := range storage.Ask(words).All {
				if !strings.Contains(all, " "+strings.Join(p, " ")+" ") {
					t.Fatalf("%q finds %q, without %q", words, all, p)
				}
			}
		}
	})
}

// With two lower bounds on an index SQLite may use the lower one. Iterating over all URLs, a
// page at a time, would then scan those of all earlier pages for each page.
func TestAWalkThroughTextsHasOneLowerBound(t *testing.T) {
	for _, tc := range []struct {
		prefix, after, cond string
		args                []any
	}{
		{"", "", "u >= ?", []any{""}},
		{"", "b", "u > ?", []any{"b"}},
		{"b", "", "u >= ? AND u < ?", []any{"b", "c"}},
		{"b", "a", "u >= ? AND u < ?", []any{"b", "c"}},
		{"b", "b", "u > ? AND u < ?", []any{"b", "c"}},
		{"b", "bb", "u > ? AND u < ?", []any{"bb", "c"}},
	} {
		if cond, args := rest("u", tc.prefix, tc.after); cond != tc.cond || !slices.Equal(args, tc.args) {
			t.Errorf("%q after %q: %s, %v", tc.prefix, tc.after, cond, args)
		}
	}
}
