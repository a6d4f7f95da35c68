package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// secret is a unique word. It is not compressed in a short text.
const secret = "Xylocarp7Quorum"

// filesHave returns the files of an archive, including logs, that contain a text.
func filesHave(t *testing.T, path, text string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(text)) {
			found = append(found, filepath.Base(name))
		}
	}
	return found
}

// commitSecret stores [secretCommits].
func commitSecret(t *testing.T, s *Store, url string, seed uint64) []*storage.Commit {
	t.Helper()
	all := secretCommits(url, seed)
	for i, c := range all {
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatalf("version %d: %v", i+1, err)
		}
	}
	return all
}

// secretCommits returns versions of a page of which the second contains the secret in every
// kind of stored text.
func secretCommits(url string, seed uint64) []*storage.Commit {
	p, other := storagetest.NewPage(url, seed), storagetest.NewPage(url, seed+1)
	other.Add([]byte("<p>"+secret+"</p>"), secret, plat.LabelMain)
	var all []*storage.Commit
	for i := range 4 {
		c := p.Next()
		if i == 1 {
			taken := c.Version.Taken
			c = other.Next()
			c.Version.Taken, c.Visit.Time = taken, taken
			c.Version.Capture.Title = secret + " title"
			c.Version.Meta = map[string]string{"author": secret + " author"}
			c.Version.Capture.Header = [][2]string{{"X-Name", secret + " header"}}
			pic := &plat.Picture{Type: "image/png", Data: []byte(secret + " picture")}
			c.Picture, c.Version.Picture = pic, plat.HashOf(pic.Data)
			storagetest.SetResources(c, storagetest.Resource(url+secret+".png", "image/png", []byte(secret+" image")))
			c.Visit.Error = secret + " error"
			c.Visit.Memory = secret + " memory"
		}
		c.Version.N, c.Visit.Version = i+1, i+1
		all = append(all, c)
	}
	return all
}

// After GC and Vacuum, the files contain no byte of forgotten data, nor do the search index,
// the logs and the free space of pages.
func TestNoByteOfWhatIsForgottenIsLeft(t *testing.T) {
	for _, tc := range []struct {
		cut  storage.Cut
		left int
	}{{storage.Cut{KeepLast: 2}, 2}, {storage.Cut{}, 0}} {
		t.Run(fmt.Sprintf("%d versions are kept", tc.left), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			s, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			const url = "https://a.test/"
			all := commitSecret(t, s, url, 1)
			item := plat.Item{ID: "i", Subscription: "one", Kind: plat.ItemText, Title: secret + " item", Excerpt: secret + " excerpt", Page: url, Version: 2, Seen: all[1].Version.Taken}
			if err := s.Subscribe(t.Context(), &plat.Subscription{ID: "one", URL: url}); err != nil {
				t.Fatal(err)
			}
			if err := s.Examined(t.Context(), &storage.Examination{ID: "one", Items: []plat.Item{item}, Following: plat.Following{Pages: []plat.FollowedPage{{URL: url, Depth: 1, Examined: 4}}}}); err != nil {
				t.Fatal(err)
			}
			if err := s.Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{secret, strings.ToLower(secret)} {
				if len(filesHave(t, path, text)) == 0 {
					t.Fatalf("%s is in no file: this test finds nothing", text)
				}
			}
			before, _ := s.Size(t.Context())
			f, err := s.Forget(t.Context(), url, tc.cut, false)
			if err != nil || f.Versions != 4-tc.left {
				t.Fatalf("Forget = %+v, %v", f, err)
			}
			swept, err := s.GC(t.Context(), time.Now().Add(-time.Hour))
			if err != nil || swept.Bytes == 0 || swept.Blocks == 0 || swept.Pictures != 1 || swept.Resources != 1 {
				t.Fatalf("GC = %+v, %v", swept, err)
			}
			if err := s.Vacuum(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{secret, strings.ToLower(secret)} {
				if found := filesHave(t, path, text); len(found) > 0 {
					t.Errorf("%s is still in %v", text, found)
				}
			}
			after, _ := s.Size(t.Context())
			t.Logf("%d versions forgotten: %d bytes before, %d after", f.Versions, before, after)
			r, err := s.Verify(t.Context(), nil)
			if err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
				t.Errorf("Verify = %+v, %v", r, err)
			}
			// The contents are compressed and do not appear in the bytes of the files, so all
			// are decoded.
			if got := contentsWith(t, s, secret); got > 0 {
				t.Errorf("%d contents have it", got)
			}
		})
	}
}

