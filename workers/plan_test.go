package workers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/queue/schedule"
	"plat/storage/storagetest"
	"plat/workers"
)

// state returns the state of the tests' URL, and its policy's memory.
func (w *town) state(url string) (plat.URLState, string) {
	w.t.Helper()
	st, err := w.store.State(w.t.Context(), url)
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := plat.DecodeMemory(st.Memory)
	if err != nil {
		w.t.Fatal(err)
	}
	return st, m.Policy
}

const daily = "http://a.test/"

// everyHour is a recurring job.
var everyHour = plat.Job{URL: daily, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}}

func TestFailingPolicyLosesNoVisit(t *testing.T) {
	for name, policy := range map[string]func(*schedule.Visit) schedule.Next{
		"it panics": func(*schedule.Visit) schedule.Next { panic("oh") },
		"it remembers too much": func(v *schedule.Visit) schedule.Next {
			return schedule.Next{Due: v.Due.Add(time.Minute), Memory: strings.Repeat("x", plat.MaxPolicyMemory+1)}
		},
		"it dereferences nil":     func(v *schedule.Visit) schedule.Next { var none *schedule.Visit; return schedule.Next{Due: none.Due} },
		"it panics with an error": func(*schedule.Visit) schedule.Next { panic(errors.New("oh")) },
	} {
		w := newTown(t, nil)
		var log strings.Builder
		o := quick
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		w.policy = policy
		began := time.Now()
		w.enqueue(everyHour)
		w.work(w.crew(o))
		st, memory := w.state(daily)
		if st.Head != 1 || st.Visits != 1 || memory != "" || st.Due.Before(began.Add(time.Hour-time.Second)) || st.Due.After(time.Now().Add(time.Hour+time.Second)) {
			t.Errorf("%s: %+v, remembered %q; want one version, and another visit in an hour", name, st, memory)
		}
		if n := strings.Count(log.String(), "the schedule's policy failed"); n != 1 {
			t.Errorf("%s: %d warnings in %s", name, n, log.String())
		}
	}
}

// A policy's memory survives a failure of the policy.
func TestFailingPolicyKeepsItsMemory(t *testing.T) {
	w := newTown(t, nil)
	var heard []string
	w.policy = func(v *schedule.Visit) schedule.Next {
		heard = append(heard, v.Memory)
		if len(heard) == 2 {
			panic("oh")
		}
		return schedule.Next{Due: v.Due.Add(time.Hour), Memory: fmt.Sprint("after visit ", len(heard))}
	}
	c := w.crew(quick)
	for range 3 {
		w.enqueue(everyHour)
		w.work(c)
		c = w.crew(quick)
	}
	if want := []string{"", "after visit 1", "after visit 1"}; !slices.Equal(heard, want) {
		t.Errorf("the policy was told %q, want %q", heard, want)
	}
}

func TestDueTimeInThePastIsNow(t *testing.T) {
	w := newTown(t, nil)
	var dues []time.Time
	w.policy = func(v *schedule.Visit) schedule.Next {
		dues = append(dues, v.Due)
		switch len(dues) {
		case 1:
			return schedule.Next{Due: time.UnixMilli(1)} // in the past
		case 2:
			return schedule.Next{Due: v.Due} // the same visit
		case 3:
			return schedule.Next{Due: v.Due.Add(-time.Hour)}
		}
		return schedule.Next{}
	}
	w.enqueue(everyHour)
	w.work(w.crew(quick))
	st, _ := w.state(daily)
	if len(dues) != 4 || st.Visits != 4 || !st.Due.IsZero() || !st.Settled.Equal(dues[3]) {
		t.Fatalf("%d visits, %+v; want four", len(dues), st)
	}
	for i := 1; i < len(dues); i++ {
		if dues[i].Sub(dues[i-1]) < time.Second {
			t.Errorf("visit %d is due %v after the one before", i+1, dues[i].Sub(dues[i-1]))
		}
	}
}

