package capture

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
)

// styleNames are the captured computed styles, in the order of [styleOf]. Each costs: 32 instead of
// 8 make a snapshot 1.16 times as slow.
var styleNames = [...]string{
	"display", position: "position", "float", "visibility", "opacity",
	"background-color", "background-image", "-webkit-text-fill-color", "font-size", "font-weight",
	overflowX: "overflow-x", overflowY: "overflow-y",
	"clip", "clip-path", "background-clip", "transform", "backface-visibility", "text-shadow", "z-index", "isolation",
}

// Styles are styleNames and the style that only the capture uses; see outofplace.go.
var Styles = append(slices.Clone(styleNames[:]), "content-visibility")

// Places in askedStyles.
const (
	position          = 1
	overflowX         = 10
	overflowY         = 11
	contentVisibility = len(styleNames)
	numAsked          = contentVisibility + 1
)

// computed returns the string index of a style of the i-th layout object.
func (d *document) computed(i, style int) int32 { return d.styles[i*numAsked+style] }

// styleSet assigns one index to equal styles. Chrome's table has each string once, so styles are
// equal if their indexes are.
type styleSet struct {
	c    *Capture
	all  []plat.Style
	seen map[[len(styleNames)]int32]int32
	last [len(styleNames)]int32 // of the node before: most often the same
	at   int32
}

func newStyleSet(c *Capture) *styleSet {
	return &styleSet{c: c, seen: map[[len(styleNames)]int32]int32{}, at: -1}
}

func (s *styleSet) index(v []int32) int32 {
	key := [len(styleNames)]int32(v[:len(styleNames)])
	if s.at >= 0 && key == s.last {
		return s.at
	}
	i, ok := s.seen[key]
	if !ok {
		i = int32(len(s.all))
		var text [len(styleNames)]string
		for j, k := range key {
			text[j] = s.c.str(k)
		}
		s.all = append(s.all, styleOf(text))
		s.seen[key] = i
	}
	s.last, s.at = key, i
	return i
}

func styleOf(v [len(styleNames)]string) plat.Style {
	return plat.Style{
		Display:         v[0],
		Position:        v[position],
		Float:           v[2],
		Hidden:          v[3] == "hidden" || v[3] == "collapse",
		Opacity:         float32(numberOr(v[4], 1)),
		Background:      colorOf(v[5]),
		BackgroundImage: v[6] != "none" && v[6] != "",
		Color:           colorOf(v[7]),
		FontSize:        float32(numberOr(strings.TrimSuffix(v[8], "px"), 0)),
		FontWeight:      int16(max(0, min(1000, numberOr(v[9], 400)))),
		OverflowX:       v[overflowX],
		OverflowY:       v[overflowY],
		ClippedAway:     (v[1] == "absolute" || v[1] == "fixed") && emptyRect(v[12]) || emptyShape(v[13]),
		Shaped:          v[13] != "none" && v[13] != "",
		TextClip:        strings.Contains(v[14], "text"),
		Transformed:     v[15] != "none" && v[15] != "",
		Turned:          turned(v[15]),
		Backless:        v[16] == "hidden",
		Shadowed:        v[17] != "none" && v[17] != "",
		Below:           strings.HasPrefix(v[18], "-"),
		Stacked:         v[18] != "auto" && v[18] != "" && v[1] != "static" || v[1] == "fixed" || v[1] == "sticky" || numberOr(v[4], 1) < 1 || v[15] != "none" && v[15] != "" || v[19] == "isolate",
	}
}

// emptyRect reports whether a computed clip, "auto" or "rect(top, right, bottom, left)",
// leaves too little for a letter.
func emptyRect(clip string) bool {
	args, ok := strings.CutPrefix(clip, "rect(")
	if !ok {
		return false
	}
	var v [4]float64
	n := 0
	for arg := range strings.FieldsFuncSeq(strings.TrimSuffix(args, ")"), func(r rune) bool { return r == ',' || r == ' ' }) {
		if n == len(v) || arg == "auto" {
			return false
		}
		v[n] = numberOr(strings.TrimSuffix(arg, "px"), 0)
		n++
	}
	return n == len(v) && (v[2]-v[0] < leastLetter || v[1]-v[3] < leastLetter)
}

// leastLetter is the least visible size of a clipped letter, px.
const leastLetter = 2

// emptyShape reports whether a computed clip-path hides everything: an inset by half or more on
// opposite sides, a circle or an ellipse without a radius, or points on one line.
func emptyShape(path string) bool {
	name, args, _ := strings.Cut(strings.TrimSuffix(path, ")"), "(")
	args, _, _ = strings.Cut(args, " round ")
	args, _, _ = strings.Cut(args, " at ")
	words := strings.Fields(args)
	switch {
	case name == "polygon":
		// Points on one line: all have one x, or all one y.
		points := strings.Split(args, ",")
		flat := [2]bool{true, true}
		for _, p := range points {
			a, b := strings.Fields(strings.TrimSpace(p)), strings.Fields(strings.TrimSpace(points[0]))
			if len(a) != 2 || len(b) != 2 {
				return false
			}
			flat[0], flat[1] = flat[0] && a[0] == b[0], flat[1] && a[1] == b[1]
		}
		return flat[0] || flat[1]
	case name == "circle", name == "ellipse":
		return slices.ContainsFunc(words, func(w string) bool { return w == "0" || w == "0px" || w == "0%" })
	case name != "inset" || len(words) == 0 || len(words) > 4:
		return false
	}
	side := func(i int) float64 { // top, right, bottom, left, as margins are written
		for i >= len(words) {
			i = max(0, i-2)
		}
		if p, ok := strings.CutSuffix(words[i], "%"); ok {
			return numberOr(p, 0)
		}
		return 0
	}
	return side(0)+side(2) >= 100 || side(1)+side(3) >= 100
}

