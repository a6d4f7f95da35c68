package mongo

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// A commit is several writes. Before each write after the contents (without PLAT_LONG=1, before
// every second one), a concurrent writer settles the same job, and may also commit a version.
// Exactly one of the two must succeed, and no data of the failed one may remain.
func TestConcurrentWritersBetweenTheWritesOfACommit(t *testing.T) {
	t.Parallel()
	_, last := storagetest.Doomed()
	url, job := last.Version.URL, last.Visit.Settles
	visit := plat.Visit{URL: url, Time: last.Visit.Time.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Version: 3, Settles: job, Next: last.Visit.Next}
	// other returns a commit with the number of the last version.
	other := func(settles time.Time) *storage.Commit {
		c := storagetest.NewPage(url, 8).Next()
		c.Version.N, c.Visit.Version = 4, 4
		c.Version.Taken = last.Version.Taken.Add(2 * time.Hour)
		c.Visit.Time, c.Visit.Settles = c.Version.Taken, settles
		return c
	}
	sameForNoJob := *last
	sameForNoJob.Visit.Settles, sameForNoJob.Visit.Next = time.Time{}, time.Time{}
	commits := func(c *storage.Commit) func(testing.TB, *Store) {
		return func(t testing.TB, s *Store) {
			_, err := s.Commit(t.Context(), c)
			if err != nil && !errors.Is(err, plat.ErrSettled) && !errors.Is(err, plat.ErrConflict) {
				t.Errorf("the other commit: %v", err)
			}
		}
	}
	visits := func(t testing.TB, s *Store) {
		if err := s.Record(t.Context(), visit, 7); err != nil {
			t.Errorf("the other visit: %v", err)
		}
	}
	for i, tc := range []struct {
		name  string
		steps []func(testing.TB, *Store)
	}{
		{"a visit", []func(testing.TB, *Store){visits}},
		{"another commit", []func(testing.TB, *Store){commits(other(job))}},
		{"the same commit", []func(testing.TB, *Store){commits(last)}},
		{"a visit, then a commit for the next job", []func(testing.TB, *Store){visits, commits(other(last.Visit.Next))}},
		{"a visit, then the same version for no job", []func(testing.TB, *Store){visits, commits(&sameForNoJob)}},
		{"a visit, then the same commit", []func(testing.TB, *Store){visits, commits(last)}},
		{"an Enlist of the URL", []func(testing.TB, *Store){func(t testing.TB, s *Store) {
			if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: job, Priority: 1}}, storage.Join); err != nil {
				t.Errorf("Enlist: %v", err)
			}
		}}},
	} {
		for k, at := range []string{"insert versions", "update urls", "update visits"} {
			if (i+k+1)%fixtures.OneIn(2) != 0 {
				continue
			}
			t.Run(tc.name+", before "+at, func(t *testing.T) {
				armed, met := false, false
				b := open(t, Options{})
				a := open(t, Options{Database: b.db.Name(), Dialer: &cutter{fault: func(step string) error {
					if armed && !met && step == at {
						met = true
						for _, f := range tc.steps {
							f(t, b)
						}
					}
					return nil
				}}})
				a.bulk = false // each step is a command
				doom := storagetest.Dooms()[slices.IndexFunc(storagetest.Dooms(), func(d storagetest.CrashCase) bool { return strings.HasPrefix(d.Name, "Commit") })]
				doom.Ready(t, b)
				armed = true
				_, err := a.Commit(t.Context(), last)
				armed = false
				if !met {
					t.Errorf("there was no %s", at)
				}
				if err != nil && !errors.Is(err, plat.ErrSettled) && !errors.Is(err, plat.ErrConflict) {
					t.Fatalf("Commit = %v", err)
				}
				whole(t, a, url, job)
				v, headErr := a.Version(t.Context(), url, 4)
				if is := headErr == nil && v.Taken.Equal(instant(last.Version.Taken)); err == nil && !is {
					t.Error("the commit succeeded, but its version is missing")
				} else if err != nil && is && !strings.Contains(tc.name, "no job") {
					t.Errorf("Commit = %v, but its version is stored", err)
				}
				head := 3
				if headErr == nil {
					head = 4
				}
				next := other(time.Time{})
				next.Version.N, next.Visit.Version = head+1, head+1
				next.Version.Taken = next.Version.Taken.Add(time.Hour)
				next.Visit.Time = next.Version.Taken
				if _, err := a.Commit(t.Context(), next); err != nil {
					t.Errorf("the next commit: %v", err)
				}
				if _, err := a.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				if r := whole(t, a, url, job); r.Unreferenced > 0 {
					t.Errorf("after GC %d are unreferenced", r.Unreferenced)
				}
			})
		}
	}
}

// whole checks that everything exists, that every visit is counted once, and that exactly one
// has settled the job.
func whole(t *testing.T, s *Store, url string, job time.Time) storage.Report {
	t.Helper()
	stored, did := 0, 0
	for v, err := range s.Visits(t.Context(), url, 0) {
		if err != nil {
			t.Fatal(err)
		}
		stored++
		if v.Settles.Equal(job) {
			did++
		}
	}
	st, err := s.State(t.Context(), url)
	if err != nil || st.Visits != stored || st.Changes != st.Head || did != 1 || st.Settled.Before(job) {
		t.Errorf("State = %+v, %v; %d visits are stored, of which %d did the job", st, err, stored, did)
	}
	r, err := s.Verify(t.Context(), nil)
	if err != nil || r.BrokenTotal > 0 || r.Versions != int64(st.Head) {
		t.Errorf("Verify = %+v, %v; want %d versions and nothing broken", r, err, st.Head)
	}
	return r
}
