package workers_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	about "plat/segment/article"
	"plat/segment/label"
	"plat/segment/markup"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
	"plat/workers"
)

const url = "http://a.test/"

// pages renders the given snapshots, and then repeats the last one.
type pages struct {
	snap *plat.Snapshot
	err  error
	tick time.Time
}

func (p *pages) Render(_ context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	if p.err != nil {
		return nil, p.err
	}
	s := *p.snap
	p.tick = p.tick.Add(time.Second)
	s.URL, s.Taken, s.Status = u, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(p.tick.Sub(time.Time{})), 200
	if p.snap.Status != 0 {
		s.Status = p.snap.Status
	}
	if evidence != nil {
		e := evidence(&s)
		if e.Picture {
			s.Picture = &plat.Picture{Type: "image/png", Data: []byte("picture of " + s.Title)}
		}
		if e.Resources != plat.NoResources {
			css := []byte("style of " + s.Title + " as " + string(e.Resources))
			s.Resources = []plat.Resource{{URL: u + "a.css", Type: "text/css", Size: int64(len(css)), Hash: plat.HashOf(css), Data: css}}
		}
	}
	return &s, nil
}

type world struct {
	*workers.Worker
	store *sqlite.Store
	pages *pages
}

// start opens an archive and a worker whose pages the test sets.
func start(t *testing.T, o workers.Options) *world {
	t.Helper()
	store := sqlitetest.Open(t)
	p := &pages{}
	return &world{newWorker(t, p, store, o), store, p}
}

func newWorker(t *testing.T, p *pages, store storage.Store, o workers.Options) *workers.Worker {
	t.Helper()
	return workers.New(p, store, describer(t), o)
}

// theDescriber is shared by all tests, because loading its dictionary is slow.
var theDescriber = sync.OnceValues(func() (*label.Describer, error) { return label.New(label.Options{}) })

