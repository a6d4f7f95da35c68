package slots

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMinimizeFindsWhatBruteForceFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	instances := 0
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		for range 100 {
			n := 1 + r.IntN(12)
			m, err := NewMatrix(randomSeries(r, 1+r.IntN(4), n, kinds[name]))
			if err != nil {
				t.Fatal(err)
			}
			f := 1 + r.IntN(n)
			got, err := Minimize(t.Context(), m, f, 0)
			if err != nil {
				t.Fatal(err)
			}
			want := leastTotal(m, f)
			if math.Abs(got.Total-want) > 1e-9 || got.Gap() != 0 || got.Total != m.Total(got.Slots) || len(got.Slots) != f || checkPlan(n, got.Slots) != nil {
				t.Fatalf("%s, %d of %d: %+v, brute force finds %v", name, f, n, got, want)
			}
			instances++
		}
	}
	t.Logf("%d instances", instances)
}

func TestPlanFindsWhatBruteForceFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for i := range 400 {
		n := 1 + r.IntN(11)
		var periods []Period
		for range 1 + r.IntN(3) {
			periods = append(periods, randomPeriod(r, n, 0.1*float64(i%3)))
		}
		f := 1 + r.IntN(n)
		got, err := Plan(t.Context(), periods, f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := matrixOf(t, periods)
		if want := leastTotal(m, f); math.Abs(m.Total(got.Slots)-want) > 1e-9 || got.Kept != n || got.NoChange {
			t.Fatalf("%d of %d: %+v, brute force finds %v", f, n, got, want)
		}
		all, err := Exhaustive(t.Context(), m, f)
		if err != nil || math.Abs(m.Total(all)-got.Total) > 1e-9 {
			t.Fatalf("%d of %d: Exhaustive finds %v, %v, Plan %+v", f, n, all, err, got)
		}
	}
}

func matrixOf(t testing.TB, periods []Period) *Matrix {
	var series [][]float64
	for _, p := range periods {
		series = append(series, PTS(p))
	}
	m, err := NewMatrix(series)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLargeSearchesFindNoWorsePlanThanEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		m, err := NewMatrix(randomSeries(r, 2, 18, kinds[name]))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []int{5, 9, 13} {
			got, err := Minimize(t.Context(), m, f, 0)
			if err != nil {
				t.Fatal(err)
			}
			all, err := Exhaustive(t.Context(), m, f)
			if err != nil || math.Abs(m.Total(all)-got.Total) > 1e-9 || got.Gap() != 0 {
				t.Errorf("%s, %d of 18: %+v, brute force finds %v, %v", name, f, got, m.Total(all), err)
			}
		}
	}
}

