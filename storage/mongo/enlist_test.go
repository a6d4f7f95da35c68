package mongo

import (
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// A job is enlisted, and settled before its writer knows that it has written it: the writer does not enlist it again. If
// the job was not written, the repetition writes it.
func TestAnInterruptedEnlistOfAJob(t *testing.T) {
	t.Parallel()
	const url = "https://a.test/"
	at := time.Now().UTC().Truncate(time.Millisecond)
	visit := plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeUnchanged, Settles: at}
	for name, settle := range map[string]func(s *Store) error{
		"which was visited":  func(s *Store) error { return s.Record(t.Context(), visit, 0) },
		"which was given up": func(s *Store) error { return s.Defer(t.Context(), storage.Deferral{URL: url, Due: at, Attempts: 5}) },
		"which was visited, and its URL changed": func(s *Store) error {
			if err := s.Record(t.Context(), visit, 0); err != nil {
				return err
			}
			_, err := s.SwapMemory(t.Context(), url, "", "remembered")
			return err
		},
		"which nobody has met": nil,
	} {
		for _, how := range []storage.Intake{storage.Join, storage.IfNew, storage.Again, storage.Seed} {
			for _, fails := range []failure{cutAfter, applied, cutBefore} {
				for command, known := range map[string]bool{"insert": false, "update": true} {
					if settle != nil && fails == cutBefore {
						continue // there is no job to be settled
					}
					if known && how == storage.IfNew {
						continue
					}
					rs, s, other := behindFailures(t)
					if known {
						if err := other.Record(t.Context(), plat.Visit{URL: url, Time: at.Add(-time.Hour), Outcome: plat.OutcomeUnchanged}, 0); err != nil {
							t.Fatal(err)
						}
					}
					met := rs.failOnce(command, "urls", fails, func() {
						if settle == nil {
							return
						}
						if err := settle(other); err != nil {
							t.Error(err)
						}
					})
					e, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: at, Priority: 0.5}}, how)
					st, failed := other.State(t.Context(), url)
					if err != nil || failed != nil || !met() || len(e.Jobs) != 1 || st.Due.IsZero() != (settle != nil) {
						t.Errorf("a job %s, intake %d, known %v, %s: Enlist = %+v, %v; the state is %+v, %v", name, how, known, fails, e, err, st, failed)
					}
					if r, err := other.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
						t.Errorf("Verify = %+v, %v", r, err)
					}
				}
			}
		}
	}
}

// Of two jobs one met a concurrent write, so it is not known which of them was written: the written one is settled meanwhile.
func TestAJobBesideAConcurrentWriteIsEnlistedOnce(t *testing.T) {
	t.Parallel()
	rs, s, other := behindFailures(t)
	at := time.Now().UTC().Truncate(time.Millisecond)
	urls := []string{"https://a.test/", "https://b.test/"}
	record := func(url string, settles time.Time) {
		if err := other.Record(t.Context(), plat.Visit{URL: url, Time: time.Now(), Outcome: plat.OutcomeUnchanged, Settles: settles}, 0); err != nil {
			t.Error(err)
		}
	}
	var jobs []plat.Job
	for _, url := range urls {
		record(url, time.Time{})
		jobs = append(jobs, plat.Job{URL: url, Due: at, Priority: 0.5})
	}
	writes := 0
	rs.fail = func(name, collection string) failure {
		if name == "update" && collection == "urls" {
			if writes++; writes == 1 {
				record(urls[1], time.Time{})
			}
		} else if writes == 1 { // the counts of hosts
			writes++
			record(urls[0], at)
		}
		return works
	}
	e, err := s.Enlist(t.Context(), jobs, storage.Again)
	if err != nil || writes != 3 || len(e.Jobs) != 2 {
		t.Errorf("Enlist = %+v, %v; %d writes", e, err, writes)
	}
	for i, url := range urls {
		if st, err := other.State(t.Context(), url); err != nil || st.Due.IsZero() != (i == 0) {
			t.Errorf("the state is %+v, %v", st, err)
		}
	}
}

// The write of a job with a schedule is refused, and the URL is visited meanwhile: it gets the schedule, and no new job.
func TestARefusedSeedOfAVisitedURLGetsItsSchedule(t *testing.T) {
	t.Parallel()
	rs, s, other := behindFailures(t)
	const url = "https://a.test/"
	at := time.Now().UTC().Truncate(time.Millisecond)
	job := plat.Job{URL: url, Due: at, Priority: 0.5}
	if _, err := other.Enlist(t.Context(), []plat.Job{job}, storage.IfNew); err != nil {
		t.Fatal(err)
	}
	met := rs.failOnce("update", "urls", refuses, func() {
		if err := other.Record(t.Context(), plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeUnchanged, Settles: at}, 0); err != nil {
			t.Error(err)
		}
	})
	job.Schedule = plat.Schedule{Policy: "blocks", Every: time.Hour}
	if _, err := s.Enlist(t.Context(), []plat.Job{job}, storage.Seed); err != nil || !met() {
		t.Fatalf("Enlist: %v, met %v", err, met())
	}
	if st, err := other.State(t.Context(), url); err != nil || st.Schedule != job.Schedule || !st.Due.IsZero() {
		t.Errorf("the state is %+v, %v", st, err)
	}
}
