package archived_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/simulate"
	"plat/queue/simulate/archived"
)

var start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// memory is an archive.
type memory struct {
	states   []plat.URLState
	versions map[string][]*plat.Version
	visits   map[string][]plat.Visit
	contents map[plat.Hash][]byte
	layout   plat.Layout
}

func (m *memory) States(context.Context, string, string) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		for _, s := range m.states {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (m *memory) Visits(_ context.Context, url string, _ int) iter.Seq2[plat.Visit, error] {
	return func(yield func(plat.Visit, error) bool) {
		for _, v := range slices.Backward(m.visits[url]) {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (m *memory) Version(_ context.Context, url string, n int) (*plat.Version, error) {
	return m.versions[url][n-1], nil
}

func (m *memory) Trees(_ context.Context, url string, _, _ int) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		for _, v := range m.versions[url] {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (m *memory) Contents(_ context.Context, hashes []plat.Hash) (all [][]byte, err error) {
	for _, h := range hashes {
		all = append(all, m.contents[h])
	}
	return all, nil
}

func (m *memory) Layout(context.Context, plat.Hash) (plat.Layout, error) { return m.layout, nil }

func (m *memory) Manifest(context.Context, plat.Hash) (plat.Manifest, error) { return nil, nil }

// visit archives a page after so many days: a leaf of each line, with its lineage. No lines: it is
// gone.
func (m *memory) visit(url string, day int, own []plat.SelfChange, lines ...string) {
	at := start.AddDate(0, 0, day)
	if len(lines) == 0 {
		m.visits[url] = append(m.visits[url], plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeGone})
		return
	}
	v := &plat.Version{URL: url, N: len(m.versions[url]) + 1, Taken: at, Coverage: 1, Layout: m.layout.Sum(), SelfChanges: own, Lineages: 9}
	v.Blocks = []plat.Block{{Parent: -1, Slot: -1, Run: 1, Tag: "body"}}
	for i, text := range lines {
		content := []byte("<p>" + text + "</p>")
		h := plat.HashOf(content)
		m.contents[h] = content
		v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, int32(i)}, Run: 1, Level: 1, Tag: "p", Slot: 0, Pos: int32(i), Hash: h,
			Box: plat.Rect{Y: float32(100 * i), W: 500, H: 100}, TextLen: int32(len(strings.ReplaceAll(text, " ", ""))), Label: plat.LabelMain, Lineage: int32(i + 1)})
	}
	if strings.HasPrefix(lines[0], "buy") {
		v.Blocks[1].Label = plat.LabelAdvertisement
	}
	if n := len(m.versions[url]); n > 0 && fmt.Sprint(hashes(m.versions[url][n-1])) == fmt.Sprint(hashes(v)) {
		m.visits[url] = append(m.visits[url], plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeUnchanged, Version: n})
		return
	}
	m.versions[url] = append(m.versions[url], v)
	m.visits[url] = append(m.visits[url], plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeChanged, Version: v.N})
}

func hashes(v *plat.Version) (all []plat.Hash) {
	for i := range v.Blocks {
		all = append(all, v.Blocks[i].Hash)
	}
	return all
}

func TestTraces(t *testing.T) {
	m := &memory{versions: map[string][]*plat.Version{}, visits: map[string][]plat.Visit{}, contents: map[plat.Hash][]byte{},
		layout: plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12}}}
	const page, other, alias = "https://a.test/", "https://b.test/x", "https://a.test/alias"
	long := "a long sentence that stands on the page and does not change at all for quite some time"
	m.visit(page, 0, nil, long, "seven people are reading this", "it is the first of March now")
	m.visit(page, 1, nil, long, "eight people are reading that", "it is the first of March now")
	m.visit(page, 3, []plat.SelfChange{{Lineage: 3, Kind: plat.Content, Why: "date"}}, long, "eight people are reading that", "it is the third of March now")
	m.visit(page, 4, nil)
	m.visit(page, 5, nil)
	m.visit(page, 6, nil, long, "eight people are reading that", "it is the third of March now")
	m.visit(page, 9, nil, long, "seven people are reading this", "it is the third of March now")
	m.visit(page, 12, nil, long, "seven people are reading this", "it is the third of March now")
	m.visit(other, 2, nil, "buy this now", long)
	for _, url := range []string{page, alias, other} {
		s := plat.URLState{URL: url, Head: len(m.versions[url]), First: start}
		if n := len(m.visits[url]); n > 0 {
			s.Last = m.visits[url][n-1].Time
		}
		if url == alias {
			s.Head, s.Main = 1, page
		}
		m.states = append(m.states, s)
	}
	all, err := archived.Traces(t.Context(), m, archived.Options{})
	if err != nil || len(all) != 1 || len(all[0].Pages) != 2 || all[0].To-all[0].From != 12 {
		t.Fatalf("%+v: %v", all, err)
	}
	p := &all[0].Pages[0]
	if p.Until != all[0].To || all[0].Pages[1].Until != all[0].From+2 {
		t.Errorf("known until %v and %v", p.Until, all[0].Pages[1].Until)
	}
	var days []float64
	for _, c := range p.Changes {
		days = append(days, c.At-all[0].From)
	}
	if want := []float64{0, 1, 3, 4, 6, 9}; !slices.Equal(days, want) {
		t.Fatalf("changes on days %v, want %v", days, want)
	}
	if c := p.Changes; c[3].State != 0 || c[3].Blocks != nil || c[4].State != c[2].State {
		t.Error("it was gone, and came back as it had been")
	}
	state := func(change, lineage int) uint64 {
		b := p.Changes[change].Blocks[lineage-1]
		if int(b.Lineage) != lineage {
			t.Fatalf("change %d: %+v", change, p.Changes[change].Blocks)
		}
		return b.State
	}
	switch {
	case state(0, 1) != state(5, 1):
		t.Error("a block that never changed has become another")
	case state(0, 2) == state(1, 2) || state(0, 2) != state(5, 2):
		t.Error("other words are another state, and the same ones the same")
	case state(0, 3) != state(2, 3) || state(0, 3) != state(5, 3):
		t.Error("what the page changes by itself has become another state")
	}
	if b := all[0].Pages[1].Changes[0].Blocks; b[0].Weight != 0 || b[1].Weight < 50 {
		t.Errorf("of an advertisement and a sentence: %+v", b)
	}
	sites, err := archived.Traces(t.Context(), m, archived.Options{BySite: true})
	if err != nil || len(sites) != 1 || sites[0].Name != "a.test" { // the other was visited once
		t.Errorf("%+v: %v", sites, err)
	}
	if _, err := archived.Traces(t.Context(), m, archived.Options{MinPages: 3}); err == nil || !strings.Contains(err.Error(), "visited twice") {
		t.Error(err)
	}
	r, err := simulate.Run(t.Context(), all[0], 1, "blocks", simulate.Signals{})
	if err != nil || !r.Blocks {
		t.Errorf("%+v: %v", r, err)
	}
}
