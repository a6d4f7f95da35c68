package focus

import (
	"cmp"
	"math"
	"slices"
)

// calibration turns a cosine into a chance: the logistic function of its logarithm, so that
// one of half is 1/2, and the chance rises with slope.
type calibration struct{ half, slope float64 }

// uncalibrated is used while nobody has said what belongs to the topic. The cosine of a page with
// a description of some words is low: of the topics that it was chosen on, 99 of 100 pages that
// do not belong have less than .09, and half of those that do have more than .07.
var uncalibrated = calibration{half: .06, slope: 2}

func (c calibration) chance(cosine float64) float64 {
	if cosine <= 0 {
		return 0
	}
	return 1 / (1 + math.Pow(c.half/cosine, c.slope))
}

// Judged is a page of which somebody has said whether it belongs to the topic.
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

// Judge returns the topic as learnt from judged pages: their words are added and
// subtracted, and chances are calibrated by them. c are the pages among which they are.
func (t *Topic) Judge(pages []Judged, c *Collection) *Topic {
	if len(pages) == 0 {
		return t
	}
	out := &Topic{own: map[Term]float64{}, stems: t.stems, near: t.near, odds: t.odds}
	var topic float64
	for k, w := range t.own {
		topic += w * w * c.idf(k) * c.idf(k)
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
		for k, n := range vectors[i] {
			w := damp(n) * c.idf(k)
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
		out.own = t.own // whoever rejects all of it means something else
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

// calibrate fits half and slope to what people said, by Platt's method: logistic regression
// with targets a little inside 0 and 1, drawn towards uncalibrated as by two pages.
func calibrate(cosines []float64, pages []Judged) calibration {
	yes := 0.0
	for _, p := range pages {
		yes += float64(side(p.Belongs))
	}
	no := float64(len(pages)) - yes
	target := [2]float64{1 / (no + 2), (yes + 1) / (yes + 2)}
	// chance = 1/(1+exp(-(a+b·x))), x = ln cosine
	b := uncalibrated.slope
	a := -b * math.Log(uncalibrated.half)
	const least = 1e-3 // a cosine of 0 has no logarithm
	for range 50 {
		ga, gb := 2*(a+math.Log(uncalibrated.half)*b), 2*(b-uncalibrated.slope)
		haa, hab, hbb := 2.0, 2*math.Log(uncalibrated.half), 2+2*math.Pow(math.Log(uncalibrated.half), 2)
		gb += 2 * math.Log(uncalibrated.half) * (a + math.Log(uncalibrated.half)*b)
		for i, p := range pages {
			x := math.Log(max(least, cosines[i]))
			q := 1 / (1 + math.Exp(-(a + b*x)))
			e, v := q-target[side(p.Belongs)], q*(1-q)
			ga += e
			gb += e * x
			haa += v
			hab += v * x
			hbb += v * x * x
		}
		det := haa*hbb - hab*hab
		if det <= 1e-12 {
			break
		}
		a -= (hbb*ga - hab*gb) / det
		b -= (haa*gb - hab*ga) / det
		b = min(5, max(.3, b))
	}
	half := math.Exp(-a / b)
	return calibration{half: min(.9, max(.002, half)), slope: b}
}
