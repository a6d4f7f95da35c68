package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/fixtures/history"
	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

func day(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }

func TestAVersionOfTheArchiveIsTheLatestOfTheRecordThatIsNotLater(t *testing.T) {
	p := recordedPage{Versions: []recordedVersion{{1, day(1)}, {2, day(3)}, {3, day(3).Add(time.Second)}, {4, day(9)}}}
	for _, tc := range []struct {
		name  string
		taken time.Time
		want  int
	}{
		{"before the first there is none", day(1).Add(-time.Nanosecond), 0},
		{"at the very time it is that version", day(1), 1},
		{"until the next it stays so", day(3).Add(-time.Nanosecond), 1},
		{"versions may follow within a second", day(3), 2},
		{"a late visit finds the latest, and the one between is never seen", day(8), 3},
		{"after the last it stays the last", day(30), 4},
	} {
		if got := p.at(tc.taken); got != tc.want {
			t.Errorf("%s: version %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestAPageIsFoundOnWhateverPortItWasServed(t *testing.T) {
	a, err := place("http://flink-blog.localhost:17311/zh/")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := place("http://flink-blog/zh/index.html"); a != b {
		t.Errorf("%q and %q are the same page", a, b)
	}
	if b, _ := place("http://flink/zh/"); a == b {
		t.Errorf("%q is of two sites", a)
	}
}

// commit archives a page that is a list of posts.
func commit(t *testing.T, store *sqlite.Store, address string, n int, taken time.Time, posts ...string) {
	t.Helper()
	var list strings.Builder
	list.WriteString("<main><h1>News</h1><ul>")
	for _, p := range posts {
		fmt.Fprintf(&list, `<li><a href="/%s/">The %s has come to the harbour again</a><p>2026-03-01</p></li>`, p, p)
	}
	list.WriteString("</ul></main>")
	content := []byte(list.String())
	layout := plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12}}
	v := &plat.Version{URL: address, N: n, Taken: taken, Layout: layout.Sum(), Lineages: 2, Blocks: []plat.Block{
		{Parent: -1, Slot: -1, Tag: "html", Run: 1, Lineage: 1, Box: plat.Rect{W: 1000, H: 1000}},
		{Parent: 0, Slot: 0, Tag: "main", Run: 1, Level: 1, Lineage: 2, Path: []int32{0, 0}, Content: content, Hash: plat.HashOf(content), Box: plat.Rect{W: 1000, H: 1000}},
	}}
	if _, err := store.Commit(t.Context(), &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: address, Time: taken, Outcome: plat.OutcomeChanged, Version: n}}); err != nil {
		t.Fatal(err)
	}
}

