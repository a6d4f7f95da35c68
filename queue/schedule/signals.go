package schedule

import "math"

// Signals are a source of hints that a page has changed, such as the lastmod of a sitemap: it
// signals the part Recall of the changes, and sends False wrong signals a day.
type Signals struct {
	Recall float64 // 0 to 1
	False  float64 // a day
}

// Effective returns the number of days without a signal that give the same chance of a change as
// these days with these signals: t + βn, β = ln(γ/ν)/α, with γ = qλ+ν the rate of signals and α =
// (1−q)λ that of changes without one. The page is unchanged with the chance e^{−α·effective}
// (Busa-Fekete et al., "Crawling with noisy signals", 2025).
func (s Signals) Effective(rate, days float64, signals int) float64 {
	return days + s.perSignal(rate)*float64(signals)
}

// bounded brings a source within the range of the formulas: a source that is never wrong, or
// complete, counts as nearly so.
func (s Signals) bounded(rate float64) (recall, wrong float64) {
	return min(max(s.Recall, 0), 0.999), max(s.False, 1e-4*rate)
}

func (s Signals) perSignal(rate float64) float64 {
	recall, wrong := s.bounded(rate)
	return math.Log((recall*rate+wrong)/wrong) / ((1 - recall) * rate)
}

// Fresh is the chance that the page is as it was so many effective days ago.
func (s Signals) Fresh(rate, effective float64) float64 {
	recall, _ := s.bounded(rate)
	return math.Exp(-(1 - recall) * rate * effective)
}

// Cycle returns the result of visiting whenever so many effective days have passed: the average
// number of days between visits, and of those the days during which the copy is fresh.
func (s Signals) Cycle(rate, effective float64) (days, fresh float64) {
	recall, wrong := s.bounded(rate)
	gamma, beta := recall*rate+wrong, s.perSignal(rate)
	part := 1 / (rate + wrong) // ν^k/(λ+ν)^{k+1}
	for k := 0; k < mostSignals; k++ {
		left := effective - float64(k)*beta
		if left <= 0 {
			break
		}
		days += atLeast(k, gamma*left) / gamma
		fresh += part * atLeast(k, (rate+wrong)*left)
		part *= wrong / (rate + wrong)
	}
	return days, fresh
}

// mostSignals bounds the terms of Cycle. More signals without a visit say nothing more.
const mostSignals = 200

// Worth is FreshWorth with signals: of a visit after so many effective days.
func (s Signals) Worth(rate, effective float64) float64 {
	days, fresh := s.Cycle(rate, effective)
	return max(0, fresh-s.Fresh(rate, effective)*days)
}

// atLeast is the chance that a Poisson variable of mean y is more than k:
// 1 − e^{−y}·Σ_{j≤k} y^j/j!, or the rest of the sum where that is shorter.
func atLeast(k int, y float64) float64 {
	term := math.Exp(-y)
	if y > float64(k+1) {
		sum := term
		for j := 1; j <= k; j++ {
			term *= y / float64(j)
			sum += term
		}
		return max(0, 1-sum)
	}
	for j := 1; j <= k+1; j++ {
		term *= y / float64(j)
	}
	sum := term
	for j := k + 2; term > 1e-17*sum; j++ {
		term *= y / float64(j)
		sum += term
	}
	return sum
}
