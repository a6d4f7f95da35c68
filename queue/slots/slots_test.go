package slots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSimilarityIsTheShareOfCommonItems(t *testing.T) {
	for _, tc := range []struct {
		a, b Snapshot
		want float64
	}{
		{nil, nil, 1},
		{nil, NewSnapshot("a"), 0},
		{NewSnapshot("a", "b"), NewSnapshot("b", "a", "a"), 1},
		{NewSnapshot("a", "b"), NewSnapshot("b", "c"), 1.0 / 3},
	} {
		if got := Similarity(tc.a, tc.b); got != tc.want || Similarity(tc.b, tc.a) != got {
			t.Errorf("Similarity(%v, %v) = %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestBaselines(t *testing.T) {
	for _, tc := range []struct {
		n, f int
		want []int
	}{{30, 5, []int{0, 6, 12, 18, 24}}, {7, 3, []int{0, 2, 4}}, {3, 3, []int{0, 1, 2}}, {1, 1, []int{0}}} {
		if got, err := Uniform(tc.n, tc.f); err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("Uniform(%d, %d) = %v, %v, want %v", tc.n, tc.f, got, err, tc.want)
		}
	}
	seen := map[string]int{}
	for seed := range uint64(3000) {
		plan, err := Random(5, 2, seed)
		again, _ := Random(5, 2, seed)
		if err != nil || checkPlan(5, plan) != nil || !slices.Equal(plan, again) {
			t.Fatalf("seed %d: %v, then %v, %v", seed, plan, again, err)
		}
		seen[fmt.Sprint(plan)]++
	}
	for plan, count := range seen {
		if count < 220 || count > 380 { // five standard deviations
			t.Errorf("%s %d times of 3000, want some 300", plan, count)
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d of 10 plans", len(seen))
	}
}

func TestBadInputIsRefusedWithAReason(t *testing.T) {
	good := []Period{{Slots: []Snapshot{{1}, {1, 2}, {3}}}}
	ctx := t.Context()
	plan := func(p []Period, f int, delta float64) error {
		_, err := Plan(ctx, p, f, Options{Delta: delta})
		return err
	}
	dp := func(p []Period, f int, g Goal) error { _, err := PlanDP(p, f, g); return err }
	measure := func(p Period, plan ...int) error { _, err := Accuracy(p, plan); return err }
	_, uniform := Uniform(0, 1)
	_, random := Random(3, 4, 1)
	_, age := Freshness(good[0], []int{1}, 0)
	_, cost := Cost(0, nil)
	_, matrix := NewMatrix([][]float64{{0.5, math.NaN()}})
	_, ragged := NewMatrix([][]float64{{0.5}, {0.5, 0.5}})
	_, none := Filter(nil, 0.5)
	_, periodic := Periodic(nil)
	for _, tc := range []struct {
		err  error
		want string
	}{
		{plan(good, 0, 0), "0 visits: give at least one"},
		{plan(good, -1, 0), "-1 visits: give at least one"},
		{plan(good, 4, 0), "4 visits in 3 slots: give at most 3"},
		{plan(nil, 1, 0), "no periods: give at least one"},
		{plan([]Period{{}}, 1, 0), "period 1 has no slots: give a snapshot of each"},
		{plan(append(good, Period{Slots: make([]Snapshot, 2)}), 1, 0), "period 2 has 2 slots, the first has 3: give each the same number"},
		{plan(good, 1, math.NaN()), "greatest similarity NaN: give 0 to 1"},
		{plan(good, 1, -1), "greatest similarity -1: give 0 to 1"},
		{plan([]Period{{Slots: []Snapshot{{2, 1}}}}, 1, 0), "period 1: the snapshot of slot 0 is not in order: make it with NewSnapshot"},
		{plan([]Period{{Slots: []Snapshot{{1}}, Before: Snapshot{1, 1}}}, 1, 0), "period 1: Before is not in order: make it with NewSnapshot"},
		{dp(good, 4, Goal{}), "4 visits in 3 slots: give at most 3"},
		{dp(good, 1, Goal{Accuracy: math.NaN()}), "weight NaN of a goal: give 0 or more"},
		{dp(good, 1, Goal{Freshness: math.Inf(1)}), "weight +Inf of a goal: give 0 or more"},
		{dp(good, 1, Goal{Age: -1}), "fresh for -1 slots: give at least 1"},
		{measure(good[0], 3), "slot 3 of a plan: there are slots 0 to 2"},
		{measure(good[0], 1, 1), "slot 1 after slot 1 of a plan: sort it, each slot once"},
		{measure(Period{}), "period 1 has no slots: give a snapshot of each"},
		{uniform, "0 slots: give at least one"},
		{random, "4 visits in 3 slots: give at most 3"},
		{age, "fresh for 0 slots: give at least 1"},
		{cost, "0 slots: give at least one"},
		{matrix, "period 1: similarity 1 is NaN: give 0 to 1"},
		{ragged, "period 2 has 2 similarities, the first has 1: give each the same number"},
		{none, "no periods: give at least one"},
		{periodic, "no periods: give at least one"},
	} {
		if tc.err == nil || tc.err.Error() != tc.want {
			t.Errorf("error %v, want %s", tc.err, tc.want)
		}
	}
}

func TestExhaustiveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m, err := NewMatrix([][]float64{make([]float64, 29)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Exhaustive(ctx, m, 11); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "11 visits in 30 slots") {
		t.Errorf("error %v", err)
	}
}

func TestAPeriodWithoutNewsHasAllOfThemFound(t *testing.T) {
	empty := Period{Slots: make([]Snapshot, 3)}
	a, err1 := Accuracy(empty, nil)
	d, err2 := distinct(empty, nil)
	f, err3 := Freshness(empty, []int{1}, 1)
	if a != 1 || d != 1 || f != 1 || err1 != nil || err2 != nil || err3 != nil {
		t.Errorf("%v %v %v, %v %v %v", a, d, f, err1, err2, err3)
	}
	if plan, err := PlanDP([]Period{empty, empty}, 2, Goal{}); err != nil || len(plan) != 2 {
		t.Errorf("%v, %v", plan, err)
	}
}

// FuzzPlans makes periods of any bytes. Either there is an error, or every plan has f slots
// and no measure is beyond 0 to 1.
func FuzzPlans(f *testing.F) {
	f.Add([]byte("\x03\x02ab\x02bc\x01c"), 2, 0.65, 1.0, 1)
	f.Add([]byte{}, 0, 0.0, 0.0, 0)
	f.Add([]byte("\x01\x00"), 1, math.NaN(), math.MaxFloat64, -1)
	f.Add(slices.Repeat([]byte("\x05\x01a\x01a\x02ab\x00\x01c"), 3), 3, 1e-300, math.MaxFloat64, math.MaxInt)
	f.Fuzz(func(t *testing.T, data []byte, visits int, delta, weight float64, age int) {
		periods := decode(data)
		goal := Goal{Accuracy: weight, Freshness: 1, Age: age}
		planned, err := Plan(t.Context(), periods, visits, Options{Delta: delta, Nodes: 500})
		if err == nil && !planned.NoChange {
			examine(t, periods, visits, planned.Slots)
			if !(planned.Bound <= planned.Total && planned.Bound >= 0 && planned.Gap() >= 0) {
				t.Fatalf("%+v", planned)
			}
		}
		plan, err := PlanDP(periods, visits, goal)
		if err == nil {
			examine(t, periods, visits, plan)
		}
		found, err := Periodic(periods)
		if (err == nil) != (checkPeriods(periods) == nil) || err == nil && !(found.P > 0 && found.P <= 1 && math.Abs(found.Correlation) <= 1+tiny) {
			t.Fatalf("%+v, %v", found, err)
		}
	})
}

func examine(t *testing.T, periods []Period, visits int, plan []int) {
	n := len(periods[0].Slots)
	if len(plan) != visits || checkPlan(n, plan) != nil {
		t.Fatalf("%d of %d: %v", visits, n, plan)
	}
	for _, p := range periods {
		a, err1 := Accuracy(p, plan)
		d, err2 := distinct(p, plan)
		f, err3 := Freshness(p, plan, 2)
		for _, x := range []float64{a, d, f} {
			if !(x >= 0 && x <= 1) || err1 != nil || err2 != nil || err3 != nil {
				t.Fatalf("%v %v %v, %v %v %v", a, d, f, err1, err2, err3)
			}
		}
	}
}

// decode reads periods: the number of slots, at most 15, then of each slot the number of its
// items, and the items; 255 in place of the number of slots: before is next, too.
func decode(data []byte) (periods []Period) {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	snapshot := func() Snapshot {
		var s Snapshot
		for range next() % 32 {
			s = append(s, uint64(next()))
		}
		if next()%16 != 0 { // else as it came: perhaps not in order
			slices.Sort(s)
			s = slices.Compact(s)
		}
		return s
	}
	for len(data) > 0 && len(periods) < 4 {
		var p Period
		n := next()
		if n == 255 {
			p.Before, n = snapshot(), next()
		}
		for range n % 16 {
			p.Slots = append(p.Slots, snapshot())
		}
		periods = append(periods, p)
	}
	return periods
}

func TestHashesDoNotDependOnTheProcess(t *testing.T) {
	if got := NewSnapshot("a", "a"); !slices.Equal(got, Snapshot{0xaf63dc4c8601ec8c}) { // FNV-1a
		t.Errorf("%x", got)
	}
}
