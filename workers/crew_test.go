package workers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

// town is an archive, a frontier, a site and its pages in the browser.
type town struct {
	t     testing.TB
	store *sqlite.Store
	queue *queue.Queue
	url   string // of the frontier's server
	site  *httptest.Server

	policy func(*schedule.Visit) schedule.Next

	mu    sync.Mutex
	robot http.HandlerFunc // answers /robots.txt; 404 if nil
	seen  map[string]int   // renderings, by URL
	show  func(url string) *plat.Snapshot
	fails func(url string) error
	leads map[string]string // redirects
	alike bool              // pages may have the same title
}

func newTown(t testing.TB, change func(*queue.Options)) *town {
	t.Helper()
	w := &town{t: t, seen: map[string]int{}}
	server, err := queue.Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	w.url = server.URL()
	o := queue.Options{URL: w.url, TTL: 5 * time.Second, Attempts: 3}
	if change != nil {
		change(&o)
	}
	if w.queue, err = queue.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.queue.Close() })
	w.store = sqlitetest.Open(t)
	w.site = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		h := w.robot
		w.mu.Unlock()
		if h == nil {
			http.NotFound(rw, r)
			return
		}
		h(rw, r)
	}))
	t.Cleanup(w.site.Close)
	blank := fixtures.Snapshot(t, "site-1")
	w.show = func(string) *plat.Snapshot { return blank }
	return w
}

// Do sends all requests to the one site, whatever the host.
func (w *town) Do(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = strings.TrimPrefix(w.site.URL, "http://")
	return w.site.Client().Transport.RoundTrip(r)
}

func (w *town) Render(ctx context.Context, url string, _ func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	w.mu.Lock()
	w.seen[url]++
	fails, show := w.fails, w.show
	w.mu.Unlock()
	if fails != nil {
		if err := fails(url); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s := *show(url)
	s.URL, s.FinalURL, s.Taken = url, url, time.Now().UTC()
	if !w.alike {
		s.Title = "The page " + url
	}
	if to := w.leads[url]; to != "" {
		s.FinalURL = to
	}
	if s.Status == 0 {
		s.Status = 200
	}
	return &s, nil
}

var quick = workers.CrewOptions{Name: "w", Delay: -1, RetryDelay: 10 * time.Millisecond, MaxRetryDelay: 20 * time.Millisecond}

func (w *town) crew(o workers.CrewOptions) *workers.Crew {
	return workers.NewCrew(workers.New(w, w.store, describer(w.t), workers.Options{Planner: schedule.Planner{Policy: w.policy}}), w.queue, w.store, w, o)
}

// work runs a crew until the frontier has no more pending work, also work that follows from the
// last visits.
func (w *town) work(c *workers.Crew) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 60*time.Second)
	defer cancel()
	for more := true; more; more = w.soon(ctx) {
		w.drain(ctx, c)
	}
}

