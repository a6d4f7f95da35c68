package chart

import (
	"cmp"
	"math"
	"slices"
)

// Lengths of charts of lines, in px.
const (
	plotW   = 240
	plotH   = 260 // at least
	inset   = 12  // between the edges of a plot and its first and last place
	spacing = 18  // of labels at the ends of lines
	leader  = 28  // from the end of a line to its label
)

// maxDots is the number of places up to which they are marked: more would hide the lines.
const maxDots = 8

// lines draws a line for each name over x and returns the right and lower edges of the drawing.
func (c *Chart) lines(d *Drawing) (right, bottom float64) {
	h := max(plotH, spacing*float64(len(c.Names)))
	bottom = top + h
	x := float64(margin)
	for k := range c.Panels {
		p := &c.Panels[k]
		p.heading(d, x)
		x += max(c.plot(d, p, x, bottom), c.wide()) + gap
	}
	return x - gap, bottom + 42
}

// plot draws a panel between top and bottom, and returns how wide it is.
func (c *Chart) plot(d *Drawing, p *Panel, left, bottom float64) float64 {
	low, high := p.span()
	marks := ticks(low, high, 5)
	room := 0.0
	for _, v := range marks {
		room = max(room, width(tick(v), smallSize, false))
	}
	left0 := left
	left += room + 8
	y := func(v float64) float64 { return bottom - 6 - (v-low)/(high-low)*(bottom-top-12) }
	for _, v := range marks {
		d.add(path{points: []point{{left, y(v)}, {left + plotW, y(v)}}, width: 1, tone: grid})
		d.add(text{at: point{left - 8, y(v) + 4}, s: tick(v), size: smallSize, anchor: end, tone: faint})
	}
	// Budgets are compared as ratios: twice as much is as far everywhere.
	first, last := math.Log(c.X[0]), math.Log(c.X[len(c.X)-1])
	x := func(i int) float64 {
		return left + inset + (math.Log(c.X[i])-first)/(last-first)*(plotW-2*inset)
	}
	d.add(path{points: []point{{left, bottom}, {left + plotW, bottom}}, width: 1, tone: faint})
	until := -1e9
	for i, v := range c.X {
		half := width(tick(v), smallSize, false) / 2
		if x(i)-half < until {
			continue
		}
		until = x(i) + half + 6
		d.add(path{points: []point{{x(i), bottom}, {x(i), bottom + 4}}, width: 1, tone: faint})
		d.add(text{at: point{x(i), bottom + 19}, s: tick(v), size: smallSize, anchor: middle, tone: faint})
	}
	d.add(text{at: point{left + plotW/2, bottom + 38}, s: c.XName, size: smallSize, anchor: middle, tone: faint})
	labels := c.curves(d, p, x, y, bottom)
	return left + plotW - inset + leader + labels - left0
}

// curves draws the lines of a plot and names them at their ends. It returns how wide the names are.
func (c *Chart) curves(d *Drawing, p *Panel, x func(int) float64, y func(float64) float64, bottom float64) (labels float64) {
	end := len(c.X) - 1
	order := make([]int, len(c.Names))
	for i := range order {
		order[i] = i
	}
	// The line that ends best is drawn last, on top.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(y(p.Values[b][end]), y(p.Values[a][end])) })
	if p.Lower {
		slices.Reverse(order)
	}
	wanted := make([]float64, len(order))
	for k, i := range order {
		wanted[k] = y(p.Values[i][end])
	}
	at := apart(wanted, spacing, top+spacing/2, bottom-spacing/2)
	for k, i := range order {
		d.add(path{points: []point{{x(end), wanted[k]}, {x(end) + leader - 5, at[k]}}, width: 1, tone: series(i)})
	}
	for k, i := range order {
		best := p.Values[i][end] == p.best(end)
		tone, w := series(i), 2.0
		if best {
			w = 3.5
		}
		line := path{width: w, tone: tone}
		for j, v := range p.Values[i] {
			line.points = append(line.points, point{x(j), y(v)})
			if len(c.X) <= maxDots || j == end {
				d.add(dot{at: point{x(j), y(v)}, r: w + 1.5, tone: tone})
			}
		}
		d.add(line)
		label := c.Names[i] + " " + p.number(p.Values[i][end])
		d.add(text{at: point{x(end) + leader, at[k] + 4}, s: label, size: textSize, bold: best, tone: tone})
		labels = max(labels, width(label, textSize, best))
	}
	return labels
}

// span returns the range of the axis of a panel: that of the values, and a twentieth of it beyond.
// Values that are almost equal are drawn so: a range is at least a fiftieth of them.
func (p *Panel) span() (low, high float64) {
	low, high = math.Inf(1), 0
	for _, values := range p.Values {
		low, high = min(low, slices.Min(values)), max(high, slices.Max(values))
	}
	more := max((high-low)/20, high/100)
	if more < tiny {
		more = 0.5
	}
	return max(0, low-more), high + more
}

// apart returns places near those wanted, each so far from the next one, between low and high if
// they fit. Neighbours that would meet are moved as a group, as little as can be.
func apart(wanted []float64, distance, low, high float64) []float64 {
	type group struct {
		members []int
		first   float64 // place of the first member
		sum     float64 // of where the first member would be, by each
	}
	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })
	within := func(g *group) {
		n := float64(len(g.members))
		g.first = max(low, min(g.sum/n, high-(n-1)*distance))
	}
	var all []group
	for _, i := range order {
		g := group{members: []int{i}, sum: wanted[i]}
		within(&g)
		for len(all) > 0 {
			before := all[len(all)-1]
			n := float64(len(before.members))
			if before.first+n*distance <= g.first {
				break
			}
			g.sum = before.sum + g.sum - n*distance*float64(len(g.members))
			g.members = append(before.members, g.members...)
			within(&g)
			all = all[:len(all)-1]
		}
		all = append(all, g)
	}
	out := make([]float64, len(wanted))
	for _, g := range all {
		for k, i := range g.members {
			out[i] = g.first + float64(k)*distance
		}
	}
	return out
}
