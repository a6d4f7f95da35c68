package slots

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// choices yields each choice of f of n slots.
func choices(n, f int, yield func(plan []int)) {
	plan := make([]int, 0, f)
	for set := range uint64(1) << n {
		if bits.OnesCount64(set) != f {
			continue
		}
		plan = plan[:0]
		for t := range n {
			if set>>t&1 == 1 {
				plan = append(plan, t)
			}
		}
		yield(plan)
	}
}

// leastTotal returns the least total similarity of f slots.
func leastTotal(m *Matrix, f int) float64 {
	least := math.Inf(1)
	choices(m.n, f, func(plan []int) { least = min(least, m.Total(plan)) })
	return least
}

// naive returns a function that measures a plan by the words of section 3.1.3, with maps: accuracy, distinct, freshness.
func naive(p Period, age int) func(plan []int) (accuracy, distinct, freshness float64) {
	sets := make([]map[uint64]bool, len(p.Slots)+1) // by slot; the first is the state before the period
	for i := range sets {
		of := p.Before
		if i > 0 {
			of = p.Slots[i-1]
		}
		sets[i] = map[uint64]bool{}
		for _, x := range of {
			sets[i][x] = true
		}
	}
	set := func(t int) map[uint64]bool { return sets[t+1] }
	found := func(plan []int) (count, different, fresh int) {
		last, seen := -1, map[uint64]bool{}
		for _, t := range plan {
			old := set(last)
			for x := range set(t) {
				if !old[x] {
					count++
				}
				if !seen[x] && !set(-1)[x] {
					seen[x] = true
					different++
				}
				came := t
				for came >= 0 && set(came - 1)[x] {
					came-- // -1 is the state before the period
				}
				if came > last && came >= 0 && t-came < age {
					fresh++
				}
			}
			last = t
		}
		return count, different, fresh
	}
	all, allDifferent, _ := found(upTo(len(p.Slots)))
	return func(plan []int) (accuracy, distinct, freshness float64) {
		count, different, fresh := found(plan)
		return share(count, all), share(different, allDifferent), share(fresh, all)
	}
}

// randomPeriod makes n snapshots of a page whose items come, go, and with some chance come
// back.
func randomPeriod(r *rand.Rand, n int, back float64) Period {
	var now, gone []uint64
	fresh := uint64(0)
	rate, stay := r.IntN(5), 0.3+0.7*r.Float64()
	step := func() Snapshot {
		var kept []uint64
		for _, x := range now {
			if r.Float64() < stay {
				kept = append(kept, x)
			} else {
				gone = append(gone, x)
			}
		}
		var out []uint64
		for _, x := range gone {
			if r.Float64() < back {
				kept = append(kept, x)
			} else {
				out = append(out, x)
			}
		}
		now, gone = kept, out
		for range r.IntN(rate + 1) {
			fresh++
			now = append(now, fresh)
		}
		s := make(Snapshot, 0, len(now))
		in := map[uint64]bool{}
		for _, x := range now {
			in[x] = true
		}
		for x := range fresh + 1 {
			if in[x] {
				s = append(s, x)
			}
		}
		return s
	}
	var p Period
	if r.IntN(2) == 0 {
		p.Before = step()
	}
	for range n {
		p.Slots = append(p.Slots, step())
	}
	return p
}

// kinds are sorts of similarities of consecutive snapshots.
var kinds = map[string]func(r *rand.Rand) float64{
	"any":            func(r *rand.Rand) float64 { return r.Float64() },
	"high":           func(r *rand.Rand) float64 { return 0.8 + 0.2*r.Float64() },
	"low":            func(r *rand.Rand) float64 { return 0.2 * r.Float64() },
	"zeros and ones": func(r *rand.Rand) float64 { return float64(r.IntN(2)) },
	"often one":      func(r *rand.Rand) float64 { return min(1, 0.5+r.Float64()) },
	"often zero":     func(r *rand.Rand) float64 { return max(0, r.Float64()-0.5) },
	"few values":     func(r *rand.Rand) float64 { return float64(r.IntN(5)) / 4 },
	"all equal":      func(*rand.Rand) float64 { return 0.9 },
	"nearly equal":   func(r *rand.Rand) float64 { return 0.97 + 1e-6*r.Float64() },
	"nearly one":     func(r *rand.Rand) float64 { return 1 - 1e-6*r.Float64() },
	"equal to 1e-15": func(r *rand.Rand) float64 { return 0.5 + 1e-15*r.Float64() },
}

// randomSeries makes the similarities of d periods with n slots.
func randomSeries(r *rand.Rand, d, n int, kind func(*rand.Rand) float64) [][]float64 {
	series := make([][]float64, d)
	for k := range series {
		series[k] = make([]float64, n-1)
		for i := range series[k] {
			series[k][i] = kind(r)
		}
	}
	return series
}

// distinct returns the share of a period's different new items that a plan finds: definition 7,
// taken literally. It is the same as [Accuracy] if no item comes back after it has gone.
func distinct(p Period, plan []int) (float64, error) {
	s, err := measured(p, plan)
	if err != nil {
		return 0, err
	}
	count := func(plan []int) int {
		seen := 0
		for w, old := range s.before {
			all := old
			for _, t := range plan {
				all |= s.has[t][w]
			}
			seen += bits.OnesCount64(all &^ old)
		}
		return seen
	}
	return share(count(plan), count(upTo(s.n))), nil
}