// drain runs a crew until the frontier is empty, and lets it finish its visits.
func (w *town) drain(ctx context.Context, c *workers.Crew) {
	w.t.Helper()
	drain, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- c.Run(ctx, drain) }()
	for {
		s, err := w.queue.Stats(ctx)
		if err == nil && s.Exists && s.Inbox+s.Queued+s.Leased == 0 && !w.soon(ctx) {
			break
		}
		select {
		case err := <-done:
			w.t.Fatalf("the crew stopped: %v", err)
		case <-ctx.Done():
			w.t.Fatalf("work does not finish: %+v, %v", s, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	close(drain)
	if err := <-done; err != nil {
		w.t.Fatal(err)
	}
}

// soon reports whether the archive has jobs that are due within a minute.
func (w *town) soon(ctx context.Context) bool {
	for st, err := range w.store.States(ctx, "", "") {
		if err != nil || !st.Due.IsZero() && time.Until(st.Due) < time.Minute && time.Until(st.NotBefore) < time.Minute {
			return true
		}
	}
	return false
}

func (w *town) enqueue(jobs ...plat.Job) {
	w.t.Helper()
	if _, err := intake.Take(w.t.Context(), w.store, w.queue, jobs); err != nil {
		w.t.Fatal(err)
	}
}

// once fails unless the URL was visited once, for one job, and has one version.
func (w *town) once(url string) {
	w.t.Helper()
	settled := 0
	for v, err := range w.store.Visits(w.t.Context(), url, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		if !v.Settles.IsZero() {
			settled++
		}
	}
	state, err := w.store.State(w.t.Context(), url)
	if err != nil || settled != 1 || state.Head != 1 || !state.Due.IsZero() {
		w.t.Errorf("%s: %d jobs settled, head %d, due %v, %v; want 1, 1, never", url, settled, state.Head, state.Due, err)
	}
}

func (w *town) outcome(url string) plat.Outcome {
	w.t.Helper()
	state, err := w.store.State(w.t.Context(), url)
	if err != nil {
		w.t.Fatal(err)
	}
	return state.Outcome
}

func (w *town) dead() []string {
	w.t.Helper()
	var urls []string
	for d, err := range w.store.Dead(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		urls = append(urls, d.URL)
	}
	slices.Sort(urls)
	return urls
}

// page returns a snapshot with links.
func page(t *testing.T, links ...string) *plat.Snapshot {
	t.Helper()
	s := *fixtures.Snapshot(t, "site-1")
	s.Nodes = slices.Clone(s.Nodes)
	n := 0
	for i := range s.Nodes {
		if s.Nodes[i].Name != "a" {
			continue
		}
		href := "mailto:nobody@a.test"
		if n < len(links) {
			href = links[n]
		}
		n++
		s.Nodes[i].Attrs = []plat.Attr{{Name: "href", Value: href}}
	}
	if n < len(links) {
		t.Fatalf("the page has only %d links", n)
	}
	return &s
}

func TestCrewVisitsAllJobs(t *testing.T) {
	w := newTown(t, nil)
	var jobs []plat.Job
	for i := range 12 {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("http://h%d.test/%d", i%4, i), Priority: 0.5})
	}
	w.enqueue(jobs...)
	o := quick
	o.Slots = 3
	w.work(w.crew(o))
	for _, j := range jobs {
		w.once(j.URL)
		if w.seen[j.URL] != 1 {
			t.Errorf("%s was rendered %d times", j.URL, w.seen[j.URL])
		}
	}
}

func TestLinksAreFollowedWithinTheScope(t *testing.T) {
	w := newTown(t, nil)
	pages := map[string]*plat.Snapshot{
		"http://a.test/":      page(t, "/one", "two#part", "http://b.test/", "/private/x", "/one?utm_source=x", "javascript:void(0)"),
		"http://a.test/one":   page(t, "/deep"),
		"http://a.test/two":   page(t, "/"),
		"http://a.test/deep":  page(t, "/deeper"),
		"http://a.test/alone": page(t, "/never"),
	}
	w.show = func(url string) *plat.Snapshot { return pages[url] }
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host depth=2 exclude=/private/"}}, plat.Job{URL: "http://a.test/alone", Priority: 0.1})
	o := quick
	o.Drop = plat.TrackingParams
	w.work(w.crew(o))
	var got []string
	for u := range w.seen {
		got = append(got, strings.TrimPrefix(u, "http://a.test"))
	}
	slices.Sort(got)
	if want := []string{"/", "/alone", "/deep", "/one", "/two"}; !slices.Equal(got, want) {
		t.Errorf("visited %v, want %v", got, want)
	}
	state, err := w.store.State(t.Context(), "http://a.test/deep")
	if err != nil || state.Depth != 2 || state.Priority > 0.82 || state.Scope != "host depth=2 exclude=/private/" {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestRedirectsChangeNeitherRobotsNorScope(t *testing.T) {
	w := newTown(t, nil)
	w.robot = func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "User-agent: *\nDisallow: /secret\n") }
	seed, leaving, secret := page(t, "/out", "/in", "/plain"), page(t, "http://b.test/x", "/never"), page(t)
	w.leads = map[string]string{"http://a.test/out": "http://b.test/landing", "http://a.test/in": "http://a.test/secret"}
	w.show = func(url string) *plat.Snapshot {
		switch url {
		case "http://a.test/":
			return seed
		case "http://a.test/out":
			return leaving
		case "http://a.test/in":
			return secret
		}
		return page(t)
	}
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host"}})
	w.work(w.crew(quick))
	for url, want := range map[string]plat.Outcome{"http://a.test/out": plat.OutcomeNew, "http://a.test/in": plat.OutcomeDisallowed, "http://a.test/plain": plat.OutcomeNew} {
		if got := w.outcome(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
	if w.seen["http://b.test/x"]+w.seen["http://b.test/never"] > 0 {
		t.Errorf("the scope moved with the redirect: %v", w.seen)
	}
}

func TestRobotsAreObeyed(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.3\n"
	for _, tc := range []struct {
		name    string
		answer  http.HandlerFunc
		ignore  bool
		open    plat.Outcome // of /open
		private plat.Outcome
	}{
		{"rules", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, robots) }, false, plat.OutcomeNew, plat.OutcomeDisallowed},
		{"robots.txt ignored", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, robots) }, true, plat.OutcomeNew, plat.OutcomeNew},
		{"server error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, false, plat.OutcomeUnreachable, plat.OutcomeUnreachable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, nil)
			w.robot = tc.answer
			w.enqueue(plat.Job{URL: "http://a.test/open", Priority: 1}, plat.Job{URL: "http://a.test/private/x?y"})
			o := quick
			o.IgnoreRobots = tc.ignore
			began := time.Now()
			w.work(w.crew(o))
			if a, b := w.outcome("http://a.test/open"), w.outcome("http://a.test/private/x?y"); a != tc.open || b != tc.private {
				t.Errorf("outcomes %s and %s, want %s and %s", a, b, tc.open, tc.private)
			}
			if tc.private != plat.OutcomeNew && w.seen["http://a.test/private/x?y"] > 0 {
				t.Error("a disallowed URL was visited")
			}
			if tc.private == plat.OutcomeDisallowed && time.Since(began) < 300*time.Millisecond {
				t.Errorf("the crawl-delay was ignored: both visited in %v", time.Since(began))
			}
			if tc.open == plat.OutcomeUnreachable && len(w.seen) > 0 {
				t.Errorf("%v were visited nevertheless", w.seen)
			}
		})
	}
}