func describer(t testing.TB) *label.Describer {
	t.Helper()
	d, err := theDescriber()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// visit renders s and returns the report; an error ends the test.
func (w *world) visit(t *testing.T, s *plat.Snapshot) workers.Report {
	t.Helper()
	w.pages.snap = s
	time.Sleep(2 * time.Millisecond) // visits of one millisecond are one
	r, err := w.Visit(t.Context(), plat.Job{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *world) clean(t *testing.T) {
	t.Helper()
	r, err := w.store.Verify(t.Context(), nil)
	if err != nil || r.BrokenTotal > 0 {
		t.Fatalf("verify: %v, %v", r.Broken, err)
	}
}

// edit changes the first visible text that contains old.
func edit(t *testing.T, s *plat.Snapshot, old, new string) *plat.Snapshot {
	t.Helper()
	c := *s
	c.Nodes = append([]plat.Node(nil), s.Nodes...)
	for i := range c.Nodes {
		if c.Nodes[i].Kind == plat.TextNode && strings.Contains(c.Nodes[i].Value, old) {
			c.Nodes[i].Value = strings.Replace(c.Nodes[i].Value, old, new, 1)
			return &c
		}
	}
	t.Fatalf("no text contains %q", old)
	return nil
}

func TestLaterVisitsStoreOnlyChanges(t *testing.T) {
	w := start(t, workers.Options{})
	s := fixtures.Snapshot(t, "site-1")
	if r := w.visit(t, s); r.Outcome != plat.OutcomeNew || !r.Stored || r.Version != 1 || r.Coverage != 1 || r.NewBlocks != r.Blocks {
		t.Errorf("first visit: %+v", r)
	}
	if r := w.visit(t, s); r.Outcome != plat.OutcomeUnchanged || r.Stored || r.Version != 1 || r.StoredBytes != 0 {
		t.Errorf("the same page again: %+v", r)
	}
	r := w.visit(t, fixtures.Snapshot(t, "site-2"))
	if r.Outcome != plat.OutcomeChanged || r.Version != 2 || r.Changes[plat.Content] == 0 || r.Changes[plat.Added] == 0 || r.Changes[plat.Removed] == 0 {
		t.Errorf("the next issue: %+v", r)
	}
	for n, name := range []string{1: "site-1", 2: "site-2"} {
		if n == 0 {
			continue
		}
		got, err := history.Restore(t.Context(), w.store, url, n)
		if err != nil || string(got) != string(markup.Serialize(fixtures.Snapshot(t, name))) {
			t.Errorf("version %d is not restored exactly (%v)", n, err)
		}
	}
	v, err := w.store.Version(t.Context(), url, 2)
	if err != nil {
		t.Fatal(err)
	}
	of := map[plat.Kind]int{plat.Removed: r.Changes[plat.Removed]} // a removed block is in no tree
	for i := range v.Blocks {
		if k := v.Blocks[i].Change; k != "" {
			of[k]++
		}
	}
	if of[plat.Content] == 0 || of[plat.Added] == 0 {
		t.Errorf("marked blocks: %v", of)
	}
	for k, n := range r.Changes {
		if layout := of[k] == 0 && n == 1; of[k] != n && !layout { // the layout counts if no block has its kind
			t.Errorf("%d blocks are marked as %s, %d counted", of[k], k, n)
		}
	}
	state, err := w.store.State(t.Context(), url)
	if err != nil || state.Visits != 3 || state.Changes != 2 || state.Head != 2 {
		t.Errorf("state %+v, %v", state, err)
	}
	w.clean(t)
}

func TestTheTextOfAVersionIsThatOfItsPage(t *testing.T) {
	w := start(t, workers.Options{})
	for n, name := range []string{"site-1", "site-2", "calcite-news", "site-zh-1", "flink-community", "site-1"} {
		s := fixtures.Snapshot(t, name)
		w.visit(t, s)
		v, err := w.store.Version(t.Context(), url, n+1)
		if err != nil {
			t.Fatal(err)
		}
		if v.Article == nil {
			t.Fatalf("%s has no text", name)
		}
		got, err := history.Article(t.Context(), w.store, v)
		if err := history.LoadAll(t.Context(), w.store, v.Blocks); err != nil {
			t.Fatal(err)
		}
		if want := about.Read(s, &plat.Page{Blocks: v.Blocks}); err != nil || !reflect.DeepEqual(got, want) || want.Text == "" {
			t.Errorf("the text of %s is\n%+v, %v; want\n%+v", name, got, err, want)
		}
		literal := 0
		for i := range v.Article.Text {
			literal += len(v.Article.Text[i].Literal)
		}
		if literal > len(got.Text)/10 {
			t.Errorf("%s: %d of %d bytes are kept literally", name, literal, len(got.Text))
		}
	}
	w.clean(t)
}

func TestSecondVisitStoresThePapersFiveBlocks(t *testing.T) {
	w := start(t, workers.Options{Segmentation: workers.Segmentation{Profile: segment.Paper}})
	w.visit(t, fixtures.Snapshot(t, "paper-1"))
	r := w.visit(t, fixtures.Snapshot(t, "paper-2"))
	if r.NewBlocks != 5 || r.Changes[plat.Content] != 5 || len(r.Changes) != 1 {
		t.Errorf("stored %d blocks, changes %v; the paper stores CC2 to CC6", r.NewBlocks, r.Changes)
	}
}

func TestErrorPageIsNotStored(t *testing.T) {
	for status, want := range map[int]struct {
		outcome plat.Outcome
		retry   bool
	}{404: {plat.OutcomeGone, false}, 410: {plat.OutcomeGone, false}, 403: {plat.OutcomeHTTPError, false}, 429: {plat.OutcomeHTTPError, true}, 500: {plat.OutcomeHTTPError, true}} {
		w := start(t, workers.Options{})
		w.visit(t, fixtures.Snapshot(t, "site-1"))
		failing := *fixtures.Snapshot(t, "site-2")
		failing.Status = status
		w.pages.snap = &failing
		r, err := w.Visit(t.Context(), plat.Job{URL: url})
		var failed *plat.VisitError
		if !errors.As(err, &failed) || r.Outcome != want.outcome || r.Retry != want.retry || r.Stored {
			t.Errorf("status %d: %+v, %v", status, r, err)
		}
		state, err := w.store.State(t.Context(), url)
		if err != nil || state.Head != 1 || state.Visits != 2 || state.Outcome != want.outcome {
			t.Errorf("status %d: state %+v, %v", status, state, err)
		}
	}
}

func TestAttachmentsOnlyForStoredVersions(t *testing.T) {
	o := workers.Options{Capture: workers.Capture{Pictures: true, Resources: plat.StyleResources}}
	w := start(t, o)
	s := fixtures.Snapshot(t, "site-1")
	w.visit(t, s)
	v, err := w.store.Version(t.Context(), url, 1)
	if err != nil || v.Picture.IsZero() {
		t.Fatalf("no picture of the first version: %v", err)
	}
	if p, err := w.store.Picture(t.Context(), v.Picture); err != nil || string(p.Data) != "picture of "+s.Title {
		t.Errorf("picture %q, %v", p.Data, err)
	}
	m, err := w.store.Manifest(t.Context(), v.Resources)
	if err != nil || len(m) != 1 {
		t.Fatalf("resources of the first version: %+v, %v", m, err)
	}
	if b, err := w.store.Resource(t.Context(), m[0].Hash); err != nil || string(b) != "style of "+s.Title+" as css" {
		t.Errorf("resource %q, %v", b, err)
	}
	w.pages.snap = s
	// Its files are compared with those of the version, without a picture.
	asked := plat.Attachments{Picture: true}
	spy := &spyPages{w.pages, &asked}
	again := workers.New(spy, w.store, describer(t), o)
	if _, err := again.Visit(t.Context(), plat.Job{URL: url}); err != nil || asked != (plat.Attachments{Resources: plat.StyleResources}) {
		t.Errorf("attachments of an unchanged page were captured: %+v, %v", asked, err)
	}
}

func TestAnUnchangedPageGivesItsVersionWhatItLacks(t *testing.T) {
	both := workers.Capture{Pictures: true, Resources: plat.StyleResources}
	for _, x := range []struct {
		name          string
		before, after workers.Capture
		asked         plat.Attachments
		added         []string
	}{
		{"both", workers.Capture{}, both, plat.Attachments{Picture: true, Resources: plat.StyleResources}, []string{"picture", "resources"}},
		{"the picture", workers.Capture{Resources: plat.StyleResources}, both, plat.Attachments{Picture: true, Resources: plat.StyleResources}, []string{"picture"}},
		{"the files", workers.Capture{Pictures: true}, both, plat.Attachments{Resources: plat.StyleResources}, []string{"resources"}},
		{"none of them", both, both, plat.Attachments{Resources: plat.StyleResources}, nil},
		{"what is not wanted", workers.Capture{}, workers.Capture{}, plat.Attachments{}, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := start(t, workers.Options{Capture: x.before})
			w.visit(t, fixtures.Snapshot(t, "site-1"))
			var asked plat.Attachments
			conflicts := 0
			busy := &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
				if c.Method == "Attach" && conflicts == 0 {
					conflicts++
					return plat.ErrConflict // a different worker has stored a version; it is compared again
				}
				return do(ctx)
			}}
			again := workers.New(&spyPages{w.pages, &asked}, busy, describer(t), workers.Options{Capture: x.after})
			for k := range 2 {
				r, err := again.Visit(t.Context(), plat.Job{URL: url})
				if err != nil || r.Outcome != plat.OutcomeUnchanged || r.Version != 1 || r.Stored {
					t.Fatalf("visit %d: %+v, %v", k, r, err)
				}
				if k == 0 && (asked != x.asked || !slices.Equal(r.Added, x.added) || (r.Pictures+r.Resources > 0) != (len(x.added) > 0) || (conflicts > 0) != (len(x.added) > 0)) {
					t.Errorf("asked for %+v, added %v: %d and %d bytes; %d conflicts", asked, r.Added, r.Pictures, r.Resources, conflicts)
				}
				if k == 1 && (asked.Picture || len(r.Added) > 0 || r.Pictures+r.Resources > 0) {
					t.Errorf("the next visit asked for %+v, and added %v", asked, r.Added)
				}
			}
			v, err := w.store.Version(t.Context(), url, 0)
			if err != nil || v.N != 1 || v.Picture.IsZero() == x.after.Pictures || v.Resources.IsZero() != (x.after.Resources == "") {
				t.Errorf("the version is %+v, %v", v, err)
			}
		})
	}
}