// Data is not reported as removed while a different process still reads it.
func TestAReaderKeepsTheFileFromBeingSaidToBeClean(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(path, Options{Busy: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commitSecret(t, s, "https://a.test/", 1)
	other, err := open(path, time.Second, "deferred")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	reading, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRow("SELECT count(*) FROM versions").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), "https://a.test/", storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := s.Vacuum(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("while another reads: %v, want ErrBusy", err)
	}
	if len(filesHave(t, path, secret)) == 0 {
		t.Fatal("nothing of it is left: this test shows nothing")
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Vacuum(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := filesHave(t, path, secret); len(found) > 0 {
		t.Errorf("afterwards it is still in %v", found)
	}
}

// Data that is forgotten and removed while an index is filled is not in it afterwards, and all
// other data is.
func TestForgettingDuringAnIndexLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := Open(path, Options{}) // a second process
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	commitSecret(t, s, "https://a.test/", 1)
	commitSecret(t, s, "https://b.test/", 3)
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	commitSecret(t, s, "https://c.test/", 5)
	commitSecret(t, s, "https://d.test/", 7)
	once := false
	err = s.Index(t.Context(), func(done, _ int64) {
		if once || done == 0 {
			return
		}
		once = true
		for _, url := range []string{"https://c.test/", "https://a.test/"} {
			if _, err := other.Forget(t.Context(), url, storage.Cut{}, false); err != nil {
				t.Error(err)
			}
		}
		if _, err := other.GC(t.Context(), time.Now()); err != nil {
			t.Error(err)
		}
		if err := other.Vacuum(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err != nil || !once {
		t.Fatalf("Index = %v", err)
	}
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	r, err := s.Search(t.Context(), storage.Search{Words: secret})
	if err != nil || r.Behind > 0 {
		t.Fatalf("Search = %+v, %v", r, err)
	}
	for _, h := range r.Hits {
		found[h.URL] = true
	}
	if !found["https://b.test/"] || !found["https://d.test/"] || len(found) != 2 {
		t.Errorf("search finds %v", found)
	}
	var spans int
	if err := s.index.read.QueryRowContext(t.Context(), "SELECT count(*) FROM spans s JOIN urls u ON u.id = s.url WHERE u.url IN ('https://a.test/', 'https://c.test/')").Scan(&spans); err != nil || spans > 0 {
		t.Errorf("%d spans of pages that were forgotten are in the index, %v", spans, err)
	}
}

// Forgotten data in a damaged pack is not reported as removed.
func TestWhatIsForgottenInADamagedPackIsTold(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commitSecret(t, s, "https://a.test/", 1)
	if _, err := s.write.ExecContext(t.Context(), "UPDATE packs SET data = substr(data, 1, length(data) - 8) WHERE id = (SELECT max(id) FROM packs)"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), "https://a.test/", storage.Cut{KeepLast: 1}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now()); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("GC = %v, want that a pack is damaged", err)
	}
	// Forgetting a whole page decodes nothing.
	if _, err := s.Forget(t.Context(), "https://a.test/", storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now()); err != nil {
		t.Errorf("GC after all of it was forgotten = %v", err)
	}
	if n := contentsWith(t, s, secret); n > 0 {
		t.Errorf("%d packs still have it", n)
	}
}

// contentsWith counts the contents that contain a text, by decoding every pack of the file.
func contentsWith(t *testing.T, s *Store, text string) (n int) {
	t.Helper()
	var ids []int64
	err := rows(t.Context(), s.read, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, "SELECT id FROM packs")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		c, err := s.chain(t.Context(), s.read, id)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(c.raw, []byte(text)) {
			n++
		}
	}
	return n
}

// If a process dies while GC removes forgotten data, or before the file is rewritten, the next
// GC completes it.
func TestGCThatWasInterruptedIsFinishedByTheNext(t *testing.T) {
	for stop := 1; ; stop++ {
		path := filepath.Join(t.TempDir(), "a.db")
		calls, armed := 0, false
		crash := errors.New("crash")
		s, err := Open(path, Options{Fault: func(string) error {
			if !armed {
				return nil
			}
			if calls++; calls == stop {
				return crash
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		const url = "https://a.test/"
		commitSecret(t, s, url, 1)
		if _, err := s.Forget(t.Context(), url, storage.Cut{KeepLast: 1}, false); err != nil {
			t.Fatal(err)
		}
		gc := func() error {
			_, err := s.GC(t.Context(), time.Now())
			if err == nil {
				err = s.Vacuum(t.Context())
			}
			return err
		}
		armed = true
		err = gc()
		armed = false
		if err != nil && !errors.Is(err, crash) {
			t.Fatal(err)
		}
		if err := gc(); err != nil {
			t.Fatal(err)
		}
		if found := filesHave(t, path, secret); len(found) > 0 || contentsWith(t, s, secret) > 0 {
			t.Errorf("after a crash before step %d and another GC it is still in %v", stop, found)
		}
		if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
			t.Errorf("Verify = %+v, %v", r, err)
		}
		s.Close()
		if calls < stop {
			if stop < 5 {
				t.Errorf("only %d steps were interrupted", stop-1)
			}
			return
		}
	}
}
