package storagetest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// jobModel is the expected state of jobs in a store.
type jobModel struct {
	urls  map[string]*plat.URLState
	order map[string]int // order in which URLs were first enlisted
}

// host is the part of a model that belongs to a host.
func (m *jobModel) host(host string) []*plat.URLState {
	var all []*plat.URLState
	for _, url := range slices.Sorted(maps.Keys(m.urls)) {
		if st := m.urls[url]; storage.Host(url) == host {
			all = append(all, st)
		}
	}
	return all
}

// ready returns the jobs of a host that can be visited at now, in order.
func (m *jobModel) ready(host string, now time.Time) []storage.LoadedJob {
	var all []*plat.URLState
	since := func(st *plat.URLState) time.Time {
		if at := storage.Timed(st); !at.IsZero() {
			return at
		}
		return st.Due
	}
	for _, st := range m.host(host) {
		if !st.Due.IsZero() && !since(st).After(now) {
			all = append(all, st)
		}
	}
	slices.SortFunc(all, func(a, b *plat.URLState) int {
		return cmp.Or(storage.Rank(a.Priority)-storage.Rank(b.Priority), since(a).Compare(since(b)), m.order[a.URL]-m.order[b.URL])
	})
	var jobs []storage.LoadedJob
	for _, st := range all {
		jobs = append(jobs, storage.LoadedJob{URL: st.URL, Due: st.Due, Priority: st.Priority, Attempts: st.Attempts, Throttled: st.Throttled})
	}
	return jobs
}

func (m *jobModel) counts(now time.Time) (c storage.JobCounts) {
	hosts := map[string]bool{}
	for url, st := range m.urls {
		switch at := storage.Timed(st); {
		case !st.Dead.IsZero():
			c.Dead++
		case st.Due.IsZero():
			continue
		case at.IsZero():
			c.Backlog++
		case at.After(now):
			c.Later++
		default:
			c.Due++
		}
		if !st.Due.IsZero() {
			hosts[storage.Host(url)] = true
		}
	}
	c.Hosts = int64(len(hosts))
	return c
}

