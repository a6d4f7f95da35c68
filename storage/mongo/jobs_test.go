package mongo

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

var (
	longAgo = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	farOff  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

func enlistAll(t testing.TB, s *Store, how storage.Intake, jobs ...plat.Job) storage.Enlisted {
	t.Helper()
	e, err := s.Enlist(t.Context(), jobs, how)
	if err != nil {
		t.Fatalf("Enlist = %v", err)
	}
	return e
}

// loadAll wakes and loads all hosts at now, until no host is ready, and returns the URLs.
func loadAll(t testing.TB, s *Store, now time.Time) map[string]bool {
	t.Helper()
	if _, _, err := s.Wake(t.Context(), now, 1000); err != nil {
		t.Fatal(err)
	}
	ready, err := s.Ready(t.Context(), storage.ReadyHost{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	urls := map[string]bool{}
	for _, h := range ready {
		got, err := s.Load(t.Context(), now, []storage.HostLimit{{Host: h.Host, Limit: 10_000}})
		if err != nil || len(got) != 1 {
			t.Fatalf("Load = %+v, %v", got, err)
		}
		for _, j := range got[0].Jobs {
			urls[j.URL] = true
		}
	}
	return urls
}

// allFound checks that every job is loaded, long after all writers have ended or died, and then
// that the counts are right.
func allFound(t testing.TB, s *Store) {
	t.Helper()
	unbroken(t, s)
	s.grace = 0
	found := loadAll(t, s, farOff)
	var want storage.JobCounts
	hosts, jobs := map[string]bool{}, map[string]bool{}
	for st, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		switch at := storage.Timed(&st); {
		case !st.Dead.IsZero():
			want.Dead++
			continue
		case st.Due.IsZero():
			continue
		case at.IsZero():
			want.Backlog++
		default:
			want.Due++
		}
		hosts[st.Host], jobs[st.URL] = true, true
	}
	if !maps.Equal(found, jobs) {
		t.Errorf("loaded are %v, want %v", slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(jobs)))
	}
	want.Hosts = int64(len(hosts))
	if _, err := s.GC(t.Context(), longAgo); err != nil { // counts hosts that need not be loaded
		t.Fatal(err)
	}
	if got, err := s.Counts(t.Context(), farOff); err != nil || got != want {
		t.Errorf("Counts = %+v, %v; want %+v", got, err, want)
	}
	unbroken(t, s)
}

func unbroken(t testing.TB, s *Store) {
	t.Helper()
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("Verify = %+v, %v", r.Broken, err)
	}
}

