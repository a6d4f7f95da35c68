package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// failoverFleet is a fleet of workers that visit pages of some hosts, with what its archive must contain.
type failoverFleet struct {
	t       *testing.T
	workers []*failoverWorker
	stores  []*Store
	errors  atomic.Int64
}

// failoverWorker visits its own pages.
type failoverWorker struct {
	f     *failoverFleet
	s     *Store
	r     *rand.Rand
	pages []*visitedPage
}

// visitedPage is a page with what the archive must have of it.
type visitedPage struct {
	url      string
	history  *storagetest.Page
	commits  []*storage.Commit
	visits   []time.Time
	last     time.Time
	due      time.Time
	attempts int
	links    []string // that were found, with jobs
	dead     int      // of the links, the first ones
	memory   string
}

const failoverHosts = 4

func newFailoverFleet(t *testing.T, rs *replicaSet, options string, o Options) *failoverFleet {
	o.Database = open(t, Options{}).db.Name()
	f := &failoverFleet{t: t}
	due := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range 8 {
		s, err := Open(t.Context(), rs.uri(options), watchPlans(o))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		f.stores = append(f.stores, s)
		w := &failoverWorker{f: f, s: s, r: rand.New(rand.NewPCG(55, uint64(i)))}
		var jobs []plat.Job
		for k := range 3 {
			url := fmt.Sprintf("https://host%d.test/%d/%d", (i+k)%failoverHosts, i, k)
			w.pages = append(w.pages, &visitedPage{url: url, history: storagetest.NewPage(url, uint64(10*i+k)), due: due})
			jobs = append(jobs, plat.Job{URL: url, Due: due, Priority: 0.5})
		}
		if _, err := s.Enlist(t.Context(), jobs, storage.IfNew); err != nil {
			t.Fatal(err)
		}
		f.workers = append(f.workers, w)
	}
	return f
}