func TestAPageWithoutItsStyleSheetGivesNothing(t *testing.T) {
	w := start(t, workers.Options{})
	s := fixtures.Snapshot(t, "site-1")
	w.visit(t, s)
	keeping := newWorker(t, w.pages, w.store, workers.Options{Capture: workers.Capture{Pictures: true}, News: workers.News{ConfirmAfter: time.Minute}})
	broken := *s
	broken.Loads = append(slices.Clone(s.Loads), plat.Load{URL: url + "a.css", Kind: plat.LoadStyle, Status: 503})
	for _, x := range []struct {
		snap  *plat.Snapshot
		added int
	}{{&broken, 0}, {s, 1}} {
		w.pages.snap = x.snap
		if r, err := keeping.Visit(t.Context(), plat.Job{URL: url}); err != nil || r.Outcome != plat.OutcomeUnchanged || len(r.Added) != x.added {
			t.Errorf("%+v, %v; want %d added", r, err, x.added)
		}
	}
}

type spyPages struct {
	*pages
	asked *plat.Attachments
}

func (p *spyPages) Render(ctx context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	if evidence == nil {
		return p.pages.Render(ctx, u, nil)
	}
	return p.pages.Render(ctx, u, func(s *plat.Snapshot) plat.Attachments {
		*p.asked = evidence(s)
		return *p.asked
	})
}

