package noise

import "plat"

// When says when a page that has changed is looked at once more, to see what it changes by
// itself. Empty is Never.
type When string

// The values of a When.
const (
	Never  When = "never"
	New    When = "new"    // at first; later at most at one visit in twenty
	Always When = "always" // at each change that nothing explains
)

// Whens are all values of a When.
var Whens = []When{Never, New, Always}

// Weighed is what Weigh has found.
type Weighed struct {
	ByItself map[plat.Kind]int // changes that the page makes by itself
	All      bool              // there are no others, and looks at this visit prove it
	Looks    int               // that were taken
	Verdicts []Verdict         // on the changes that are left: what of each is news
}

// Weigh takes out of the changes between two versions those that the page makes by itself.
// look looks at the page once more; its answer is nil if that was not possible, its error
// ends Weigh.
func Weigh(when When, old, now Look, changes *plat.Changes, m *Mask, look func() (*Again, error)) (w Weighed, err error) {
	verdicts := Judge(old, now, changes.Blocks, nil, m)
	// Where a page does vary, what two looks share may be chance, one of eight quotes: it is
	// looked at a third time. So it is at its first change.
	var looks []*Again
	first := m.New()
	for range 2 {
		if !News(changes, verdicts, m) || w.Looks > 0 && !first && !m.Varies() && looks[0].same() || when != Always && !m.Looks() {
			break
		}
		m.Looked() // also if it fails
		again, err := look()
		if err != nil {
			return w, err
		}
		if again == nil {
			break
		}
		w.Looks++
		verdicts = Either(verdicts, Judge(old, now, changes.Blocks, again, m))
		looks = append(looks, again)
	}
	// What a look teaches is for later visits: beside this one's own words it is coarse.
	for _, again := range looks {
		m.Learn(now, again)
	}
	m.Meet(old, now, changes.Blocks, verdicts)
	w.ByItself, w.All = map[plat.Kind]int{}, ByItself(*changes, verdicts, looks)
	kept := changes.Blocks[:0]
	for i, c := range changes.Blocks {
		v := verdicts[i]
		if v.Why != "" && v.Why != Order {
			w.ByItself[c.Kind]++
			continue
		}
		if v.Kind != "" {
			c.Kind = v.Kind
		}
		kept, w.Verdicts = append(kept, c), append(w.Verdicts, v)
	}
	if layoutVaries(changes.Layout, looks) || m.knowsLayout(weight(changes.Layout)) {
		changes.Layout = plat.Same
	}
	if changes.Blocks = kept; w.All {
		*changes, w.Verdicts = plat.Changes{}, nil
		m.keep(old) // lineages that are not stored will be those of other blocks
	}
	return w, nil
}