// Each operation is interrupted before each of its writes. In every second case, a second
// process loads the hosts just before that. With PLAT_LONG=1, it loads them at no write, or
// before any of the writes up to the interruption.
func TestNoJobIsMissedWhereverAWriterDies(t *testing.T) {
	t.Parallel()
	job := func(url string, priority float32) plat.Job {
		return plat.Job{URL: url, Due: longAgo, Priority: priority}
	}
	one, two, three, new1, new2 := job("https://a.test/1", 0.5), job("https://a.test/2", 0.5), job("https://b.test/3", 0.5), job("https://a.test/4", 0.5), job("https://c.test/", 0)
	visit := func(url string, outcome plat.Outcome, next time.Time) plat.Visit {
		return plat.Visit{URL: url, Time: longAgo.Add(time.Hour), Outcome: outcome, Settles: longAgo, Next: next, Rest: time.Second}
	}
	record := func(v plat.Visit) func(testing.TB, *Store) error {
		return func(t testing.TB, s *Store) error { return s.Record(t.Context(), v, 7) }
	}
	enlist := func(how storage.Intake, jobs ...plat.Job) func(testing.TB, *Store) error {
		return func(t testing.TB, s *Store) error { _, err := s.Enlist(t.Context(), jobs, how); return err }
	}
	later := farOff.Add(-time.Hour)
	for name, write := range map[string]func(testing.TB, *Store) error{
		"Enlist of new URLs":   enlist(storage.IfNew, one, new1, new2),
		"Enlist of known URLs": enlist(storage.Again, job(one.URL, 1), job(two.URL, 1), three, new2),
		"a job that is put off": func(t testing.TB, s *Store) error {
			return s.Defer(t.Context(), storage.Deferral{URL: one.URL, Due: longAgo, At: later, Clock: longAgo})
		},
		"a job that is given up": func(t testing.TB, s *Store) error {
			return s.Defer(t.Context(), storage.Deferral{URL: three.URL, Due: longAgo})
		},
		"a visit to be repeated": record(visit(one.URL, plat.OutcomeUnchanged, later)),
		"a visit, and no other":  record(visit(one.URL, plat.OutcomeUnchanged, time.Time{})),
		"a visit that fails":     record(visit(three.URL, plat.OutcomeGone, time.Time{})),
		"a commit": func(t testing.TB, s *Store) error {
			c := storagetest.NewPage(one.URL, 3).Next()
			c.Visit.Settles, c.Visit.Next = longAgo, later
			_, err := s.Commit(t.Context(), c)
			return err
		},
		"Wake and Load": func(t testing.TB, s *Store) error {
			if _, _, err := s.Wake(t.Context(), later, 10); err != nil {
				return err
			}
			_, err := s.Load(t.Context(), later, []storage.HostLimit{{Host: "a.test", Limit: 1}, {Host: "b.test", Limit: 1}})
			return err
		},
	} {
		for k, died := 1, true; died; k++ {
			for load := 0; load <= k; load++ {
				if fixtures.OneIn(2) > 1 && (load != k*(k%2) || !fixtures.Today(len(name)+k, 2)) {
					continue
				}
				died = false
				t.Run(fmt.Sprintf("%s, death before write %d, Load before write %d", name, k, load), func(t *testing.T) {
					b := open(t, Options{})
					n, armed := 0, false
					var mu sync.Mutex
					a := open(t, Options{Database: b.db.Name(), Dialer: &cutter{fault: func(step string) error {
						mu.Lock()
						defer mu.Unlock()
						if !armed {
							return nil
						}
						if n++; n == load {
							loadAll(t, b, longAgo.Add(time.Hour))
						}
						if n >= k {
							return storagetest.ErrFault
						}
						return nil
					}}})
					a.bulk = false // each step is a command
					enlistAll(t, b, storage.Join, one, two, three)
					for _, url := range []string{two.URL, "https://w.test/"} {
						enlistAll(t, b, storage.Join, job(url, 0.5))
						if err := b.Record(t.Context(), visit(url, plat.OutcomeUnchanged, later), 7); err != nil {
							t.Fatal(err)
						}
					}
					armed = true
					err := write(t, a)
					armed = false
					died = n >= k
					if died != (err != nil) {
						t.Errorf("%d writes, error %v", n, err)
					}
					allFound(t, b)
				})
			}
			if k > 20 {
				t.Fatal("no end")
			}
		}
	}
}

// Load reads the jobs of a host and then writes that no job waits. A job that arrives in
// between is not lost.
func TestJobsThatComeDuringALoad(t *testing.T) {
	t.Parallel()
	b := open(t, Options{})
	var other func()
	a := open(t, Options{Database: b.db.Name(), Dialer: &cutter{fault: func(step string) error {
		if f := other; step == "update hosts" && f != nil {
			other = nil
			f()
		}
		return nil
	}}})
	a.bulk = false // each step is a command
	first, second := plat.Job{URL: "https://a.test/1", Due: longAgo}, plat.Job{URL: "https://a.test/2", Due: longAgo}
	for _, how := range []string{"Load", "Wake"} {
		enlistAll(t, b, storage.Again, first)
		st, err := b.State(t.Context(), first.URL)
		if err == nil {
			err = b.Record(t.Context(), plat.Visit{URL: first.URL, Time: time.Now(), Outcome: plat.OutcomeUnchanged, Settles: st.Due}, 7)
		}
		if err != nil {
			t.Fatal(err)
		}
		other = func() { enlistAll(t, b, storage.Again, second) }
		if how == "Load" {
			_, err = a.Load(t.Context(), farOff, []storage.HostLimit{{Host: "a.test", Limit: 9}})
		} else {
			enlistAll(t, b, storage.Again, plat.Job{URL: first.URL, Due: longAgo})
			_, _, err = a.Wake(t.Context(), farOff, 9)
		}
		if err != nil || other != nil {
			t.Fatalf("%s = %v", how, err)
		}
		if ready, err := b.Ready(t.Context(), storage.ReadyHost{}, 9); err != nil || len(ready) != 1 {
			t.Errorf("after %s ready are %+v, %v", how, ready, err)
		}
		allFound(t, b)
		b.grace = writeGrace
	}
}