// turned reports whether a computed transform shows the back of its element: a unit
// along the z axis then points away (matrix3d's 11th number).
func turned(transform string) bool {
	args, ok := strings.CutPrefix(transform, "matrix3d(")
	if !ok {
		return false
	}
	v := strings.Split(strings.TrimSuffix(args, ")"), ",")
	return len(v) == 16 && numberOr(strings.TrimSpace(v[10]), 1) < 0
}

func numberOr(s string, unset float64) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return unset
	}
	return f
}

// colorOf reads a computed colour (CSS Color 4, section 15): rgb() and rgba()
// for sRGB colours, and the authored colour space otherwise. An unreadable colour is transparent.
func colorOf(s string) plat.Color {
	name, rest, ok := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	if !ok {
		return 0
	}
	if name == "color" {
		if name, rest, ok = strings.Cut(rest, " "); !ok {
			return 0
		}
	}
	v := [4]float64{3: 1}
	n := 0
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '/' }) {
		if n == len(v) {
			return 0
		}
		scale := 1.0
		if p, ok := strings.CutSuffix(part, "%"); ok {
			part, scale = p, 0.01
		}
		v[n] = numberOr(strings.TrimSuffix(part, "deg"), 0) * scale // "none" counts as 0
		n++
	}
	if n < 3 {
		return 0
	}
	c, ok := toSRGB(name, [3]float64(v[:3]))
	if !ok {
		return 0
	}
	return plat.RGBA(channel(c[0]), channel(c[1]), channel(c[2]), channel(v[3]))
}

func channel(f float64) uint8 { return uint8(math.Round(255 * max(0, min(1, f)))) }

// toSRGB converts from the colour spaces of CSS Color 4 that occur in computed values. Values
// out of gamut are clipped later.
func toSRGB(space string, v [3]float64) (_ [3]float64, ok bool) {
	switch space {
	case "rgb", "rgba":
		return [3]float64{v[0] / 255, v[1] / 255, v[2] / 255}, true
	case "srgb":
		return v, true
	case "srgb-linear":
		return gamma(v), true
	case "display-p3":
		return gamma(apply(p3ToSRGB, degamma(v))), true
	case "xyz", "xyz-d65":
		return gamma(apply(xyzToSRGB, v)), true
	case "xyz-d50":
		return gamma(apply(xyzToSRGB, apply(d50ToD65, v))), true
	case "oklab":
		return oklab(v), true
	case "oklch":
		return oklab(polar(v)), true
	case "lab":
		return lab(v), true
	case "lch":
		return lab(polar(v)), true
	}
	return v, false
}

type matrix [3][3]float64

func apply(m matrix, v [3]float64) (r [3]float64) {
	for i := range m {
		r[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return r
}

// The matrices are those of CSS Color 4, section 18, rounded.
var (
	xyzToSRGB = matrix{{3.2409699, -1.5373832, -0.4986108}, {-0.9692436, 1.8759675, 0.0415551}, {0.0556301, -0.2039770, 1.0569715}}
	p3ToSRGB  = matrix{{1.2249402, -0.2249402, 0}, {-0.0420570, 1.0420570, 0}, {-0.0196376, -0.0786361, 1.0982736}}
	d50ToD65  = matrix{{0.9554734, -0.0230985, 0.0632594}, {-0.0283697, 1.0099956, 0.0210414}, {0.0123140, -0.0205077, 1.3303659}}
	lmsToSRGB = matrix{{4.0767416, -3.3077116, 0.2309699}, {-1.2684380, 2.6097574, -0.3413194}, {-0.0041961, -0.7034186, 1.7076147}}
	okToLMS   = matrix{{1, 0.3963378, 0.2158038}, {1, -0.1055613, -0.0638542}, {1, -0.0894842, -1.2914855}}
)

func gamma(v [3]float64) [3]float64 {
	for i, f := range v {
		if f <= 0.0031308 {
			v[i] = 12.92 * f
		} else {
			v[i] = 1.055*math.Pow(f, 1/2.4) - 0.055
		}
	}
	return v
}

func degamma(v [3]float64) [3]float64 {
	for i, f := range v {
		if f <= 0.04045 {
			v[i] = f / 12.92
		} else {
			v[i] = math.Pow((f+0.055)/1.055, 2.4)
		}
	}
	return v
}

// polar turns lightness, chroma and hue (degrees) into lightness, a and b.
func polar(v [3]float64) [3]float64 {
	h := v[2] * math.Pi / 180
	return [3]float64{v[0], v[1] * math.Cos(h), v[1] * math.Sin(h)}
}

func oklab(v [3]float64) [3]float64 {
	lms := apply(okToLMS, v)
	for i, f := range lms {
		lms[i] = f * f * f
	}
	return gamma(apply(lmsToSRGB, lms))
}

func lab(v [3]float64) [3]float64 {
	const k, e = 24389.0 / 27, 216.0 / 24389
	fy := (v[0] + 16) / 116
	fx, fz := v[1]/500+fy, fy-v[2]/200
	cube := func(f float64) float64 {
		if c := f * f * f; c > e {
			return c
		}
		return (116*f - 16) / k
	}
	y := v[0] / k
	if v[0] > k*e {
		y = fy * fy * fy
	}
	return gamma(apply(xyzToSRGB, apply(d50ToD65, [3]float64{0.9642956 * cube(fx), y, 0.8251046 * cube(fz)})))
}
