package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/storagetest"
)

// held makes a second connection lock the file at path by statements, until the test ends or
// the returned function is called.
func held(t *testing.T, path string, statements ...string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	t.Cleanup(func() { db.Close() })
	return func() { db.Close() }
}

// telling returns options that count the reported waits.
func telling(busy time.Duration, told *atomic.Int32) Options {
	return Options{Busy: busy, Waiting: func(string, time.Duration) { told.Add(1) }}
}

func filledPage(url string) *storagetest.Page {
	p := storagetest.NewPage(url, 1)
	p.Add([]byte("<p>words of this page</p>"), "topic", plat.LabelMain)
	return p
}

func TestALockedFileIsWaitedForAndThenNamed(t *testing.T) {
	exclusive := []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "CREATE TABLE IF NOT EXISTS x (y)"}
	for name, tc := range map[string]struct {
		file string // suffix of the locked file
		lock []string
		use  func(ctx context.Context, path string, o Options) error
	}{
		"by a writer, a commit": {"", []string{"BEGIN IMMEDIATE"}, func(ctx context.Context, path string, o Options) error {
			s, err := Open(path, o)
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Commit(ctx, filledPage("https://b.test/").Next())
			return err
		}},
		"by a writer, a probe": {"", []string{"BEGIN IMMEDIATE"}, func(ctx context.Context, path string, o Options) error {
			s, err := Open(path, o)
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Probe(ctx)
		}},
		"altogether, opening it": {"", exclusive, func(_ context.Context, path string, o Options) error {
			s, err := Open(path, o)
			if err == nil {
				s.Close()
			}
			return err
		}},
		"altogether, opening it to read": {"", exclusive, func(_ context.Context, path string, o Options) error {
			o.ReadOnly = true
			s, err := Open(path, o)
			if err == nil {
				s.Close()
			}
			return err
		}},
		"the search index": {"-search", exclusive, func(ctx context.Context, path string, o Options) error {
			s, err := Open(path, o)
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Index(ctx, nil)
		}},
		"the search index, by a writer": {"-search", []string{"BEGIN IMMEDIATE"}, func(ctx context.Context, path string, o Options) error {
			s, err := Open(path, o)
			if err != nil {
				return err
			}
			defer s.Close()
			if _, err = s.Commit(ctx, filledPage("https://b.test/").Next()); err != nil {
				return err
			}
			return s.Index(ctx, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.plat")
			filled(t, path, "https://a.test/")
			s := openAt(t, path, Options{})
			if err := s.Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			s.Close()
			release := held(t, path+tc.file, tc.lock...)
			var told atomic.Int32
			began := time.Now()
			err := tc.use(t.Context(), path, telling(500*time.Millisecond, &told))
			want := path + tc.file + " is in use by another process, which was waited for 500ms; end that process, or try again when it is done"
			if !errors.Is(err, ErrBusy) || strings.Count(err.Error(), want) != 1 || strings.Contains(err.Error(), "SQLITE") {
				t.Errorf("%v, want %q", err, want)
			}
			if took := time.Since(began); took < 500*time.Millisecond || took > 10*time.Second {
				t.Errorf("it gave up after %v", took)
			}
			if told.Load() != 1 {
				t.Errorf("it was told %d times, not once", told.Load())
			}

			// The lock is released during the wait.
			time.AfterFunc(time.Second, release)
			if err := tc.use(t.Context(), path, telling(time.Minute, &told)); err != nil {
				t.Errorf("after the wait: %v", err)
			}
		})
	}
}

func TestAShortWaitIsNotTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.plat")
	filled(t, path, "https://a.test/")
	var told atomic.Int32
	s := openAt(t, path, telling(time.Minute, &told))
	time.AfterFunc(300*time.Millisecond, held(t, path, "BEGIN IMMEDIATE"))
	began := time.Now()
	if err := s.Probe(t.Context()); err != nil || told.Load() != 0 && time.Since(began) < sayAfter {
		t.Errorf("told %d times, %v", told.Load(), err)
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.plat")
	filled(t, path, "https://a.test/")
	s := openAt(t, path, Options{Busy: time.Hour})
	held(t, path, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := s.Probe(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// A file that SQLite leaves beside an archive is not a locked archive.
func TestAFileThatIsNotLockedIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database", 999)), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := Open(path, Options{Busy: time.Hour}); err == nil || errors.Is(err, ErrBusy) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