// made writes a small made-up history and its archive: the page has five versions, of which a
// visit missed the third.
func made(t *testing.T) *options {
	t.Helper()
	dir := t.TempDir()
	o := &options{split: "dev", data: dir, archives: dir}
	if err := os.MkdirAll(o.recorded("made"), 0o755); err != nil {
		t.Fatal(err)
	}
	var versions []recordedVersion
	for n := 1; n <= 5; n++ {
		versions = append(versions, recordedVersion{n, day(n)})
	}
	index, err := json.Marshal(map[string]any{"pages": []recordedPage{{"port/index.html", "port", "/index.html", versions}, {"port/gone.html", "port", "/gone.html", versions[:1]}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.recorded("made"), "urls.json"), index, 0o644); err != nil {
		t.Fatal(err)
	}
	store := sqlitetest.OpenAt(t, filepath.Join(dir, "made.db"), sqlite.Options{})
	defer store.Close()
	const address = "http://port.localhost:17310/"
	commit(t, store, address, 1, day(1), "ferry", "barge", "tanker", "cutter", "schooner")
	commit(t, store, address, 2, day(2).Add(time.Hour), "dredger", "ferry", "barge", "tanker", "cutter", "schooner")
	commit(t, store, address, 3, day(4), "trawler", "clipper", "dredger", "ferry", "barge", "tanker", "cutter", "schooner")
	commit(t, store, address, 4, day(5), "ferry", "trawler", "clipper", "dredger", "barge", "tanker", "cutter", "schooner")
	return o
}

func TestWhatIsFoundIsOfTheVersionThatWasThereThen(t *testing.T) {
	o := made(t)
	a, err := o.open(t.Context(), "made")
	if err != nil {
		t.Fatal(err)
	}
	defer a.store.Close()
	files, cost, err := o.predict(t.Context(), "made", a)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"page":"port/index.html","from":1,"to":2,"items":[{"url":"http://port.localhost:17310/dredger/","title":"The dredger has come to the harbour again"}]}
{"page":"port/index.html","from":3,"to":4,"items":[{"url":"http://port.localhost:17310/trawler/","title":"The trawler has come to the harbour again"},{"url":"http://port.localhost:17310/clipper/","title":"The clipper has come to the harbour again"}]}
`
	if string(b) != want {
		t.Errorf("predictions are\n%swant\n%s", b, want)
	}
	if cost.Looks != 4 || cost.MemoryWorst == 0 || cost.WorstPage != "port/index.html" {
		t.Errorf("cost is %+v, want that of 4 looks", cost)
	}
}

func TestAnArchiveOfOtherPagesIsRefused(t *testing.T) {
	o := made(t)
	a, err := o.open(t.Context(), "made")
	if err != nil {
		t.Fatal(err)
	}
	defer a.store.Close()
	a.pages = a.pages[1:]
	if _, _, err := o.predict(t.Context(), "made", a); err == nil {
		t.Error("an archive without any page of the set was measured")
	}
}

// answer is the evaluator's output, shortened.
const answer = `{
 "sets": {"made-dev": {"tp": 3, "fn": 1, "fp": 1, "piece": 1, "pairs": 7, "new": 4, "P": 0.6, "R": 0.75, "F": 0.6667, "pages": 3, "pages_with_new": 1,
  "macro_P": 0.6, "macro_R": 0.75, "macro_F": 0.6667, "pairs_without_new": 5, "false_on_pairs_without_new": 1, "same_text_pairs": 2,
  "false_on_same_text_pairs": 0, "none_pairs": 4, "false_on_none_pages": 1}},
 "sites": {"made-dev/port": {"tp": 3, "fn": 1, "fp": 0, "piece": 1, "pairs": 4, "new": 4, "P": 0.75, "R": 0.75, "F": 0.75},
  "made-dev/quay": {"pairs": 3, "fp": 1, "P": 0, "R": null, "F": null}},
 "pages": {"port/index.html": {"set": "made-dev", "site": "port"}, "quay/a.html": {"set": "made-dev", "site": "quay"}, "quay/b.html": {"set": "made-dev", "site": "quay"}},
 "unknown_pairs": 0,
 "errors": [{"page": "quay/a.html", "from": 1, "to": 2, "wrong": [{"url": "http://a.test/imprint", "title": null}], "missed": []},
  {"page": "port/index.html", "from": 3, "to": 4, "wrong": [], "missed": ["clipper"]}]
}`

func TestTables(t *testing.T) {
	v := &verdict{}
	if err := json.Unmarshal([]byte(answer), v); err != nil {
		t.Fatal(err)
	}
	w, err := v.only()
	if err != nil {
		t.Fatal(err)
	}
	known, err := causes("# of a test\nport/index.html 3-4 it was there before\n")
	if err != nil {
		t.Fatal(err)
	}
	r := &setReport{Set: "made", Sites: v.sites(), Whole: w, Methods: []methodRow{{"full", w}, {"baseline", w}},
		Errors: v.errors([]piece{{"port/index.html", 1, 2, "Captain of the dredger"}}, known),
		Speed:  speed{Looks: 4, LooksASecond: 100, MedianMS: 9.5, WorstMS: 12.25, WorstPage: "port/index.html", MemoryMedian: 310, MemoryWorst: 400, MemoryLargest: "port/index.html"}}
	var out strings.Builder
	if err := print(&out, []*setReport{r}); err != nil {
		t.Fatal(err)
	}
	const want = `   set  site  pages  pairs  new items  found  missed  false     P     R     F
  made  port      1      4          4      3       1      1  .750  .750  .750
  made  quay      2      3          0      0       0      1  .000     –     –
  made   all      3      7          4      3       1      2  .600  .750  .667

Means over the pages with new items; false items where nothing is new, in brackets the pairs
   set    method  pages     P     R     F  no new item  same text  pages without a list  of these per 1,000 pairs
  made      full      1  .600  .750  .667        1 (5)      0 (2)                 1 (4)                     250.0
  made  baseline      1  .600  .750  .667        1 (5)      0 (2)                 1 (4)                     250.0

Looks, memory read and written; the archive is not counted
   set  looks  a second  ms, median  worst  memory of a page, bytes, median  worst
  made      4       100        9.50   12.2                              310    400
made: slowest port/index.html; most memory port/index.html

Errors of the first method
set   page             pair          item                    cause
made  port/index.html  1-2   piece   Captain of the dredger  not looked at
made  port/index.html  3-4   missed  clipper                 it was there before
made  quay/a.html      1-2   false   http://a.test/imprint   not looked at
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCausesAreReadAndOthersRefused(t *testing.T) {
	if _, err := causes(causesText); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"port/index.html", "port/index.html 3-4", "port/index.html it was there"} {
		if _, err := causes(line); err == nil {
			t.Errorf("%q was taken for a cause", line)
		}
	}
}

func TestTheThreeAlgorithmsFindTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		symbols := 1 + rng.IntN(30)
		texts := func() []string {
			out := make([]string, rng.IntN(40))
			for i := range out {
				out[i] = fmt.Sprint(rng.IntN(symbols))
			}
			return out
		}
		p := newSeqPair(texts(), texts())
		m := fight(p)
		if err := held(p, m); err != nil {
			t.Fatalf("%v: %v", p, err)
		}
	}
}

func TestNumbersBecomeCharactersThatTextsCanHold(t *testing.T) {
	ids := []int32{0, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0x20000}
	if got := []rune(string(runes(ids))); len(got) != len(ids) || got[2] != 0xe000 || got[3] != 0xe7ff {
		t.Errorf("%x became %x", ids, got)
	}
}

// The evaluator is part of the data; its output for an empty report shows changes of its form.
func TestTheEvaluatorWritesWhatIsRead(t *testing.T) {
	dir, ok := history.Dir()
	if _, err := exec.LookPath("python3"); err != nil || !ok {
		t.Skipf("skipped: needs python3 and the data in %s (PLAT_DATA)", dir)
	}
	o := &options{split: "dev", data: dir, archives: t.TempDir()}
	e, err := newEvaluator(o)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	truth, err := e.truth("news")
	if err != nil {
		t.Skip("skipped: ", err)
	}
	empty := filepath.Join(o.archives, "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := e.judge(t.Context(), truth, empty)
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.only()
	if err != nil {
		t.Fatal(err)
	}
	if w.New == 0 || w.Missed != w.New || w.Found != 0 || w.NonePairs == 0 || w.PagesWithNew == 0 {
		t.Errorf("of nothing the evaluator says %+v", w)
	}
	if p, err := e.pieces(t.Context(), truth, empty); err != nil || len(p) > 0 {
		t.Errorf("pieces of nothing are %v, %v", p, err)
	}
}