func TestFailuresAreRetriedUpToTheLimit(t *testing.T) {
	w := newTown(t, nil)
	gone := *fixtures.Snapshot(t, "site-1")
	gone.Status = 404
	busy := gone
	busy.Status, busy.Header = 429, [][2]string{{"Retry-After", "0"}}
	ok := w.show("")
	w.show = func(url string) *plat.Snapshot {
		switch {
		case strings.HasSuffix(url, "/gone"):
			return &gone
		case strings.HasSuffix(url, "/busy"), strings.HasSuffix(url, "/eased") && w.seen[url] < 4:
			return &busy
		}
		return ok
	}
	w.fails = func(url string) error {
		switch {
		case strings.HasSuffix(url, "/flaky") && w.seen[url] < 3, strings.HasSuffix(url, "/broken"):
			return &plat.VisitError{Outcome: plat.OutcomeCrashed, Retry: true, Err: errors.New("the tab has crashed")}
		}
		return nil
	}
	w.enqueue(plat.Job{URL: "http://a.test/gone"}, plat.Job{URL: "http://b.test/flaky"}, plat.Job{URL: "http://c.test/broken"},
		plat.Job{URL: "http://d.test/busy"}, plat.Job{URL: "http://e.test/eased"}, plat.Job{URL: "http://f.test/gone", Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}})
	w.work(w.crew(quick))
	for url, want := range map[string]int{"http://a.test/gone": 1, "http://b.test/flaky": 3, "http://c.test/broken": 3, "http://d.test/busy": 10 + 3, "http://e.test/eased": 4} {
		if w.seen[url] != want {
			t.Errorf("%s was visited %d times, want %d", url, w.seen[url], want)
		}
	}
	if got, want := w.dead(), []string{"http://a.test/gone", "http://c.test/broken", "http://d.test/busy"}; !slices.Equal(got, want) {
		t.Errorf("dead: %v, want %v", got, want)
	}
	for _, url := range []string{"http://b.test/flaky", "http://e.test/eased"} {
		if o := w.outcome(url); o != plat.OutcomeNew {
			t.Errorf("%s: %s", url, o)
		}
	}
	if s, err := w.store.State(t.Context(), "http://f.test/gone"); err != nil || s.Due.IsZero() || !s.Due.After(time.Now()) {
		t.Errorf("the gone URL is due %v, %v", s.Due, err)
	}
}

func TestRecurringVisitsKeepTheirGrid(t *testing.T) {
	w := newTown(t, nil)
	// Three hours and a half late.
	due := time.Now().Add(-210 * time.Minute).UTC().Truncate(time.Millisecond)
	w.enqueue(plat.Job{URL: "http://a.test/", Due: due, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}})
	w.work(w.crew(quick))
	s, err := w.store.State(t.Context(), "http://a.test/")
	if err != nil || !s.Settled.Equal(due) || !s.Due.Equal(due.Add(4*time.Hour)) || s.Visits != 1 {
		t.Errorf("%+v, %v; want one visit, due again %v", s, err, due.Add(4*time.Hour))
	}
}

