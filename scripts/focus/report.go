package main

import (
	"fmt"
	"math"
	"strings"

	"plat/scripts/focus/corpus"
)

// curve is what a crawl found, page by page.
type curve struct {
	steps   []step
	known   map[int32]bool
	missing int // URLs without a page that were asked for
}

// step counts what was found up to a page.
type step struct{ relevant, strong, judged int }

func (c *curve) seen(id int32) bool { return c.known[id] }

func (c *curve) add(id int32, grade int) {
	if c.known == nil {
		c.known = map[int32]bool{}
	}
	c.known[id] = true
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

// harvest is the share of the judged pages among the first n that are relevant. Of a crawl that
// ended before, the pages that it did not visit count as irrelevant.
func (c *curve) harvest(n int, of func(step) int) float64 {
	s := c.at(n)
	return float64(of(s)) / float64(max(1, s.judged+max(0, n-len(c.steps))))
}

// area is the mean harvest at 1, 2, … n pages.
func (c *curve) area(n int, of func(step) int) float64 {
	sum := 0.0
	for i := 1; i <= n; i++ {
		sum += c.harvest(i, of)
	}
	return sum / float64(n)
}

func relevant(s step) int { return s.relevant }
func strong(s step) int   { return s.strong }

// tuned reports whether the constants of the order blocks were chosen on a topic: every second
// one of the main corpus.
func (b *bench) tuned(topic int) bool { return len(b.corpus.Far) > 0 && topic%2 == 0 }

// mean is a mean with the half width of its 95 % interval over sets of seeds.
type mean struct{ value, half float64 }

func (b *bench) mean(order, kind string, in func(topic int) bool, of func(*curve, int) float64) mean {
	var bySet []float64
	n := 0
	for _, t := range b.topics {
		if !in(t) {
			continue
		}
		n++
		for i := range b.results[key{order, kind, t}] {
			for len(bySet) <= i {
				bySet = append(bySet, 0)
			}
		}
	}
	if n == 0 || len(bySet) == 0 {
		return mean{math.NaN(), 0}
	}
	for _, t := range b.topics {
		if in(t) {
			all := b.results[key{order, kind, t}]
			for i := range bySet {
				bySet[i] += of(&all[min(i, len(all)-1)], t) / float64(n)
			}
		}
	}
	var m mean
	for _, v := range bySet {
		m.value += v / float64(len(bySet))
	}
	if len(bySet) > 1 {
		var s float64
		for _, v := range bySet {
			s += (v - m.value) * (v - m.value)
		}
		// Student's t for 2 degrees of freedom is 4.30, for 4 2.78, for 9 2.26.
		t := map[int]float64{2: 12.7, 3: 4.30, 4: 3.18, 5: 2.78}[len(bySet)]
		if t == 0 {
			t = 2.3
		}
		m.half = t * math.Sqrt(s/float64(len(bySet)-1)/float64(len(bySet)))
	}
	return m
}

func (b *bench) report() string {
	var out strings.Builder
	n := b.o.pages
	points := []int{500, 1000, 2000, 4000}
	for _, kind := range b.kinds {
		fmt.Fprintf(&out, "\n%s seeds: mean of %d topics, area under the harvest curve of %d pages\n", kind, len(b.topics), n)
		fmt.Fprintf(&out, "%-24s %15s %7s %7s %7s |", "order", "area", "tuned", "others", "strong")
		for _, p := range points {
			fmt.Fprintf(&out, " %13s", fmt.Sprintf("harvest %d", p))
		}
		fmt.Fprint(&out, " | recall at these\n")
		for _, order := range b.o.orders {
			all := func(int) bool { return true }
			a := b.mean(order, kind, all, func(c *curve, _ int) float64 { return c.area(n, relevant) })
			tuned := b.mean(order, kind, b.tuned, func(c *curve, _ int) float64 { return c.area(n, relevant) })
			others := b.mean(order, kind, func(t int) bool { return !b.tuned(t) }, func(c *curve, _ int) float64 { return c.area(n, relevant) })
			st := b.mean(order, kind, all, func(c *curve, _ int) float64 { return c.area(n, strong) })
			fmt.Fprintf(&out, "%-24s %.4f ± %.4f  %.4f  %.4f  %.4f |", order, a.value, a.half, tuned.value, others.value, st.value)
			for _, p := range points {
				h := b.mean(order, kind, all, func(c *curve, _ int) float64 { return c.harvest(p, relevant) })
				fmt.Fprintf(&out, " %13.3f", h.value)
			}
			fmt.Fprint(&out, " |")
			for _, p := range points {
				r := b.mean(order, kind, all, func(c *curve, t int) float64 {
					return float64(c.at(p).relevant) / float64(max(1, b.reachable(kind, t)))
				})
				fmt.Fprintf(&out, " %.3f", r.value)
			}
			fmt.Fprintln(&out)
		}
		if b.o.each {
			for _, t := range b.topics {
				fmt.Fprintf(&out, "  %-14s", b.corpus.Topics[t].ID)
				for _, order := range b.o.orders {
					m := b.mean(order, kind, func(x int) bool { return x == t }, func(c *curve, _ int) float64 { return c.area(n, relevant) })
					fmt.Fprintf(&out, " %.3f", m.value)
				}
				fmt.Fprintln(&out)
			}
		}
	}
	return out.String()
}

func (b *bench) reachable(kind string, t int) int {
	if kind == "near" {
		return b.corpus.Topics[t].NearReach
	}
	return b.corpus.Topics[t].FarReach
}
