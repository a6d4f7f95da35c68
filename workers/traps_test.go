package workers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/aliases"
	"plat/queue/traps"
	"plat/workers"
)

// article returns a page about n that no other one resembles, with links.
func article(t *testing.T, n int, links ...string) *plat.Snapshot {
	t.Helper()
	s := page(t, links...)
	s.Title = fmt.Sprintf("About %c", 'A'+n)
	longest := 0
	for i := range s.Nodes {
		if x := &s.Nodes[i]; x.Kind == plat.TextNode && x.HasBox && len(x.Value) > len(s.Nodes[longest].Value) {
			longest = i
		}
	}
	word := strings.Repeat(string(rune('a'+n)), 5)
	s.Nodes[longest].Value = strings.Repeat("what is said about "+word+" and "+word+" on this page alone. ", 8)
	return s
}

func crawl(w *town, o workers.CrewOptions) {
	w.t.Helper()
	w.alike = true
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host"}})
	w.work(w.crew(o))
}

func (w *town) visited() []string {
	var all []string
	for url := range w.seen {
		all = append(all, strings.TrimPrefix(url, "http://a.test"))
	}
	slices.Sort(all)
	return all
}

func TestAPageWithSeveralAddressesIsArchivedOnce(t *testing.T) {
	w := newTown(t, nil)
	const pages = 12
	w.show = func(url string) *plat.Snapshot {
		var n int
		switch path := strings.TrimPrefix(url, "http://a.test/"); {
		case path == "":
			return article(t, 0, "/p/a", "/print/p/a", "/p/b?sid=7")
		case strings.Contains(path, "p/"):
			n = int(path[strings.Index(path, "p/")+2]) - 'a'
		}
		next := "/p/" + string(rune('a'+n+1))
		if n+1 == pages {
			return article(t, n+1, "/")
		}
		return article(t, n+1, "/", next, "/print"+next, next+fmt.Sprintf("?sid=%d%s", n, strings.Repeat("x", n)))
	}
	crawl(w, quick)
	for n := range pages {
		url := "http://a.test/p/" + string(rune('a'+n))
		heads := 0
		var main string
		for _, form := range []string{url, strings.Replace(url, "/p/", "/print/p/", 1), url + "?sid=new"} {
			st, err := w.store.State(t.Context(), form)
			if err == nil && st.Head > 0 {
				heads++
				main = form
			}
		}
		if heads > 1 {
			t.Errorf("page %d has versions under %d addresses", n, heads)
		}
		for _, form := range []string{url, strings.Replace(url, "/p/", "/print/p/", 1), url + "?sid=unseen"} {
			if got, err := aliases.Of(t.Context(), w.store, form); err != nil || main != "" && got != main {
				t.Errorf("the page of %s is %s, %v; want %s", form, got, err, main)
			}
			if v, err := (aliases.Store{Store: w.store}).Version(t.Context(), form, 0); err != nil || v.Capture.Title != fmt.Sprintf("About %c", 'A'+n+1) {
				t.Errorf("%s: %v", form, err)
			}
		}
	}
	if n := len(w.seen); n > pages+12 {
		t.Errorf("%d visits for %d pages: %q", n, pages, w.visited())
	}
	if last := w.visited(); slices.Contains(last, "/print/p/l") && slices.Contains(last, "/p/l") {
		t.Errorf("the last page was visited under two addresses: %q", last)
	}
}

func TestPagesThatOnlyLeadElsewhereAreKeptApart(t *testing.T) {
	w := newTown(t, nil)
	w.show = func(url string) *plat.Snapshot {
		switch url {
		case "http://a.test/":
			return article(t, 0, "/book1/", "/book2/")
		case "http://a.test/book1/":
			return article(t, 1, "one", "two")
		case "http://a.test/book2/":
			return article(t, 1, "three", "four")
		}
		return article(t, 2+len(url)%20, "/")
	}
	crawl(w, quick)
	for _, url := range []string{"http://a.test/book1/", "http://a.test/book2/"} {
		if got := w.outcome(url); got != plat.OutcomeNew {
			t.Errorf("%s: %s", url, got)
		}
	}
}

