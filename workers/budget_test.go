package workers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/schedule"
	"plat/storage"
	"plat/workers"
)

// common is a frontier with the shared budget data of a test.
type common struct {
	*queue.Queue
	mu      sync.Mutex
	shared  *schedule.Shared
	fails   error
	learned schedule.Learned // sums
}

func (c *common) Share(_ context.Context, v *schedule.Visit, l schedule.Learned) (*schedule.Shared, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails != nil || v.State.Schedule.Budget == "" {
		return nil, c.fails
	}
	c.learned.Pages, c.learned.Visits = c.learned.Pages+l.Pages, c.learned.Visits+l.Visits
	for i, x := range l.Site {
		c.learned.Site[i] += x
	}
	s := *c.shared
	return &s, nil
}

// budgeted is a town with a page that may be visited again after a second, in which a day lasts
// ten, and the crew that visits it.
func budgeted(t testing.TB) (*town, *common, func() *workers.Crew) {
	w := newTown(t, nil)
	c := &common{Queue: w.queue, shared: &schedule.Shared{Steering: schedule.Steering{Pages: 1}}}
	w.enqueue(plat.Job{URL: daily, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "9/day", Min: time.Second}}})
	return w, c, func() *workers.Crew {
		o := workers.Options{Planner: schedule.Planner{Day: 10 * time.Second}}
		return workers.NewCrew(workers.New(w, w.store, describer(t), o), c, w.store, w, quick)
	}
}

