package traps_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/diff"
	"plat/plat"
	"plat/queue/traps"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// world is an archive and the responses of its sites.
type world struct {
	t        *testing.T
	store    *sqlite.Store
	versions map[string]*plat.Version // the last ones
	pages    map[string][]plat.Block  // by the URL of the snapshot
	leads    map[string]string        // redirects
	visited  []string                 // URLs that a guard has scheduled
	refused  []string                 // rules
	known    []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store := sqlitetest.Open(t)
	return &world{t: t, store: store, versions: map[string]*plat.Version{}, pages: map[string][]plat.Block{}, leads: map[string]string{}}
}

// guard returns the guard of a worker that has just started.
func (w *world) guard(change func(*traps.Options)) *traps.Guard {
	o := traps.Options{
		Visit: func(ctx context.Context, jobs []plat.Job) error {
			for _, j := range jobs {
				w.visited = append(w.visited, j.URL)
			}
			_, err := w.store.Enlist(ctx, jobs, storage.Again)
			return err
		},
		Location: func(_ context.Context, url string) string { return w.leads[url] },
		Refused:  func(rule string) { w.refused = append(w.refused, rule) },
		Known:    func(url string) { w.known = append(w.known, url) },
		Now:      func() time.Time { return time.Now().UTC() },
		Log:      slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&o)
	}
	return traps.NewGuard(w.store, w, o)
}

func (w *world) State(ctx context.Context, url string) (plat.URLState, error) {
	st, err := w.store.State(ctx, url)
	if errors.Is(err, plat.ErrNotFound) {
		return plat.URLState{URL: url}, nil
	}
	return st, err
}

func (w *world) Last(_ context.Context, url string) (*plat.Version, error) {
	return w.versions[url], nil
}

func (w *world) Load(context.Context, []plat.Block) error { return nil }

func (w *world) Compare(_ context.Context, snap *plat.Snapshot, old *plat.Version) ([]plat.Block, plat.Changes, error) {
	now := w.pages[snap.URL]
	res := diff.Compare(diff.Side{Layout: &plat.Layout{}, Blocks: old.Blocks}, diff.Side{Layout: &plat.Layout{}, Blocks: now})
	return now, res.Changes, nil
}

// archive makes blocks the page of a URL, and its first version.
func (w *world) archive(url string, blocks ...plat.Block) {
	w.t.Helper()
	layout := plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	v := &plat.Version{URL: url, N: 1, Taken: time.Now().UTC(), Layout: layout.Sum(), Blocks: blocks, Capture: plat.Capture{FinalURL: url, Title: "A page"}}
	if _, err := w.store.Commit(w.t.Context(), &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeNew, Version: 1}}); err != nil {
		w.t.Fatal(err)
	}
	w.versions[url] = v
}

// text returns a block of a page about something that no other page is about.
func text(label plat.Label, about string, times int) plat.Block {
	s := strings.Repeat("what is said about "+about+" and on no other page. ", times)
	content := "<p>" + s + "</p>"
	return plat.Block{Parent: -1, Label: label, Text: s, TextLen: int32(len(s)), Content: []byte(content), Hash: plat.HashOf([]byte(content))}
}

// found returns the first visit of a URL that a link led to.
func found(url string) *traps.Visit {
	return &traps.Visit{Job: plat.Job{URL: url, Due: time.Now().UTC(), Priority: 1, Plan: plat.Plan{Depth: 1, Scope: "host"}}, First: true}
}

// shown returns such a visit with its page.
func (w *world) shown(url string, blocks ...plat.Block) *traps.Visit {
	v := found(url)
	v.Snap, v.Final, v.Blocks = &plat.Snapshot{URL: url, FinalURL: url, Title: "A page"}, url, blocks
	w.pages[url] = blocks
	return v
}

// keys teaches a guard that the parameter "key" changes nothing on a.test.
func keys(t *testing.T, g *traps.Guard) {
	for i := range 4 {
		page := fmt.Sprintf("http://a.test/p/%c", 'a'+i)
		v := found(page + "?key=1")
		v.Snap, v.Final = &plat.Snapshot{}, v.URL
		g.Learn(t.Context(), v, page)
	}
}

func jobs(paths ...string) (all []plat.Job) {
	for _, p := range paths {
		all = append(all, plat.Job{URL: "http://a.test" + p, Due: time.Now().UTC(), Priority: 1, Plan: plat.Plan{Depth: 1, Scope: "host"}})
	}
	return all
}

func paths(jobs []plat.Job) (all []string) {
	for _, j := range jobs {
		all = append(all, strings.TrimPrefix(j.URL, "http://a.test"))
	}
	return all
}

