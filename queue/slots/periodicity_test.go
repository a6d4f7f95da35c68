package slots

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// counted makes a period with so many new items by slot; each stays for two slots.
func counted(counts []int) Period {
	p := Period{Before: Snapshot{}, Slots: make([]Snapshot, len(counts))}
	next := uint64(0)
	for t, count := range counts {
		for range count {
			next++
			p.Slots[t] = append(p.Slots[t], next)
			if t+1 < len(counts) {
				p.Slots[t+1] = append(p.Slots[t+1], next)
			}
		}
	}
	return p
}

// found returns the share of 150 pages, each of d periods, with P up to a level.
func found(t *testing.T, d int, level float64, counts func(r *rand.Rand) func() []int) float64 {
	r := rand.New(rand.NewPCG(9, 1))
	small := 0
	const pages = 150
	for range pages {
		page := counts(r)
		var periods []Period
		for range d {
			periods = append(periods, counted(page()))
		}
		got, err := Periodic(periods)
		if err != nil {
			t.Fatal(err)
		}
		if got.P <= level {
			small++
		}
	}
	return float64(small) / pages
}

func TestPeriodicityIsFoundWhereItIs(t *testing.T) {
	chance := func(r *rand.Rand) func() []int {
		return func() []int {
			row := make([]int, 30)
			for i := range row {
				row[i] = max(0, r.IntN(12)-4)
			}
			return row
		}
	}
	bursts := func(r *rand.Rand) func() []int {
		return func() []int {
			row := make([]int, 30)
			on := false
			for i := range row {
				if r.IntN(3) == 0 {
					on = !on // three slots of a kind in the mean
				}
				if on {
					row[i] = 1 + r.IntN(8)
				}
			}
			return row
		}
	}
	weekly := func(r *rand.Rand) func() []int {
		return func() []int {
			row := make([]int, 28)
			for i := range row {
				if i%7 < 5 && r.IntN(4) > 0 {
					row[i] = 1 + r.IntN(8)
				}
			}
			return row
		}
	}
	hours := func(r *rand.Rand) func() []int {
		busy := r.Perm(24)[:8]
		return func() []int {
			row := make([]int, 24)
			for _, h := range busy {
				row[h] = r.IntN(4)
			}
			return row
		}
	}
	for _, tc := range []struct {
		name         string
		d            int
		counts       func(*rand.Rand) func() []int
		atLeast, max float64
	}{
		{"chance", 2, chance, 0, 0.1},
		{"chance", 5, chance, 0, 0.1},
		{"bursts", 2, bursts, 0, 0.12},
		{"bursts", 5, bursts, 0, 0.12},
		{"weekends", 2, weekly, 0.6, 1},
		{"weekends", 4, weekly, 0.99, 1},
		{"hours of the day", 2, hours, 0.7, 1},
		{"hours of the day", 7, hours, 0.99, 1},
	} {
		got := found(t, tc.d, 0.05, tc.counts)
		t.Logf("%s, %d periods: P ≤ 0.05 for %.3f of the pages", tc.name, tc.d, got)
		if got < tc.atLeast || got > tc.max {
			t.Errorf("%s, %d periods: P ≤ 0.05 for %.3f of the pages, want %.2f to %.2f", tc.name, tc.d, got, tc.atLeast, tc.max)
		}
	}
}

func TestWithoutTwoPeriodsThereIsNoPeriodicity(t *testing.T) {
	news := counted([]int{1, 0, 3, 0, 5})
	for name, periods := range map[string][]Period{
		"one period":             {news},
		"one period with news":   {news, counted([]int{0, 0, 0, 0, 0})},
		"each slot has the same": {counted([]int{1, 1, 1, 1, 1}), counted([]int{2, 2, 2, 2, 2})},
		"one slot":               {counted([]int{1}), counted([]int{1})},
		"only the first slot":    {{Slots: []Snapshot{{1}, {1}}}, {Slots: []Snapshot{{1}, {1}}}},
	} {
		if got, err := Periodic(periods); err != nil || got.P != 1 || got.Correlation != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestThePrintedMonthRepeatsItself(t *testing.T) {
	p := printed(3)
	got, err := Periodic([]Period{p, p})
	if err != nil || got.P > 0.01 || got.Correlation < 0.999 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The news of the first slot count if every period says what was there before it.
func TestTheFirstSlotCountsIfAllPeriodsSayWhatWasBefore(t *testing.T) {
	// Without their first slots the periods are the opposite of each other.
	a, b := counted([]int{90, 4, 0, 4, 0}), counted([]int{90, 0, 4, 0, 4})
	all, err := Periodic([]Period{a, b})
	if err != nil || all.Correlation < .5 {
		t.Errorf("with the first slots: %+v, %v", all, err)
	}
	for i := range 2 {
		periods := []Period{a, b}
		periods[i].Before = nil
		if rest, err := Periodic(periods); err != nil || rest.Correlation > -.9 {
			t.Errorf("if period %d does not say what was before: %+v, %v", i, rest, err)
		}
	}
}

// A shuffled row has the values of the row, each once, whatever its length.
func TestAShuffledRowKeepsItsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 70; n++ {
		row, to := make([]float64, n), make([]float64, n)
		for i := range row {
			row[i] = float64(i + 1)
		}
		shuffle(r, to, row)
		slices.Sort(to)
		if !slices.Equal(to, row) {
			t.Fatalf("of %d values it has %v", n, to)
		}
	}
}
