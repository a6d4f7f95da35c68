package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The estimate from irregular visits finds the rate of a Poisson process, and follows it when
// it changes.
func TestRate(t *testing.T) {
	for _, rate := range []float64{0.005, 0.02, 0.1} {
		r := rand.New(rand.NewPCG(5, uint64(1000*rate)))
		sum, n := 0.0, 400
		for range n {
			var x Intervals
			for range 100 {
				days := (0.2 + 2*r.Float64()) / rate
				x.Add(days, r.Float64() < -math.Expm1(-rate*days))
			}
			sum += math.Log(x.Rate() / rate)
		}
		// Only the last ten visits weigh much, so one estimate is rough; their mean is less so.
		if off := sum / float64(n); math.Abs(off) > 0.35 {
			t.Errorf("rate %v: off by a factor of %.2f", rate, math.Exp(off))
		}
	}
	var x Intervals
	for range 200 {
		x.Add(1, true)
	}
	fast := x.Rate()
	for range 30 {
		x.Add(1, false)
	}
	if slow := x.Rate(); fast < 1 || slow > 0.2 {
		t.Errorf("a rate of %v, and of %v when nothing changes any more", fast, slow)
	}
}

func TestRegularRate(t *testing.T) {
	for _, tc := range []struct {
		n, changed int
		want       float64
	}{{0, 0, 0}, {10, 0, 0}, {10, 5, math.Log(10.5 / 5.5)}, {10, 10, math.Log(21)}, {-1, 3, 0}, {3, 9, math.Log(7)}} {
		if got := RegularRate(tc.n, tc.changed); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", tc.changed, tc.n, got, tc.want)
		}
	}
}

// For visits with any results, worths grow with time from 0, and the chance of a change is between
// 0 and 1.
func TestWorthsOfAllModels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	visits := map[string]func(i int) (days float64, changed bool){
		"changes at every visit": func(int) (float64, bool) { return 1, true },
		"never changes":          func(int) (float64, bool) { return 1, false },
		"a dead page":            func(int) (float64, bool) { return 3000, false },
		"visited at once":        func(i int) (float64, bool) { return 1e-7, i%2 == 0 },
		"clocks that jump": func(i int) (float64, bool) {
			return []float64{-5, 0, math.NaN(), math.Inf(1), 1e9, 1e-12}[i%6], i%3 == 0
		},
		"anything": func(int) (float64, bool) { return math.Exp(10 * r.NormFloat64()), r.IntN(2) == 0 },
	}
	for name, visit := range visits {
		m := &Model{Burst: &Burst{}}
		for i := range 300 {
			days, changed := visit(i)
			m.Visit(days, changed)
			if i%50 != 0 {
				continue
			}
			for _, policy := range Worths() {
				worth, err := Worth(policy)
				if err != nil {
					t.Fatal(err)
				}
				last := 0.0
				for days := 1e-6; days < 1e5; days *= 3 {
					w := worth(m, days)
					if math.IsNaN(w) || math.IsInf(w, 0) || w < 0 {
						t.Fatalf("%s, %s: worth %v after %v days", name, policy, w, days)
					}
					last = max(last, w)
				}
				if last <= 0 {
					t.Errorf("%s, %s: a visit is never worth anything", name, policy)
				}
			}
		}
	}
}

func TestABC(t *testing.T) {
	m := &Model{Burst: &Burst{}}
	for i, tc := range []struct {
		changed bool
		wait    float64
	}{
		{false, 1.5}, // A = 1, B = 1 + 1/2, C = 1
		{false, 2},   // C = 2.5
		{true, 3.6},  // A = C = 4.5, B = 0.8·4.5
		{false, 5.85},
	} {
		m.Visit(1, tc.changed)
		if math.Abs(m.wait-tc.wait) > 1e-12 {
			t.Errorf("visit %d: %v days, want %v", i, m.wait, tc.wait)
		}
	}
}

// The threshold brings visits back to their budget, from far off either way, and stays a number.
func TestSteering(t *testing.T) {
	s := Steering{Pages: 10}
	if s.Factor() != 1 {
		t.Errorf("the first factor is %v", s.Factor())
	}
	even := s
	s.Beyond = 5
	over := s.Factor()
	if s.Beyond = -5; over <= 1 || s.Factor() >= 1 {
		t.Error("the threshold does not follow the budget")
	}
	for _, beyond := range []float64{1e12, -1e12, 0} {
		for _, pages := range []float64{-1, 0, 1, 1e9} {
			s := Steering{Pages: pages, Beyond: beyond}
			for range 100 {
				s.Earned(1e9)
				if f := s.Factor(); !(f > 0) || math.IsInf(f, 0) {
					t.Fatalf("%v visits beyond, %v pages: a factor of %v", beyond, pages, f)
				}
			}
		}
	}
	// Budget that was unused for long is not made up for.
	even.Earned(1e9)
	if low := math.Exp(leastOff) * math.Exp(leastOff*settle); even.Factor() < low*0.999 {
		t.Errorf("a factor of %v after a long rest, less than %v", even.Factor(), low)
	}
	even.Earned(math.NaN())
	even.Earned(-1)
	if f := even.Factor(); math.IsNaN(f) {
		t.Error(f)
	}
}
