package sqlite

import (
	"testing"

	"plat/storage/history"
	"plat/storage/storagetest"
)

func TestOlderFormatsCanBeReadAndContinued(t *testing.T) {
	s := openAt(t, storagetest.OldSQLite(t), Options{})
	storagetest.TestOldFormat(t, s, func(url string, n int) ([]byte, error) { return history.Restore(t.Context(), s, url, n) })
}

// A read-only open does not upgrade the file, and reads the plans from the old columns.
func TestOlderFormatsCanBeReadWhenReadOnly(t *testing.T) {
	path := storagetest.OldSQLite(t)
	s := openAt(t, path, Options{ReadOnly: true})
	upgraded := openAt(t, storagetest.OldSQLite(t), Options{})
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
