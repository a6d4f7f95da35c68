package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/focus"
)

// curveOf is a crawl of ten pages, of which the first n are relevant.
func curveOf(n int) *curve {
	c := &curve{}
	for i := range 10 {
		g := 0
		if i < n {
			g = 1
		}
		c.add(g)
	}
	return c
}

// newTestChooser has crawls of topics that agree on the best constants, but for the last topic.
func newTestChooser(t *testing.T) *chooser {
	b := newTestBench(t, true)
	b.o.caps, b.o.kinds, b.o.pages = []int{0}, []string{far}, 10
	for range 3 {
		b.corpus.Topics = append(b.corpus.Topics, b.corpus.Topics[0])
	}
	b.topics = []int{0, 1, 2, 3}
	for topic, found := range [][2]int{{2, 4}, {2, 4}, {3, 4}, {9, 1}} {
		for i, order := range []string{"blocks", "blocks:groups=0"} {
			b.results[key{order, far, 0, topic}] = []*curve{curveOf(found[i])}
		}
		b.results[key{"bfs", far, 0, topic}] = []*curve{curveOf(1)}
	}
	return &chooser{benches: []*bench{b}, candidates: candidates("groups=0"), rivals: []string{"bfs"}}
}

func TestAChoiceDoesNotSeeTheTopicThatIsLeftOut(t *testing.T) {
	c := newTestChooser(t)
	all := c.topics()
	if got := c.choose(all[:3]); got != "blocks:groups=0" {
		t.Errorf("on the first three topics %s was chosen", got)
	}
	if got := c.choose(all[3:]); got != "blocks" {
		t.Errorf("on the last topic %s was chosen", got)
	}
	left := c.choices(all)
	if left[all[3]] != "blocks:groups=0" {
		t.Errorf("without the last topic %s was chosen", left[all[3]])
	}
}

func TestAReportOfAChoiceNamesItAndItsRatio(t *testing.T) {
	c := newTestChooser(t)
	var out strings.Builder
	c.report(&out)
	for _, want := range []string{"far seeds", "chosen without the topic", "÷ best", "chosen on all topics: blocks"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestSettingsAreListsOfConstants(t *testing.T) {
	if got := candidates("groups=0; page=.5,kids=0;"); !slices.Equal(got, []string{"blocks", "blocks:groups=0", "blocks:page=.5,kids=0"}) {
		t.Errorf("candidates %q", got)
	}
	m, err := constantsOf("page=.5,kids=0")
	if err != nil || len(m) != 2 || m["page"] != .5 {
		t.Errorf("constants %v, %v", m, err)
	}
	if _, err := constantsOf("page"); err == nil || !strings.Contains(err.Error(), "NAME=NUMBER") {
		t.Errorf("error %v", err)
	}
}

// A second run reads no page and makes no crawl again, even where the first was killed.
func TestAFolderKeepsPagesAndCrawls(t *testing.T) {
	dir := t.TempDir()
	run := func() *bench {
		b := newTestBench(t, true)
		k, err := openKeeper(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(k.close)
		b.o.keep = k
		b.pages.keep, b.corpus.Name = k, "made"
		return b
	}
	first := run()
	if err := first.crawlAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := run()
	second.pages.corpus = nil // reading a page would panic
	if err := second.crawlAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	for k, curves := range first.results {
		for i, c := range curves {
			if d := second.results[k][i]; !slices.Equal(c.steps, d.steps) || c.missing != d.missing || c.repeats != d.repeats {
				t.Errorf("%v: %v, then %v", k, c, d)
			}
		}
	}
	third := run()
	never := func() (*focus.Page, error) { t.Error("a kept page is read again"); return nil, nil }
	p, err := third.pages.keep.page(first.corpus.Name, 1, never)
	if err != nil || len(p.Links) != 3 {
		t.Errorf("kept page %+v, %v", p, err)
	}
	// A page that is damaged is read again, and the rest of a record without its end is no page.
	file := filepath.Join(dir, first.corpus.Name+".pages")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	x := third.pages.keep.files[first.corpus.Name].at[1]
	b[x.start] ^= 0xff
	if err := os.WriteFile(file, append(b, 1, 0, 0, 0, 200), 0o600); err != nil {
		t.Fatal(err)
	}
	for reads := 1; reads >= 0; reads-- {
		k, err := openKeeper(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		got, err := k.page(first.corpus.Name, 1, func() (*focus.Page, error) { n++; return p, nil })
		if err != nil || len(got.Links) != 3 || n != reads {
			t.Errorf("page %+v, %v after %d readings, want %d", got, err, n, reads)
		}
		k.close()
	}
}
