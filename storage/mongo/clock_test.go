package mongo

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/retention"
	"plat/storage/storagetest"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// off sets the clock of a process wrong from now on, as of before it was started.
func (s *Store) off(t testing.TB, by time.Duration) {
	t.Helper()
	s.clock.wall = func() time.Time { return time.Now().Add(by) }
	if err := s.learnServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A clock is right whatever that of its process does.
func TestClock(t *testing.T) {
	server := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name     string
		set, now time.Time
		want     time.Duration // since server

	}{
		{"right", server, server.Add(time.Hour), time.Hour},
		{"three hours slow", server.Add(-3 * time.Hour), server.Add(-2 * time.Hour), time.Hour},
		{"a day fast", server.Add(24 * time.Hour), server.Add(25 * time.Hour), time.Hour},
	} {
		c := newClock()
		c.set(server, tc.set)
		c.wall = func() time.Time { return tc.now }
		if got := c.now(); !got.Equal(server.Add(tc.want)) {
			t.Errorf("%s: %s", tc.name, got)
		}
		if got := c.fromLocal(tc.now.Add(-storage.CommitTime)); !got.Equal(server.Add(tc.want - storage.CommitTime)) {
			t.Errorf("%s: an hour before is %s", tc.name, got)
		}
	}
	// The clock is set back by a day meanwhile: the time that has passed since counts.
	c := newClock()
	at := time.Now()
	c.set(server, at)
	c.wall = func() time.Time { return at.Add(time.Hour) }
	if got := c.now(); !got.Equal(server.Add(time.Hour)) {
		t.Errorf("after an hour: %s", got)
	}
}

// What a process with a slow clock writes is kept, also beside one with a fast clock that removes what is old.
func TestClocksOfProcessesDiffer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ worker, gc time.Duration }{{-2 * time.Hour, 0}, {0, 3 * time.Hour}, {-26 * time.Hour, 48 * time.Hour}, {5 * time.Hour, 0}} {
		t.Run(fmt.Sprintf("worker %s, gc %s", tc.worker, tc.gc), func(t *testing.T) {
			b := open(t, Options{})
			b.off(t, tc.gc)
			swept := 0
			armed := false
			a := open(t, Options{Database: b.db.Name(), Dialer: &cutter{fault: func(step string) error {
				if armed && step != "find" {
					swept++
					armed = false
					var err error
					var gc sync.WaitGroup // in a different goroutine, whose queries are not those of a commit
					gc.Go(func() { _, err = b.GC(t.Context(), b.clock.wall().Add(-storage.CommitTime)) })
					gc.Wait()
					armed = true
					return err
				}
				return nil
			}}})
			a.inline = 1 << 12 // larger contents are files
			a.off(t, tc.worker)
			p := storagetest.NewPage("https://slow.test/", 3)
			armed = true
			for range 3 {
				if _, err := a.Commit(t.Context(), p.Next()); err != nil {
					t.Fatal(err)
				}
			}
			armed = false
			if r, err := b.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || swept < 6 {
				t.Errorf("after %d sweeps: %v, %d broken: %v", swept, err, r.BrokenTotal, r.Broken)
			}
			// What nothing refers to is old after an hour of the server's.
			if _, err := b.Forget(t.Context(), p.URL, storage.Cut{}, false); err != nil {
				t.Fatal(err)
			}
			for _, before := range []time.Duration{-time.Minute, time.Minute} {
				got, err := b.GC(t.Context(), b.clock.wall().Add(before))
				if err != nil || got.Blocks > 0 != (before > 0) {
					t.Errorf("what is older than %s was removed: %+v, %v", before, got, err)
				}
			}
		})
	}
}

// A process dies after the parts of a picture, before the file that holds them.
func TestPartsWithoutTheirFileAreRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	s.inline = 1 << 16
	const kept = "https://kept.test/"
	storagetest.TestLarge(t, s, kept, 50, 1<<17, s.recent.clear)
	count := func() int64 {
		t.Helper()
		n, err := s.bucket().GetChunksCollection().CountDocuments(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole := count()
	dead := open(t, Options{Database: s.db.Name(), Dialer: &cutter{fault: func(step string) error {
		if step == "insert large.files" {
			return storagetest.ErrFault
		}
		return nil
	}}})
	for i := range 3 {
		if _, err := dead.putLarge(t.Context(), dead.screenshots, fmt.Sprint("lost", i), storagetest.Noise(uint64(i), 1<<20)); err == nil {
			t.Fatal("the upload had no fault")
		}
	}
	if n := count(); n < whole+9 {
		t.Fatalf("%d parts of three pictures", n-whole)
	}
	for _, before := range []time.Duration{-time.Minute, time.Minute} {
		if _, err := s.GC(t.Context(), time.Now().Add(before)); err != nil {
			t.Fatal(err)
		}
		if n := count(); n > whole != (before < 0) || n < whole {
			t.Errorf("%d parts too many after the removal of what is older than %s", n-whole, before)
		}
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}

// A damaged page keeps its versions, and no other does.
func TestADamagedPageDoesNotEndASweep(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	all := []string{"https://a.test/", "https://b.test/", "https://c.test/"}
	for i, url := range all {
		p := storagetest.NewPage(url, uint64(i+1))
		for range 4 {
			if _, err := s.Commit(t.Context(), p.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.versions.UpdateOne(t.Context(), byID(versionID(all[0], 3)), bson.D{{Key: "$set", Value: bson.D{{Key: "blocks", Value: []byte("damaged")}}}}); err != nil {
		t.Fatal(err)
	}
	swept, err := retention.Sweep(t.Context(), s, retention.Which{}, storage.Cut{KeepLast: 1}, false, nil)
	if !errors.Is(err, plat.ErrCorrupt) || swept.Versions != 6 || swept.Selected != 3 {
		t.Errorf("Sweep = %+v, %v", swept, err)
	}
	for i, url := range all {
		st, err := s.State(t.Context(), url)
		if err != nil || (st.Forgotten == 3) != (i > 0) {
			t.Errorf("%s: versions up to %d are forgotten, %v", url, st.Forgotten, err)
		}
	}
}

// The reply to a write that replaces a note is lost: it is found that the write was applied.
func TestANoteIsReplacedOnceThoughTheReplyIsLost(t *testing.T) {
	rs := newReplicaSet(t)
	rs.election = time.Millisecond
	s := openAt(t, rs.uri("&retryWrites=false"), Options{})
	lost := 0
	rs.fail = func(name, collection string) failure {
		if collection == "notes" && name != "find" && name != "aggregate" && lost == 0 {
			lost++
			return applied
		}
		return works
	}
	for _, old := range []string{"", "a"} {
		lost = 0
		replaced, err := s.ReplaceNote(t.Context(), "turn", old, old+"a")
		if err != nil || !replaced || lost != 1 {
			t.Errorf("ReplaceNote of %q = %t, %v; %d replies were lost", old, replaced, err, lost)
		}
	}
	if replaced, err := s.ReplaceNote(t.Context(), "turn", "a", "b"); err != nil || replaced {
		t.Errorf("a note with another text was replaced: %t, %v", replaced, err)
	}
}