// visit makes some visits, of all workers at once.
func (f *failoverFleet) visit(n int) {
	var all sync.WaitGroup
	for _, w := range f.workers {
		all.Go(func() {
			for i := range n / len(f.workers) {
				if err := w.visit(f.t.Context(), i); err != nil {
					f.t.Errorf("visit %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// must repeats a step until it succeeds, as a worker repeats a visit, and counts the visits that do not
// succeed at once.
func (w *failoverWorker) must(failed *bool, step func() error) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := step()
		if err == nil || time.Now().After(end) {
			return err
		}
		if !*failed {
			*failed = true
			if !strings.Contains(err.Error(), "does not answer") {
				w.f.t.Logf("a visit sees: %v", err)
			}
			w.f.errors.Add(1)
		}
	}
}

// visit visits a page: it is new, changed, unchanged, failed, or put off.
func (w *failoverWorker) visit(ctx context.Context, i int) error {
	p := w.pages[i%len(w.pages)]
	failed := false
	var st plat.URLState
	err := w.must(&failed, func() (err error) { st, err = w.s.State(ctx, p.url); return err })
	if err != nil {
		return err
	}
	if st.Visits != len(p.visits) || st.Head != len(p.commits) || !st.Due.Equal(p.due) || st.Attempts != p.attempts || st.Memory != p.memory {
		return fmt.Errorf("the state of %s has %d visits, head %d, due %v after %d attempts, memory %q; want %d, %d, %v, %d, %q",
			p.url, st.Visits, st.Head, st.Due, st.Attempts, st.Memory, len(p.visits), len(p.commits), p.due, p.attempts, p.memory)
	}
	if i%20 == 7 {
		if err := w.must(&failed, func() error { return w.load(ctx) }); err != nil {
			return err
		}
	}
	next := p.due.Add(time.Hour)
	switch k := w.r.IntN(20); {
	case len(p.commits) == 0 || k < 3:
		if len(p.commits) > 0 {
			if err := w.must(&failed, func() error { _, err := w.s.Version(ctx, p.url, 0); return err }); err != nil {
				return err
			}
		}
		c := p.history.Next()
		c.Visit.Settles, c.Visit.Next, c.Visit.Rest = p.due, next, time.Second
		if err := w.must(&failed, func() error { _, err := w.s.Commit(ctx, c); return err }); err != nil {
			return err
		}
		p.commits = append(p.commits, c)
		p.last = c.Visit.Time
		link := fmt.Sprintf("%s/link%d", p.url, len(p.commits))
		p.links = append(p.links, link)
		jobs := []plat.Job{{URL: link, Due: next, Priority: 0.25}, {URL: p.url, Due: next, Priority: 0.25}}
		if err := w.must(&failed, func() error { _, err := w.s.Enlist(ctx, jobs, storage.IfNew); return err }); err != nil {
			return err
		}
	case k < 19:
		p.last = p.last.Add(10 * time.Millisecond)
		v := plat.Visit{URL: p.url, Time: p.last, Outcome: plat.OutcomeUnchanged, Version: len(p.commits), Status: 200, Settles: p.due, Next: next}
		switch {
		case k > 16:
			v.Outcome, v.Version, v.Status = plat.OutcomeTimeout, 0, 0
		case k == 3:
			p.memory = fmt.Sprintf("remembered %d", i)
			v.Memory = p.memory
		case k == 4:
			v.Unkept = true
		case k == 5:
			was := p.memory
			p.memory = fmt.Sprintf("swapped %d", i)
			swap := func() error { return w.swap(ctx, p.url, was, p.memory, failed) }
			if err := w.must(&failed, swap); err != nil {
				return err
			}
		}
		if err := w.must(&failed, func() error { return unless(failed && v.Unkept, w.s.Record(ctx, v, 100)) }); err != nil {
			return err
		}
		if v.Unkept {
			p.due, p.attempts = next, 0
			return nil
		}
	default: // the visit fails, and is repeated later, or its link is given up
		if p.dead < len(p.links) && i%2 == 0 {
			link := p.links[p.dead]
			var st plat.URLState
			if err := w.must(&failed, func() (err error) { st, err = w.s.State(ctx, link); return err }); err != nil {
				return err
			}
			if err := w.must(&failed, func() error {
				return unless(failed, w.s.Defer(ctx, storage.Deferral{URL: link, Due: st.Due, Attempts: 5}))
			}); err != nil {
				return err
			}
			p.dead++
		}
		d := storage.Deferral{URL: p.url, Due: p.due, At: p.due.Add(time.Minute), Attempts: p.attempts + 1}
		if err := w.must(&failed, func() error { return w.s.Defer(ctx, d) }); err != nil {
			return err
		}
		p.attempts++
		return nil
	}
	p.visits = append(p.visits, p.last)
	p.due, p.attempts = next, 0
	return nil
}

// swap swaps the memory of a URL. After an error it may have been swapped already.
func (w *failoverWorker) swap(ctx context.Context, url, was, memory string, failed bool) error {
	swapped, err := w.s.SwapMemory(ctx, url, was, memory)
	if err == nil && !swapped && !failed {
		err = errors.New("the memory was not swapped")
	}
	return err
}

// unless returns err, unless it says what a visit hears that settled its job, and saw an error.
func unless(failed bool, err error) error {
	if failed && errors.Is(err, plat.ErrSettled) {
		return nil
	}
	return err
}

// load does what the loader of a fleet does at times.
func (w *failoverWorker) load(ctx context.Context) error {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if _, _, err := w.s.Wake(ctx, now, 10); err != nil {
		return err
	}
	ready, err := w.s.Ready(ctx, storage.ReadyHost{}, 10)
	if err != nil {
		return err
	}
	var hosts []storage.HostLimit
	for _, h := range ready {
		hosts = append(hosts, storage.HostLimit{Host: h.Host, Limit: 3})
	}
	_, err = w.s.Load(ctx, now, hosts)
	return err
}

// recount counts the jobs of hosts whose writers gave up, as the next Load does when they are old enough.
func (f *failoverFleet) recount() {
	f.t.Helper()
	for _, s := range f.stores {
		s.grace = 0
	}
	if err := f.stores[0].recountAll(f.t.Context()); err != nil {
		f.t.Error(err)
	}
}

// check compares the archive with the visits.
func (f *failoverFleet) check() {
	t, s := f.t, f.stores[0]
	t.Helper()
	// As it is, not as the next search leaves it.
	report, err := s.Verify(t.Context(), nil)
	if err != nil || report.BrokenTotal > 0 || report.Unreferenced > 0 {
		t.Errorf("Verify: %+v, %v", report, err)
	}
	versions, jobs, dead := 0, map[string]int64{}, map[string]int64{}
	for _, w := range f.workers {
		for _, p := range w.pages {
			versions += len(p.commits)
			f.restores(p)
			var visits []time.Time
			for v, err := range s.Visits(t.Context(), p.url, 0) {
				if err != nil {
					t.Fatal(err)
				}
				visits = append(visits, v.Time)
			}
			slices.Reverse(visits)
			if !slices.EqualFunc(visits, p.visits, time.Time.Equal) {
				t.Errorf("%s has the visits\n%v, want\n%v", p.url, visits, p.visits)
			}
			st, err := s.State(t.Context(), p.url)
			if err != nil || st.Visits != len(p.visits) || st.Head != len(p.commits) || !st.Due.Equal(p.due) || st.Attempts != p.attempts {
				t.Errorf("the state of %s: %+v, %v", p.url, st, err)
			}
			for i, link := range p.links {
				if st, err := s.State(t.Context(), link); err != nil || st.Due.IsZero() != (i < p.dead) || st.Dead.IsZero() != (i >= p.dead) || st.Visits > 0 {
					t.Errorf("the state of %s: %+v, %v", link, st, err)
				}
			}
			jobs[storage.Host(p.url)] += int64(1 + len(p.links) - p.dead)
			dead[storage.Host(p.url)] += int64(p.dead)
		}
	}
	if int64(versions) != report.Versions {
		t.Errorf("the archive has %d versions, want %d", report.Versions, versions)
	}
	// A count that met another writer is left to the next Load, or GC.
	if err := s.recountAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	hosts, err := s.HostCounts(t.Context(), 100)
	if err != nil || len(hosts) != failoverHosts {
		t.Errorf("%d hosts, %v", len(hosts), err)
	}
	for _, h := range hosts {
		if h.Backlog+h.Timed != jobs[h.Host] || h.Dead != dead[h.Host] {
			t.Errorf("%s has %+v, want %d jobs, %d dead", h.Host, h, jobs[h.Host], dead[h.Host])
		}
	}
	if n, err := s.hosts.CountDocuments(t.Context(), bson.D{{Key: "writers", Value: bson.D{{Key: "$exists", Value: true}, {Key: "$ne", Value: bson.D{}}}}}); err != nil || n > 0 {
		t.Errorf("%d hosts have writers, %v", n, err)
	}
	if fixtures.OneIn(2) == 1 {
		f.sameAfterReindex()
	}
}

// restores compares the versions of a page, with their layouts and contents, with its commits.
func (f *failoverFleet) restores(p *visitedPage) {
	t, s := f.t, f.stores[0]
	t.Helper()
	n := 0
	want := map[plat.Hash][]byte{}
	for v, err := range s.Trees(t.Context(), p.url, 1, len(p.commits)+1) {
		if err != nil {
			t.Fatal(err)
		}
		c := p.commits[n]
		if n++; v.N != n || !v.Taken.Equal(c.Version.Taken) || v.Layout != c.Version.Layout || !slices.EqualFunc(v.Blocks, c.Version.Blocks, func(a, b plat.Block) bool {
			return a.Hash == b.Hash && a.Lineage == b.Lineage && a.Slot == b.Slot && a.Pos == b.Pos && a.Lead == b.Lead && a.Change == b.Change
		}) {
			t.Errorf("version %d of %s is not the one of its commit", n, p.url)
		}
		for i := range c.Version.Blocks {
			if b := &c.Version.Blocks[i]; b.Leaf() {
				want[b.Hash] = b.Content
			}
		}
		if n == 1 || c.Version.Layout != p.commits[n-2].Version.Layout {
			if layout, err := s.Layout(t.Context(), v.Layout); err != nil || !bytes.Equal(layout.HTML, c.Layout.HTML) {
				t.Errorf("the layout of version %d of %s is not the one of its commit: %v", n, p.url, err)
			}
		}
	}
	if n != len(p.commits) {
		t.Errorf("%s has %d versions, want %d", p.url, n, len(p.commits))
	}
	hashes := slices.Collect(maps.Keys(want))
	contents, err := s.Contents(t.Context(), hashes)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hashes {
		if !bytes.Equal(contents[i], want[h]) {
			t.Errorf("the content %s of %s is %.80q, want %.80q", h.Short(), p.url, contents[i], want[h])
		}
	}
}

// sameAfterReindex compares the documents of pages and block versions with those that are made of the trees.
func (f *failoverFleet) sameAfterReindex() {
	t, s := f.t, f.stores[0]
	t.Helper()
	was := f.derived()
	if err := s.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	is := f.derived()
	if len(is) < 100 || !slices.Equal(was, is) {
		t.Errorf("of %d documents of pages and block versions, %d differ from those that Reindex makes", len(is), differences(was, is))
	}
}

func differences(a, b []string) (n int) {
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); !ok {
			n++
		}
	}
	return max(n, len(b)-len(a))
}

// derived returns the documents of pages and block_versions as JSON, sorted.
func (f *failoverFleet) derived() (docs []string) {
	s := f.stores[0]
	for _, c := range []string{"pages", "block_versions"} {
		for _, d := range derivedIn(f.t, s.db.Collection(c)) {
			docs = append(docs, c+" "+d)
		}
	}
	slices.Sort(docs)
	return docs
}
