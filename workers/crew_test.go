package workers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/queue/schedule"
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
