package simulate_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"plat/queue/schedule"
	"plat/queue/simulate"
)

// made returns a page with blocks of weight 100 that change at the given rates a day.
func made(r *rand.Rand, name string, days float64, rates []float64) simulate.Page {
	type event struct {
		at    float64
		block int
	}
	var events []event
	for k, rate := range rates {
		for at := r.ExpFloat64() / rate; at < days; at += r.ExpFloat64() / rate {
			events = append(events, event{at, k})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	blocks := make([]simulate.Block, len(rates))
	for k := range blocks {
		blocks[k] = simulate.Block{Lineage: int32(k + 1), State: 1, Weight: 100}
	}
	p := simulate.Page{Name: name, Changes: []simulate.Change{{State: 1, Blocks: slices.Clone(blocks)}}}
	for i, e := range events {
		blocks[e.block].State++
		p.Changes = append(p.Changes, simulate.Change{At: e.at, State: uint64(i + 2), Blocks: slices.Clone(blocks)})
	}
	return p
}

// Pages with a volatile block all change alike; in a few a lasting block changes too. Only a
// policy that knows blocks visits these more often.
func TestBlocksAreLookedAtWhereTheyLast(t *testing.T) {
	const days = 100
	r := rand.New(rand.NewPCG(3, 9))
	trace := &simulate.Trace{Name: "made", To: days}
	for i := range 15 {
		rates := []float64{8, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4}
		if i < 3 {
			rates[1] = 0.3
		}
		trace.Pages = append(trace.Pages, made(r, fmt.Sprint(i), days, rates))
	}
	found, err := simulate.Compare(t.Context(), []*simulate.Trace{trace}, []float64{0.5, 1}, schedule.Worths(), simulate.Signals{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	best, blocks := map[float64]float64{}, map[float64]float64{}
	for _, c := range found {
		t.Logf("%v visits a change: %-13s block staleness %.4f", c.VisitsPerChange, c.Policy, c.Mean.BlockStaleness)
		if !c.Mean.Blocks || !(c.Mean.BlockStaleness >= 0 && c.Mean.BlockStaleness <= 1) {
			t.Errorf("%s: %+v", c.Policy, c.Mean)
		}
		if c.Policy == "blocks" {
			blocks[c.VisitsPerChange] = c.Mean.BlockStaleness
		} else if b, some := best[c.VisitsPerChange]; !some || c.Mean.BlockStaleness < b {
			best[c.VisitsPerChange] = c.Mean.BlockStaleness
		}
	}
	for budget := range best {
		if blocks[budget] > 0.8*best[budget] {
			t.Errorf("%v visits a change: block staleness %.4f, with the best policy that knows only pages %.4f", budget, blocks[budget], best[budget])
		}
	}
}