func TestInboxEntriesAreVisited(t *testing.T) {
	w := newTown(t, nil)
	w.enqueue()
	if err := w.queue.Put(t.Context(), []plat.Job{{URL: "http://a.test/", Priority: 0.3, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}}, {URL: "nonsense"}, {URL: "ftp://a.test/"}}); err != nil {
		t.Fatal(err)
	}
	w.work(w.crew(quick))
	if o := w.outcome("http://a.test/"); o != plat.OutcomeNew {
		t.Errorf("outcome %s", o)
	}
	list, err := w.queue.Rejections(t.Context(), 10)
	if err != nil || len(list) != 2 || !strings.Contains(list[0].Reason+list[1].Reason, "no scheme") {
		t.Errorf("%v, %v", list, err)
	}
}

func TestLostFrontierIsFilledAgain(t *testing.T) {
	w := newTown(t, nil)
	for i := range 5 {
		w.enqueue(plat.Job{URL: fmt.Sprintf("http://h%d.test/", i)})
	}
	if err := w.queue.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.work(w.crew(quick))
	for i := range 5 {
		w.once(fmt.Sprintf("http://h%d.test/", i))
	}
}

func TestDrainFinishesJobsInProgress(t *testing.T) {
	w := newTown(t, func(o *queue.Options) { o.TTL = 5 * time.Second })
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1}, plat.Job{URL: "http://b.test/"})
	begun, finish := make(chan struct{}), make(chan struct{})
	w.fails = func(string) error { close(begun); <-finish; return nil }
	drain, done := make(chan struct{}), make(chan error)
	go func() { done <- w.crew(quick).Run(t.Context(), drain) }()
	<-begun
	close(drain)
	select {
	case <-done:
		t.Fatal("it did not wait for the visit in progress")
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	w.once("http://a.test/")
	if s, err := w.queue.Stats(t.Context()); err != nil || s.Leased != 0 || len(w.seen) != 1 || !w.soon(t.Context()) {
		t.Errorf("%+v, %v, visited %v", s, err, w.seen)
	}
}

func TestShutdownReturnsJobsInProgress(t *testing.T) {
	w := newTown(t, func(o *queue.Options) { o.TTL = 5 * time.Second })
	w.enqueue(plat.Job{URL: "http://a.test/"})
	ctx, cancel := context.WithCancel(t.Context())
	w.fails = func(string) error { cancel(); return nil }
	if err := w.crew(quick).Run(ctx, nil); err != nil {
		t.Fatal(err)
	}
	l, _, err := w.queue.Lease(t.Context(), "other")
	if err != nil || l == nil || l.Attempt != 1 {
		t.Errorf("the job was not returned: %+v, %v", l, err)
	}
}

// flood is a store that is temporarily unreachable.
type flood struct {
	storage.Store
	out atomic.Bool
}

var errFlood = errors.New("no answer")

func (f *flood) State(ctx context.Context, url string) (plat.URLState, error) {
	if f.out.Load() {
		return plat.URLState{}, errFlood
	}
	return f.Store.State(ctx, url)
}

func (f *flood) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if f.out.Load() {
		return storage.Written{}, errFlood
	}
	return f.Store.Commit(ctx, c)
}

func (f *flood) Probe(ctx context.Context) error {
	if f.out.Load() {
		return errFlood
	}
	return f.Store.Probe(ctx)
}

func TestCrewWaitsForAnUnreachableStore(t *testing.T) {
	w := newTown(t, func(o *queue.Options) { o.Attempts = 1 })
	w.enqueue(plat.Job{URL: "http://a.test/"}, plat.Job{URL: "http://b.test/"})
	f := &flood{Store: w.store}
	c := workers.NewCrew(workers.New(w, f, describer(t), workers.Options{}), w.queue, f, w, quick)
	w.fails = func(url string) error {
		if w.seen[url] == 1 && !f.out.Load() {
			f.out.Store(true)
			go func() {
				defer f.out.Store(false)
				for end := time.Now().Add(10 * time.Second); c.Ready() == nil; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Error("Ready() = nil while the store is unreachable")
						return
					}
				}
			}()
		}
		return nil
	}
	w.work(c)
	// No attempt was counted, although there is only one.
	w.once("http://a.test/")
	w.once("http://b.test/")
	if c.Ready() != nil {
		t.Errorf("not ready: %v", c.Ready())
	}
}

// full is a frontier that temporarily rejects writes.
type full struct {
	*queue.Queue
	until time.Time
}

func (f full) Offer(ctx context.Context, jobs []plat.Job) error {
	if time.Now().Before(f.until) {
		return errors.New("OOM command not allowed")
	}
	return f.Queue.Offer(ctx, jobs)
}

