package chart

// Lengths of charts of bars, in px.
const (
	row      = 27
	barH     = 17
	barPanel = 200 // the least width of a panel
)

// bars draws a row for each name and returns the right and lower edges of the drawing. Bars begin
// at 0, so that their lengths can be compared.
func (c *Chart) bars(d *Drawing) (right, bottom float64) {
	order := c.order()
	p0 := &c.Panels[0]
	names := 0.0
	for _, i := range order {
		names = max(names, width(c.Names[i], textSize, true))
	}
	bottom = top + row*float64(len(order))
	x := margin + names + 14
	for k, i := range order {
		y := base(k)
		best := p0.Values[i][0] == p0.best(0)
		d.add(text{at: point{x - 14, y}, s: c.Names[i], size: textSize, bold: best, anchor: end, tone: ink})
	}
	w := max(barPanel, c.wide())
	for k := range c.Panels {
		p := &c.Panels[k]
		p.heading(d, x)
		p.bars(d, order, x, w, bottom)
		x += w + gap
	}
	return x - gap, bottom + 22
}

// base returns the base line of the texts of row k.
func base(k int) float64 { return top + row*float64(k) + 18 }

// bars draws the bars of a panel.
func (p *Panel) bars(d *Drawing, order []int, x, w, bottom float64) {
	label, most := 0.0, 0.0
	for _, i := range order {
		label = max(label, width(p.number(p.Values[i][0]), textSize, true))
		most = max(most, p.Values[i][0])
	}
	scale := 0.0
	if most >= tiny {
		scale = (w - label - 8) / most
	}
	last := -1e9
	for _, v := range ticks(0, most, 4) {
		at, s := x+v*scale, tick(v)
		d.add(path{points: []point{{at, top}, {at, bottom + 4}}, width: 1, tone: grid})
		if half := width(s, smallSize, false) / 2; at-half > last {
			d.add(text{at: point{at, bottom + 19}, s: s, size: smallSize, anchor: middle, tone: faint})
			last = at + half + 6
		}
	}
	best := p.best(0)
	for k, i := range order {
		v, tone := p.Values[i][0], bar
		if v == best {
			tone = accent
		}
		y := base(k) - barH + 4
		d.add(box{at: point{x, y}, w: max(1, v*scale), h: barH, tone: tone})
		number := p.number(v)
		at := point{x + max(1, v*scale) + 6, base(k)}
		// A line of the grid would run through the digits.
		d.add(box{at: point{at.x - 3, y}, w: width(number, textSize, v == best) + 6, h: barH, tone: paper})
		d.add(text{at: at, s: number, size: textSize, bold: v == best, tone: ink})
	}
	d.add(path{points: []point{{x, top}, {x, bottom}}, width: 1, tone: faint})
}
