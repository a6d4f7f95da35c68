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
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// off makes the clock of a process wrong, as if the process had started with it.
func (s *Store) off(t testing.TB, by time.Duration) {
	t.Helper()
	s.clock.wall = func() time.Time { return time.Now().Add(by) }
	if err := s.learnServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A message that a sender has taken is not taken by another one, whose clock is wrong, before the claim ends.
func TestClaimsHoldWithWrongClocks(t *testing.T) {
	const hold = 5 * time.Minute
	for _, tc := range []struct{ first, second time.Duration }{{0, 6 * time.Minute}, {-6 * time.Minute, 0}, {-time.Hour, 24 * time.Hour}, {24 * time.Hour, 0}, {0, 0}} {
		a := open(t, Options{})
		b := openAt(t, server, Options{Database: a.db.Name()})
		a.off(t, tc.first)
		b.off(t, tc.second)
		now := func(s *Store, later time.Duration) time.Time { return s.clock.wall().Add(later) }
		if err := a.PutChannel(t.Context(), &plat.Channel{Name: "mail", URL: "https://b.test/"}); err != nil {
			t.Fatal(err)
		}
		made := now(a, -48*time.Hour)
		if err := a.Post(t.Context(), []plat.Message{{ID: "m", Channel: "mail", Made: made, Due: made}}); err != nil {
			t.Fatal(err)
		}
		if got, err := a.Take(t.Context(), now(a, 0), hold, 9); err != nil || len(got) != 1 {
			t.Fatalf("Take = %+v, %v", got, err)
		}
		if got, err := b.Take(t.Context(), now(b, hold-5*time.Second), hold, 9); err != nil || len(got) != 0 {
			t.Errorf("clocks off by %s and %s: the message is taken twice: %+v, %v", tc.first, tc.second, got, err)
		}
		// A sender that is slow waits for its own clock, too.
		if got, err := b.Take(t.Context(), now(b, hold+5*time.Second+max(0, tc.first-tc.second)), hold, 9); err != nil || len(got) != 1 {
			t.Errorf("clocks off by %s and %s: Take after the claim = %+v, %v", tc.first, tc.second, got, err)
		}
	}
}

func TestClock(t *testing.T) {
	server := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name     string
		off      time.Duration // of the process' clock
		now, old time.Duration // what is written an hour later has, and when all is old that is older than an hour
	}{
		{"right", 0, time.Hour, 0},
		{"three hours slow", -3 * time.Hour, time.Hour, -3 * time.Hour},
		{"a day fast", 24 * time.Hour, 25 * time.Hour, 0},
	} {
		c := newClock()
		c.set(server, server.Add(tc.off))
		c.wall = func() time.Time { return server.Add(tc.off + time.Hour) }
		if got := c.now(); !got.Equal(server.Add(tc.now)) {
			t.Errorf("%s: what is written has %s", tc.name, got)
		}
		if got := c.before(c.wall().Add(-time.Hour)); !got.Equal(server.Add(tc.old)) {
			t.Errorf("%s: an hour before is %s", tc.name, got)
		}
	}
}

// What a process with a slow clock writes is kept, also beside one with a fast clock that removes what is old.
func TestClocksOfProcessesDiffer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		worker, gc time.Duration
		server     time.Duration // its clock as the worker has seen it, before it was set, or another server took over
	}{
		{-2 * time.Hour, 0, 0}, {0, 3 * time.Hour, 0}, {-26 * time.Hour, 48 * time.Hour, 0}, {5 * time.Hour, 0, 0},
		{0, 0, -3 * time.Hour}, {-3 * time.Hour, -3 * time.Hour, -3 * time.Hour}, {0, 0, 3 * time.Hour},
	} {
		t.Run(fmt.Sprintf("worker %s, gc %s, server %s", tc.worker, tc.gc, tc.server), func(t *testing.T) {
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
			if tc.server != 0 {
				a.clock.set(time.Now().Add(tc.server), a.clock.wall())
			}
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
			if tc.worker > 0 || tc.server > 0 || tc.gc < 0 {
				return // what it has written is kept for longer
			}
			// What nothing refers to is old after an hour.
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
	parts := func() int64 { t.Helper(); return count(t, s.bucket().GetChunksCollection()) }
	whole := parts()
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
	if n := parts(); n < whole+9 {
		t.Fatalf("%d parts of three pictures", n-whole)
	}
	for _, before := range []time.Duration{-time.Minute, time.Minute} {
		if _, err := s.GC(t.Context(), time.Now().Add(before)); err != nil {
			t.Fatal(err)
		}
		if n := parts(); n > whole != (before < 0) || n < whole {
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

// A machine with a fast clock has rebuilt all pages: one with the right clock can do so again.
func TestAReindexAfterOneByAFastClock(t *testing.T) {
	s := committed(t, 3, "https://a.test/", "https://b.test/")
	build := bson.E{Key: "build", Value: time.Now().Add(30 * time.Hour).UnixMicro()}
	if _, err := s.urls.UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{build}}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*mongo.Collection{s.pages, s.blockVersions} {
		if _, err := c.UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{build, {Key: "label", Value: "damaged"}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n, err := s.blockVersions.CountDocuments(t.Context(), bson.D{{Key: "label", Value: "damaged"}}); err != nil || n > 0 {
		t.Errorf("%d block versions are as damaged as before, %v", n, err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}