func TestWhichLinksAreKept(t *testing.T) {
	links := []string{"/a/b/a/b/a/b", "/?a=1&b=2", "/?b=2&a=1", "/a/b/a/b", "/b"}
	for _, x := range []struct {
		name          string
		change        func(*traps.Options)
		kept, refused []string
	}{
		{"by default", nil, []string{"/?a=1&b=2", "/a/b/a/b", "/b"}, []string{"repeats", "order"}},
		{"off", func(o *traps.Options) { o.Mode = traps.Off }, links, nil},
		{"rules", func(o *traps.Options) { o.Mode, o.Rules.Repeats = traps.RulesOnly, 1 }, []string{"/?a=1&b=2", "/b"}, []string{"repeats", "order", "repeats"}},
		{"few", func(o *traps.Options) { o.MaxURLs = 2 }, []string{"/?a=1&b=2", "/a/b/a/b"}, []string{"repeats", "order", "max-urls"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t)
			kept, _, err := w.guard(x.change).Keep(t.Context(), jobs(links...))
			if err != nil || !slices.Equal(paths(kept), x.kept) || !slices.Equal(w.refused, x.refused) {
				t.Errorf("kept %q, refused %q, %v; want %q and %q", paths(kept), w.refused, err, x.kept, x.refused)
			}
		})
	}
}

