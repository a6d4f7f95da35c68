package traps

import (
	"cmp"
	"maps"
	"slices"
)

// Summary is the data learnt about a site, for display.
type Summary struct {
	Params   []string        `json:"parameters"`   // that change nothing
	Replaced []Replacement   `json:"replacements"` // parts of addresses that change nothing
	Barren   []BarrenPattern `json:"barren"`       // patterns that bring little
}

// Replacement is a part of an address and the text that may replace it.
type Replacement struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Pages int    `json:"pages"` // that had both addresses
}

// BarrenPattern is a pattern of URLs that brings little: numbers are "#", other
// segments "*".
type BarrenPattern struct {
	Pattern  string  `json:"pattern"`
	Visits   float64 `json:"visits"`   // recent ones
	Fruitful float64 `json:"fruitful"` // of these
	Endless  bool    `json:"endless"`  // they lead to more and more URLs, few of which are visited
}

// Summary returns the learnt data: barren patterns by their visits, including those that contain
// each other.
func (s *Site) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := Summary{Params: []string{}, Replaced: []Replacement{}, Barren: []BarrenPattern{}}
	for _, name := range slices.Sorted(maps.Keys(s.params)) {
		if s.params[name].holds() {
			sum.Params = append(sum.Params, name)
		}
	}
	for p, e := range s.pieces {
		if e.holds() {
			sum.Replaced = append(sum.Replaced, Replacement{p.From, p.To, e.pro})
		}
	}
	slices.SortFunc(sum.Replaced, func(a, b Replacement) int { return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.From, b.From)) })
	for key, p := range s.patterns {
		if p.visits >= minVisits && p.share() < barrenShare {
			sum.Barren = append(sum.Barren, BarrenPattern{key, p.visits, p.fruitful, p.grows()})
		}
	}
	slices.SortFunc(sum.Barren, func(a, b BarrenPattern) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(a.Pattern, b.Pattern))
	})
	return sum
}
