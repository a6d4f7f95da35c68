package mongo

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
)

// TestFailoverWithinVisits makes a thousand visits of a fleet through a server that fails during a hundred of
// their writes, before, after, and halfway: the archive has every visit once, and no visit fails. With
// PLAT_LONG=1 it does so for each kind of server, otherwise for all of them together.
func TestFailoverWithinVisits(t *testing.T) {
	t.Parallel()
	cuts := []failure{cutBefore, cutAfter, cutHalf}
	every := append([]failure{refuses, stepsDown, applied, appliedAlone, appliedHalf}, cuts...)
	for i, mode := range []struct {
		name, options string
		single, bulk  bool
		sample        int // visits
		among         []failure
		long          bool // no primary for longer than a worker waits
	}{
		{"a replica set with retryable writes", "", false, false, 300, every, false},
		{"a replica set without retryable writes", "&retryWrites=false", false, false, 300, every, false},
		{"a replica set of MongoDB 8", "", false, true, 300, every, false},
		{"a replica set of MongoDB 8 without retryable writes", "&retryWrites=false", false, true, 300, every, false},
		{"a single server", "", true, false, 200, cuts, false},
		{"long elections", "", false, false, 100, []failure{refuses, applied, appliedHalf}, true},
	} {
		if !fixtures.Today(i, 2) {
			continue
		}
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			visits := 1000
			if fixtures.OneIn(2) > 1 {
				visits = mode.sample
			}
			rs := newReplicaSet(t)
			if rs.single = mode.single; mode.bulk {
				rs.wire = bulkWrites
			}
			o := Options{}
			if mode.long {
				rs.election, o.Patience = 600*time.Millisecond, 200*time.Millisecond
				if visits > 100 {
					visits /= 4
				}
			}
			f := newFailoverFleet(t, rs, mode.options, o)
			faults := visits / 10
			plan := faultsAmong(visits*failoverWrites, faults, mode.among)
			var writes atomic.Int64
			rs.fail = func(string, string) failure { return plan[writes.Add(1)] }
			began := time.Now()
			f.visit(visits)
			took := time.Since(began)
			rs.fail = nil
			done := 0
			for _, n := range rs.failed {
				done += n
			}
			t.Logf("%d visits in %.1f s, %d writes, %d failures: %v; %d statements answered from memory; %d visits saw an error", visits, took.Seconds(), writes.Load(), done, rs.failed, rs.resent, f.errors.Load())
			if done != faults {
				t.Errorf("%d writes failed, want %d", done, faults)
			}
			switch n := f.errors.Load(); {
			case n > 0 && !mode.long:
				t.Errorf("%d visits saw an error, want none", n)
			case n == 0 && mode.long:
				t.Error("no visit saw an error")
			case mode.long:
				f.recount()
			}
			f.check()
		})
	}
}

// failoverWrites is less than the mean number of write commands of a visit.
const failoverWrites = 4

// faultsAmong spreads failures evenly over a number of writes, of all kinds equally often.
func faultsAmong(writes, faults int, among []failure) map[int64]failure {
	r := rand.New(rand.NewPCG(55, 6))
	var kinds []failure
	for i := range faults {
		kinds = append(kinds, among[i%len(among)])
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	plan := map[int64]failure{}
	for i, f := range kinds {
		each := writes / faults
		plan[int64(1+i*each+r.IntN(each/2))] = f
	}
	return plan
}

// TestAnotherWriterAfterAnUnknownWrite lets a worker record a visit while another does not know yet whether
// it has recorded its own.
func TestAnotherWriterAfterAnUnknownWrite(t *testing.T) {
	t.Parallel()
	other := open(t, Options{})
	rs := newReplicaSet(t)
	s, err := Open(t.Context(), rs.uri("&retryWrites=false"), Options{Database: other.db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const url = "https://a.test/"
	due := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: due, Priority: 0.5}}, storage.IfNew); err != nil {
		t.Fatal(err)
	}
	failed := false
	rs.fail = func(name, collection string) failure {
		if failed || name != "update" || collection != "urls" {
			return works
		}
		failed = true
		return cutAfter
	}
	visit := func(i int) plat.Visit {
		return plat.Visit{URL: url, Time: due.Add(time.Duration(i) * time.Minute), Outcome: plat.OutcomeTimeout}
	}
	rs.between = func() {
		if err := other.Record(t.Context(), visit(2), 0); err != nil {
			t.Error(err)
		}
	}
	first := visit(1)
	first.Settles, first.Next = due, due.Add(time.Hour)
	if err := s.Record(t.Context(), first, 0); err != nil || !failed {
		t.Fatalf("Record: %v", err)
	}
	if st, err := s.State(t.Context(), url); err != nil || st.Visits != 2 || !st.Due.Equal(first.Next) {
		t.Errorf("the state is %+v, %v; want two visits", st, err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify: %q, %v", r.Broken, err)
	}
	if all, err := s.HostCounts(t.Context(), 1); err != nil || len(all) != 1 || all[0].Timed != 1 || all[0].Backlog != 0 {
		t.Errorf("the host has %+v, %v; want one job with a time", all, err)
	}
}

// behindFailures returns a store whose server fails, and a store of the same archive, of a process that sees no failure.
func behindFailures(t *testing.T) (rs *replicaSet, s, other *Store) {
	t.Helper()
	other = open(t, Options{})
	rs = newReplicaSet(t)
	rs.election = time.Millisecond
	s, err := Open(t.Context(), rs.uri("&retryWrites=false"), watchPlans(Options{Database: other.db.Name()}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return rs, s, other
}

// failOnce fails the next command of a name in a collection. Before its client hears of that, the other process does
// something: after the command was applied, or instead of it. met reports whether there was such a command.
func (rs *replicaSet) failOnce(name, collection string, how failure, do func()) (met func() bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	done := false
	var doing sync.Mutex // the test reads after met what do has written
	act := func() {
		doing.Lock()
		defer doing.Unlock()
		do()
	}
	rs.fail = func(n, c string) failure {
		if done || n != name || c != collection {
			return works
		}
		done = true
		if how == cutBefore || how == refuses || how == stepsDown {
			act()
		}
		return how
	}
	if rs.between = nil; how != cutBefore && how != refuses && how != stepsDown {
		rs.between = act
	}
	return func() bool {
		doing.Lock()
		defer doing.Unlock()
		rs.mu.Lock()
		defer rs.mu.Unlock()
		return done
	}
}
