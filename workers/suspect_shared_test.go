//go:build !race

// With a browser, one visit follows another: the race detector has nothing to find here, and need not
// build the browser.

package workers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

// confirm is long enough for two visits of six pages, on a machine that is busy.
const confirm = 8 * time.Second

// A quay is a site of six pages with a head and a foot that all have.
type quay struct {
	t     *testing.T
	w     *workers.Worker
	store *sqlite.Store
	url   string
	shows atomic.Pointer[func(n int) string] // the middle of page n
	foot  atomic.Pointer[string]
}

const closedNotice = "<p>The quay is closed to visitors until further notice. Ask at the gate.</p>"

// quayText returns the text of page n: that of the first is so long that its head and foot are next to nothing.
func quayText(n int) string {
	what := []string{"herring", "lanterns", "ropes", "timber", "bread", "salt"}[n]
	return fmt.Sprintf("<h2>All about %s</h2>", what) + strings.Repeat(fmt.Sprintf("<p>On this quay %s comes in with the tide, and whoever buys %[1]s early has the best of it.</p>", what), 2+max(0, 14-20*n))
}

func newQuay(t *testing.T) *quay {
	q := &quay{t: t}
	q.show(quayText)
	q.foot.Store(new(string))
	mux := http.NewServeMux()
	mux.HandleFunc("/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := strings.Index("012345", r.PathValue("n"))
		answer("The quays", fmt.Sprintf("<header><h1>The quays of the town</h1><p>Boats call at the northern mole first, and the pilots come by lamp.</p></header><main>%s</main><footer><p>Written by the people of the harbour, who count every ship. %s</p></footer>", (*q.shows.Load())(n), *q.foot.Load()))(w, r)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	q.url = srv.URL
	pool := thePool(t)
	q.store = sqlitetest.Open(t)
	q.w = workers.New(chrome{pool}, q.store, describer(t), workers.Options{News: workers.News{ConfirmAfter: confirm}})
	return q
}

func (q *quay) show(what func(n int) string) { q.shows.Store(&what) }

// each visits pages, and fails unless all come out as wanted.
func (q *quay) each(when string, want plat.Outcome, pages ...int) {
	q.t.Helper()
	for _, n := range pages {
		r, err := q.w.Visit(q.t.Context(), plat.Job{URL: fmt.Sprint(q.url, "/", n)})
		if failed := new(plat.VisitError); err != nil && !errors.As(err, &failed) {
			q.t.Fatal(err)
		}
		if stored := want == plat.OutcomeNew || want == plat.OutcomeChanged; r.Outcome != want || r.Stored != stored {
			q.t.Errorf("%s, page %d: %s, stored %v, changes %v, %v; want %s", when, n, r.Outcome, r.Stored, r.Changes, err, want)
		}
	}
}

// A notice of unknown wording, in the frame that all pages have, is recognized because all of them
// show it.
func TestANoticeOnAllPagesIsNoVersionOfAny(t *testing.T) {
	slow(t)
	t.Parallel()
	q := newQuay(t)
	q.each("at first", plat.OutcomeNew, 0, 1, 2, 3, 4)
	q.show(func(int) string { return closedNotice })
	q.each("with the notice", plat.OutcomeReplaced, 0, 1, 2, 3, 4)
	q.each("a page that is new", plat.OutcomeReplaced, 5)
	q.show(quayText)
	q.each("afterwards", plat.OutcomeUnchanged, 0, 1, 2, 3, 4)
	q.each("a page that was new", plat.OutcomeNew, 5)

	q.show(func(int) string { return closedNotice })
	q.each("with the notice again", plat.OutcomeReplaced, 0, 1, 2, 3, 4, 5)
	q.each("at once after that", plat.OutcomeReplaced, 0, 1, 2, 3, 4, 5)
	time.Sleep(confirm)
	q.each("when it has stayed", plat.OutcomeChanged, 0, 1, 2, 3, 4, 5)
	q.each("after that", plat.OutcomeUnchanged, 0, 1, 2, 3, 4, 5)
}

func TestTheHomePageUnderAllAddressesIsNoVersion(t *testing.T) {
	slow(t)
	t.Parallel()
	q := newQuay(t)
	home := func(int) string {
		return "<h2>Welcome</h2><p>Six basins between two rivers; trade since the old kings. Choose where you want to go, or ask our guides at Lamp Street.</p>"
	}
	normal := func(n int) string {
		if n == 1 {
			return home(n)
		}
		return quayText(n)
	}
	q.show(normal)
	q.each("at first", plat.OutcomeNew, 1, 2, 3, 4, 5)
	q.each("the home page once more", plat.OutcomeUnchanged, 1)
	q.show(home)
	q.each("the home page under other addresses", plat.OutcomeReplaced, 2, 3, 4, 5)
	q.each("the home page", plat.OutcomeUnchanged, 1)
	q.show(normal)
	q.each("afterwards", plat.OutcomeUnchanged, 1, 2, 3, 4, 5)

	q.show(home)
	q.each("the home page again", plat.OutcomeReplaced, 2, 3, 4, 5)
	time.Sleep(confirm)
	q.each("when it has stayed", plat.OutcomeChanged, 2, 3, 4, 5)
	q.each("after that", plat.OutcomeUnchanged, 1, 2, 3, 4, 5)
}

// Equal text of several pages that is their own is stored at once.
func TestWhatPagesShareIsBelieved(t *testing.T) {
	slow(t)
	t.Parallel()
	q := newQuay(t)
	berth := func(then string) func(int) string {
		return func(n int) string {
			if n >= 4 { // two that are one
				return quayText(4)
			}
			return fmt.Sprintf("<p>Berth %d is %s.</p>", n, then)
		}
	}
	q.show(berth("free"))
	all := []int{0, 1, 2, 3, 4, 5}
	q.each("at first", plat.OutcomeNew, all...)
	q.each("as always", plat.OutcomeUnchanged, all...)
	q.show(berth("taken by a ship with herring"))
	q.each("taken", plat.OutcomeChanged, 0, 1, 2, 3)
	foot := "Now also by night, from the ninth of the month to the first ice, at half the fare."
	q.foot.Store(&foot)
	q.each("with another foot", plat.OutcomeChanged, all...)
	q.show(func(n int) string {
		if n >= 4 {
			return quayText(5)
		}
		return berth("taken by a ship with herring")(n)
	})
	q.each("two that are one, with other words", plat.OutcomeChanged, 4, 5)
	q.each("as always", plat.OutcomeUnchanged, all...)
}

// A suspicious first visit does not make a second address of a page a page of its own.
func TestADoubtedFirstVisitIsFollowedByAFirstVisit(t *testing.T) {
	w := newTown(t, nil)
	w.alike = true
	paths := []string{"/a", "/b", "/c"}
	var closed, printed bool
	seen := map[string]bool{}
	w.show = func(url string) *plat.Snapshot {
		path := strings.TrimPrefix(url, "http://a.test")
		if path == "/" {
			links := paths
			if printed {
				links = append([]string{"/print/a"}, paths...)
			}
			return article(t, 0, links...)
		}
		if closed && !seen[path] {
			seen[path] = true
			return closedPage(t)
		}
		return article(t, 1+int(path[len(path)-1]-'a'), "/")
	}
	crawl(w, quick)

	closed, printed = true, true
	var jobs []plat.Job
	for _, path := range append(paths, "/") {
		jobs = append(jobs, plat.Job{URL: "http://a.test" + path, Priority: 1 - float32(len(jobs))/10, Plan: plat.Plan{Scope: "host"}})
	}
	w.enqueue(jobs...)
	w.work(workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{News: workers.News{ConfirmAfter: confirm}}), w.queue, w.store, w, quick))
	var outcomes []plat.Outcome
	for v, err := range w.store.Visits(t.Context(), "http://a.test/print/a", 0) {
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, v.Outcome)
	}
	if fmt.Sprint(outcomes) != "[alias replaced]" {
		t.Errorf("the latest first: %v", outcomes)
	}
	st, err := w.store.State(t.Context(), "http://a.test/print/a")
	if m, bad := plat.DecodeMemory(st.Memory); err != nil || bad != nil || m.Doubt != "" {
		t.Errorf("of an alias %q is remembered, %v, %v", m.Doubt, err, bad)
	}
}

// closedPage returns a page that says hardly anything.
func closedPage(t *testing.T) *plat.Snapshot {
	s := page(t)
	said := false
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && strings.TrimSpace(n.Value) != "" {
			if n.Value = " "; n.HasBox && !said {
				n.Value, said = "The quay is closed to visitors until further notice.", true
			}
		}
	}
	return s
}
