package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"plat/focus"
	"plat/scripts/focus/corpus"
)

// made is a page of a made-up corpus.
type made struct {
	url, kind, body string
	truth           any
	links           []int
}

const (
	page  = "text/html; charset=utf-8"
	plain = "text/plain; charset=utf-8"
)

// made-up pages: 0 is far from the topic of ferries, and leads to it by way of 1.
var pagesMade = []made{
	{"http://a.test/", page, `<title>Home</title><a href=/hub>all about ferries</a> <a href=/gone>gone</a> <a href=https://b.test/index.html>more</a> <a href=http://c.test/>elsewhere</a>`, nil, []int{1, 6}},
	{"http://a.test/hub", page, `<title>Ferries</title><a href=/f/1.html>harbour ferry</a><a href="/f/2.html">island ferry</a><a href="/f/notes.txt">ferry notes</a>`, nil, []int{2, 3, 4}},
	{"http://a.test/f/1.html", page, `<p>The harbour ferry sails at dawn. <a href=http://b.test/>b</a>`, 2, []int{6}},
	{"http://a.test/f/2.html", page, `<p>The island ferry sails at noon. <a href=1.html>1</a>`, 1, []int{2}},
	{"http://a.test/f/notes.txt", plain, "Ferries & <b>boats</b>", "g", nil},
	{"http://a.test/lonely", page, `<p>A ferry that nothing leads to`, 2, nil},
	{"https://b.test/", page, `<title>Bread</title><a href=/dough>dough</a> <a href=/caf%c3%a9?x=1>coffee</a> <a href=/dough/index.html>dough again</a>`, nil, []int{7, 8}},
	{"https://b.test/dough/", page, `<p>Flour, water, salt. <a href=../oven>oven</a>`, nil, []int{9}},
	{"https://b.test/caf%C3%A9?x=1", page, `<p>Coffee`, nil, nil},
	{"https://b.test/oven", "text/html; charset=iso-8859-1", "<p>Ov\xe9n", nil, nil},
}