func TestALinkIsKnownUnderItsSortedFormToo(t *testing.T) {
	w := newWorld(t)
	g := w.guard(nil)
	kept, sorted, err := g.Keep(t.Context(), jobs("/?b=2&a=1"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	if _, err := w.store.Enlist(t.Context(), kept, storage.IfNew); err != nil {
		t.Fatal(err)
	}
	if err := g.Added(t.Context(), "http://a.test/", kept, sorted); err != nil {
		t.Fatal(err)
	}
	if st, _ := w.State(t.Context(), "http://a.test/?a=1&b=2"); st.Main != "http://a.test/?b=2&a=1" {
		t.Errorf("the sorted form is of %q", st.Main)
	}
	w.archive("http://a.test/?c=1&d=2", text(plat.LabelMain, "c and d", 9))
	if kept, _, err := g.Keep(t.Context(), jobs("/?d=2&c=1")); err != nil || len(kept) > 0 || !slices.Equal(w.known, []string{"http://a.test/?d=2&c=1"}) {
		t.Errorf("kept %q, known %q, %v", paths(kept), w.known, err)
	}
}

func TestWorkersShareWhatTheyLearn(t *testing.T) {
	w := newWorld(t)
	one := w.guard(nil)
	keys(t, one)
	one.Save(t.Context())
	var links []string
	for i := range 20 { // of fifty, one is followed as it is, to check the rule
		links = append(links, fmt.Sprintf("/q/%c?key=7", 'a'+i))
	}
	kept, _, err := w.guard(nil).Keep(t.Context(), jobs(links...))
	plain := 0
	for _, p := range paths(kept) {
		if !strings.Contains(p, "key") {
			plain++
		}
	}
	if err != nil || len(kept) != len(links) || plain < len(links)/2 || plain != len(w.refused) {
		t.Errorf("kept %q, refused %q, %v", paths(kept), w.refused, err)
	}
}

func TestWhichVisitsAreSpared(t *testing.T) {
	w := newWorld(t)
	g := w.guard(nil)
	keys(t, g)
	w.archive("http://a.test/p/z", text(plat.LabelMain, "z", 9))
	spared := map[traps.Reason]int{}
	for i := range 10 { // one in fifty checks the rule
		url := fmt.Sprintf("http://a.test/p/z?key=%d", i)
		why, err := g.Spare(t.Context(), found(url))
		if err != nil {
			t.Fatal(err)
		}
		spared[why]++
		if st, _ := w.State(t.Context(), url); (st.Main == "http://a.test/p/z") != (why == traps.Address) {
			t.Errorf("%s: %q, an address of %q", url, why, st.Main)
		}
	}
	if spared[traps.Address] < 5 {
		t.Errorf("spared: %v", spared)
	}
	if why, err := g.Spare(t.Context(), found("http://a.test/p/y?key=1")); why != "" || err != nil {
		t.Errorf("a page that nobody knows: %q, %v", why, err)
	}
	asked := found("http://a.test/p/z?key=1")
	asked.Depth = 0
	if why, err := g.Spare(t.Context(), asked); why != "" || err != nil {
		t.Errorf("somebody's wish: %q, %v", why, err)
	}

	// After redirects of a pattern, its next URL is requested first.
	for i := range 4 {
		v := w.shown(fmt.Sprintf("http://a.test/go/%d", i), text(plat.LabelMain, fmt.Sprint("target ", 'a'+i), 9))
		v.Final = "http://a.test/p/z"
		g.Learn(t.Context(), v, "")
	}
	w.leads["http://a.test/go/9"] = "/p/z?"
	if why, err := g.Spare(t.Context(), found("http://a.test/go/9")); why != traps.Redirect || err != nil {
		t.Errorf("a redirect: %q, %v", why, err)
	}
	if why, err := g.Spare(t.Context(), found("http://a.test/go/8")); why != "" || err != nil {
		t.Errorf("one that leads nowhere: %q, %v", why, err)
	}
}

func TestUnderWhichURLAPageIsArchived(t *testing.T) {
	body, other := text(plat.LabelMain, "lemons", 20), text(plat.LabelMain, "pears", 20)
	says := func(v *traps.Visit, canonical string) *traps.Visit {
		v.Snap.Nodes = []plat.Node{{Kind: plat.ElementNode, Name: "link", Attrs: []plat.Attr{{Name: "rel", Value: " Canonical"}, {Name: "href", Value: canonical}}}}
		return v
	}
	w := newWorld(t)
	w.archive("http://a.test/lemons", body)
	for _, x := range []struct {
		name  string
		visit *traps.Visit
		want  string
	}{
		{"it redirects there", func() *traps.Visit {
			v := w.shown("http://a.test/old", other)
			v.Final = "http://a.test/lemons"
			return v
		}(), "http://a.test/lemons"},
		{"it says so, and shows the same", says(w.shown("http://a.test/l?x", body), "lemons"), "http://a.test/lemons"},
		{"it says so, and shows the same beside little else", says(w.shown("http://a.test/l?y", body, text(plat.LabelNavigation, "x", 1)), "/lemons"), "http://a.test/lemons"},
		{"it says so, and shows the same under another title", func() *traps.Visit {
			v := says(w.shown("http://a.test/l?t", body), "/lemons")
			v.Snap.Title = "Another page"
			return v
		}(), ""},
		{"somebody asked for it", func() *traps.Visit {
			v := says(w.shown("http://a.test/l?w", body), "/lemons")
			v.Depth = 0
			return v
		}(), ""},
		{"it says so in error", says(w.shown("http://a.test/pears", other), "/lemons"), ""},
		{"it says that of a page that is not archived", says(w.shown("http://a.test/l?z", body), "/limes"), ""},
	} {
		if got, err := w.guard(nil).Main(t.Context(), x.visit); got != x.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", x.name, got, err, x.want)
		}
		if got, err := w.guard(func(o *traps.Options) { o.Mode = traps.RulesOnly }).Main(t.Context(), x.visit); got != "" || err != nil {
			t.Errorf("by rules alone, %s: %q, %v", x.name, got, err)
		}
	}
}

func TestWhatAMissedPageHasVisited(t *testing.T) {
	w := newWorld(t)
	g := w.guard(nil)
	w.archive("http://a.test/p", text(plat.LabelMain, "p", 9))
	if err := w.store.SetMain(t.Context(), "http://a.test/p", time.Now().UTC(), "http://a.test/q"); err != nil {
		t.Fatal(err)
	}
	gone := &traps.Visit{Job: plat.Job{URL: "http://a.test/p", Due: time.Now().UTC()}, Archived: true}
	g.Missed(t.Context(), gone, plat.OutcomeUnreachable)
	if len(w.visited) > 0 {
		t.Errorf("visited %q, although the page may be there", w.visited)
	}
	g.Missed(t.Context(), gone, plat.OutcomeGone)
	if want := []string{"http://a.test/q"}; !slices.Equal(w.visited, want) {
		t.Errorf("visited %q, want %q", w.visited, want)
	}
	if st, _ := w.State(t.Context(), "http://a.test/q"); st.Main != "" || st.Due.IsZero() {
		t.Errorf("the other address is of %q, due %v", st.Main, st.Due)
	}

	// A link that was followed without its key is visited with it.
	keys(t, g)
	for i := range 10 {
		link, plain := fmt.Sprintf("http://a.test/p/x%c?key=7", 'a'+i), fmt.Sprintf("http://a.test/p/x%c", 'a'+i)
		if kept, _, err := g.Keep(t.Context(), jobs(strings.TrimPrefix(link, "http://a.test"))); err != nil || len(kept) != 1 || kept[0].URL != plain {
			continue // it checks the rule
		}
		g.Missed(t.Context(), found(plain), plat.OutcomeGone)
		if !slices.Contains(w.visited, link) {
			t.Errorf("visited %q, but not %s", w.visited, link)
		}
		return
	}
	t.Error("no link was followed under its plain address")
}