// runs lets a crew work until something is so.
func (w *town) runs(c *workers.Crew, is func(plat.URLState) bool) plat.URLState {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	drain, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- c.Run(ctx, drain) }()
	defer func() {
		close(drain)
		if err := <-done; err != nil {
			w.t.Fatal(err)
		}
	}()
	for {
		if st, err := w.store.State(ctx, daily); err == nil && is(st) {
			return st
		}
		select {
		case <-ctx.Done():
			st, err := w.store.State(w.t.Context(), daily)
			w.t.Fatalf("it does not come to that: %+v, %v", st, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A page is visited as often as its budget allows, and the lessons of its visits are shared.
func TestBudget(t *testing.T) {
	w, c, crew := budgeted(t)
	st := w.runs(crew(), func(st plat.URLState) bool { return st.Visits == 4 })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.learned.Pages != 1 || c.learned.Visits < 3 || c.learned.Site == (schedule.Learned{}).Site {
		t.Errorf("shared is %+v", c.learned)
	}
	if took := st.Last.Sub(st.First); took < 2900*time.Millisecond { // three intervals of a second or more
		t.Errorf("four visits in %v", took)
	}
}

// A visit that is beyond the budget is put off without a request, and made when the budget
// allows it. It is made at once when a user asks for it.
func TestVisitsBeyondTheBudgetArePutOff(t *testing.T) {
	w, c, crew := budgeted(t)
	st := w.runs(crew(), func(st plat.URLState) bool { return st.Visits == 1 })
	c.shared.Beyond = 6
	late := w.runs(crew(), func(now plat.URLState) bool { return now.NotBefore.After(st.Due) && now.NotBefore.After(st.NotBefore) })
	if late.Visits != 1 || !late.Due.Equal(st.Due) || late.Attempts != 0 || !late.Settled.Equal(st.Settled) {
		t.Errorf("put off: %+v, was %+v", late, st)
	}
	if s, err := w.queue.Stats(t.Context()); err != nil || s.PutOff == 0 || s.Retried != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	w.enqueue(plat.Job{URL: daily})
	w.runs(crew(), func(now plat.URLState) bool { return now.Visits == 2 })
	c.shared.Beyond = -6
	w.runs(crew(), func(now plat.URLState) bool { return now.Visits == 3 })
}

// If the shared data cannot be read, pages are visited by the remembered ones.
func TestBudgetWithoutWhatIsShared(t *testing.T) {
	slow(t)
	w, c, crew := budgeted(t)
	c.fails = errors.New("away")
	w.runs(crew(), func(st plat.URLState) bool { return st.Visits == 3 })
}

// A sitemap that says that a known page has changed has the policy asked at once.
func TestASitemapsSignalIsHeard(t *testing.T) {
	w, c, crew := budgeted(t)
	s := &withSitemaps{files: map[string]string{}, asked: map[string]int{}}
	w.robot = s.ServeHTTP
	says := func(at time.Time) {
		s.mu.Lock()
		s.files["/map.xml"] = urlset(urlOf(daily, "<lastmod>"+at.Format(time.RFC3339)+"</lastmod>"))
		s.mu.Unlock()
		w.enqueue(plat.Job{URL: "http://a.test/map.xml", Plan: plat.Plan{Kind: plat.FetchJob, Scope: "host"}})
	}
	says(time.Now().Add(-time.Hour))
	c.shared.Beyond = 20 // it is not visited again soon
	st := w.runs(crew(), func(st plat.URLState) bool { return st.Visits == 1 && s.times("/map.xml") == 1 })
	if time.Until(st.Due) < 10*time.Second {
		t.Fatalf("due %v, at %v", st.Due, st.Last)
	}
	time.Sleep(time.Until(st.Last.Add(1100 * time.Millisecond))) // a signal has whole seconds
	changed := time.Now()
	says(changed)
	now := w.runs(crew(), func(now plat.URLState) bool { return now.Visits == 2 || !now.NotBefore.IsZero() })
	if !now.Signal.Modified.Equal(changed.UTC().Truncate(time.Second)) || !now.Due.Before(st.Due) && now.Visits == 1 {
		t.Errorf("%+v, was due %v", now, st.Due)
	}
}

// A link in a changed block of an archived page calls the policy of the page
// to which it leads; a link in an unchanged block does not.
func TestAChangedLinkIsASignal(t *testing.T) {
	w, c, crew := budgeted(t)
	const hub, other = "http://hub.test/", "http://a.test/other"
	w.enqueue(plat.Job{URL: other, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "9/day", Min: time.Second}}}, plat.Job{URL: hub})
	links := make([]string, len(anchors(t, page(t))))
	for i := range links {
		links[i] = "/" + fmt.Sprint(i)
	}
	links[0], links[len(links)-1] = other, daily
	was := page(t, links...)
	now := *was
	now.Nodes = slices.Clone(was.Nodes)
	last := anchors(t, was)[len(links)-1]
	now.Nodes[last].Value = "A headline that was not there before"
	shown := atomic.Pointer[plat.Snapshot]{}
	shown.Store(was)
	show := w.show
	w.show = func(url string) *plat.Snapshot {
		if url == hub {
			return shown.Load()
		}
		return show(url)
	}
	c.shared.Beyond = 20 // they are not visited again soon
	st := w.runs(crew(), func(st plat.URLState) bool {
		h, err := w.store.State(t.Context(), hub)
		return err == nil && h.Visits == 1 && st.Visits == 1
	})
	time.Sleep(time.Until(st.Last.Add(1100 * time.Millisecond))) // a signal has whole seconds
	shown.Store(&now)
	w.enqueue(plat.Job{URL: hub})
	told := w.runs(crew(), func(st plat.URLState) bool { return st.Signal != plat.Signal{} })
	if told.Signal.Source != plat.SignalLink || !told.Signal.Modified.After(st.Last) || told.Visits == 1 && !told.Due.Before(st.Due) && told.NotBefore.IsZero() {
		t.Errorf("%+v, was due %v", told, st.Due)
	}
	if st, err := w.store.State(t.Context(), other); err != nil || st.Signal != (plat.Signal{}) {
		t.Errorf("the link to %+v, %v, is as it was", st, err)
	}
}

// anchors are the texts of a page's links.
func anchors(t *testing.T, s *plat.Snapshot) (texts []int) {
	t.Helper()
	for i := range s.Nodes {
		if s.Nodes[i].Name != "a" {
			continue
		}
		for i++; s.Nodes[i].Kind != plat.TextNode; i++ {
		}
		texts = append(texts, i)
	}
	return texts
}

// BenchmarkPutOff measures the decision whether a visit that is due is worth it yet,
// from the lease to its end: each iteration is a job that is put off, with SQLite and the
// in-process frontier.
func BenchmarkPutOff(b *testing.B) {
	w, c, _ := budgeted(b)
	c.shared.Beyond = 20
	v := &schedule.Visit{Time: time.Now().Add(-30 * time.Minute), Day: time.Hour, Outcome: plat.OutcomeNew}
	v.State.Schedule = plat.Schedule{Budget: "1/day"}
	memory := plat.Memory{Policy: schedule.Decide(v).Memory}.Encode()
	var jobs []plat.Job
	due := time.Now().UTC().Truncate(time.Millisecond)
	for i := range b.N {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("http://h%d.test/%d", i%500, i), Due: due, Priority: 0.5, Plan: plat.Plan{Schedule: v.State.Schedule}})
	}
	if _, err := w.store.Enlist(b.Context(), jobs, storage.Join); err != nil {
		b.Fatal(err)
	}
	for i := range jobs {
		visit := plat.Visit{URL: jobs[i].URL, Time: v.Time, Outcome: plat.OutcomeUnchanged, Settles: due, Next: due.Add(time.Millisecond), Memory: memory}
		if err := w.store.Record(b.Context(), visit, 0); err != nil {
			b.Fatal(err)
		}
	}
	o := quick
	o.Slots = 4
	crew := workers.NewCrew(workers.New(w, w.store, describer(b), workers.Options{Planner: schedule.Planner{Day: time.Hour}}), c, w.store, w, o)
	drain, done := make(chan struct{}), make(chan error, 1)
	var was, is syscall.Rusage
	b.ResetTimer()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &was)
	go func() { done <- crew.Run(b.Context(), drain) }()
	for put := int64(0); put < int64(b.N); time.Sleep(2 * time.Millisecond) {
		s, err := w.queue.Stats(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		put = s.PutOff
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &is)
	b.StopTimer()
	b.ReportMetric(float64(is.Utime.Nano()+is.Stime.Nano()-was.Utime.Nano()-was.Stime.Nano())/float64(b.N)/1e3, "cpu-us/op")
	close(drain)
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
