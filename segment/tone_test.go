package segment

import (
	"math"
	"math/rand/v2"
	"testing"

	"plat/plat"
)

// The lightness of greys and the place of the primaries are those of Ottosson 2020.
func TestDistance(t *testing.T) {
	white, black, red, blue := plat.RGBA(255, 255, 255, 255), plat.RGBA(0, 0, 0, 255), plat.RGBA(255, 0, 0, 255), plat.RGBA(0, 0, 255, 255)
	for _, c := range []struct {
		a, b plat.Color
		want float64
	}{
		{white, white, 0},
		{white, black, 1},
		{black, plat.RGBA(128, 128, 128, 255), .5999},
		{red, black, math.Sqrt(.6280*.6280 + .2249*.2249 + .1258*.1258)},
		{blue, black, math.Sqrt(.4520*.4520 + .0325*.0325 + .3115*.3115)},
	} {
		if got := colorDistance(c.a, c.b); math.Abs(got-c.want) > .001 {
			t.Errorf("%v to %v: %.4f, want %.4f", c.a, c.b, got, c.want)
		}
	}
}

func TestKeptDistancesAreTheSame(t *testing.T) {
	var kept distanceCache
	r := rand.New(rand.NewPCG(1, 2))
	colors := make([]plat.Color, 40)
	for i := range colors {
		colors[i] = plat.Color(r.Uint32())
	}
	for range 10_000 {
		a, b := colors[r.IntN(len(colors))], colors[r.IntN(len(colors))]
		if got, want := kept.Distance(a, b), colorDistance(a, b); got != want {
			t.Fatalf("%v to %v: %v, want %v", a, b, got, want)
		}
	}
}
