package segment

import (
	"math"
	"strconv"

	"plat/plat"
	"plat/segment/classifier"
)

// row is a run of siblings on the rendered page: units side by side or one
// below the other, all inside one node.
type row struct {
	c      *cutter
	parent int32 // the common parent
	units  []unit
	box    plat.Rect // of all units
	region plat.Rect // of the region of level 1 around them, or of the page

	gap     float32 // median between two units, px
	mass    float64 // of all units, as a share of the page's
	largest float64 // the share of that in the largest unit
	links   float64 // share of the text that is links
	rules   int     // horizontal lines among the units
	flat    bool    // the parent's box does not cover the units, so it is not a visible frame
	painted bool    // the parent's background differs from its surroundings
}

// separator is the boundary candidate between two neighbours of a row. VIPS (Cai et al. 2003, section
// 4.2) weights separators by heuristics for distance, colour, font and rules. Here the weight is
// computed from a table of [feature], by weights or a model fitted to human annotations.
type separator struct {
	*row
	a, b          *unit
	before, after float64 // share of the page's mass before and after it
}

// feature is one visual property of a separator. Values are about −1 to 3.
type feature struct {
	name string
	of   func(s *separator) float64
}

// scale is a table of features with fitted weights, or with a fitted model. A sum above 0 favours a
// cut.
type scale struct {
	features []feature
	weights  []float64
	model    func() *classifier.Model
}

// newScale looks up each feature's weight by name.
func newScale(features []feature, weights map[string]float64) *scale {
	s := &scale{features: features, weights: make([]float64, len(features))}
	for i, f := range features {
		s.weights[i] = weights[f.name]
	}
	return s
}

// values appends the features of a separator to x.
func (s *scale) values(at *separator, x []float64) []float64 {
	for i := range s.features {
		x = append(x, s.features[i].of(at))
	}
	return x
}

// weigh returns the logit of a cut.
func (s *scale) weigh(x []float64, with *scratch) float64 {
	if s.model != nil {
		return with.ask(s.model(), x)
	}
	sum := 0.0
	for i, w := range s.weights {
		sum += w * x[i]
	}
	return sum
}

// scratch is reusable memory for cutting and for evaluating a model.
type scratch struct {
	stack  []unit // of the rows that are being cut, innermost last
	at     separator
	x      []float64
	values []float32
	input  classifier.Input
}

// ask evaluates a model and returns its logit of a cut.
func (t *scratch) ask(m *classifier.Model, x []float64) float64 {
	t.read(m, x)
	var scores [2]int32
	m.Scores(&t.input, scores[:])
	return float64(scores[1]-scores[0]) / classifier.Unit
}

func (t *scratch) read(m *classifier.Model, x []float64) {
	t.values = t.values[:0]
	for _, v := range x {
		t.values = append(t.values, float32(v))
	}
	m.Read(t.values, &t.input)
}

// worth returns the contribution of each feature to the logit of a cut.
func (s *scale) worth(x []float64) []float64 {
	worth := make([]float64, len(x))
	if s.model == nil {
		for i, w := range s.weights {
			worth[i] = w * x[i]
		}
		return worth
	}
	of := make([]int32, len(x))
	m := s.model()
	var t scratch
	t.read(m, x)
	m.Explain(&t.input, 1, 1, of)
	m.Explain(&t.input, 0, -1, of)
	for i, v := range of {
		worth[i] = float64(v) / classifier.Unit
	}
	return worth
}

// why names the features that contributed most to the decision. It skips the
// first feature, the constant.
func (s *scale) why(x []float64, sum float64, cut bool) string {
	const most = 3
	b := []byte("cut, ")
	sign := 1.0
	if !cut {
		b, sign = []byte("not cut, "), -1
	}
	b = strconv.AppendFloat(b, sum, 'f', 2, 64)
	worth := s.worth(x)
	told := map[int]bool{}
	for range most {
		best, top := -1, .05
		for i, v := range worth {
			if v *= sign; i > 0 && v > top && !told[i] {
				best, top = i, v
			}
		}
		if best < 0 {
			break
		}
		if len(told) == 0 {
			b = append(b, ": "...)
		} else {
			b = append(b, ", "...)
		}
		told[best] = true
		b = append(b, s.features[best].name...)
		b = append(b, ' ')
		b = strconv.AppendFloat(b, sign*top, 'f', 2, 64)
	}
	return string(b)
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// log returns 0 at 0 and 1 more for each doubling of x beyond unit.
func log(x, unit float64) float64 { return math.Log2(1 + x/unit) }
