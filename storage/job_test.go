package storage

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// Merge is idempotent, never makes a job later, less important or deeper, and never
// revives a settled job.
func TestMergeIsIdempotentAndMonotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	at := func() time.Time {
		if r.IntN(3) == 0 {
			return time.Time{}
		}
		return time.UnixMilli(int64(r.IntN(6))).UTC()
	}
	scopes := []string{"", "site", "host"}
	for range 20_000 {
		st := plat.URLState{Due: at(), Settled: at(), Priority: float32(r.IntN(3)) / 2, Plan: plat.Plan{Depth: r.IntN(3), Scope: scopes[r.IntN(3)], Schedule: plat.Schedule{Every: time.Duration(r.IntN(3)) * time.Hour}}}
		j := plat.Job{URL: "u", Due: time.UnixMilli(int64(r.IntN(6))).Add(time.Duration(r.IntN(1e6))), Priority: float32(r.IntN(3)) / 2, Plan: plat.Plan{Depth: r.IntN(3), Scope: scopes[r.IntN(3)], Schedule: plat.Schedule{Every: time.Duration(r.IntN(3))*time.Hour + time.Duration(r.IntN(1e6))}}}
		was := st
		if changed := Merge(&st, &j, Join); changed != (st != was) {
			t.Fatalf("%+v merged with %+v gives %+v, and Merge returns %v", was, j, st, changed)
		}
		due := time.UnixMilli(j.Due.UnixMilli()).UTC()
		unknown := was.Due.IsZero() && was.Settled.IsZero()
		switch {
		case st.Settled != was.Settled,
			st.Due != was.Due && st.Due != due,
			st.Due == due && was.Due != due && !ToSettle(st.Settled, due),
			!was.Due.IsZero() && st.Due.After(was.Due),
			ToSettle(st.Settled, due) && (st.Due.IsZero() || st.Due.After(due)),
			!unknown && (st.Priority < was.Priority || st.Depth > was.Depth || was.Scope != "" && st.Scope != was.Scope || was.Schedule.Every != 0 && st.Schedule.Every != was.Schedule.Every),
			st.Priority < j.Priority || st.Depth > j.Depth || st.Schedule.Every%time.Millisecond != 0:
			t.Fatalf("%+v merged with %+v gives %+v", was, j, st)
		}
		was = st
		if Merge(&st, &j, Join) || st != was {
			t.Fatalf("%+v merged twice with %+v gives %+v", was, j, st)
		}
	}
}

func TestCheckJobsNamesTheJob(t *testing.T) {
	good := plat.Job{URL: "https://a.test/", Due: time.UnixMilli(1)}
	if err := CheckJobs([]plat.Job{good, good}); err != nil {
		t.Error(err)
	}
	err := CheckJobs([]plat.Job{good, {URL: "https://b.test/"}})
	if err == nil || !strings.Contains(err.Error(), "https://b.test/") {
		t.Errorf("CheckJobs of a job without Due = %v", err)
	}
	for _, p := range []float32{0, 1} {
		if err := CheckJobs([]plat.Job{{URL: good.URL, Due: good.Due, Priority: p}}); err != nil {
			t.Errorf("priority %v: %v", p, err)
		}
	}
	for _, p := range []float32{-1, -1e-9, 1.001, float32(math.Inf(1)), float32(math.NaN())} {
		err := CheckJobs([]plat.Job{good, {URL: "https://b.test/", Due: good.Due, Priority: p}})
		if err == nil || !strings.Contains(err.Error(), "https://b.test/") {
			t.Errorf("priority %v: CheckJobs = %v", p, err)
		}
	}
}
