package noise_test

import (
	"math/rand/v2"
	"testing"

	"plat/diff/noise"
)

// A lost mask is learned from the versions: later visits need fewer second renderings than without,
// raise no more false alarms, and miss no more edits.
func TestAMaskIsLearnedFromVersions(t *testing.T) {
	const before, pages = 12, 6
	type result struct{ looks, alarms, deeds, missed int }
	after := func(mask func(s *site)) (sum result) {
		for _, h := range habits {
			for i := range pages {
				r := rand.New(rand.NewPCG(uint64(i), 9))
				s, n, text := newSite(t), 0, written
				visit := func() int {
					return s.visit(func(int) []string {
						n++
						return append(h.show(r, n, text), beside...)
					})
				}
				for range before {
					visit()
				}
				mask(s)
				s.looks = 0
				for range 3 {
					if visit() > 0 {
						sum.alarms++
					}
				}
				sum.looks += s.looks
				text, _ = deeds[i%5].do(text, nil)
				if sum.deeds++; visit() == 0 {
					sum.missed++
				}
			}
		}
		return sum
	}
	kept := after(func(*site) {})
	rebuilt := after(func(s *site) {
		s.mask = noise.Mask{}
		for i := 1; i < len(s.past); i++ {
			s.mask.Relearn(s.past[i-1].look, s.past[i].look, s.past[i].own)
		}
	})
	lost := after(func(s *site) { s.mask = noise.Mask{} })
	t.Logf("the mask kept: %+v; learned from versions: %+v; lost: %+v", kept, rebuilt, lost)
	if 2*rebuilt.looks > kept.looks+lost.looks || rebuilt.alarms > lost.alarms || 50*(rebuilt.missed-kept.missed) > rebuilt.deeds {
		t.Error("little was learned")
	}
}
