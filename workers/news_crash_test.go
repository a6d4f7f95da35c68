package workers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/storagetest"
	"plat/workers"
)

// A teller is a page with a number that differs at every rendering. The count restarts at each
// visit, so that a repeated visit sees the numbers of the interrupted one. In part of the
// tests an author changes it too, between the first visit and the second.
type teller struct {
	first, counted, written *plat.Snapshot
	writes                  bool
	visit, look             atomic.Int64
}

func newTeller(t *testing.T, writes bool) *teller {
	s := fixtures.Snapshot(t, "site-1")
	return &teller{first: s, counted: s, written: rewritten(s, "for two weeks", "for three weeks"), writes: writes}
}

// rewritten is a snapshot with other words.
func rewritten(s *plat.Snapshot, old, new string) *plat.Snapshot {
	c := *s
	c.Nodes = append([]plat.Node(nil), s.Nodes...)
	for i := range c.Nodes {
		c.Nodes[i].Value = strings.Replace(c.Nodes[i].Value, old, new, 1)
	}
	return &c
}

func (p *teller) show(string) *plat.Snapshot {
	s := p.first
	if p.visit.Load() > 1 && p.writes {
		s = p.written
	}
	return rewritten(s, "twenty centimetres", fmt.Sprint(1000*p.visit.Load()+17*p.look.Add(1), " centimetres"))
}

// atVisit returns a store that tells the page when an attempt at a visit begins.
func atVisit(s storage.Store, page *teller) storage.Store {
	return &storagetest.Fake{Store: s, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "State" {
			page.look.Store(0)
		}
		return do(ctx)
	}}
}

// headstrong returns a store that ends what it has begun, as a server does that has the request
// already: whether a visit ends before it writes does not depend on the store.
func headstrong(s storage.Store) storage.Store {
	return &storagetest.Fake{Store: s, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Writes() {
			ctx = context.WithoutCancel(ctx)
		}
		return do(ctx)
	}}
}

const told = "http://a.test/"

// twice is a town in which the page was visited once and is to be visited again.
func twice(t *testing.T, page *teller) *town {
	w := newTown(t, func(o *queue.Options) { o.TTL, o.Attempts = 2*time.Second, 1000 })
	w.show = page.show
	for range 2 {
		w.enqueue(plat.Job{URL: told})
		if page.visit.Add(1) == 1 {
			w.goOn(page)
		}
	}
	return w
}

// renders is a browser.
type renders func(ctx context.Context, url string, p func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error)

func (r renders) Render(ctx context.Context, url string, p func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return r(ctx, url, p)
}

// lookers is a crew that takes second looks.
func lookers(m *mortal, r renders, log io.Writer) *workers.Crew {
	o := quick
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	return workers.NewCrew(workers.New(r, m, describer(m.t), workers.Options{News: workers.News{SecondLook: noise.New}, Planner: schedule.Planner{Policy: m.policy}}), mortalQueue{m}, m, m, o)
}

// goOn lets a crew do the due jobs, and returns the outcome of the last visit with further renderings,
// and their number.
func (w *town) goOn(page *teller) string {
	w.t.Helper()
	var log bytes.Buffer
	m := &mortal{town: w, Queue: w.queue, Store: atVisit(w.store, page)}
	w.work(lookers(m, m.Render, &log))
	if all := moreLooks.FindAllStringSubmatch(log.String(), -1); all != nil {
		return all[len(all)-1][1] + " with looks " + all[len(all)-1][2]
	}
	return ""
}

var moreLooks = regexp.MustCompile(`outcome=(\S+) .*more_looks=(\d+)`)