func TestASearchThatEndsEarlySaysHowFarItMayBeOff(t *testing.T) {
	m, err := NewMatrix(randomSeries(rand.New(rand.NewPCG(4, 1)), 2, 30, kinds["often one"]))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Minimize(t.Context(), m, 11, 0)
	if err != nil || whole.Gap() != 0 {
		t.Fatalf("%+v, %v", whole, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	gap := math.Inf(1)
	for _, tc := range []struct {
		ctx   context.Context
		nodes int
		want  int
	}{{ended, 0, 0}, {t.Context(), 1, 1}, {t.Context(), 50, 50}, {t.Context(), whole.Nodes / 2, whole.Nodes / 2}, {t.Context(), whole.Nodes, whole.Nodes}} {
		got, err := Minimize(tc.ctx, m, 11, tc.nodes)
		if err != nil || got.Nodes != tc.want {
			t.Fatalf("%d nodes: %+v, %v", tc.nodes, got, err)
		}
		if got.Bound > whole.Total+tiny || got.Total < whole.Total-tiny || got.Gap() < 0 || got.Gap() > gap {
			t.Errorf("%d nodes: %+v; the best plan has %v", tc.nodes, got, whole.Total)
		}
		gap = got.Gap()
	}
	if gap != 0 {
		t.Errorf("with enough nodes the gap is %v", gap)
	}
}

func TestVisitsAreInTheFirstOfEqualSlots(t *testing.T) {
	m, err := NewMatrix([][]float64{{1, 1, 0.2, 1, 1, 0.3, 1}, {1, 1, 0.4, 1, 1, 0.1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range [][]int{1: {0}, 3: {0, 3, 6}, 8: {0, 1, 2, 3, 4, 5, 6, 7}} {
		if want == nil {
			continue
		}
		if got, err := Minimize(t.Context(), m, f, 0); err != nil || !slices.Equal(got.Slots, want) {
			t.Errorf("%d visits: %v, %v, want %v", f, got, err, want)
		}
	}
}

func TestMatrixHasMeansOfProducts(t *testing.T) {
	m, err := NewMatrix([][]float64{{0.5, 0.5, 0}, {1, 0.25, 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1, 0.75, 0.25, 0.125}, {0.75, 1, 0.375, 0.125}, {0.25, 0.375, 1, 0.5}, {0.125, 0.125, 0.5, 1}}
	for i := range want {
		if !slices.Equal(m.row(i), want[i]) {
			t.Errorf("row %d is %v, want %v", i, m.row(i), want[i])
		}
	}
	// xᵀMx of the plan {0, 2, 3} is 3 + 2·(0.25 + 0.125 + 0.5).
	if got := m.Total([]int{0, 2, 3}); got != 0.875 {
		t.Errorf("Total = %v, want 0.875", got)
	}
}

func TestFilterKeepsTheFirstSlotAndThoseWithNews(t *testing.T) {
	series := [][]float64{{1, 0.4, 0.7, 0.65}, {1, 0.6, 0.5, 0.65}}
	for _, tc := range []struct {
		delta float64
		want  []int
	}{{2, []int{0, 1, 2, 3, 4}}, {1, []int{0, 2, 3, 4}}, {0.65, []int{0, 2, 3}}, {0.55, []int{0, 2}}, {0, []int{0}}} {
		got, err := Filter(series, tc.delta)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("Filter(%v) = %v, %v, want %v", tc.delta, got, err, tc.want)
		}
	}
}

func TestAPageThatChangesTooLittleIsMarked(t *testing.T) {
	p := []Period{{Slots: []Snapshot{{1}, {1}, {2}, {2}, {3}}}}
	got, err := Plan(t.Context(), p, 3, Options{Delta: 0.65})
	if err != nil || got.NoChange || !slices.Equal(got.Slots, []int{0, 2, 4}) || got.Kept != 3 {
		t.Errorf("3 visits: %+v, %v", got, err)
	}
	got, err = Plan(t.Context(), p, 4, Options{Delta: 0.65})
	if err != nil || !got.NoChange || got.Slots != nil || got.Kept != 3 {
		t.Errorf("4 visits: %+v, %v", got, err)
	}
}

func TestAFilteredPlanIsTheBestOfItsMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	planned := 0
	for range 200 {
		n := 2 + r.IntN(10)
		periods := []Period{randomPeriod(r, n, 0), randomPeriod(r, n, 0)}
		f, delta := 1+r.IntN(n), r.Float64()
		got, err := Plan(t.Context(), periods, f, Options{Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		series := [][]float64{PTS(periods[0]), PTS(periods[1])}
		kept, err := Filter(series, delta)
		if err != nil || got.Kept != len(kept) || got.NoChange != (len(kept) < f) {
			t.Fatalf("δ %v keeps %v, %v: %+v", delta, kept, err, got)
		}
		if got.NoChange {
			continue
		}
		planned++
		m, err := NewMatrix(reduce(series, kept))
		if err != nil || math.Abs(got.Total-leastTotal(m, f)) > 1e-9 {
			t.Fatalf("%d of %v: %+v, brute force finds %v, %v", f, kept, got, leastTotal(m, f), err)
		}
		for _, slot := range got.Slots {
			if !slices.Contains(kept, slot) {
				t.Fatalf("slot %d is not one of %v", slot, kept)
			}
		}
	}
	if planned < 50 {
		t.Errorf("only %d of 200 were planned", planned)
	}
}

// TestExchangesEndWhereNoneHelps: whatever the plan begins with, no exchange of one slot for another lessens its
// total afterwards.
func TestExchangesEndWhereNoneHelps(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for range 300 {
		n := 3 + r.IntN(9)
		m := &Matrix{n: n, cell: make([]float64, n*n)}
		for i := range n {
			m.cell[i*n+i] = 1
			for j := range i {
				x := r.Float64()
				m.cell[i*n+j], m.cell[j*n+i] = x, x
			}
		}
		f := 1 + r.IntN(n-1)
		plan := r.Perm(n)[:f]
		before := m.Total(plan)
		descend(m, plan)
		total := m.Total(plan)
		if total > before+1e-9 {
			t.Fatalf("a plan gets worse: %v after %v", total, before)
		}
		for k := range plan {
			for to := range n {
				if slices.Contains(plan, to) {
					continue
				}
				other := slices.Clone(plan)
				if other[k] = to; m.Total(other) < total-1e-9 {
					t.Fatalf("%v has the total %v, %v has %v", plan, total, other, m.Total(other))
				}
			}
		}
		if best := m.Total(exchange(m, f)); best > total+1 {
			t.Fatalf("the best of three plans has the total %v, one has %v", best, total)
		}
	}
}
