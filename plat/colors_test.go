package plat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"plat/plat"
)

// TestColorsAreMixedAsPorterAndDuffSay compares Over with the formula of source-over in real numbers: the
// integers differ by rounding only.
func TestColorsAreMixedAsPorterAndDuffSay(t *testing.T) {
	alphas := []uint8{0, 1, 2, 60, 127, 128, 200, 253, 254, 255}
	r := rand.New(rand.NewPCG(1, 2))
	for _, ta := range alphas {
		for _, ba := range alphas {
			for range 20 {
				top := plat.RGBA(uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), ta)
				below := plat.RGBA(uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), ba)
				got := top.Over(below)
				if ta == 0 && got != below || ta == 255 && got != top {
					t.Fatalf("%s over %s is %s", top, below, got)
				}
				if ta == 0 {
					continue
				}
				a, b := float64(ta)/255, float64(ba)/255*(1-float64(ta)/255)
				var ts, bs, gs [4]uint8
				ts[0], ts[1], ts[2], ts[3] = top.Channels()
				bs[0], bs[1], bs[2], bs[3] = below.Channels()
				gs[0], gs[1], gs[2], gs[3] = got.Channels()
				for i := range 3 {
					if want := (float64(ts[i])*a + float64(bs[i])*b) / (a + b); math.Abs(float64(gs[i])-want) > 0.501 {
						t.Fatalf("%s over %s is %s: channel %d is %v by the formula", top, below, got, i, want)
					}
				}
				if want := 255 * (a + b); math.Abs(float64(gs[3])-want) > 0.501 {
					t.Fatalf("%s over %s is %s: alpha is %v by the formula", top, below, got, want)
				}
			}
		}
	}
}
