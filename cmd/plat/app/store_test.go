package app

import (
	"bytes"
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/storage"
	"plat/storage/uri"
)

// The command waits for an archive that a different process has locked, with a line of progress,
// and then names it.
func TestALockedArchiveIsWaitedForWithALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	var said bytes.Buffer
	a := New(nil, strings.NewReader(""), &bytes.Buffer{}, &said)
	a.Store, a.Patience = "sqlite:"+path, time.Minute
	if err := a.WithStore(t.Context(), uri.Creates, func(storage.Store) error { return nil }); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1)
	defer other.Close()
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}

	a.Patience = 1500 * time.Millisecond
	_, err = a.OpenToWrite(t.Context())
	if code := CodeOf(context.Background(), err); code != ExitStore || !strings.HasSuffix(Sentence(err), path+" is in use by another process, which was waited for 1.5s; end that process, or try again when it is done") {
		t.Errorf("exit code %d: %v", code, err)
	}
	if want := "plat: " + path + " is in use by another process; waiting up to 1.5s\n"; said.String() != want {
		t.Errorf("it said %q, want %q", said.String(), want)
	}

	said.Reset()
	a.Patience, a.Quiet = time.Minute, true
	time.AfterFunc(1500*time.Millisecond, func() { other.Close() })
	s, err := a.OpenToWrite(t.Context())
	if err != nil || said.Len() > 0 {
		t.Fatalf("after the wait, quietly: %v, %q", err, said.String())
	}
	s.Close()
}
