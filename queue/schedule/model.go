package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Model is a policy's knowledge of a page: the statistics of its visits, and the weights of its
// site's bursts, which the pages of a site may share.
type Model struct {
	Known
	Burst  *Burst
	Blocks Blocks
}

// Visit records a visit so many days after the previous one, and whether it found a change.
func (m *Model) Visit(days float64, changed bool) {
	m.Burst.Learn(&m.Known, days, changed)
	m.Known.Visit(days, changed)
	m.stretch(changed)
}

// worths are the policies that compute the worth of a visit so many days after the last one. A
// rule that sets intervals says how late the visit is, relative to its interval.
var worths = map[string]func(m *Model, days float64) float64{
	"uniform": func(m *Model, days float64) float64 { return days },
	"fresh": func(m *Model, days float64) float64 {
		if m.Visits < explored {
			return HarmonicWorth(m.Rate(), days)
		}
		return FreshWorth(m.Rate(), days)
	},
	"harmonic": func(m *Model, days float64) float64 { return m.Burst.HarmonicWorth(&m.Known, days) },
	"archive":  func(m *Model, days float64) float64 { return m.Burst.Changed(&m.Known, days) },
	"news":     func(m *Model, days float64) float64 { return NewsWorth(m.Rate(), days) },

	"blocks": func(m *Model, days float64) float64 {
		if m.Blocks.Usual == nil {
			return m.Burst.HarmonicWorth(&m.Known, days)
		}
		return m.Blocks.Worth(days)
	},

	"abc":          func(m *Model, days float64) float64 { return days / cmp.Or(m.wait, firstWait) },
	"adaptive":     func(m *Model, days float64) float64 { return days / cmp.Or(m.nutch, firstWait) },
	"stormcrawler": func(m *Model, days float64) float64 { return days / cmp.Or(m.storm, firstWait) },
}

// explored is the number of visits before a page may be abandoned: until then its rate is a guess.
const explored = 4

// Worths returns the names of the policies that say how much a visit is worth, sorted.
func Worths() []string { return slices.Sorted(maps.Keys(worths)) }

// Worth returns the function of a policy that computes the worth of a visit so many days after the
// last one.
func Worth(policy string) (func(m *Model, days float64) float64, error) {
	if w := worths[policy]; w != nil {
		return w, nil
	}
	return nil, fmt.Errorf("policy %q: write %s", policy, strings.Join(Worths(), ", "))
}