func TestARedirectAndItsTargetAreOnePage(t *testing.T) {
	w := newTown(t, nil)
	w.leads = map[string]string{"http://a.test/old": "http://a.test/new", "http://a.test/other": "http://a.test/old", "http://a.test/far": "http://b.test/"}
	w.show = func(url string) *plat.Snapshot {
		if url == "http://a.test/" {
			return article(t, 0, "/old", "/new", "/other", "/far")
		}
		return article(t, 1)
	}
	crawl(w, quick)
	if got, want := w.visited(), []string{"/", "/far", "/old", "/other"}; !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
	others, err := w.store.Others(t.Context(), "http://a.test/old", 9)
	if want := []string{"http://a.test/far", "http://a.test/new", "http://a.test/other"}; err != nil || !slices.Equal(others, want) {
		t.Errorf("other addresses: %q, %v; want %q", others, err, want)
	}
	if st, err := w.store.State(t.Context(), "http://b.test/"); err == nil {
		t.Errorf("another host's page is known: %+v", st)
	}

	// The redirect leads elsewhere now: its former target is a page of its own.
	w.leads = map[string]string{"http://a.test/old": "http://a.test/newer"}
	w.show = func(url string) *plat.Snapshot {
		if url == "http://a.test/new" {
			return article(t, 5)
		}
		return article(t, 7)
	}
	w.enqueue(plat.Job{URL: "http://a.test/old", Priority: 1, Plan: plat.Plan{Scope: "host"}})
	w.work(w.crew(quick))
	if st, err := w.store.State(t.Context(), "http://a.test/new"); err != nil || st.Main != "" || st.Head != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestTheOtherAddressesOfAPageThatIsGoneAreVisited(t *testing.T) {
	w := newTown(t, nil)
	w.show = func(url string) *plat.Snapshot {
		if url == "http://a.test/" {
			return article(t, 0, "/p", "/q")
		}
		return article(t, 1)
	}
	crawl(w, quick)
	if got := w.outcome("http://a.test/q"); got != plat.OutcomeAlias {
		t.Fatalf("/q: %s", got)
	}
	w.fails = func(url string) error {
		if url == "http://a.test/p" {
			return &plat.VisitError{Outcome: plat.OutcomeGone, Err: fmt.Errorf("404")}
		}
		return nil
	}
	w.enqueue(plat.Job{URL: "http://a.test/p", Priority: 1})
	w.work(w.crew(quick))
	if st, err := w.store.State(t.Context(), "http://a.test/q"); err != nil || st.Head != 1 || st.Main != "" {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestSomebodysWishIsNoAlias(t *testing.T) {
	w := newTown(t, nil)
	w.show = func(url string) *plat.Snapshot { return article(t, 1, "/a/a/a/a") }
	w.alike = true
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1}, plat.Job{URL: "http://a.test/?x", Priority: 1}, plat.Job{URL: "http://a.test/a/a/a", Priority: 1, Plan: plat.Plan{Scope: "host"}})
	w.work(w.crew(quick))
	for _, url := range []string{"http://a.test/", "http://a.test/?x", "http://a.test/a/a/a"} {
		w.once(url)
	}
	if len(w.seen) != 3 {
		t.Errorf("visited %q", w.visited())
	}
}

func TestURLsThatBringNothingWait(t *testing.T) {
	w := newTown(t, nil)
	w.robot = func(rw http.ResponseWriter, _ *http.Request) { http.NotFound(rw, nil) }
	day := 0
	w.show = func(url string) *plat.Snapshot {
		if url == "http://a.test/" {
			return article(t, 0, "/cal/1", "/p/1")
		}
		if n := 0; strings.HasPrefix(url, "http://a.test/p/") {
			fmt.Sscanf(url, "http://a.test/p/%d", &n)
			return article(t, 2+n, fmt.Sprintf("/p/%d", n+1), "/cal/1")
		}
		day++
		s := article(t, 1, fmt.Sprintf("/cal/%d", day+1), fmt.Sprintf("/cal/%d", day+100))
		s.Title = fmt.Sprint("Day ", day)
		return s
	}
	w.fails = func(url string) error {
		if strings.HasSuffix(url, "/p/20") {
			return &plat.VisitError{Outcome: plat.OutcomeGone, Err: fmt.Errorf("404")}
		}
		return nil
	}
	crawl(w, quick)
	calendar := 0
	for url := range w.seen {
		if strings.HasPrefix(url, "http://a.test/cal/") {
			calendar++
		}
	}
	if calendar > 20 || len(w.seen)-calendar != 21 {
		t.Errorf("%d visits of the calendar, %d of others; want few, and 21", calendar, len(w.seen)-calendar)
	}
	waiting := 0
	for st, err := range w.store.States(t.Context(), "http://a.test/cal/", "") {
		if err != nil {
			t.Fatal(err)
		}
		if st.Visits == 0 && time.Until(st.NotBefore) > 20*time.Hour && st.Attempts == 0 {
			waiting++
		}
	}
	if waiting == 0 {
		t.Error("no URL of the calendar waits")
	}
}

func TestLinksThatRulesRefuse(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*workers.CrewOptions)
		want   []string
	}{
		"by default": {func(*workers.CrewOptions) {}, []string{"/", "/?a=1&b=2", "/?x", "/a/b/a/b", "/b"}},
		"off":        {func(o *workers.CrewOptions) { o.Traps = traps.Off }, []string{"/", "/?a=1&b=2", "/?b=2&a=1", "/?x", "/a/b/a/b", "/a/b/a/b/a/b", "/b"}},
		"rules":      {func(o *workers.CrewOptions) { o.Traps, o.Rules.Repeats = traps.RulesOnly, 1 }, []string{"/", "/?a=1&b=2", "/?x", "/b"}},
		"few":        {func(o *workers.CrewOptions) { o.MaxURLs = 3 }, []string{"/", "/?a=1&b=2", "/a/b/a/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t, nil)
			w.show = func(url string) *plat.Snapshot {
				links := []string{"/a/b/a/b/a/b", "/?a=1&b=2", "/?b=2&a=1", "/a/b/a/b", "/?x", "/b"}
				return article(t, len(url)%20+strings.Count(url, "x"), links...)
			}
			o := quick
			x.change(&o)
			crawl(w, o)
			if got := w.visited(); !slices.Equal(got, x.want) {
				t.Errorf("visited %q, want %q", got, x.want)
			}
			if name == "by default" {
				if main, err := aliases.Of(t.Context(), w.store, "http://a.test/?b=2&a=1"); err != nil || main != "http://a.test/?a=1&b=2" {
					t.Errorf("the other order leads to %q, %v", main, err)
				}
			}
		})
	}
}