// Writers and loaders of the same hosts, all at once: in the end every job is found, and the
// counts are right. A bulk write that conflicts with a concurrent writer may postpone the
// counting of a host until its next load.
func TestConcurrentWritersAndLoads(t *testing.T) {
	t.Parallel()
	a := open(t, Options{})
	b := open(t, Options{Database: a.db.Name()})
	url := func(r *rand.Rand) string { return fmt.Sprintf("https://h%d.test/%d", r.IntN(2), r.IntN(12)) }
	var all sync.WaitGroup
	for k, s := range []*Store{a, b, a, b} {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(k), 5))
			for range 25 {
				switch r.IntN(4) {
				case 0, 1:
					var jobs []plat.Job
					for range 1 + r.IntN(8) {
						jobs = append(jobs, plat.Job{URL: url(r), Due: longAgo.Add(time.Duration(r.IntN(1000)) * time.Hour), Priority: float32(r.IntN(5)) / 4})
					}
					if _, err := s.Enlist(t.Context(), jobs, storage.Intake(r.IntN(3))); err != nil {
						t.Error(err)
					}
				case 2:
					st, err := s.State(t.Context(), url(r))
					if err != nil || st.Due.IsZero() {
						continue
					}
					if r.IntN(2) == 0 {
						s.Defer(t.Context(), storage.Deferral{URL: st.URL, Due: st.Due, At: []time.Time{{}, farOff.Add(-time.Hour)}[r.IntN(2)]})
						continue
					}
					v := plat.Visit{URL: st.URL, Time: time.Now(), Outcome: plat.OutcomeUnchanged, Settles: st.Due}
					if r.IntN(2) == 0 {
						v.Next = st.Due.Add(time.Hour)
					}
					s.Record(t.Context(), v, 7)
				case 3:
					loadAll(t, s, longAgo.Add(time.Duration(r.IntN(1000))*time.Hour))
				}
			}
		})
	}
	all.Wait()
	allFound(t, a)
	n, err := a.hosts.CountDocuments(t.Context(), bson.D{{Key: "recount", Value: true}})
	if err != nil || n != 0 {
		t.Errorf("%d hosts are still to be counted, %v", n, err)
	}
}

// A host that is returned as ready was ready at some time, despite concurrent writes to it.
func TestReadyWhileAHostChanges(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	enlistAll(t, s, storage.Again, plat.Job{URL: "https://a.test/1", Due: longAgo})
	done := make(chan struct{})
	var other sync.WaitGroup
	defer other.Wait()
	defer close(done)
	other.Go(func() {
		order := orderKey(1, longAgo, "a.test")
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			update := bson.D{{Key: "$set", Value: bson.D{{Key: "order", Value: order}}}}
			if i%2 == 0 {
				update = bson.D{{Key: "$unset", Value: bson.D{{Key: "order", Value: ""}}}}
			}
			if _, err := s.hosts.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: "a.test"}}, update); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 300 {
		if _, err := s.Ready(t.Context(), storage.ReadyHost{}, 9); err != nil {
			t.Fatal(err)
		}
	}
}

// A bulk write does not report which of its updates had a concurrent writer.
func TestEnlistThatMeetsAnotherWriter(t *testing.T) {
	t.Parallel()
	b := open(t, Options{})
	var other func()
	a := open(t, Options{Database: b.db.Name(), Dialer: &cutter{fault: func(step string) error {
		if f := other; step == "update urls" && f != nil {
			other = nil
			f()
		}
		return nil
	}}})
	a.bulk = false // each step is a command
	var jobs []plat.Job
	for i := range 10 {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("https://a.test/%d", i), Due: longAgo, Priority: 0.5})
	}
	enlistAll(t, b, storage.IfNew, jobs...)
	for _, j := range jobs {
		if err := b.Record(t.Context(), plat.Visit{URL: j.URL, Time: longAgo, Outcome: plat.OutcomeGone, Settles: longAgo}, 7); err != nil {
			t.Fatal(err)
		}
	}
	other = func() { enlistAll(t, b, storage.Again, jobs[:3]...) }
	e := enlistAll(t, a, storage.Again, jobs...)
	if got := map[string]bool{}; len(e.Jobs) < 7 || e.New != 0 {
		t.Errorf("Enlist = %+v", e)
	} else {
		for _, j := range e.Jobs {
			if got[j.URL] {
				t.Errorf("%s is returned twice", j.URL)
			}
			got[j.URL] = true
		}
	}
	if got, err := a.Counts(t.Context(), farOff); err != nil || got != (storage.JobCounts{Hosts: 1, Due: 10}) {
		t.Errorf("Counts = %+v, %v", got, err)
	}
	allFound(t, a)
}

