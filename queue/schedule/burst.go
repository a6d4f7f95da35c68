package schedule

import "math"

// Burst is the chance that a page has changed since its last visit. Changes come in bursts, so
// that is not 1−e^{−λt}: after a change more follow soon, and a page that has been still for long
// stays so. It is a logistic model of the prediction of the Poisson process, the time since the
// visit, the time since the last change and the signals of changes. Every visit corrects its
// weights a little, so it learns how reliable signals are. The weights may be shared by the pages
// of a site: they change in the same ways.
//
// The zero Burst is the Poisson process.
type Burst struct {
	Off [Features]float32 // from the weights of a Poisson process
}

// Features is the number of weights of a Burst.
const Features = 5 + sources

// learning is the learning rate: how far one visit moves the weights. docs/schedule.md says how it
// was chosen.
const learning = 0.05 / 4

// of returns the features of a page so many days after its last visit.
func (b *Burst) of(k *Known, days float64) [Features]float64 {
	x := min(k.Rate()*days, 30)
	f := [Features]float64{
		1,
		math.Log(math.Expm1(x) + 1e-9), // the odds of a Poisson process
		math.Log(days + 1e-3),
		math.Log(k.Age + days + 1e-3),
	}
	if k.Visits > 0 && k.Age == 0 {
		f[4] = 2 // the last visit has seen a change
	}
	if k.Signal != NoSource {
		f[4+k.Signal] = 2
	}
	return f
}

// Changed returns the chance that a page has changed so many days after its last visit.
func (b *Burst) Changed(k *Known, days float64) float64 {
	if !(days > 0) {
		return 0
	}
	f := b.of(k, days)
	z := f[1]
	for i, w := range b.Off {
		z += float64(w) * f[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// Learn corrects the weights by a visit so many days after the one before. Call it before the
// visit is added to k.
func (b *Burst) Learn(k *Known, days float64, changed bool) {
	if !(days > 0) || math.IsInf(days, 1) {
		return
	}
	missed := -b.Changed(k, days)
	if changed {
		missed++
	}
	for i, x := range b.of(k, days) {
		b.Off[i] += float32(learning * missed * min(max(x, -8), 8))
	}
}

// steps is the number of points at which an integral over the time since a visit is evaluated.
const steps = 8

// HarmonicWorth is [HarmonicWorth], for changes in bursts: ∫₀ᵗ P(changed).
func (b *Burst) HarmonicWorth(k *Known, days float64) float64 {
	sum := 0.0
	for i := range steps {
		sum += b.Changed(k, days*(float64(i)+0.5)/steps)
	}
	return sum * days / steps
}