func TestALinkWhosePlainAddressLeadsNowhereIsVisitedAsItIs(t *testing.T) {
	w := newTown(t, nil)
	const pages = 12
	// The last page links to five that are there only with their key: of fifty links that a
	// rule changes, one is visited as it is, to check the rule.
	var keyed []string
	for i := range 5 {
		keyed = append(keyed, fmt.Sprintf("/keyed/%d?key=7", i))
	}
	w.show = func(url string) *plat.Snapshot {
		n := 0
		if _, err := fmt.Sscanf(url, "http://a.test/keyed/%d", &n); err == nil {
			return article(t, pages+n)
		}
		fmt.Sscanf(url, "http://a.test/p/%d", &n)
		if n+1 == pages {
			return article(t, n, keyed...)
		}
		next := fmt.Sprintf("/p/%d", n+1)
		return article(t, n, next, next+"?key=1")
	}
	w.fails = func(url string) error {
		if strings.Contains(url, "/keyed/") && !strings.Contains(url, "key=7") {
			return &plat.VisitError{Outcome: plat.OutcomeGone, Err: fmt.Errorf("404")}
		}
		return nil
	}
	crawl(w, quick)
	replaced := 0
	for _, link := range keyed {
		url := "http://a.test" + link
		if got := w.outcome(url); got != plat.OutcomeNew {
			t.Errorf("%s: %s; visited %q", url, got, w.visited())
		}
		plain, _, _ := strings.Cut(url, "?")
		replaced += w.seen[plain]
	}
	if replaced == 0 {
		t.Error("no rule was learnt, so nothing was tested")
	}
}
