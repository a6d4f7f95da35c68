package sqlite

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

func openTemp(t testing.TB) storage.Store {
	return openAt(t, filepath.Join(t.TempDir(), "archive.plat"), Options{})
}

func openAt(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestStoreContract(t *testing.T) { storagetest.Test(t, openTemp, 200) }

func BenchmarkStore(b *testing.B) { storagetest.Bench(b, openTemp) }

// BenchmarkSubscriptions stores a million items first, which takes a minute or two.
func BenchmarkSubscriptions(b *testing.B) {
	storagetest.BenchSubscriptions(b, openTemp, 10_000, 100)
}

func TestProcessesFollowTogether(t *testing.T) {
	for name, together := range map[string]func(t *testing.T, a, b storage.Store){
		"crawled":  storagetest.TogetherCrawled,
		"examined": storagetest.TogetherFollowed,
		"taken":    func(t *testing.T, a, b storage.Store) { storagetest.TogetherTaken(t, a, b, 60) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			together(t, openAt(t, path, Options{}), openAt(t, path, Options{}))
		})
	}
}

func TestOpenTakesAPathWithTwoSlashes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	openAt(t, "/"+path, Options{}).Close()
	openAt(t, path, Options{Existing: true}).Close()
}

func TestOpenRejectsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	was, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer.plat")
	s, err := Open(newer, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for _, path := range []string{"", text, other, newer, filepath.Join(dir, "no", "folder"), dir} {
		if s, err := Open(path, Options{}); err == nil {
			s.Close()
			t.Errorf("Open(%q) succeeded", path)
		} else {
			t.Log(err)
		}
	}
	if is, err := os.ReadFile(other); err != nil || !bytes.Equal(is, was) {
		t.Errorf("a database of another application was changed: %v", err)
	}
}

// Paths may contain characters that are special in URLs.
func TestOpenAcceptsAnyPath(t *testing.T) {
	for _, name := range []string{"a b.plat", "a?b#c%20d.plat", "档案.plat", ":memory:"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := Open(path, Options{})
		if err != nil {
			t.Errorf("Open(%q): %v", name, err)
			continue
		}
		s.Close()
		if _, err := os.Stat(path); err != nil {
			t.Errorf("Open(%q) did not create that file", name)
		}
	}
}

// A picture of 40 MB, a layout of 20, a block of 17, a file of 12, and a page of 60,000 blocks are stored, restored, and removed.
func TestLargeDataIsStoredRestoredAndRemoved(t *testing.T) {
	t.Parallel()
	s := openTemp(t).(*Store)
	const url = "https://large.test/"
	blocks, mib := 60_000, 1<<20
	if fixtures.OneIn(2) > 1 {
		blocks, mib = 600, mib/100
	}
	storagetest.TestLarge(t, s, url, blocks, mib, func() {})
	if size, err := s.Size(t.Context()); err != nil || size < int64(89*mib) {
		t.Errorf("the archive has %d bytes, %v", size, err)
	}
	if _, err := s.Forget(t.Context(), url, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if size, err := s.Size(t.Context()); err != nil || size > 1<<20 {
		t.Errorf("%d bytes are left, %v", size, err)
	}
}

// Reading one block of a large page does not decode the whole page.
func TestALargePageIsSeveralPacks(t *testing.T) {
	s := openTemp(t).(*Store)
	p := storagetest.NewPage("https://a.test/", 1)
	for i := range 100 {
		p.Add([]byte(fmt.Sprintf("<p>%d %s</p>", i, strings.Repeat(fmt.Sprint("word", i*7919), 5000))), "long", plat.LabelMain)
	}
	c := p.Next()
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for pack := int64(1); ; pack++ {
		var n int
		if err := s.read.QueryRow("SELECT count(*) FROM packs WHERE id = ?", pack).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if pack < 20 {
				t.Errorf("%d bytes were stored in %d packs", c.Version.Capture.PageBytes, pack-1)
			}
			break
		}
		ch, err := s.chain(t.Context(), s.read, pack)
		if err != nil {
			t.Fatal(err)
		}
		if len(ch.raw) > maxChain || len(ch.ids) > maxLinks {
			t.Errorf("a content of pack %d takes %d bytes and %d rows to read, want at most %d and %d", pack, len(ch.raw), len(ch.ids), maxChain, maxLinks)
		}
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify: %+v, %v", r, err)
	}
}

// An unreadable plan, written by a newer plat, does not prevent the loading of any job,
// including its own.
func TestAPlanOfANewerPlatDoesNotStopLoading(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	plan := plat.Plan{Schedule: plat.Schedule{Budget: "1/day"}}
	for _, url := range []string{"https://a.test/1", "https://a.test/2"} {
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: day, Plan: plan}}, storage.Join); err != nil {
			t.Fatal(err)
		}
		if err := s.Record(t.Context(), plat.Visit{URL: url, Time: day, Outcome: plat.OutcomeUnchanged, Settles: day, Next: day.Add(time.Hour)}, 1); err != nil {
			t.Fatal(err)
		}
	}
	err = s.transact(t.Context(), func(tx *txn) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE urls SET plan = replace(plan, '"v":1', '"v":99') WHERE url = 'https://a.test/1'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(t.Context(), day.Add(2*time.Hour), []storage.HostLimit{{Host: "a.test", Limit: 9}})
	if err != nil || len(got[0].Jobs) != 2 || got[0].Jobs[0].State != nil || got[0].Jobs[1].State == nil {
		t.Errorf("%+v, %v", got, err)
	}
}
