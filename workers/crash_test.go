package workers_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/schedule"
	"plat/storage"
	"plat/workers"
)

// mortal wraps everything a worker uses. It simulates a crash before or after one of
// the steps; later steps have no effect.
type mortal struct {
	*town
	*queue.Queue
	storage.Store

	steps atomic.Int64 // of that name, so far
	name  string       // of the step at which it crashes
	at    int64        // which of that name, from 1
	after bool         // crash after the step, before its result is returned
	gone  atomic.Bool
	die   func()
}

var errMortal = errors.New("dead")

// do performs a step, unless the worker has crashed.
func do[T any](m *mortal, name string, f func() (T, error)) (T, error) {
	var none T
	if m.gone.Load() {
		return none, errMortal
	}
	last := name == m.name && m.steps.Add(1) == m.at
	if last && !m.after {
		m.gone.Store(true)
		m.die()
		return none, errMortal
	}
	v, err := f()
	if last {
		m.gone.Store(true)
		m.die()
		return none, errMortal
	}
	if m.gone.Load() {
		return none, errMortal
	}
	return v, err
}

// settle is do for steps that end a lease: after a crash they are not even retried.
func (m *mortal) settle(name string, f func() error) error {
	if err := do0(m, name, f); err != errMortal {
		return err
	}
	return queue.ErrLost
}

func do0(m *mortal, name string, f func() error) error {
	_, err := do(m, name, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

func (m *mortal) Lease(ctx context.Context, w string) (l *queue.Lease, d time.Duration, err error) {
	l, err = do(m, "lease", func() (*queue.Lease, error) { l, d, err = m.Queue.Lease(ctx, w); return l, err })
	return l, d, err
}

func (m *mortal) Beat(ctx context.Context, l *queue.Lease) error {
	if m.gone.Load() {
		return errMortal
	}
	return m.Queue.Beat(ctx, l)
}

func (m *mortal) Done(ctx context.Context, l *queue.Lease, delay time.Duration) error {
	return m.settle("done", func() error { return m.Queue.Done(ctx, l, delay) })
}

func (m *mortal) EndNext(ctx context.Context, l *queue.Lease, how queue.Ending, delay time.Duration, worker string) (next *queue.Lease, err error) {
	err = m.settle(string(how), func() (err error) { next, err = m.Queue.EndNext(ctx, l, how, delay, worker); return err })
	return next, err
}

func (m *mortal) End(ctx context.Context, l *queue.Lease, how queue.Ending, delay time.Duration) error {
	return m.settle(string(how), func() error { return m.Queue.End(ctx, l, how, delay) })
}

func (m *mortal) Back(ctx context.Context, l *queue.Lease, delay time.Duration) error {
	return m.settle("back", func() error { return m.Queue.Back(ctx, l, delay) })
}

func (m *mortal) Now(ctx context.Context) (time.Time, error) {
	return do(m, "now", func() (time.Time, error) { return m.Queue.Now(ctx) })
}

func (m *mortal) Offer(ctx context.Context, jobs []plat.Job) error {
	return do0(m, "offer", func() error { return m.Queue.Offer(ctx, jobs) })
}

func (m *mortal) Begin(ctx context.Context, hold time.Duration) (bool, error) {
	return do(m, "begin", func() (bool, error) { return m.Queue.Begin(ctx, hold) })
}

func (m *mortal) Evict(ctx context.Context, shard, urls int, worse float32) (int, error) {
	return do(m, "evict", func() (int, error) { return m.Queue.Evict(ctx, shard, urls, worse) })
}

// Both the archive and the frontier have a method Load; the loader gets them apart.
func (m *mortal) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error) {
	return do(m, "load", func() ([]storage.HostJobs, error) { return m.Store.Load(ctx, now, hosts) })
}

func (m *mortal) Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error) {
	err = do0(m, "wake", func() error { woken, next, err = m.Store.Wake(ctx, now, limit); return err })
	return woken, next, err
}

func (m *mortal) SetNote(ctx context.Context, name, text string) error {
	return do0(m, "note", func() error { return m.Store.SetNote(ctx, name, text) })
}

func (m *mortal) Defer(ctx context.Context, all ...storage.Deferral) error {
	return do0(m, "defer", func() error { return m.Store.Defer(ctx, all...) })
}

// mortalQueue is the frontier of a mortal.
type mortalQueue struct{ *mortal }

func (m mortalQueue) Load(ctx context.Context, hosts []queue.HostJobs) (int, error) {
	return do(m.mortal, "bring in", func() (int, error) { return m.Queue.Load(ctx, hosts) })
}

func (m mortalQueue) Hosts(ctx context.Context, shard int, hosts []string) ([]queue.HostWindow, error) {
	return m.Queue.Hosts(ctx, shard, hosts)
}

func (m *mortal) Inbox(context.Context, int) ([]queue.InboxEntry, error) { return nil, nil }

func (m *mortal) State(ctx context.Context, url string) (plat.URLState, error) {
	return do(m, "state", func() (plat.URLState, error) { return m.Store.State(ctx, url) })
}

func (m *mortal) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	return do(m, "version", func() (*plat.Version, error) { return m.Store.Version(ctx, url, n) })
}

func (m *mortal) Last(ctx context.Context, st *plat.URLState) (*plat.Version, error) {
	return do(m, "last", func() (*plat.Version, error) { return m.Store.Last(ctx, st) })
}

func (m *mortal) Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error) {
	return do(m, "enlist", func() (storage.Enlisted, error) { return m.Store.Enlist(ctx, jobs, how) })
}

func (m *mortal) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	return do(m, "commit", func() (storage.Written, error) { return m.Store.Commit(ctx, c) })
}

