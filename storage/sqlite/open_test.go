package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// filled creates an archive with one version of url.
func filled(t *testing.T, path, url string) {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := storagetest.NewPage(url, 1)
	p.Add([]byte("<p>words</p>"), "topic", plat.LabelMain)
	if _, err := s.Commit(t.Context(), p.Next()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyStoreRejectsWrites(t *testing.T) {
	const url = "https://a.test/"
	path := filepath.Join(t.TempDir(), "a.plat")
	if s, err := Open(path, Options{ReadOnly: true}); err == nil {
		s.Close()
		t.Fatal("a read-only Open created a file")
	}
	filled(t, path, url)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, Options{ReadOnly: true})
	if v, err := s.Version(t.Context(), url, 0); err != nil || v.N != 1 {
		t.Errorf("Version: %+v, %v", v, err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.Versions != 1 || r.BrokenTotal > 0 {
		t.Errorf("Verify: %+v, %v", r, err)
	}
	if n, err := s.Size(t.Context()); err != nil || n <= 0 {
		t.Errorf("Size: %d, %v", n, err)
	}
	p := storagetest.NewPage("https://b.test/", 1)
	p.Add([]byte("<p>more</p>"), "topic", plat.LabelMain)
	if _, err := s.Commit(t.Context(), p.Next()); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Commit: %v", err)
	}
	if err := s.Record(t.Context(), plat.Visit{URL: url, Time: time.Now()}, 0); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Record: %v", err)
	}
	if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: time.Now()}}, storage.Join); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Enlist: %v", err)
	}
	if swept, err := s.GC(t.Context(), time.Now()); !errors.Is(err, ErrReadOnly) || swept != (storage.Swept{}) {
		t.Errorf("GC: %+v, %v", swept, err)
	}
	if is, err := os.ReadFile(path); err != nil || !reflect.DeepEqual(is, was) {
		t.Errorf("the file was changed: %v", err)
	}
}

func TestOpenErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                             "is a folder; name a file in it",
		text:                            "is not an SQLite file; name a plat archive",
		filepath.Join(dir, "no", "a.p"): "no such file or directory; make the folder first",
		os.DevNull:                      "is not a regular file; name a different one",
	} {
		for _, o := range []Options{{}, {ReadOnly: true}} {
			s, err := Open(path, o)
			if err == nil {
				s.Close()
				t.Errorf("Open(%q) succeeded", path)
			} else if msg := err.Error(); strings.Count(msg, want) != 1 || strings.Contains(msg, "\n") || len(msg) > len(path)*2+100 {
				t.Errorf("Open(%q) says %q, want %q", path, msg, want)
			}
		}
	}
}

func TestNewArchivesAreForTheirOwnerOnly(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := t.TempDir()
	modes := func(path string, want fs.FileMode) {
		t.Helper()
		for _, suffix := range []string{"", "-wal", "-shm", "-search", "-search-wal"} {
			if st, err := os.Stat(path + suffix); err != nil || st.Mode() != want {
				t.Errorf("%s%s has mode %v, %v; want %v", path, suffix, st.Mode(), err, want)
			}
		}
	}
	index := func(path string) {
		t.Helper()
		s := openAt(t, path, Options{})
		if err := s.Index(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	index(filepath.Join(dir, "new.db"))
	modes(filepath.Join(dir, "new.db"), 0o600)

	shared := filepath.Join(dir, "shared.db")
	if err := errors.Join(os.WriteFile(shared, nil, 0o600), os.Chmod(shared, 0o664)); err != nil {
		t.Fatal(err)
	}
	index(shared)
	modes(shared, 0o664)
}
