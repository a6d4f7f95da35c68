package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func recordAt(t *testing.T, s *Store, i int) {
	t.Helper()
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
	if _, err := s.Enlist(t.Context(), []plat.Job{{URL: "https://a.test/", Due: at, Priority: 0.5}}, storage.Again); err != nil {
		t.Fatal(err)
	}
	err := s.Record(t.Context(), plat.Visit{URL: "https://a.test/", Time: at, Outcome: plat.OutcomeUnchanged, Settles: at}, 1)
	if err != nil {
		t.Fatal(err)
	}
}

func TestStatementsAreKeptAcrossTransactions(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a.plat"), Options{})
	for i := range 3 {
		recordAt(t, s, i)
	}
	kept := len(s.write.stmts)
	for i := range 3 {
		recordAt(t, s, 10+i)
		if len(s.write.wanted) > 0 {
			t.Fatalf("prepared once more: %q", s.write.wanted)
		}
	}
	if kept == 0 || len(s.write.stmts) != kept {
		t.Errorf("%d statements were kept, now %d", kept, len(s.write.stmts))
	}
}

// A second process changes the tables, as an upgrade does.
func TestKeptStatementsFollowTheSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.plat")
	s := openAt(t, path, Options{})
	for i := range 3 {
		recordAt(t, s, i)
	}
	other := openAt(t, path, Options{})
	for i, change := range []string{"ALTER TABLE urls ADD COLUMN later INTEGER", "DROP INDEX urls_timed", "CREATE INDEX urls_timed ON urls (host, at) WHERE at IS NOT NULL"} {
		if _, err := other.write.Exec(change); err != nil {
			t.Fatal(err)
		}
		recordAt(t, s, 10+2*i)
		recordAt(t, other, 11+2*i)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Error(r.Broken, err)
	}
}

// A transaction that ends early, by its context or an error, leaves the connection usable for
// the next one.
func TestStatementsAreKeptWhenTransactionsFail(t *testing.T) {
	var fails error
	s := openAt(t, filepath.Join(t.TempDir(), "a.plat"), Options{Fault: func(string) error { return fails }})
	recordAt(t, s, 0)
	recordAt(t, s, 1)
	for i := range 20 {
		fails = errors.New("a fault")
		if err := s.Record(t.Context(), plat.Visit{URL: "https://a.test/", Time: time.Unix(int64(i), 0)}, 1); err == nil {
			t.Fatal("no error")
		}
		fails = nil
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*20*time.Microsecond)
		s.Record(ctx, plat.Visit{URL: "https://a.test/", Time: time.Unix(int64(100+i), 0)}, 1)
		cancel()
		recordAt(t, s, 10+i)
	}
}

func TestATransactionWaitsForItsTurnNoLongerThanItsContext(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a.plat"), Options{})
	recordAt(t, s, 0)
	held, free := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := s.transact(t.Context(), func(*txn) error {
			close(held)
			<-free
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.SetNote(ctx, "a", "b"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("SetNote: %v", err)
	}
	close(free)
	all.Wait()
	recordAt(t, s, 1)
}
