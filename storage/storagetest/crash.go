package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"plat"
	"plat/storage"
)

// ErrFault is what a store meets in the writes after it was told to die.
var ErrFault = errors.New("the store was told to die here")

// Crash lets a commit die before each of its writes in turn. Whatever was written
// until then, the store verifies clean, the versions before are whole, and the
// same commit once more, or another one, goes on from there.
//
// open returns an empty store that calls fault before every write, with a name for
// it, and fails the write with the error, if there is one.
func Crash(t *testing.T, open func(t testing.TB, fault func(step string) error) storage.Store) {
	for _, same := range []bool{true, false} {
		name := map[bool]string{true: "then the same commit", false: "then another commit"}[same]
		for k, done := 1, false; !done; k++ {
			t.Run(fmt.Sprintf("dies before write %d, %s", k, name), func(t *testing.T) {
				d := &death{at: k}
				s := open(t, d.fault)
				step := crash(t, s, d, same)
				if step == "" {
					done = true
					if k < 3 {
						t.Errorf("a commit made %d writes; is fault called?", k-1)
					}
					return
				}
				t.Logf("died before %s", step)
			})
			if t.Failed() || k > 100 {
				t.Fatalf("stopped after write %d", k)
			}
		}
	}
}

// A death comes before write number at, counted while armed. From then on every
// write fails: who is dead does not write.
type death struct {
	at, n int
	armed bool
	step  string // before which it came
}

func (d *death) fault(step string) error {
	if !d.armed {
		return nil
	}
	if d.n++; d.n < d.at {
		return nil
	}
	if d.step == "" {
		d.step = step
	}
	return ErrFault
}

// Doomed is the history that a crash ends: three versions, and the commit that
// dies. It brings a new layout, a picture and blocks.
func Doomed() (before []*storage.Commit, last *storage.Commit) {
	p := NewPage("https://doomed.test/", 7)
	for range 3 {
		before = append(before, p.Next())
	}
	p.newLayout()
	p.Add([]byte("<p>Never seen before</p>"), "Never seen", plat.LabelMain)
	last = p.Next()
	pic := &plat.Picture{Type: "image/png", Data: []byte("a picture")}
	last.Picture, last.Version.Picture = pic, plat.HashOf(pic.Data)
	return before, last
}

// crash runs the doomed commit on s and returns where it died, empty if it did
// not.
func crash(t *testing.T, s storage.Store, d *death, same bool) string {
	before, last := Doomed()
	for _, c := range before {
		commit(t, s, c)
	}
	was := snapshotOf(t, s, last.Version.URL)
	d.armed = true
	_, err := s.Commit(t.Context(), last)
	d.armed = false
	if d.step == "" {
		if err != nil {
			t.Fatalf("Commit without a fault = %v", err)
		}
		return ""
	}
	if err == nil {
		t.Fatalf("Commit did not fail though it died before %s", d.step)
	}
	AfterCrash(t, s, was, same)
	return d.step
}

// Before is what AfterCrash compares with.
func Before(t testing.TB, s storage.Store) string {
	_, last := Doomed()
	return snapshotOf(t, s, last.Version.URL)
}

// AfterCrash checks a store in which the last commit of Doomed died. was is what
// Before said before that. It commits the same or another version after it.
func AfterCrash(t *testing.T, s storage.Store, was string, same bool) {
	before, last := Doomed()
	url := last.Version.URL
	clean(t, s)
	all := before
	st, err := s.State(t.Context(), url)
	switch {
	case err != nil:
		t.Fatal(err)
	case st.Head == 3:
		if now := snapshotOf(t, s, url); now != was {
			t.Errorf("the dead commit left\n%s, want\n%s", now, was)
		}
	case st.Head == 4: // it died after it had moved the head
		all = append(all, last)
	default:
		t.Fatalf("the head is version %d, want 3 or 4", st.Head)
	}
	for _, c := range all {
		sameCommit(t, s, c, nil)
	}
	next := last
	if !same {
		next = NewPage(url, 8).Next()
		next.Version.N, next.Visit.Version = 4, 4
		next.Version.Taken = last.Version.Taken.Add(time.Hour)
		next.Visit.Time = next.Version.Taken
	}
	switch _, err = s.Commit(t.Context(), next); {
	case err == nil:
		all = append(before, next)
	case same || !errors.Is(err, plat.ErrConflict):
		t.Fatalf("the next commit: %v", err)
	default: // the dead commit was finished in its stead
		all = append(before, last)
	}
	for range 2 { // before and after GC
		if r := clean(t, s); r.Versions != 4 {
			t.Errorf("Verify counts %d versions, want 4", r.Versions)
		}
		for _, c := range all {
			sameCommit(t, s, c, nil)
		}
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if r := clean(t, s); r.Unreferenced != 0 {
		t.Errorf("after GC %d are unreferenced", r.Unreferenced)
	}
	st, err = s.State(t.Context(), url)
	if err != nil || st.Visits != 4 || st.Changes != 4 || st.Head != 4 || !st.Last.Equal(instantOf(all[3].Visit.Time)) {
		t.Errorf("State = %+v, %v; want 4 visits, 4 versions, the last at %s", st, err, all[3].Visit.Time)
	}
	if got := collect(t, s.Visits(t.Context(), url, 0)); len(got) != 4 {
		t.Errorf("%d visits are stored, want 4", len(got))
	}
}

func instantOf(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
