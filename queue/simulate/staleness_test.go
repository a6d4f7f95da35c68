package simulate

import (
	"math"
	"testing"
)

// The measure can be counted by hand: of a page of two lasting blocks and a volatile one, the
// smaller lasting one changes at day 4.5, and a third comes at day 6.5.
func TestBlockStaleness(t *testing.T) {
	trace := &Trace{Name: "one", To: 10}
	p := Page{Name: "page"}
	for day := range 10 {
		blocks := []Block{{Lineage: 1, State: 1, Weight: 60}, {Lineage: 2, State: 1, Weight: 40}, {Lineage: 3, State: uint64(day), Weight: 900}, {Lineage: 4, State: uint64(day), Weight: 0}}
		if day > 4 {
			blocks[1].State = 2
		}
		if day > 6 {
			blocks = append(blocks, Block{Lineage: 5, State: 1, Weight: 100})
		}
		at := float64(day)
		if day > 0 {
			at -= 0.5
		}
		p.Changes = append(p.Changes, Change{At: at, State: uint64(day + 1), Blocks: blocks})
	}
	trace.Pages = []Page{p}
	for _, tc := range []struct{ until, visit, want float64 }{
		{0, 0, (2*0.4 + 3.5*(140.0/200)) / 10},
		{0, 5, (0.5*0.4 + 3.5*0.5) / 10},
		{0, 9, (2*0.4 + 2.5*(140.0/200)) / 10},
		{6.5, 0, 2 * 0.4 / 6.5},
	} {
		trace.Pages[0].Until = tc.until
		w, r := newWorld(trace), Result{}
		w.find(0)
		w.visit(0, tc.visit)
		if w.measure(&r); !r.Blocks || math.Abs(r.BlockStaleness-tc.want) > 1e-9 {
			t.Errorf("visited on day %v, known until day %v: block staleness %v, want %v", tc.visit, tc.until, r.BlockStaleness, tc.want)
		}
	}
}