func (m *mortal) Record(ctx context.Context, v plat.Visit, n int64) error {
	return do0(m, "record", func() error { return m.Store.Record(ctx, v, n) })
}

func (m *mortal) Render(ctx context.Context, url string, p func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return do(m, "render", func() (*plat.Snapshot, error) { return m.town.Render(ctx, url, p) })
}

func (m *mortal) Do(r *http.Request) (*http.Response, error) {
	return do(m, "robots", func() (*http.Response, error) { return m.town.Do(r) })
}

func (m *mortal) Close() error { return nil }

// policy counts the scheduling decision as a step too.
func (m *mortal) policy(v *schedule.Visit) schedule.Next {
	next, _ := do(m, "policy", func() (schedule.Next, error) { return hours(v), nil })
	return next
}

// hours is a policy that visits a URL again one hour after the first visit, two hours
// after the second, and so on, to check that each visit is counted once.
func hours(v *schedule.Visit) schedule.Next {
	if v.State.Schedule.Every == 0 {
		return schedule.Next{}
	}
	n := len(v.Memory) + 1
	return schedule.Next{Due: v.Due.Add(time.Duration(n) * time.Hour), Memory: strings.Repeat("x", n)}
}

// Wherever a worker crashes, between any two steps or during one, the page and its
// links are visited once in the end, and are due as decided by the policy for the
// visit that counts.
func TestWorkerCrashAtAnyStep(t *testing.T) {
	slow(t)
	t.Run("once", func(t *testing.T) { t.Parallel(); dieAnywhere(t, 0, plat.Plan{Scope: "host"}, (*town).once) })
	t.Run("again", func(t *testing.T) {
		t.Parallel()
		dieAnywhere(t, 1, plat.Plan{Scope: "host", Schedule: plat.Schedule{Every: time.Hour}}, (*town).again)
	})
}

// again fails unless the URL was visited for one job, and is due an hour later.
func (w *town) again(url string) {
	w.t.Helper()
	state, err := w.store.State(w.t.Context(), url)
	if err != nil {
		w.t.Fatal(err)
	}
	memory, err := plat.DecodeMemory(state.Memory)
	if err != nil || memory.Policy != "x" || !state.Due.Equal(state.Settled.Add(time.Hour)) {
		w.t.Errorf("%s: settled %v, due %v; the policy remembers %q, %v", url, state.Settled, state.Due, memory.Policy, err)
	}
}

// A crew makes each of the steps a few times; those which it makes all the time are not
// tried more often than that. Of the second and third time one is tried, the other one with the
// other plan, which has the other turn. With -short only the first times are, in turns too.
func dieAnywhere(t *testing.T, turn int, plan plat.Plan, check func(w *town, url string)) {
	for i, step := range []string{"lease", "state", "robots", "last", "render", "now", "enlist", "offer", "policy", "commit", "done",
		"note", "begin", "wake", "load", "bring in"} {
		for k, after := range []bool{false, true} {
			for at, died := int64(1), true; died && at <= 3; at++ {
				mine := (i+k+int(at)+turn)%2 == 0
				if testing.Short() && (at > 1 || !mine) || at > 1 && fixtures.OneIn(2) > 1 && !mine {
					continue
				}
				died = dieAt(t, &mortal{name: step, at: at, after: after}, plan, check)
				if t.Failed() {
					t.Fatalf("crash at number %d of the step %q (after it: %t)", at, step, after)
				}
				if !died && at == 1 {
					t.Errorf("no crash at %q", step)
				}
			}
		}
	}
}

// dieAt lets a crew die, and a second one continue. It reports whether the first one died.
func dieAt(t *testing.T, m *mortal, plan plat.Plan, check func(w *town, url string)) (died bool) {
	w := newTown(t, func(o *queue.Options) { o.TTL, o.Attempts = 80*time.Millisecond, 1000 }) // on a busy machine leases expire before their visits end
	w.policy = hours
	first, second := page(t, "/two"), page(t)
	w.show = func(url string) *plat.Snapshot {
		if strings.HasSuffix(url, "/two") {
			return second
		}
		return first
	}
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plan})
	ctx, cancel := context.WithCancel(t.Context())
	m.town, m.Queue, m.Store, m.die = w, w.queue, w.store, cancel
	c := workers.NewCrew(workers.New(m, m, describer(t), workers.Options{Planner: schedule.Planner{Policy: m.policy}}), mortalQueue{m}, m, m, quick)
	drain, done := make(chan struct{}), make(chan struct{})
	go func() { c.Run(ctx, drain); close(done) }()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-time.After(2 * time.Millisecond):
			if s, err := w.queue.Stats(t.Context()); err == nil && s.Done == 2 && s.Leased == 0 && !m.gone.Load() {
				close(drain)
				<-done
				ended = true
			}
		}
	}
	cancel()
	died = m.gone.Load()
	w.work(w.crew(quick))
	check(w, "http://a.test/")
	check(w, "http://a.test/two")
	if r, err := w.store.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("verify: %v, %v", r.Broken, err)
	}
	want := storage.JobCounts{}
	if plan.Schedule.Every > 0 {
		want = storage.JobCounts{Hosts: 1, Later: 2}
	}
	if c, err := w.store.Counts(t.Context(), time.Now()); err != nil || c != want {
		t.Errorf("left: %+v, %v; want %+v", c, err, want)
	}
	if s, err := w.queue.Stats(t.Context()); err != nil || s.Queued+s.Leased != 0 {
		t.Errorf("left in the window: %+v, %v", s, err)
	}
	return died
}
