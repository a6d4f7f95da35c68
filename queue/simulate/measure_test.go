package simulate

import (
	"math"
	"slices"
	"testing"

	"plat/queue/schedule"
)

// near reports whether two numbers differ by rounding only.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestMeasuresOfTwoPages is counted by hand. Page a changes on days 2, 4 and 6, page b never; both are visited on day 5.
// Until then the copy of a lacks no change for 2 days, one for 2 days and two for 1; after day 6 one for 4 days.
func TestMeasuresOfTwoPages(t *testing.T) {
	w := newWorld(&Trace{To: 10, Pages: []Page{
		{Changes: []Change{{At: 0, State: 1}, {At: 2, State: 2}, {At: 4, State: 3}, {At: 6, State: 4}}},
		{Changes: []Change{{At: 5, State: 9}}},
		{Changes: []Change{{At: 10, State: 9}}}, // no time
	}})
	w.find(10)
	changed, still := w.visit(0, 5), w.visit(1, 5)
	var r Result
	w.measure(&r)
	staleA := (2*1 + 1*1.5 + 4*1) / 10.0
	if !changed || still || !near(r.Fresh, (0.3+1)/2) || !near(r.Staleness, staleA/2) || !near(r.Captured, 1.0/3) || r.Blocks || r.BlockStaleness != 0 {
		t.Errorf("changed %v and %v, measures %+v", changed, still, r)
	}
	if !near(r.Delay[0], 3) || !near(r.Delay[1], 4) { // of 1, 3 and 4 days
		t.Errorf("delays %v", r.Delay)
	}
}

// TestTheMeanOfBlocksIsOverTracesWithBlocks: the other measures count each trace.
func TestTheMeanOfBlocksIsOverTracesWithBlocks(t *testing.T) {
	m := mean([]Result{
		{Visits: 3, Budget: 5, Planning: 7, Fresh: 0.5, Staleness: 2, Captured: 0.25, Wasted: 0.5, Asked: 3, Delay: [2]float64{1, 10}, Blocks: true, BlockStaleness: 0.75},
		{Visits: 10, Budget: 20, Planning: 30, Fresh: 1, Staleness: 4, Captured: 1, Wasted: 0, Asked: 1, Delay: [2]float64{3, 30}, Blocks: true, BlockStaleness: 0.25},
		{},
		{},
	})
	want := Result{Visits: 13, Budget: 25, Planning: 37, Fresh: 0.375, Staleness: 1.5, Captured: 0.3125, Wasted: 0.125, Asked: 1, Delay: [2]float64{1, 10}, Blocks: true, BlockStaleness: 0.5}
	if m != want {
		t.Errorf("mean %+v, want %+v", m, want)
	}
	if m := mean(nil); m != (Result{}) {
		t.Errorf("of no traces %+v", m)
	}
}

// TestSignalsComeWithChangesAndAtRandom: with recall one each change but the first has its signal; false ones are as many per
// change as they are to be, and within the life of the page.
func TestSignalsComeWithChangesAndAtRandom(t *testing.T) {
	trace := &Trace{To: 1000, Pages: []Page{
		{Changes: []Change{{At: 500}, {At: 600}, {At: 700}}},
		{Changes: []Change{{At: 100}}}, // has no changes, so no false signals
		{Changes: []Change{{At: 0}, {At: 650}}},
	}}
	if all := (Signals{}).of(trace); len(all) != 0 {
		t.Errorf("no signals are %v", all)
	}
	if all := (Signals{Recall: 1}).of(trace); !slices.Equal(all, []signal{{600, 0}, {650, 2}, {700, 0}}) {
		t.Errorf("signals of all changes are %v", all)
	}
	all := (Signals{False: 1000, Seed: 3}).of(trace)
	var n [3]int
	for i, s := range all {
		if n[s.page]++; s.at < trace.Pages[s.page].Changes[0].At || s.at >= trace.To || i > 0 && s.at < all[i-1].at {
			t.Errorf("a signal of page %d at %v", s.page, s.at)
		}
	}
	if n[1] != 0 || math.Abs(float64(n[0])-2000) > 200 || math.Abs(float64(n[2])-1000) > 150 {
		t.Errorf("false signals by page %v, want about 2000, 0 and 1000", n)
	}
}

// TestPartsOfAVisit: blocks that the copy lacks are new, those in a different state have changed.
func TestPartsOfAVisit(t *testing.T) {
	if got := parts(&Change{}, &Change{}); got != nil {
		t.Errorf("of a page without blocks %v", got)
	}
	was, is := []Block{{1, 1, 10}, {2, 1, 20}, {3, 1, 30}}, []Block{{2, 2, 20}, {1, 1, 11}, {4, 1, 40}}
	want := []schedule.Part{{Lineage: 2, Weight: 20, Change: schedule.PartOther}, {Lineage: 1, Weight: 11}, {Lineage: 4, Weight: 40, Change: schedule.PartNew}}
	if got := parts(&Change{Blocks: was}, &Change{Blocks: is}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := parts(&Change{Blocks: was}, &Change{}); got == nil || len(got) != 0 {
		t.Errorf("of a page whose blocks are gone %v", got)
	}
}

// TestWithoutBlocksThereIsNoMeasureOfThem: an empty list of blocks is not one, and weights are parts of one.
func TestWithoutBlocksThereIsNoMeasureOfThem(t *testing.T) {
	if m := newBlocks(&Trace{Pages: []Page{{Changes: []Change{{Blocks: []Block{}}, {}}}}}); m != nil {
		t.Errorf("a trace without blocks has %+v", m)
	}
	m := newBlocks(&Trace{Pages: []Page{{Changes: []Change{{Blocks: []Block{{3, 1, 0.25}, {1, 1, 0.75}, {2, 1, 0}}}}}}})
	if m == nil || !slices.Equal(m.pages[0].lasting[0], []Block{{1, 1, 0.75}, {3, 1, 0.25}}) || len(m.pages[0].states[0]) != 3 {
		t.Errorf("blocks %+v", m)
	}
}

// TestVolatileBlocks: a block is volatile if it changed at more than half of at least four changes of its page, and its states
// lasted for less than a day.
func TestVolatileBlocks(t *testing.T) {
	for _, tc := range []struct {
		days    float64 // between changes of the page
		states  []uint64
		want    bool
		because string
	}{
		{0.5, []uint64{1, 2, 3, 4, 5}, true, "it changes each time"},
		{0.5, []uint64{1, 2, 3, 4}, false, "three changes are too few"},
		{0.5, []uint64{1, 2, 3, 4, 4}, true, "it changes at three of four, each 0.67 days"},
		{0.5, []uint64{1, 2, 3, 3, 3}, false, "it changes at half of them"},
		{1, []uint64{1, 2, 3, 4, 5}, false, "its states last for a day"},
		{0.75, []uint64{1, 2, 3, 4, 4}, false, "its three states last for a day"},
	} {
		var changes []Change
		for i, s := range tc.states {
			changes = append(changes, Change{At: float64(i) * tc.days, Blocks: []Block{{7, s, 1}, {8, 1, 1}}})
		}
		if got := volatile(changes); got[7] != tc.want || got[8] {
			t.Errorf("%s: volatile %v", tc.because, got)
		}
	}
}
