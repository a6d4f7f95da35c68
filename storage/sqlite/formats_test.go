package sqlite

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"plat/storage/history"
	"plat/storage/storagetest"
)

// oldArchive copies an archive written by an older plat.
func oldArchive(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join(storagetest.FormatsDir, "archive.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.db")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOlderFormatsCanBeReadAndContinued(t *testing.T) {
	s := openAt(t, oldArchive(t), Options{})
	storagetest.TestOldFormat(t, s, func(url string, n int) ([]byte, error) { return history.Restore(t.Context(), s, url, n) })
}

// A read-only open does not upgrade the file, and reads the plans from the old columns.
func TestOlderFormatsCanBeReadWhenReadOnly(t *testing.T) {
	path := oldArchive(t)
	s := openAt(t, path, Options{ReadOnly: true})
	upgraded := openAt(t, oldArchive(t), Options{})
	n := 0
	for was, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		is, err := upgraded.State(t.Context(), was.URL)
		if n++; err != nil || is != was {
			t.Errorf("%+v, upgraded %+v, %v", was, is, err)
		}
	}
	if n != 7 {
		t.Errorf("%d URLs, want 7", n)
	}
	if version, _ := formatOf(t, s); version != 3 {
		t.Errorf("the file was upgraded to format %d", version)
	}
}
