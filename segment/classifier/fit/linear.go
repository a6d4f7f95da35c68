package fit

import "math"

// linear is a multinomial logistic regression on standardised features.
type linear struct {
	mean, deviation []float64   // by feature
	weights         [][]float64 // by class and feature; the last is the constant
}

// line fits it by Adam (Kingma and Ba 2015) on all examples at a time.
func line(examples []Example, o Options) *linear {
	features, classes := len(examples[0].X), len(examples[0].Y)
	l, weight, total := standardise(examples)
	rows := make([]float64, len(examples)*(features+1))
	row := func(i int) []float64 { return rows[i*(features+1) : (i+1)*(features+1)] }
	for i, e := range examples {
		x := row(i)
		for k, v := range e.X {
			x[k] = max(-3, min(3, (float64(v)-l.mean[k])/l.deviation[k]))
		}
		x[features] = 1
	}
	table := func() [][]float64 {
		t := make([][]float64, classes)
		for k := range t {
			t[k] = make([]float64, features+1)
		}
		return t
	}
	l.weights = table()
	gradient, first, second := table(), table(), table()
	probs := make([]float64, classes)
	for step := 1; step <= o.Steps; step++ {
		for k, g := range gradient {
			for i := range features {
				g[i] = o.LinearPenalty * l.weights[k][i] / total
			}
			g[features] = 0
		}
		for i := range examples {
			e, x := &examples[i], row(i)
			for k, w := range l.weights {
				probs[k] = 0
				for j, b := range w {
					probs[k] += b * x[j]
				}
			}
			soften(probs, probs, classes)
			for k, p := range probs {
				d := (weight[i]*p - float64(e.Y[k])) / total
				if math.Abs(d) < 1e-9 || !e.tells(k) {
					continue
				}
				g := gradient[k]
				for j, b := range x {
					g[j] += d * b
				}
			}
		}
		const decay, decay2 = .9, .99
		rate := .05 / (1 + float64(step)/80)
		bias, bias2 := 1-math.Pow(decay, float64(step)), 1-math.Pow(decay2, float64(step))
		for k, g := range gradient {
			for i, d := range g {
				first[k][i] = decay*first[k][i] + (1-decay)*d
				second[k][i] = decay2*second[k][i] + (1-decay2)*d*d
				l.weights[k][i] -= rate * first[k][i] / bias / (math.Sqrt(second[k][i]/bias2) + 1e-8)
			}
		}
	}
	return l
}

// standardise computes the mean and deviation of each feature, and the weights of the
// examples and their sum.
func standardise(examples []Example) (l *linear, weight []float64, total float64) {
	features := len(examples[0].X)
	l = &linear{mean: make([]float64, features), deviation: make([]float64, features)}
	weight = make([]float64, len(examples))
	for i, e := range examples {
		weight[i] = e.weight()
		total += weight[i]
		for k, v := range e.X {
			l.mean[k] += weight[i] * float64(v)
		}
	}
	for k := range l.mean {
		l.mean[k] /= total
	}
	for i, e := range examples {
		for k, v := range e.X {
			d := float64(v) - l.mean[k]
			l.deviation[k] += weight[i] * d * d
		}
	}
	for k := range l.deviation {
		l.deviation[k] = math.Sqrt(l.deviation[k]/total) + 1e-3
	}
	return l, weight, total
}