// The first visit to settle a job decides the next due time, in the frontier too.
func TestFirstSettlementDecidesTheSchedule(t *testing.T) {
	gone := *fixtures.Snapshot(t, "site-1")
	gone.Status = 404
	for name, show := range map[string]*plat.Snapshot{"a page": nil, "a failure": &gone} {
		w := newTown(t, nil)
		if show != nil {
			w.show = func(string) *plat.Snapshot { return show }
		}
		w.enqueue(everyHour)
		var decided time.Time
		// Another visit settles the job just before ours is stored.
		s := &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
			if !c.Writes() {
				return do(ctx)
			}
			v := c.Visit
			v.Time, v.Version, v.Outcome = v.Time.Add(-time.Millisecond), 0, plat.OutcomeGone
			decided = v.Settles.Add(5 * time.Hour)
			v.Next = decided
			if err := w.store.Record(t.Context(), v, 0); err != nil {
				return err
			}
			return do(ctx)
		}}
		w.work(workers.NewCrew(workers.New(w, s, describer(t), workers.Options{}), w.queue, s, w, quick))
		st, _ := w.state(daily)
		if !st.Due.Equal(decided) || st.Visits != 1 || st.Head != 0 {
			t.Errorf("%s: %+v; want one visit, due again %v", name, st, decided)
		}
		for e, err := range w.queue.Entries(t.Context()) {
			if want := (queue.Entry{URL: daily, State: "later", Due: decided, Priority: e.Priority}); err != nil || e != want {
				t.Errorf("%s: the frontier has %+v, %v; want %+v", name, e, err, want)
			}
		}
	}
}

// A URL that is enqueued with a new schedule during its visit is visited
// again on that schedule.
func TestScheduleEnqueuedDuringVisitIsKept(t *testing.T) {
	for _, before := range []time.Duration{0, 24 * time.Hour} {
		scheduleDuringVisit(t, before)
	}
}

func scheduleDuringVisit(t *testing.T, before time.Duration) {
	w := newTown(t, nil)
	w.enqueue(plat.Job{URL: daily, Plan: plat.Plan{Schedule: plat.Schedule{Every: before}}})
	asked := false
	w.fails = func(string) error {
		if asked {
			return nil
		}
		asked = true
		_, err := intake.Take(t.Context(), w.store, w.queue, []plat.Job{everyHour})
		return err
	}
	w.work(w.crew(quick))
	st, _ := w.state(daily)
	if st.Visits != 2 || st.Due.Sub(st.Settled) != time.Hour {
		t.Errorf("%+v; want two visits, and another after an hour", st)
	}
	for e, err := range w.queue.Entries(t.Context()) {
		if err != nil || !e.Due.Equal(st.Due) {
			t.Errorf("the frontier has %+v, %v; the archive %v", e, err, st.Due)
		}
	}
}

// A policy receives the changed lineages, the kinds of change, and the blocks.
func TestPolicyReceivesChanges(t *testing.T) {
	one := fixtures.Snapshot(t, "site-1")
	two := edit(t, fixtures.Snapshot(t, "site-2"), "three weeks", "four weeks")
	w := newTown(t, nil)
	var told []schedule.Visit
	w.policy = func(v *schedule.Visit) schedule.Next {
		told = append(told, *v)
		return schedule.Next{}
	}
	for _, snap := range []*plat.Snapshot{one, two, two} {
		w.show = func(string) *plat.Snapshot { return snap }
		w.enqueue(plat.Job{URL: daily})
		w.work(w.crew(quick))
	}
	if len(told) != 3 {
		t.Fatalf("the policy was asked %d times", len(told))
	}
	if v := told[0]; v.Outcome != plat.OutcomeNew || len(v.Blocks) == 0 || v.Old != nil || len(v.Changes.Blocks) != 0 {
		t.Errorf("first: %s, %d blocks, %d before, changes %+v", v.Outcome, len(v.Blocks), len(v.Old), v.Changes)
	}
	if v := told[2]; v.Outcome != plat.OutcomeUnchanged || len(v.Changes.Blocks) > 0 && v.Changes.Differs || v.State.Visits != 2 {
		t.Errorf("third: %s, changes %+v, state %+v", v.Outcome, v.Changes, v.State)
	}
	v := told[1]
	if v.Outcome != plat.OutcomeChanged || !v.Changes.Differs || v.State.Head != 1 || v.Time.Before(v.Due) {
		t.Fatalf("second: %s, differs %v, state %+v", v.Outcome, v.Changes.Differs, v.State)
	}
	content := 0
	for _, c := range v.Changes.Blocks {
		if c.Kind != plat.Content {
			continue
		}
		content++
		if b := v.Blocks[c.New]; b.Lineage != c.Lineage || b.Label == "" || v.Old[c.Old].Hash == b.Hash {
			t.Errorf("change %+v: block of lineage %d, label %q", c, b.Lineage, b.Label)
		}
	}
	if content == 0 {
		t.Errorf("no block changed its content: %+v", v.Changes)
	}
}
