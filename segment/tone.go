package segment

import (
	"math"

	"plat/plat"
)

// colorDistance returns the OKLab distance of two opaque colours, 0 to 1.
func colorDistance(a, b plat.Color) float64 {
	if a>>8 == b>>8 {
		return 0
	}
	p, q := oklab(a), oklab(b)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// distanceCache keeps distances: pages have few pairs of colours, many times. The zero value is
// ready.
type distanceCache [64]struct {
	a, b     plat.Color
	distance float64
}

// Distance returns the cached colorDistance.
func (d *distanceCache) Distance(a, b plat.Color) float64 {
	k := &d[(uint32(a)*31+uint32(b))*2654435769>>26]
	if k.a != a || k.b != b {
		k.a, k.b, k.distance = a, b, colorDistance(a, b)
	}
	return k.distance
}

// oklab converts sRGB to OKLab (Ottosson 2020, "A perceptual color space for
// image processing").
func oklab(c plat.Color) [3]float64 {
	r8, g8, b8, _ := c.Channels()
	r, g, b := light[r8], light[g8], light[b8]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// light is [linear] of all values.
var light = func() (all [256]float64) {
	for c := range all {
		all[c] = linear(uint8(c))
	}
	return all
}()

// linear undoes the sRGB transfer function (IEC 61966-2-1).
func linear(c uint8) float64 {
	x := float64(c) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}
