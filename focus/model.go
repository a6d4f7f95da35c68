package focus

import "math"

// model is a logistic regression on words, learnt one example at a time with AdaGrad (Duchi,
// Hazan and Singer 2011). Features are hashed into an array of fixed size, so that it
// never grows (Weinberger et al. 2009).
type model struct {
	weight, seen []float32
}

const (
	modelBits   = 18
	learnRate   = .5
	maxFeatures = 40 // of a link
)

func newModel() *model {
	return &model{make([]float32, 1<<modelBits), make([]float32, 1<<modelBits)}
}

// slot returns the feature of a word in a place, such as a link's text.
func slot(t Term, place uint32) uint32 {
	return ((uint32(t)*31 + place) * 2654435761) >> (32 - modelBits)
}

// sum returns the log-odds of a link by its words. It is divided by the root of their number, so
// that long texts do not dominate.
func (m *model) sum(features []uint32) float64 {
	var s float32
	for _, f := range features {
		s += m.weight[f]
	}
	return float64(s) / math.Sqrt(float64(len(features)+1))
}

// step learns from an error: prediction minus reward.
func (m *model) step(features []uint32, err float64) {
	g := float32(err / math.Sqrt(float64(len(features)+1)))
	for _, f := range features {
		m.seen[f] += g * g
		m.weight[f] -= learnRate * g / float32(math.Sqrt(float64(m.seen[f])+1e-3))
	}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logOdds(p float64) float64 {
	p = min(.99, max(.005, p))
	return math.Log(p / (1 - p))
}