func writeZstd(t *testing.T, path string, b []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// makeCorpus writes and reads the made-up corpus.
func makeCorpus(t *testing.T) *corpus.Corpus {
	dir := t.TempDir()
	var list, edges, bodies bytes.Buffer
	files := tar.NewWriter(&bodies)
	for i, p := range pagesMade {
		truth := map[string]any{}
		if p.truth != nil {
			truth["ferries"] = p.truth
		}
		file := fmt.Sprintf("pages/%06d", i)
		line, _ := json.Marshal(map[string]any{"id": i, "url": p.url, "ctype": p.kind, "file": file, "truth": truth})
		fmt.Fprintf(&list, "%s\n", line)
		for _, to := range p.links {
			fmt.Fprintf(&edges, "%d\t%d\n", i, to)
		}
		files.WriteHeader(&tar.Header{Name: file, Size: int64(len(p.body)), Mode: 0o600})
		io.WriteString(files, p.body)
	}
	files.Close()
	writeZstd(t, filepath.Join(dir, "pages.jsonl.zst"), list.Bytes())
	writeZstd(t, filepath.Join(dir, "links.tsv.zst"), edges.Bytes())
	writeZstd(t, filepath.Join(dir, "pages.tar.zst"), bodies.Bytes())
	for name, text := range map[string]string{
		"topics-dev.json": `[{"id":"ferries","text":"harbour and island ferries","near_seeds":["http://a.test/f/2.html"]}]`,
		"far-seeds.json":  `{"far_seeds":["http://a.test/"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newTestBench(t *testing.T, direct bool) *bench {
	b, err := newBench(makeCorpus(t), "", options{orders: []string{"bfs", "blocks", "blocks-words"}, kinds: []string{far, near}, caps: []int{0, 3}, sets: 1, pages: 20, direct: direct})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

func TestACrawlCountsWhatItFinds(t *testing.T) {
	for _, direct := range []bool{false, true} {
		b := newTestBench(t, direct)
		if err := b.crawlAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := b.results[key{"bfs", far, 0, 0}][0]
		// Breadth first: 0, 1, 6 (b.test), 2, 3, 4, 7, 8, 9. /gone and c.test do not exist; only
		// requests show that b.test/dough/index.html and http://b.test/ are repeated pages.
		if len(c.steps) != 9 || c.missing != 2 || c.repeats != 2 {
			t.Fatalf("direct %v: %d pages, %d missing, %d again", direct, len(c.steps), c.missing, c.repeats)
		}
		if got, want := c.at(9), (step{relevant: 2, strong: 1, judged: 8}); got != want {
			t.Errorf("direct %v: %+v, want %+v", direct, got, want)
		}
		if c.seeds.relevant != 2 || c.seeds.strong != 1 {
			t.Errorf("direct %v: reachable %+v", direct, c.seeds)
		}
		if got := c.recall(9, relevant); got != 1 {
			t.Errorf("direct %v: recall %v", direct, got)
		}
		if capped := b.results[key{"bfs", far, 3, 0}][0]; len(capped.steps) != 6 {
			t.Errorf("direct %v: with three pages of a host %d", direct, len(capped.steps))
		}
		if s := b.pages.server; !direct && (s.Pages.Load() != 9 || s.Missing.Load() == 0) {
			t.Errorf("the server gave %d pages, want each once", s.Pages.Load())
		}
	}
}

func TestOtherAddressesOfAPageRedirectToIt(t *testing.T) {
	b := newTestBench(t, false)
	for u, want := range map[string]int32{
		"http://a.test/":                          0,
		"http://a.test/index.html":                0,
		"https://a.test/hub/":                     1,
		"http://b.test/":                          6,
		"https://b.test/dough":                    7,
		"https://b.test/dough/index.html":         7,
		canonical("https://b.test/caf%c3%a9?x=1"): 8,
		"https://b.test/caf%C3%A9?x=2":            -1,
		"http://a.test/none":                      -1,
		"http://c.test/":                          -1,
	} {
		id, p, err := b.pages.get(t.Context(), u)
		if err != nil || id != want {
			t.Errorf("%s is page %d, %v; want %d", u, id, err, want)
			continue
		}
		if want >= 0 && p.URL != canonical(pagesMade[want].url) {
			t.Errorf("%s ends at %s", u, p.URL)
		}
	}
}

func TestPagesAreReadInTheirCharset(t *testing.T) {
	b := newTestBench(t, false)
	_, p, err := b.pages.get(t.Context(), "https://b.test/oven")
	if err != nil {
		t.Fatal(err)
	}
	var want []focus.Term
	b.describer.Terms("", []string{"Ovén"}).Each("Ovén", func(s string) bool { want = append(want, focus.TermOf(s)); return true })
	if !slices.Equal(p.Words, want) {
		t.Errorf("words %v, want %v", p.Words, want)
	}
	_, p, err = b.pages.get(t.Context(), "http://a.test/f/notes.txt")
	if err != nil || len(p.Words) != 4 {
		t.Errorf("%d words of a plain text, want ferries, b, boats and b, which is no markup there: %v", len(p.Words), err)
	}
}

func TestHarvestLeavesOutWhatIsNotJudged(t *testing.T) {
	c := &curve{seeds: seeds{relevant: 4, strong: 2}}
	for _, g := range []int{corpus.Strong, corpus.Unjudged, corpus.Irrelevant, corpus.Relevant} {
		c.add(g)
	}
	for _, tc := range []struct {
		n    int
		g    grade
		want float64
	}{
		{1, relevant, 1}, {2, relevant, 1}, {3, relevant, .5}, {4, relevant, 2. / 3}, {4, strong, 1. / 3},
		{8, relevant, 2. / 7}, // the crawl ended: four pages less
	} {
		if got := c.harvest(tc.n, tc.g); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("harvest of grade %d at %d is %v, want %v", tc.g, tc.n, got, tc.want)
		}
	}
	if got, want := c.area(4, relevant), (1+1+.5+2./3)/4; math.Abs(got-want) > 1e-9 {
		t.Errorf("area %v, want %v", got, want)
	}
	if got := c.recall(4, relevant); got != .5 {
		t.Errorf("recall %v", got)
	}
}

func TestAReportNamesOrdersRatiosAndParts(t *testing.T) {
	b := newTestBench(t, true)
	if err := b.crawlAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := b.report(&out, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"FAR seeds, no limit per host", "NEAR seeds, at most 3 pages of a host", "blocks ÷ best other order (bfs)", "without words:"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := b.report(&out, true); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 12 {
		t.Errorf("%d rows of JSON, want 3 orders × 2 kinds of seeds × 2 limits", n)
	}
	for _, name := range []string{"h.svg", "h.png"} {
		b.o.pages = 200
		if err := b.draw(filepath.Join(t.TempDir(), name)); err != nil {
			t.Error(err)
		}
	}
}

func TestAnInterruptedRunKeepsTheTopicsThatAreComplete(t *testing.T) {
	b := newTestBench(t, true)
	if err := b.crawlAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.keepComplete(); len(b.topics) != 1 {
		t.Fatalf("topics %v after a whole run", b.topics)
	}
	b.results[key{"bfs", near, 3, 0}][0] = nil
	if b.keepComplete(); len(b.topics) != 0 {
		t.Errorf("topic %v, of which a crawl is missing", b.topics)
	}
}

func TestAMeanHasAnIntervalOverSetsOfSeeds(t *testing.T) {
	m := meanOf([]float64{.4, .5, .6})
	if math.Abs(m.Value-.5) > 1e-9 || math.Abs(m.Half-4.30*.1/math.Sqrt(3)) > 1e-9 {
		t.Errorf("%+v", m)
	}
}
