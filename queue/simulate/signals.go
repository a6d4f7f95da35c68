package simulate

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Signals are hints of changes, such as the lastmod of a sitemap, made up for a trace: with a part
// of the changes one comes at once, and at other times false ones. The zero Signals yield no
// signals.
type Signals struct {
	Recall float64 // part of the changes that a signal comes with
	False  float64 // false signals of a page per change, at times independent of the changes
	Seed   uint64
}

type signal struct {
	at   float64 // days
	page int
}

// of returns the signals of a trace, by time.
func (s Signals) of(t *Trace) (all []signal) {
	if s.Recall <= 0 && s.False <= 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(s.Seed, 0))
	for i := range t.Pages {
		changes := t.Pages[i].Changes
		for _, c := range changes[1:] {
			if r.Float64() < s.Recall {
				all = append(all, signal{c.At, i})
			}
		}
		if life := t.To - changes[0].At; life > 0 && len(changes) > 1 && s.False > 0 {
			rate := s.False * float64(len(changes)-1) / life
			for at := changes[0].At + r.ExpFloat64()/rate; at < t.To; at += r.ExpFloat64() / rate {
				all = append(all, signal{at, i})
			}
		}
	}
	slices.SortFunc(all, func(a, b signal) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.page, b.page)) })
	return all
}
