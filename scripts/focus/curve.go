package main

import (
	"math"
	"slices"

	"plat/scripts/focus/corpus"
)

// curve is the results of a crawl, page by page.
type curve struct {
	seeds   seeds
	steps   []step
	missing int // requested URLs without a page
	repeats int // URLs that redirect to a page that was there already
}

// step counts the pages found up to a page.
type step struct{ relevant, strong, judged int32 }

func (c *curve) add(grade int) {
	var s step
	if n := len(c.steps); n > 0 {
		s = c.steps[n-1]
	}
	if grade != corpus.Unjudged {
		s.judged++
	}
	if grade >= corpus.Relevant {
		s.relevant++
	}
	if grade >= corpus.Strong {
		s.strong++
	}
	c.steps = append(c.steps, s)
}

func (c *curve) at(n int) step {
	if len(c.steps) == 0 {
		return step{}
	}
	return c.steps[min(n, len(c.steps))-1]
}

// grade selects the pages that count as found: of grade 1 and 2, or of grade 2 alone.
type grade int

const (
	relevant grade = corpus.Relevant
	strong   grade = corpus.Strong
)

func (g grade) of(s step) float64 {
	if g == strong {
		return float64(s.strong)
	}
	return float64(s.relevant)
}

func (g grade) in(s *seeds) float64 {
	if g == strong {
		return float64(s.strong)
	}
	return float64(s.relevant)
}

// harvest is the share of the judged pages among the first n that are found. Of a crawl that
// ended before, the pages that it did not visit count as irrelevant.
func (c *curve) harvest(n int, g grade) float64 {
	s := c.at(n)
	return g.of(s) / float64(max(1, int(s.judged)+max(0, n-len(c.steps))))
}

// recall returns the share of the pages reachable from the seeds that is found within n pages;
// NaN if there are no such pages.
func (c *curve) recall(n int, g grade) float64 { return g.of(c.at(n)) / g.in(&c.seeds) }

// area is the mean harvest at 1, 2, … n pages.
func (c *curve) area(n int, g grade) float64 {
	sum := 0.0
	for i := 1; i <= n; i++ {
		sum += c.harvest(i, g)
	}
	return sum / float64(n)
}

// mean is a mean over sets of seeds, with the half width of its 95 % interval.
type mean struct {
	Value float64   `json:"mean"`
	Half  float64   `json:"half"`
	Sets  []float64 `json:"sets"`
}

// students is Student's t for the 95 % interval of a mean of so many.
var students = []float64{2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}

func meanOf(sets []float64) mean {
	m := mean{Sets: sets}
	n := float64(len(sets))
	for _, v := range sets {
		m.Value += v / n
	}
	if len(sets) < 2 {
		return m
	}
	var s float64
	for _, v := range sets {
		s += (v - m.Value) * (v - m.Value)
	}
	m.Half = students[min(len(sets), len(students)-1)] * math.Sqrt(s/(n-1)/n)
	return m
}

// mean is the mean over topics of something measured on a curve, for each set of seeds, and of
// these. Topics of which it is not a number do not count.
func (b *bench) mean(order string, at condition, in func(topic int) bool, of func(*curve) float64) mean {
	var sums, counts []float64
	for _, t := range b.topics {
		if !in(t) {
			continue
		}
		for i, c := range b.results[key{order, at.kind, at.cap, t}] {
			if i == len(sums) {
				sums, counts = append(sums, 0), append(counts, 0)
			}
			if v := of(c); !math.IsNaN(v) {
				sums[i] += v
				counts[i]++
			}
		}
	}
	for i := range sums {
		sums[i] /= counts[i]
	}
	return meanOf(slices.DeleteFunc(sums, math.IsNaN))
}

// condition is the common setting of crawls that are compared.
type condition struct {
	kind string
	cap  int
}

func (b *bench) conditions() []condition {
	var all []condition
	for _, most := range b.o.caps {
		for _, kind := range b.o.kinds {
			if b.results[key{b.o.orders[0], kind, most, b.topics[0]}] != nil {
				all = append(all, condition{kind, most})
			}
		}
	}
	return all
}

// tuned reports whether the constants of the order blocks were chosen on a topic: every second
// one of the main corpus.
func (b *bench) tuned(topic int) bool { return b.corpus.Name == "uci-ics" && topic%2 == 0 }

func (b *bench) untuned(topic int) bool { return !b.tuned(topic) }

func every(int) bool { return true }
