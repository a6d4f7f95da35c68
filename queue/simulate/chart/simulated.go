package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"plat/queue/simulate"
)

// measures are the panels of a simulation: a line is a panel. They are means of traces. Those that
// are not over budgets are left out if there are several, where three panels are enough.
var measures = []struct {
	name, unit, format string
	lower, budgets     bool
	value              func(*simulate.Result) float64
}{
	{"fresh", "% of the time", "%.1f %%", false, true, func(r *simulate.Result) float64 { return 100 * r.Fresh }},
	{"staleness", "harmonic number of changes missed", "%.2f", true, true, func(r *simulate.Result) float64 { return r.Staleness }},
	{"captured", "% of changes", "%.1f %%", false, true, func(r *simulate.Result) float64 { return 100 * r.Captured }},
	{"delay", "days from change to visit, median", "%.1f d", true, false, func(r *simulate.Result) float64 { return r.Delay[0] }},
}

// Simulated returns the chart of a comparison of policies on traces with signals: bars for one
// budget, lines for several.
func Simulated(found []simulate.Comparison, traces []*simulate.Trace, signals simulate.Signals) *Chart {
	c := &Chart{XName: "visits per change, log scale"}
	for _, f := range found {
		if !slices.Contains(c.Names, f.Policy) {
			c.Names = append(c.Names, f.Policy)
		}
		if !slices.Contains(c.X, f.VisitsPerChange) {
			c.X = append(c.X, f.VisitsPerChange)
		}
	}
	slices.Sort(c.X)
	for _, m := range measures {
		if len(c.X) > 1 && !m.budgets {
			continue
		}
		p := Panel{Name: m.name, Unit: m.unit, Format: m.format, Lower: m.lower, Values: make([][]float64, len(c.Names))}
		for i := range p.Values {
			p.Values[i] = make([]float64, len(c.X))
		}
		for k := range found {
			f := &found[k]
			p.Values[slices.Index(c.Names, f.Policy)][slices.Index(c.X, f.VisitsPerChange)] = m.value(&f.Mean)
		}
		c.Panels = append(c.Panels, p)
	}
	if len(c.Names) > 0 && len(c.X) > 0 {
		c.Title = c.headline()
	}
	c.Subtitle = c.basis(found, traces, signals)
	return c
}

// headline names the policy that keeps copies freshest, and its lead.
func (c *Chart) headline() string {
	p := &c.Panels[0]
	if len(c.Names) == 1 {
		v := p.number(p.Values[0][0])
		if last := p.number(p.Values[0][len(c.X)-1]); last != v {
			v += " to " + last
		}
		return c.Names[0] + " keeps copies fresh " + v + " of the time"
	}
	if len(c.X) == 1 {
		order := c.order()
		first, next := order[0], order[1]
		a, b := p.number(p.Values[first][0]), p.number(p.Values[next][0])
		if a == b {
			return fmt.Sprintf("%s and %s keep copies freshest: %s of the time", c.Names[first], c.Names[next], a)
		}
		return fmt.Sprintf("%s keeps copies freshest: %s of the time; next is %s with %s", c.Names[first], a, c.Names[next], b)
	}
	return c.leader(p)
}

// leader names the entry that leads most often, and its lead.
func (c *Chart) leader(p *Panel) string {
	winner, most := 0, -1
	var leads []float64
	for i := range c.Names {
		var over []float64
		for x := range c.X {
			lead := p.Values[i][x]
			for k := range c.Names {
				if k != i {
					lead = min(lead, p.Values[i][x]-p.Values[k][x])
				}
			}
			if lead > 0 {
				over = append(over, lead)
			}
		}
		if len(over) > most {
			winner, most, leads = i, len(over), over
		}
	}
	if most == 0 {
		return "No policy keeps copies fresher than all others"
	}
	by := fmt.Sprintf("%.1f to %.1f points", slices.Min(leads), slices.Max(leads))
	if least, most := fmt.Sprintf("%.1f", slices.Min(leads)), fmt.Sprintf("%.1f", slices.Max(leads)); least == most {
		by = least + " points"
	}
	if most == len(c.X) {
		return fmt.Sprintf("%s keeps copies freshest with each budget, by %s", c.Names[winner], by)
	}
	return fmt.Sprintf("%s keeps copies freshest with %d of %d budgets, by %s", c.Names[winner], most, len(c.X), by)
}

// basis describes the data behind the numbers.
func (c *Chart) basis(found []simulate.Comparison, traces []*simulate.Trace, signals simulate.Signals) string {
	pages := 0
	for _, t := range traces {
		pages += len(t.Pages)
	}
	var parts []string
	if len(c.X) == 1 {
		parts = append(parts, counted(c.X[0], "visit")+" per change")
	}
	if len(traces) == 1 {
		parts = append(parts, shorten(traces[0].Name)+", "+counted(pages, "page"))
	} else {
		parts = append(parts, fmt.Sprintf("means of %d traces, ", len(traces))+counted(pages, "page"))
	}
	if len(c.X) == 1 && len(c.Names) > 1 && len(traces) > 1 {
		best := c.Names[c.order()[0]]
		for _, f := range found {
			if f.Policy == best {
				parts = append(parts, fmt.Sprintf("%s is freshest on %d of them", best, f.Best))
				break
			}
		}
	}
	if signals.Recall > 0 || signals.False > 0 {
		parts = append(parts, fmt.Sprintf("signals of %g %% of the changes, %g false ones per change", 100*signals.Recall, signals.False))
	}
	return strings.Join(parts, "; ")
}

// counted returns a number with its noun: "1 visit", "1,543 pages".
func counted[N int | float64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return humanize.Commaf(float64(n)) + " " + noun
}

// shorten cuts a name of a trace to the length of a line.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
