package focus

import (
	"cmp"
	"math"
	"slices"
)

// calibration turns a cosine into a chance: the logistic function of its logarithm, so that
// one of half is 1/2, and the chance rises with slope.
type calibration struct{ half, slope float64 }

// uncalibrated is used as long as there are no judged pages. The cosine of a page with a
// description of some words is low: of the topics that it was chosen on, 99 of 100 pages that do
// not belong have less than 0.09, and half of those that do have more than 0.07.
var uncalibrated = calibration{half: .06, slope: 2}

func (c calibration) chance(cosine float64) float64 {
	if cosine <= 0 {
		return 0
	}
	return 1 / (1 + math.Pow(c.half/cosine, c.slope))
}

// Judged is a page with a user's label.
type Judged struct {
	Page    *Page
	Belongs bool
}

// Weights of judged pages in the topic's own words (Rocchio 1971, with the usual values).
const (
	rocchioYes = .75
	rocchioNo  = .25
	maxLearned = 100 // words that are learnt from judged pages
)

// Judge returns the topic as learnt from judged pages: their words are added and subtracted, and
// chances are calibrated by them. c is the collection to which they belong.
func (t *Topic) Judge(pages []Judged, c *Collection) *Topic {
	if len(pages) == 0 {
		return t
	}
	out := &Topic{own: map[Term]float64{}, stems: t.stems, odds: t.odds}
	var topic float64
	for _, k := range inOrder(t.own) {
		w := t.own[k] * c.idf(k)
		topic += w * w
	}
	topic = math.Sqrt(topic)
	var count [2]float64
	vectors := make([]vector, len(pages))
	for i, p := range pages {
		vectors[i] = p.Page.vector()
		count[side(p.Belongs)]++
	}
	learned := map[Term]float64{}
	for i, p := range pages {
		by := -rocchioNo
		if p.Belongs {
			by = rocchioYes
		}
		var length float64
		for _, k := range inOrder(vectors[i]) {
			w := damp(vectors[i][k]) * c.idf(k)
			length += w * w
		}
		if length == 0 {
			continue
		}
		for k, n := range vectors[i] {
			learned[k] += by * damp(n) / math.Sqrt(length) / count[side(p.Belongs)]
		}
	}
	keys := make([]Term, 0, len(learned))
	for k, w := range learned {
		if w > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Term) int {
		return cmp.Or(cmp.Compare(learned[b]*c.idf(b), learned[a]*c.idf(a)), cmp.Compare(a, b))
	})
	for k, w := range t.own {
		if w += topic * min(0, learned[k]); w > 0 {
			out.own[k] = w
		}
	}
	for _, k := range keys[:min(len(keys), maxLearned)] {
		out.own[k] += topic * learned[k]
	}
	if len(out.own) == 0 {
		out.own = t.own // a user who rejects all words cannot mean that
	}
	cosines := make([]float64, len(pages))
	for i := range pages {
		cosines[i] = out.cosine(vectors[i], c)
	}
	out.odds = calibrate(cosines, pages)
	return out
}

func side(belongs bool) int {
	if belongs {
		return 1
	}
	return 0
}

// Bounds of calibrations: few or odd labels do not lead to a step function or a line.
const (
	leastHalf, mostHalf   = .002, .9
	leastSlope, mostSlope = .3, 5
	leastCosine           = 1e-3 // a cosine of 0 has no logarithm
)

// calibrate fits half and slope to users' labels, by Platt's method: logistic regression with
// targets a little inside 0 and 1, drawn towards uncalibrated as by two pages.
func calibrate(cosines []float64, pages []Judged) calibration {
	yes := 0.0
	for _, p := range pages {
		yes += float64(side(p.Belongs))
	}
	no := float64(len(pages)) - yes
	f := fit{b: uncalibrated.slope, a: -uncalibrated.slope * math.Log(uncalibrated.half)}
	for i, p := range pages {
		f.x = append(f.x, math.Log(max(leastCosine, cosines[i])))
		f.target = append(f.target, [2]float64{1 / (no + 2), (yes + 1) / (yes + 2)}[side(p.Belongs)])
	}
	f.descend(true)
	if b := min(mostSlope, max(leastSlope, f.b)); b != f.b {
		f.b = b
		f.descend(false)
	}
	return calibration{half: min(mostHalf, max(leastHalf, math.Exp(-f.a/f.b))), slope: f.b}
}

// fit is a logistic regression with one input: chance = 1/(1+exp(−(a+b·x))), x = ln cosine.
type fit struct {
	x, target []float64
	a, b      float64
}

// loss is convex in a and b.
func (f *fit) loss(a, b float64) float64 {
	da, db := a+math.Log(uncalibrated.half)*b, b-uncalibrated.slope
	sum := da*da + db*db
	for i, x := range f.x {
		z := a + b*x
		sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - f.target[i]*z
	}
	return sum
}

// descend finds a, and b if it is free, by Newton's method. Steps are halved until they lead
// downwards: where all chances are near 0 or 1, full steps diverge.
func (f *fit) descend(free bool) {
	l := math.Log(uncalibrated.half)
	for loss := f.loss(f.a, f.b); ; {
		ga, gb := 2*(f.a+l*f.b), 2*(f.b-uncalibrated.slope)+2*l*(f.a+l*f.b)
		haa, hab, hbb := 2.0, 2*l, 2+2*l*l
		for i, x := range f.x {
			q := 1 / (1 + math.Exp(-(f.a + f.b*x)))
			e, v := q-f.target[i], q*(1-q)
			ga, gb = ga+e, gb+e*x
			haa, hab, hbb = haa+v, hab+v*x, hbb+v*x*x
		}
		da, db := ga/haa, 0.0
		if free {
			det := haa*hbb - hab*hab // ≥ 4, because of the pull towards uncalibrated
			da, db = (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		}
		step, next := 1.0, f.loss(f.a-da, f.b-db)
		for ; !(next < loss) && step > 1e-6; next = f.loss(f.a-step*da, f.b-step*db) {
			step /= 2
		}
		if !(next < loss) {
			return
		}
		f.a, f.b = f.a-step*da, f.b-step*db
		if loss-next < 1e-9*(1+loss) {
			return
		}
		loss = next
	}
}
