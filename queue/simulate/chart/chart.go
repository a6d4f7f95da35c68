package chart

import (
	"fmt"
	"math"
	"slices"
)

// Chart is a comparison of names in one or more panels.
type Chart struct {
	Title, Subtitle string
	Names           []string  // the rows or lines; their order decides the colours of lines
	XName           string    // of the x axis, with its unit
	X               []float64 // above 0, ascending; one: bars
	Panels          []Panel
}

// Panel is a measure.
type Panel struct {
	Name   string
	Unit   string      // of the values
	Format string      // a format of package fmt: "%.1f %%"
	Lower  bool        // less is better
	Values [][]float64 // by name and x, from 0
}

// Lengths of all charts, in px.
const (
	margin    = 24
	titleSize = 19
	nameSize  = 15
	textSize  = 13
	smallSize = 12
	titleBase = 42 // base lines
	underBase = 64
	panelBase = 100
	unitBase  = 118
	top       = 134 // of rows and plots
	gap       = 32  // between panels
)

// Values above huge are refused, and those below tiny are drawn as 0: steps of a scale would not
// be numbers.
const (
	huge = 1e15
	tiny = 1e-12
)

// Draw lays the chart out. It must have a name, an x and a panel, and a value for each.
func (c *Chart) Draw() (*Drawing, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	d := &Drawing{Title: c.Title, About: c.Subtitle}
	right, bottom := 0.0, 0.0
	if len(c.X) == 1 {
		right, bottom = c.bars(d)
	} else {
		right, bottom = c.lines(d)
	}
	d.add(text{at: point{margin, titleBase}, s: c.Title, size: titleSize, bold: true, tone: ink})
	d.add(text{at: point{margin, underBase}, s: c.Subtitle, size: textSize, tone: faint})
	right = max(right, margin+width(c.Title, titleSize, true), margin+width(c.Subtitle, textSize, false))
	d.W, d.H = math.Ceil(right+margin), math.Ceil(bottom+margin-6)
	return d, nil
}

func (c *Chart) check() error {
	if len(c.Names) == 0 || len(c.X) == 0 || len(c.Panels) == 0 {
		return fmt.Errorf("a chart of %d names, %d places and %d panels: give one of each at least", len(c.Names), len(c.X), len(c.Panels))
	}
	for _, p := range c.Panels {
		for i := range c.Names {
			if len(p.Values) != len(c.Names) || len(p.Values[i]) != len(c.X) {
				return fmt.Errorf("panel %q: give a value for each name and place", p.Name)
			}
			for _, v := range p.Values[i] {
				if !(v >= 0 && v <= huge) {
					return fmt.Errorf("panel %q, %s: %v cannot be drawn; give numbers from 0 to %g", p.Name, c.Names[i], v, float64(huge))
				}
			}
		}
	}
	for i, x := range c.X {
		if !(x > 0) || math.IsInf(x, 1) || i > 0 && x <= c.X[i-1] {
			return fmt.Errorf("places %v: give numbers above 0, ascending", c.X)
		}
	}
	return nil
}

// heading writes the name, the unit and the aim of a panel.
func (p *Panel) heading(d *Drawing, x float64) {
	d.add(text{at: point{x, panelBase}, s: p.Name, size: nameSize, bold: true, tone: ink})
	d.add(text{at: point{x + width(p.Name, nameSize, true) + 6, panelBase}, s: p.aim(), size: smallSize, tone: faint})
	d.add(text{at: point{x, unitBase}, s: p.Unit, size: smallSize, tone: faint})
}

func (p *Panel) aim() string {
	if p.Lower {
		return "less is better"
	}
	return "more is better"
}

// wide returns the least width of panels: that of the widest heading.
func (c *Chart) wide() (w float64) {
	for i := range c.Panels {
		p := &c.Panels[i]
		w = max(w, width(p.Name, nameSize, true)+6+width(p.aim(), smallSize, false), width(p.Unit, smallSize, false))
	}
	return w
}

func (p *Panel) number(v float64) string { return fmt.Sprintf(p.Format, v) }

// best returns the best value at a place.
func (p *Panel) best(x int) float64 {
	best := p.Values[0][x]
	for _, v := range p.Values {
		if p.better(v[x], best) {
			best = v[x]
		}
	}
	return best
}

func (p *Panel) better(a, b float64) bool { return a != b && a < b == p.Lower }

// order returns the names, the best of the first panel first.
func (c *Chart) order() []int {
	order := make([]int, len(c.Names))
	for i := range order {
		order[i] = i
	}
	p := &c.Panels[0]
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := p.Values[a][0], p.Values[b][0]; {
		case p.better(x, y):
			return -1
		case p.better(y, x):
			return 1
		}
		return 0
	})
	return order
}

// ticks returns round numbers from one value to the other, approximately about of them.
func ticks(from, to float64, about int) []float64 {
	if to-from < tiny {
		return []float64{from}
	}
	step := math.Pow(10, math.Floor(math.Log10((to-from)/float64(about))))
	for _, m := range []float64{2, 2.5, 2} { // 1, 2, 5, 10 times a power of ten
		if (to-from)/step <= float64(about)+0.5 {
			break
		}
		step *= m
	}
	var all []float64
	for k := math.Ceil(from/step - 1e-9); k*step <= to+1e-9*step; k++ {
		all = append(all, k*step)
	}
	return all
}

// tick writes a number as short as it can be.
func tick(v float64) string { return fmt.Sprintf("%.6g", v+0) }
