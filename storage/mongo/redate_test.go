package mongo

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/retention"
)

// commitTurns stores n versions of a page whose two contents take turns, so that a version's contents are older than it.
func commitTurns(t *testing.T, s *Store, url string, n int) {
	t.Helper()
	contents := [][]byte{[]byte("<p>Monday's banner of the page</p>"), []byte("<p>Tuesday's banner of the page</p>")}
	layout := plat.Layout{HTML: []byte("<html></html>"), Slots: []int32{6}}
	for n := range n {
		n++
		taken, c := day().Add(time.Duration(n)*time.Hour), contents[n%2]
		v := &plat.Version{URL: url, N: n, Taken: taken, Profile: "visual", Lineages: 1, Layout: layout.Sum(), Capture: plat.Capture{FinalURL: url, Status: 200},
			Blocks: []plat.Block{{Run: 1, Parent: -1, Tag: "html", Slot: -1}, {Path: []int32{0, 1}, Run: 1, Level: 1, Tag: "p", Hash: plat.HashOf(c), Content: c, Label: plat.LabelMain, Lineage: 1}}}
		if n > 1 {
			v.Blocks[1].Change, v.Changes = plat.Content, map[plat.Kind]int{plat.Content: 1}
		}
		if _, err := s.Commit(t.Context(), &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: n, Status: 200}}); err != nil {
			t.Fatal(err)
		}
	}
}

// isWhole checks that a new store finds no error in an archive, and so many versions of a page.
func isWhole(t *testing.T, name, url string, versions int) {
	t.Helper()
	s := open(t, Options{Database: name})
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Fatalf("Verify = %+v, %v", r, err)
	}
	st, err := s.State(t.Context(), url)
	if err != nil || st.Kept() != versions {
		t.Errorf("%d versions of %s are left, %v, want %d", st.Kept(), url, err, versions)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(-storage.CommitTime)); err != nil {
		t.Error(err)
	}
}

// A call that removes more runs whole before each write of versions of one that removes less.
func TestCallsThatForgetVersionsOfOnePage(t *testing.T) {
	t.Parallel()
	const url = "https://a.test/"
	for k := 1; ; k++ {
		b := open(t, Options{})
		commitTurns(t, b, url, 9)
		writes := 0
		a := open(t, Options{Database: b.db.Name(), Dialer: &cutter{fault: func(step string) error {
			if step != "update versions" {
				return nil
			}
			if writes++; writes == k {
				if _, err := b.Forget(t.Context(), url, storage.Cut{KeepLast: 2}, false); err != nil {
					t.Error(err)
				}
			}
			return nil
		}}})
		if _, err := a.Forget(t.Context(), url, storage.Cut{KeepLast: 6}, false); err != nil {
			t.Fatalf("before write %d: %v", k, err)
		}
		if writes < k {
			if k < 5 {
				t.Errorf("there are only %d writes", writes)
			}
			isWhole(t, b.db.Name(), url, 6)
			return
		}
		isWhole(t, b.db.Name(), url, 2)
	}
}

func TestPoliciesThatDiffer(t *testing.T) {
	t.Parallel()
	a := open(t, Options{})
	b := open(t, Options{Database: a.db.Name()})
	for i := range 8 {
		commitTurns(t, a, fmt.Sprintf("https://a%d.test/", i), 16)
	}
	var both sync.WaitGroup
	for s, keep := range map[*Store]int{a: 9, b: 3} {
		both.Go(func() {
			if _, err := retention.Sweep(t.Context(), s, retention.Which{}, storage.Cut{KeepLast: keep}, false, nil); err != nil {
				t.Errorf("keep %d: %v", keep, err)
			}
		})
	}
	both.Wait()
	isWhole(t, a.db.Name(), "https://a0.test/", 3)
}