// asked notes the URLs that are rendered.
type asked struct {
	*pages
	urls []string
}

func (p *asked) Render(ctx context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	p.urls = append(p.urls, u)
	return p.pages.Render(ctx, u, evidence)
}

// A page is requested as its link is spelled, and archived under its canonical URL.
func TestPagesAreRequestedAsTheyAreSpelled(t *testing.T) {
	store := sqlitetest.Open(t)
	p := &asked{pages: &pages{snap: fixtures.Snapshot(t, "site-1")}}
	const canonical, spelled = "http://a.test/50%25~joe", "http://a.test/50%%7Ejoe"
	for _, keep := range []workers.Options{{}, {Capture: workers.Capture{Pictures: true}}} {
		w := workers.New(p, store, describer(t), keep)
		r, err := w.Visit(t.Context(), plat.Job{URL: canonical, Plan: plat.Plan{Spelling: spelled}})
		if err != nil || r.URL != canonical || r.Version != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if v, err := store.Version(t.Context(), canonical, 1); err != nil || v.URL != canonical {
		t.Errorf("the version is %+v, %v", v, err)
	}
	for _, u := range p.urls {
		if u != spelled {
			t.Errorf("%s was requested, want %s", u, spelled)
		}
	}
}

func TestFailedVisitIsRecordedWithItsCause(t *testing.T) {
	w := start(t, workers.Options{})
	w.pages.err = &plat.VisitError{Outcome: plat.OutcomeTimeout, Retry: true, Err: errors.New("no answer in 30s")}
	r, err := w.Visit(t.Context(), plat.Job{URL: url})
	if err == nil || r.Outcome != plat.OutcomeTimeout || !r.Retry {
		t.Errorf("%+v, %v", r, err)
	}
	for v, err := range w.store.Visits(t.Context(), url, 0) {
		if err != nil || v.Outcome != plat.OutcomeTimeout || v.Error != "no answer in 30s" {
			t.Errorf("recorded %+v, %v", v, err)
		}
	}
}

func TestSiblingsChangingTogetherAreMerged(t *testing.T) {
	slow(t)
	w := start(t, workers.Options{Segmentation: workers.Segmentation{Profile: segment.Paper}})
	s := fixtures.Snapshot(t, "paper-1")
	var merged, before int
	for n := range 24 {
		page := s
		// Both parts of the right column change in every version, and nothing else
		// does.
		page = edit(t, page, "Also on this site", fmt.Sprintf("Also on this site, issue %d", n))
		page = edit(t, page, "Java today", fmt.Sprintf("Java today, issue %d", n))
		r := w.visit(t, page)
		if n > 0 && r.Changes[plat.Content] == 0 {
			t.Fatalf("version %d: the change of level hid the change of the page: %v", n+1, r.Changes)
		}
		v, err := w.store.Version(t.Context(), url, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Adjust) > 0 && merged == 0 {
			merged = v.N
			if r.Changes[plat.Added]+r.Changes[plat.Removed] > 0 {
				t.Errorf("version %d: the change of level counts as a change of the page: %v", v.N, r.Changes)
			}
			if r.Blocks != before-1 {
				t.Errorf("version %d has %d blocks, the one before %d", v.N, r.Blocks, before)
			}
		}
		before = r.Blocks
	}
	if merged != 9 {
		t.Errorf("the column was merged at version %d, want 9: after 8 versions", merged)
	}
	w.clean(t)
}

func TestLearntLevelIsStable(t *testing.T) {
	slow(t)
	w := start(t, workers.Options{Segmentation: workers.Segmentation{Profile: segment.Paper}})
	s := fixtures.Snapshot(t, "paper-1")
	changes := 0
	var last []plat.Adjust
	for n := range 40 {
		page := edit(t, s, "Also on this site", fmt.Sprintf("Also on this site, issue %d", n))
		page = edit(t, page, "Java today", fmt.Sprintf("Java today, issue %d", n))
		w.visit(t, page)
		v, err := w.store.Version(t.Context(), url, 0)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(v.Adjust) != fmt.Sprint(last) {
			changes++
			t.Logf("version %d: %v", v.N, v.Adjust)
		}
		last = v.Adjust
	}
	if changes > 1 {
		t.Errorf("the level changed %d times in 40 versions; it oscillates", changes)
	}
}

func TestKnownURLKeepsItsSegmentation(t *testing.T) {
	w := start(t, workers.Options{})
	s := fixtures.Snapshot(t, "site-1")
	w.visit(t, s)
	other := newWorker(t, w.pages, w.store, workers.Options{Segmentation: workers.Segmentation{Profile: segment.Paper, Level: 1}})
	if r, err := other.Visit(t.Context(), plat.Job{URL: url}); err != nil || r.Outcome != plat.OutcomeUnchanged {
		t.Errorf("an unchanged page, segmented differently: %+v, %v", r, err)
	}
}

func TestPageWithoutVisibleContentIsBlank(t *testing.T) {
	w := start(t, workers.Options{})
	empty := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 3}, {Kind: plat.ElementNode, Name: "html", End: 3}, {Kind: plat.ElementNode, Name: "body", Parent: 1, End: 3}}}
	if r := w.visit(t, empty); r.Outcome != plat.OutcomeBlank || !r.Stored || r.Blocks != 0 {
		t.Errorf("%+v", r)
	}
	if r := w.visit(t, empty); r.Outcome != plat.OutcomeUnchanged {
		t.Errorf("again: %+v", r)
	}
}