func testListModel(t *testing.T, open func(testing.TB) storage.Store, size int) {
	r := rand.New(rand.NewPCG(7, 7))
	s := open(t)
	m := &jobModel{map[string]*plat.URLState{}, map[string]int{}}
	hosts := []string{"a.test", "b.test", "c.test", "d.test"}
	now := day
	for step := range 50 + 10*size {
		now = now.Add(time.Duration(r.IntN(3)) * time.Hour)
		switch r.IntN(6) {
		case 0, 1:
			how := []storage.Intake{storage.IfNew, storage.Join, storage.Again, storage.Seed, storage.Replan}[r.IntN(5)]
			var jobs []plat.Job
			for range 1 + r.IntN(6) {
				jobs = append(jobs, plat.Job{URL: fmt.Sprintf("https://%s/%d", hosts[r.IntN(4)], r.IntN(12)),
					Due: now.Add(time.Duration(r.IntN(5)-3) * time.Hour), Priority: float32(r.IntN(5)) / 4,
					Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Duration(r.IntN(3)) * time.Hour}}})
			}
			var want []plat.Job
			isNew := 0
			for _, j := range jobs {
				st := m.urls[j.URL]
				if st == nil && how.Known() {
					continue
				}
				if st == nil {
					st = &plat.URLState{URL: j.URL}
					m.urls[j.URL] = st
					m.order[j.URL] = len(m.order)
				}
				was := *st
				storage.Merge(st, &j, how)
				if storage.Sooner(&was, st) {
					want = append(want, plat.Job{URL: st.URL, Due: st.Due, Priority: st.Priority})
					if was.Due.IsZero() && was.Settled.IsZero() {
						isNew++
					}
				}
			}
			e, err := s.Enlist(t.Context(), jobs, how)
			if err != nil || e.New != isNew {
				t.Fatalf("step %d: Enlist = %+v, %v; want %d new", step, e, err, isNew)
			}
			// If a URL is in the list twice, a store may report it once.
			for _, j := range want {
				if !slices.ContainsFunc(e.Jobs, func(g plat.Job) bool { return g.URL == j.URL }) {
					t.Fatalf("step %d: Enlist does not return %+v", step, j)
				}
			}
		case 2, 3: // visit the first job
			host := hosts[r.IntN(4)]
			ready := m.ready(host, now)
			if len(ready) == 0 {
				continue
			}
			j, st := ready[0], m.urls[ready[0].URL]
			v := plat.Visit{URL: j.URL, Time: now.Add(time.Duration(step) * time.Millisecond), Outcome: plat.OutcomeUnchanged, Settles: j.Due}
			switch r.IntN(3) {
			case 0:
				v.Next = now.Add(time.Duration(1+r.IntN(40)) * time.Hour)
			case 1:
				v.Outcome = plat.OutcomeTimeout
			}
			record(t, s, v)
			storage.Settle(st, &v)
		case 4:
			host := hosts[r.IntN(4)]
			ready := m.ready(host, now)
			if len(ready) == 0 {
				continue
			}
			j := ready[r.IntN(len(ready))]
			d := storage.Deferral{URL: j.URL, Due: j.Due, At: now.Add(time.Duration(1+r.IntN(20)) * time.Hour), Attempts: j.Attempts + 1}
			if err := s.Defer(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			d.Put(m.urls[j.URL])
		case 5:
			host, limit := hosts[r.IntN(4)], 1+r.IntN(5)
			want := m.ready(host, now)
			got := load(t, s, now, host, limit)
			if got.More != (len(want) > limit) || len(got.Jobs) != min(limit, len(want)) {
				t.Fatalf("step %d: Load(%s, %d) = %+v; ready are %+v", step, host, limit, got, want)
			}
			// It may return the longest waiting of the timed jobs that are due, and the
			// most urgent of the backlog.
			for i := range got.Jobs {
				if !slices.Contains(want, got.Jobs[i]) {
					t.Fatalf("step %d: Load(%s, %d) returns %+v; ready are %+v", step, host, limit, got.Jobs[i], want)
				}
			}
			if all := load(t, s, now, host, 1000); !slices.Equal(all.Jobs, want) || all.More {
				t.Fatalf("step %d: Load(%s) = %+v, want %+v", step, host, all, want)
			}
		}
		// A host that can be visited is ready, and in time.
		for more := true; more; {
			woken, _, err := s.Wake(t.Context(), now, 2)
			if err != nil {
				t.Fatal(err)
			}
			more = len(woken) == 2
		}
		ready := map[string]float32{}
		for _, h := range allReady(t, s) {
			ready[h.Host] = h.Priority
		}
		var next time.Time
		for _, host := range hosts {
			jobs := m.ready(host, now)
			if p, ok := ready[host]; len(jobs) > 0 && (!ok || p < jobs[0].Priority) {
				t.Fatalf("step %d: %s has %+v, and is ready: %v, with urgency %v", step, host, jobs[0], ok, p)
			}
			for _, st := range m.host(host) {
				if at := storage.Timed(st); at.After(now) && (next.IsZero() || at.Before(next)) {
					next = at
				}
			}
		}
		if _, got, err := s.Wake(t.Context(), now, 2); err != nil || !next.IsZero() && (got.IsZero() || got.After(next)) {
			t.Fatalf("step %d: the next host is woken at %v, %v; want %v", step, got, err, next)
		}
		if got, err := s.Counts(t.Context(), now); err != nil || got != m.counts(now) {
			t.Fatalf("step %d: Counts = %+v, %v; want %+v", step, got, err, m.counts(now))
		}
	}
	got, err := s.HostCounts(t.Context(), 9)
	if err != nil {
		t.Fatal(err)
	}
	var sum storage.JobCounts
	for _, h := range got {
		sum.Backlog += h.Backlog
		sum.Due += h.Timed
		sum.Dead += h.Dead
	}
	if want := m.counts(now.Add(1e6 * time.Hour)); sum.Backlog != want.Backlog || sum.Due != want.Due || sum.Dead != want.Dead {
		t.Errorf("HostCounts = %+v, want in all %+v", got, want)
	}
	clean(t, s)
}