// The first job that is not due yet hides only the later ones of its rank.
func TestJobsNotDueYetDoNotHideOthers(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	var jobs []plat.Job
	for i := range 60 {
		j := plat.Job{URL: fmt.Sprintf("https://a.test/%d", i), Due: longAgo.Add(time.Duration(i) * time.Hour), Priority: float32(i%3) / 2}
		if i >= 6 {
			j.Due = farOff.Add(-time.Duration(i) * time.Hour)
		}
		jobs = append(jobs, j)
	}
	jobs = append(jobs, plat.Job{URL: "https://a.test/old", Due: time.UnixMilli(-5), Priority: 1})
	enlistAll(t, s, storage.IfNew, jobs...)
	now := longAgo.Add(100 * time.Hour)
	for limit, want := range map[int]string{1: "old", 3: "old 2 5", 6: "old 2 5 1 4 0", 7: "old 2 5 1 4 0 3", 9: "old 2 5 1 4 0 3"} {
		got, err := s.Load(t.Context(), now, []storage.HostLimit{{Host: "a.test", Limit: limit}})
		if err != nil || got[0].More != (limit < 7) {
			t.Fatalf("Load = %+v, %v", got, err)
		}
		names := ""
		for _, j := range got[0].Jobs {
			names += " " + j.URL[len("https://a.test/"):]
		}
		if names != " "+want {
			t.Errorf("Load of %d = %s, want %s", limit, names, want)
		}
	}
	loadAll(t, s, now)
	if woken, next, err := s.Wake(t.Context(), now, 9); err != nil || len(woken) != 0 || !next.Equal(jobs[59].Due) {
		t.Errorf("Wake = %v, %v, %v; want next at %v", woken, next, err, jobs[59].Due)
	}
	unbroken(t, s)
}

func TestHostsThatAreNotPlainTexts(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	want := map[string]bool{}
	for _, url := range []string{"no scheme", "https://a b/", "https://a/", "https://a:80/", "https://a%20b/", "https://新闻.test/", "https://\xff.test/", `https://"quoted".test/`, "https://[::1]:80/"} {
		enlistAll(t, s, storage.IfNew, plat.Job{URL: url, Due: longAgo})
		want[url] = true
		got, err := s.Load(t.Context(), farOff, []storage.HostLimit{{Host: storage.Host(url), Limit: 9}})
		if err != nil || len(got[0].Jobs) != 1 || got[0].Jobs[0].URL != url {
			t.Errorf("Load of %q = %+v, %v", url, got, err)
		}
	}
	if got := loadAll(t, s, farOff); !maps.Equal(got, want) {
		t.Errorf("loaded are %v", got)
	}
	unbroken(t, s)
}

// An archive from before jobs were listed is completed by a migration, or, after an
// interruption, by the next one.
func TestUpgradeOfJobsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	urls := 40 / fixtures.OneIn(3)
	for k, died := 1, true; died; k++ {
		s := open(t, Options{})
		var jobs []plat.Job
		for i := range urls {
			jobs = append(jobs, plat.Job{URL: fmt.Sprintf("https://h%d.test/%d", i%3, i), Due: longAgo, Priority: 0.5})
		}
		enlistAll(t, s, storage.IfNew, jobs...)
		for i := range urls / 2 {
			if err := s.Record(t.Context(), plat.Visit{URL: jobs[i].URL, Time: longAgo, Outcome: plat.OutcomeUnchanged, Settles: longAgo, Next: []time.Time{{}, farOff}[i%2]}, 7); err != nil {
				t.Fatal(err)
			}
		}
		forgetJobs(t, s)
		forgetFormat(t, s)
		n := 0
		again := open(t, Options{Database: s.db.Name(), Migrate: true, Dialer: &cutter{fault: func(step string) error {
			// Before a command that reads, a death leaves the same as one before the next that writes.
			if !slices.Contains([]string{"find", "getMore", "aggregate", "count", "listIndexes", "listCollections"}, step) {
				n++
			}
			if n >= k {
				return storagetest.ErrFault
			}
			return nil
		}}})
		again.Migrate(t.Context(), nil)
		if died = n >= k; died {
			migrated(t, s.db.Name())
		}
		allFound(t, open(t, Options{Database: s.db.Name()}))
		if !died && k < 10 {
			t.Errorf("an upgrade has only %d writes", k-1)
		}
	}
}

// forgetJobs reduces documents to the fields of older versions of plat.
func forgetJobs(t testing.TB, s *Store) {
	t.Helper()
	gone := bson.D{}
	for _, f := range []string{"at", "attempts", "throttled", "died", "seq", "todo"} {
		gone = append(gone, bson.E{Key: f, Value: ""})
	}
	if _, err := s.urls.UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$unset", Value: gone}}); err != nil {
		t.Fatal(err)
	}
	if err := s.hosts.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"at_1", "died_1", "todo_1"} {
		if err := s.urls.Indexes().DropOne(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}