// found describes the archived versions of the page, without times.
func (w *town) found() string {
	w.t.Helper()
	st, err := w.store.State(w.t.Context(), told)
	if err != nil {
		w.t.Fatal(err)
	}
	v, err := w.store.Version(w.t.Context(), told, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := plat.DecodeMemory(st.Memory)
	if err != nil {
		w.t.Fatal(err)
	}
	outcomes := []plat.Outcome{}
	for v, err := range w.store.Visits(w.t.Context(), told, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		outcomes = append(outcomes, v.Outcome)
	}
	return fmt.Sprintf("visits %v, head %d; version %d: news %v %v, by itself %+v; mask %x", outcomes, st.Head, v.N, v.News(), v.Changes, v.SelfChanges, m.Noise)
}

// all describes the archived data of the page beside its versions.
func (w *town) all() string {
	w.t.Helper()
	st, err := w.store.State(w.t.Context(), told)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%+v, %s", st, w.found())
}

// A death is a moment at which a worker ends.
type death struct {
	step  string // see mortal; "pause" is while it waits for a look, "look" while it has one
	at    int64
	after bool
	stops bool // it is stopped, and gives its lease back
}

func (d death) String() string {
	when := map[bool]string{false: "before", true: "after"}[d.after]
	if d.step == "pause" || d.step == "look" {
		when = "in"
	}
	return fmt.Sprintf("%s %s %s %d", map[bool]string{false: "dies", true: "stopped"}[d.stops], when, d.step, d.at)
}

// If a worker ends between two renderings, or during one, nothing of the visit remains, and
// the next visit has the result that this one would have had.
func TestWorkerCrashBetweenLooks(t *testing.T) {
	slow(t)
	for _, writes := range []bool{true, false} {
		page := newTeller(t, writes)
		w := twice(t, page)
		before := w.found()
		looks := w.goOn(page)
		want := w.found()
		t.Logf("somebody writes: %v\nbefore: %s\nafter:  %s; %s", writes, before, want, looks)
		if looks == "" {
			t.Fatal("there was no second look")
		}
		deaths := []death{{"pause", 1, false, false}, {"look", 2, false, true}, {"look", 2, false, false}, {"pause", 1, false, true}}
		if writes {
			deaths = append(deaths, death{"render", 1, true, false}, death{"render", 2, true, false}, death{"pause", 2, false, true}, death{"look", 3, false, false},
				death{"pause", 2, false, false}, death{"look", 3, false, true}, death{"commit", 1, true, false}, death{"commit", 1, false, false})
		} else {
			deaths = append(deaths, death{"record", 1, true, false}, death{"record", 1, false, false})
		}
		for i, d := range deaths {
			if i%fixtures.OneIn(3) != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%v, somebody writes %v", d, writes), func(t *testing.T) {
				t.Parallel()
				dieLooking(t, d, writes, want, looks)
			})
		}
	}
}

// dieLooking lets a crew die at a second visit, and a second crew continue.
func dieLooking(t *testing.T, d death, writes bool, want, looks string) {
	page := newTeller(t, writes)
	w := twice(t, page)
	before := w.all()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &mortal{name: d.step, at: d.at, after: d.after, town: w, Queue: w.queue, Store: headstrong(atVisit(w.store, page)), die: cancel}
	now := func() { // it ends at this moment
		m.gone.Store(!d.stops)
		cancel()
	}
	var renderings atomic.Int64
	render := func(ctx context.Context, url string, p func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
		n := renderings.Add(1)
		if d.step == "look" && n == d.at {
			now()
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		s, err := m.Render(ctx, url, p)
		if d.step == "pause" && n == d.at {
			time.AfterFunc(50*time.Millisecond, now)
		}
		return s, err
	}
	if err := lookers(m, render, io.Discard).Run(ctx, nil); err != nil {
		t.Fatal(err)
	}
	settled := d.after && (d.step == "commit" || d.step == "record")
	if is := w.all(); !settled && is != before {
		t.Errorf("of the visit is left\n%s, before it was\n%s", is, before)
	}
	if n := renderings.Load(); d.step != "commit" && d.step != "record" && (n < d.at || n > d.at+1) {
		t.Errorf("it ended after %d renderings", n)
	}
	leased := int64(1)
	if d.stops {
		leased = 0
	}
	if s, err := w.queue.Stats(t.Context()); err != nil || s.Leased != leased {
		t.Errorf("%d leased, want %d: %v", s.Leased, leased, err)
	}
	if l, wait, err := w.queue.Lease(t.Context(), "other"); !d.stops && (l != nil || wait <= 0) {
		t.Errorf("while its lease lasts it is given to another: %+v, in %v, %v", l, wait, err)
	}
	again := w.goOn(page)
	if is := w.found(); is != want {
		t.Errorf("found\n%s, undisturbed\n%s", is, want)
	}
	if !settled && again != looks {
		t.Errorf("the next visit: %s, undisturbed: %s", again, looks)
	}
	if r, err := w.store.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("verify: %v, %v", r.Broken, err)
	}
}

// A browser that dies at a second rendering costs that rendering, and does not make self-changes
// news.
func TestBrowserDiesAtALook(t *testing.T) {
	slow(t)
	for _, writes := range []bool{true, false} {
		t.Run(fmt.Sprintf("somebody writes %v", writes), func(t *testing.T) {
			t.Parallel()
			dieAtLooks(t, writes)
		})
	}
}

func dieAtLooks(t *testing.T, writes bool) {
	var want, looks string
	for _, at := range []int{0, 2, 3} { // the number of the rendering that fails; 0: every rendering succeeds
		page := newTeller(t, writes)
		w := twice(t, page)
		was := w.seen[told]
		w.fails = func(string) error {
			if w.seen[told] == was+at {
				return &plat.VisitError{Outcome: plat.OutcomeCrashed, Retry: true, Err: errors.New("the browser is gone")}
			}
			return nil
		}
		how, is := w.goOn(page), w.found()
		if at == 0 {
			want, looks = is, how
		}
		if is != want || how != looks {
			t.Errorf("rendering %d fails: %s, found\n%s, otherwise %s,\n%s", at, how, is, looks, want)
		}
	}
}
