package slots

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// lists makes d periods of a page that lists its newest items: n slots, some 7 new items in five
// of seven slots, and the last 100 shown. The numbers are close to those of section 3.1.3.
func lists(d, n int) []Period {
	r := rand.New(rand.NewPCG(1, 1))
	next := uint64(0)
	var periods []Period
	for range d {
		var p Period
		var shown Snapshot
		for t := range n {
			if t%7 < 5 {
				for range r.IntN(15) {
					next++
					shown = append(shown, next)
				}
			}
			shown = shown[max(0, len(shown)-100):]
			p.Slots = append(p.Slots, append(Snapshot{}, shown...))
		}
		periods = append(periods, p)
	}
	return periods
}

// BenchmarkPlan plans 11 of 30 slots, and some larger sizes, from two periods. The goal for 11 of
// 30 is 50 ms. The kinds are similarities of consecutive snapshots: "lists" of a page that shows
// its newest 100 items, made from the snapshots; the rest are random, see kinds. The hardest found
// are those from 0.8 to 1 ("high"), and half of the slots.
//
//	go test ./queue/slots -run '^$' -bench 'Plan' -benchmem
func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct{ n, f int }{{30, 11}, {30, 15}, {40, 20}} {
		b.Run(fmt.Sprintf("n=%d,f=%d/lists", size.n, size.f), func(b *testing.B) {
			periods := lists(2, size.n)
			nodes := 0
			b.ReportAllocs()
			for b.Loop() {
				got, err := Plan(context.Background(), periods, size.f, Options{})
				if err != nil || got.Gap() != 0 {
					b.Fatal(got, err)
				}
				nodes = got.Nodes
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
		for _, kind := range []string{"any", "high", "often one", "all equal", "nearly equal", "nearly one"} {
			b.Run(fmt.Sprintf("n=%d,f=%d/%s", size.n, size.f, kind), func(b *testing.B) {
				m, err := NewMatrix(randomSeries(rand.New(rand.NewPCG(1, 1)), 2, size.n, kinds[kind]))
				if err != nil {
					b.Fatal(err)
				}
				nodes := 0
				b.ReportAllocs()
				for b.Loop() {
					got, err := Minimize(context.Background(), m, size.f, 0)
					if err != nil || got.Gap() != 0 {
						b.Fatal(got, err)
					}
					nodes = got.Nodes
				}
				b.ReportMetric(float64(nodes), "nodes")
			})
		}
	}
}

// BenchmarkPlanDP plans from two periods of a page that shows its newest 100 items, the
// counting of its news included. The goal for 11 of 30 is 1 ms.
func BenchmarkPlanDP(b *testing.B) {
	for _, size := range []struct{ n, f int }{{30, 11}, {168, 56}} {
		b.Run(fmt.Sprintf("n=%d,f=%d", size.n, size.f), func(b *testing.B) {
			periods := lists(2, size.n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := PlanDP(periods, size.f, Goal{Accuracy: 1, Freshness: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExhaustive tries each of the 54,627,300 choices of 11 of 30 slots: the reference for
// plans in the paper.
func BenchmarkExhaustive(b *testing.B) {
	m := matrixOf(b, lists(2, 30))
	for b.Loop() {
		if _, err := Exhaustive(context.Background(), m, 11); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPeriodic(b *testing.B) {
	periods := lists(2, 30)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Periodic(periods); err != nil {
			b.Fatal(err)
		}
	}
}
