package mongo

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// While one process rebuilds what is derived, another one has the page in memory: its visits neither take the page for
// complete, nor write only what has changed.
func TestAReindexBesideAWorker(t *testing.T) {
	for _, commits := range []bool{false, true} {
		worker := open(t, Options{})
		p := storagetest.NewPage("https://a.test/", 5)
		for range 3 {
			if _, err := worker.Commit(t.Context(), p.Next()); err != nil {
				t.Fatal(err)
			}
		}
		other := open(t, Options{Database: worker.db.Name()})
		st, err := worker.State(t.Context(), p.URL)
		if err != nil {
			t.Fatal(err)
		}
		// It begins, and is interrupted.
		if err := other.outdateAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if commits {
			_, err = worker.Commit(t.Context(), p.Next())
		} else {
			err = worker.Record(t.Context(), plat.Visit{URL: p.URL, Time: st.Last.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Version: 3}, 10)
		}
		if err == nil {
			err = other.Index(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, err := other.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
			t.Errorf("with a commit: %v: %+v, %v", commits, r, err)
		}
	}
}

// Before any write of a process that derives the documents of a page again, or has them in memory, another one does so,
// commits a version, or completes what is missing, as a search does. All derive the same documents, and each removes only
// older ones; what one that had forgotten versions in memory has written late, GC removes.
func TestNothingThatIsDerivedAgainIsLost(t *testing.T) {
	t.Parallel()
	does := map[string]func(*Store, *storagetest.Page) error{
		"reindex": func(s *Store, _ *storagetest.Page) error { return s.Reindex(t.Context(), nil) },
		"search":  func(s *Store, _ *storagetest.Page) error { return s.Index(t.Context(), nil) },
		"forget": func(s *Store, p *storagetest.Page) error {
			_, err := s.Forget(t.Context(), p.URL, storage.Cut{KeepLast: 3}, false)
			return err
		},
		"commit": func(s *Store, p *storagetest.Page) error {
			_, err := s.State(t.Context(), p.URL)
			if err == nil {
				_, err = s.Commit(t.Context(), p.Next())
			}
			return err
		},
	}
	for i, pair := range [][2]string{{"reindex", "commit"}, {"reindex", "search"}, {"reindex", "forget"}, {"forget", "commit"}, {"forget", "search"},
		{"forget", "reindex"}, {"commit", "reindex"}, {"commit", "forget"}} {
		t.Run(pair[0]+" beside "+pair[1], func(t *testing.T) {
			t.Parallel()
			step := 0
			for !fixtures.Today(i+step, 2) || deriveBeside(t, does[pair[0]], does[pair[1]], step) {
				step++
			}
			if step < 2 {
				t.Errorf("%d writes", step)
			}
		})
	}
}

// deriveBeside calls one while another process does other before its write of number step, and reports whether there was such
// a write.
func deriveBeside(t *testing.T, one, other func(*Store, *storagetest.Page) error, step int) (met bool) {
	worker := open(t, Options{})
	p := storagetest.NewPage("https://a.test/", 5)
	for range 6 {
		if _, err := worker.Commit(t.Context(), p.Next()); err != nil {
			t.Fatal(err)
		}
	}
	at, writes := "", -1
	s := open(t, Options{Database: worker.db.Name(), Dialer: &cutter{fault: func(name string) error {
		if writes < 0 {
			return nil
		}
		if writes++; writes == step+1 {
			met, at = true, name
			done := make(chan error)
			go func() { done <- other(worker, p) }() // with a stack of its own, by which the plan check names it
			if err := <-done; err != nil {
				t.Errorf("before %s: the other: %v", at, err)
			}
		}
		return nil
	}}})
	if _, err := s.State(t.Context(), p.URL); err != nil {
		t.Fatal(err)
	}
	writes = 0
	err := one(s, p)
	conflict := errors.Is(err, plat.ErrConflict) // the version was compared with one that is forgotten
	if err != nil && !conflict {
		t.Fatalf("before %s: %v", at, err)
	}
	check := func(when string) {
		t.Helper()
		if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
			t.Fatalf("write %d, %s, beside it: %s: %+v, %v", step, at, when, r, err)
		}
	}
	if _, err := worker.GC(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	check("then")
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check("after Index")
	if _, err := worker.Commit(t.Context(), p.Next()); err != nil && !conflict {
		t.Error(err)
	}
	check("after one more version")
	if n, err := worker.urls.CountDocuments(t.Context(), bson.D{{Key: "pending", Value: true}}); err != nil || n > 1 {
		t.Errorf("%d URLs are pending, %v", n, err)
	}
	return met
}

// If a writer dies after the head has moved, the next writer adds the missing block versions. GC and a visit without a
// change do so, too.
func TestWhatACrashedWriterLeftIsCompleted(t *testing.T) {
	next := map[string]func(*Store, plat.URLState) error{
		"an unchanged visit": func(s *Store, st plat.URLState) error {
			return s.Record(t.Context(), plat.Visit{URL: st.URL, Time: st.Last.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Version: st.Head}, 10)
		},
		"gc": func(s *Store, _ plat.URLState) error {
			_, err := s.GC(t.Context(), time.Now().Add(time.Hour))
			return err
		},
		"search": func(s *Store, _ plat.URLState) error { return s.Index(t.Context(), nil) },
	}
	for name, comes := range next {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dying, dead bool
			s := open(t, Options{Dialer: &cutter{fault: func(step string) error {
				if dead {
					return errors.New("cut")
				}
				dead = dying && step == "update urls"
				return nil
			}}})
			s.bulk = false
			p := storagetest.NewPage("https://a.test/", 5)
			for range 3 {
				if _, err := s.Commit(t.Context(), p.Next()); err != nil {
					t.Fatal(err)
				}
			}
			dying = true
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			_, err := s.Commit(ctx, p.Next())
			if cancel(); err == nil {
				t.Fatal("the commit succeeds")
			}
			o := open(t, Options{Database: s.db.Name()})
			st, err := o.State(t.Context(), p.URL)
			if err != nil || st.Head != 4 {
				t.Fatalf("State = %+v, %v", st, err)
			}
			if v, err := o.page(t.Context(), p.URL); err != nil || v.N != 3 {
				t.Fatalf("the page has version %d already, %v", v.N, err)
			}
			if err := comes(o, st); err != nil {
				t.Fatal(err)
			}
			if v, err := o.page(t.Context(), p.URL); err != nil || v.N != 4 {
				t.Errorf("the page has version %d, %v", v.N, err)
			}
			if n, err := o.urls.CountDocuments(t.Context(), bson.D{{Key: "pending", Value: true}}); err != nil || n > 0 {
				t.Errorf("%d URLs are pending, %v", n, err)
			}
			if r, err := o.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
				t.Errorf("Verify = %+v, %v", r, err)
			}
		})
	}
}

// Forget derives a page again, and later runs of GC do not. GC removes block versions of forgotten versions that a writer
// still had in memory.
func TestGCAfterForgetWritesNoPageAgain(t *testing.T) {
	s := committed(t, 6, "https://a.test/")
	before, err := s.page(t.Context(), "https://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	old, err := findAll[bson.D](t.Context(), s.blockVersions, idsOf(before.URL, versionID(before.URL, 3)))
	if err != nil || len(old) == 0 {
		t.Fatalf("%d block versions, %v", len(old), err)
	}
	if _, err := s.Forget(t.Context(), before.URL, storage.Cut{KeepLast: 3}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.blockVersions.InsertMany(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	writes := map[string]int{}
	o := open(t, Options{Database: s.db.Name(), Dialer: &cutter{fault: func(step string) error {
		writes[step]++
		return nil
	}}})
	for range 3 {
		if _, err := o.GC(t.Context(), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fmt.Sprint(writes), "map[delete block_versions:1 update urls:1]"; got != want {
		t.Errorf("three times GC write %s, want %s", got, want)
	}
	if r, err := o.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}