func TestFullFrontierCostsNoAttempt(t *testing.T) {
	w := newTown(t, func(o *queue.Options) { o.Attempts = 1 })
	first := page(t, "http://a.test/2")
	w.show = func(string) *plat.Snapshot { return first }
	w.enqueue(plat.Job{URL: "http://a.test/", Plan: plat.Plan{Scope: "host depth=1"}})
	w.work(workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{}), full{w.queue, time.Now().Add(500 * time.Millisecond)}, w.store, w, quick))
	w.once("http://a.test/")
	w.once("http://a.test/2")
}

// rotten is a store in which one URL cannot be read.
type rotten struct{ storage.Store }

func (r rotten) State(ctx context.Context, url string) (plat.URLState, error) {
	if strings.HasSuffix(url, "/rotten") {
		return plat.URLState{}, plat.ErrCorrupt
	}
	return r.Store.State(ctx, url)
}

func TestUnreadableURLIsGivenUpAlone(t *testing.T) {
	w := newTown(t, nil)
	w.enqueue(plat.Job{URL: "http://a.test/rotten"}, plat.Job{URL: "http://b.test/"})
	var log strings.Builder
	o := quick
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := rotten{w.store}
	w.work(workers.NewCrew(workers.New(w, s, describer(t), workers.Options{}), w.queue, s, w, o))
	w.once("http://b.test/")
	if got := w.dead(); !slices.Equal(got, []string{"http://a.test/rotten"}) || w.seen["http://a.test/rotten"] > 0 {
		t.Errorf("dead: %v, visited: %v", got, w.seen)
	}
	if strings.Contains(log.String(), "unreachable") {
		t.Errorf("the whole archive is reported as unreachable: %s", log.String())
	}
}

// elsewhen is a frontier with a clock of its own.
type elsewhen struct {
	*queue.Queue
	ahead time.Duration
}

func (e elsewhen) Lease(ctx context.Context, worker string) (*queue.Lease, time.Duration, error) {
	l, wait, err := e.Queue.Lease(ctx, worker)
	return e.moved(l), wait, err
}

func (e elsewhen) EndNext(ctx context.Context, l *queue.Lease, how queue.Ending, delay time.Duration, worker string) (*queue.Lease, error) {
	l, err := e.Queue.EndNext(ctx, l, how, delay, worker)
	return e.moved(l), err
}

func (e elsewhen) moved(l *queue.Lease) *queue.Lease {
	if l != nil {
		l.Now = l.Now.Add(e.ahead)
	}
	return l
}

func TestVisitsAreDatedByTheFleetClock(t *testing.T) {
	for _, tc := range []struct {
		ahead time.Duration
		says  string
	}{{time.Minute, "behind that of Redis"}, {-time.Minute, "ahead of that of Redis"}, {500 * time.Millisecond, ""}} {
		w := newTown(t, nil)
		ok := w.show("")
		gone := *ok
		gone.Status = 404
		w.show = func(url string) *plat.Snapshot {
			if strings.HasSuffix(url, "/gone") {
				return &gone
			}
			return ok
		}
		w.enqueue(plat.Job{URL: "http://a.test/"}, plat.Job{URL: "http://b.test/gone"})
		var log strings.Builder
		o := quick
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		before := time.Now()
		w.work(workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{}), elsewhen{w.queue, tc.ahead}, w.store, w, o))
		shift := tc.ahead
		if tc.says == "" {
			shift = 0
		}
		near := func(what string, at time.Time) {
			if at.Before(before.Add(shift-50*time.Millisecond)) || at.After(time.Now().Add(shift+50*time.Millisecond)) {
				t.Errorf("ahead %v: %s is dated %v, %v from now", tc.ahead, what, at, time.Until(at))
			}
		}
		v, err := w.store.Version(t.Context(), "http://a.test/", 0)
		if err != nil {
			t.Fatal(err)
		}
		near("the version", v.Taken)
		for _, url := range []string{"http://a.test/", "http://b.test/gone"} {
			for v, err := range w.store.Visits(t.Context(), url, 0) {
				if err != nil {
					t.Fatal(err)
				}
				near("a visit", v.Time)
			}
		}
		if n := strings.Count(log.String(), "this machine's clock is"); tc.says != "" && (n != 1 || !strings.Contains(log.String(), tc.says)) || tc.says == "" && n > 0 {
			t.Errorf("ahead %v: the log says %s", tc.ahead, log.String())
		}
	}
}

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
	for i, step := range []string{"lease", "state", "robots", "version", "render", "now", "enlist", "offer", "policy", "commit", "done",
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
