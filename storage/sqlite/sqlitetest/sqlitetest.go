// Package sqlitetest opens archives for tests.
package sqlitetest

import (
	"path/filepath"
	"testing"

	"plat/storage/sqlite"
)

// Open returns an empty archive in a folder of its own, which is closed at the end of the test.
func Open(t testing.TB) *sqlite.Store {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
}

// OpenAt opens the archive in a file, and closes it at the end of the test. The test may close it
// earlier.
func OpenAt(t testing.TB, path string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
