package mongo

import (
	"testing"
	"time"

	"plat/plat"
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
		if err := other.removeAllDerived(t.Context()); err != nil {
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
