package schedule

import (
	"testing"
	"time"

	"plat/plat"
)

// BenchmarkVisit measures the cost of planning per visit: ten checks whether a visit is due, and
// the decision after it. The URL has many visits with changes.
func BenchmarkVisit(b *testing.B) {
	for _, policy := range []string{"harmonic", "archive", "blocks"} {
		b.Run(policy, func(b *testing.B) {
			v := visit(plat.Schedule{Policy: policy, Budget: "50/day"}, day, day)
			v.Shared = &Shared{Steering: Steering{Pages: 100, Beyond: 5}}
			for i := range 200 {
				v.Blocks = make([]plat.Block, 100)
				v.Old, v.Changes = v.Blocks, plat.Changes{}
				for k := range v.Blocks {
					v.Blocks[k].Lineage, v.Blocks[k].TextLen = int32(k+1), 100
					if (i+k)%7 == 0 {
						v.Changes.Blocks = append(v.Changes.Blocks, plat.Change{Kind: plat.Content, Lineage: int32(k + 1), Old: int32(k), New: int32(k)})
					}
				}
				next := Decide(v)
				v.Memory, v.Due, v.Time = next.Memory, next.Due, v.Time.Add(40*time.Hour)
			}
			v.Time = v.Due.Add(time.Minute)
			for b.Loop() {
				for range 10 {
					Wait(v)
				}
				Decide(v)
			}
			b.ReportMetric(float64(len(v.Memory)), "B/url")
		})
	}
}
