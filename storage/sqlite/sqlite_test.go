package sqlite

import (
	"path/filepath"
	"testing"

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

func TestStoreKeepsTheContract(t *testing.T) { storagetest.Test(t, openTemp, 200) }

func BenchmarkStore(b *testing.B) { storagetest.Bench(b, openTemp) }
