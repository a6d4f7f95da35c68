package noise

import (
	"cmp"
	"slices"
	"sync"

	"plat/plat"
)

// When selects the changed pages that are rendered a second time, to find self-changes. Empty is
// Never.
type When string

// The values of a When.
const (
	Never  When = "never"
	New    When = "new"    // a few at first, later one in twenty visits at most
	Always When = "always" // for each change without a reason
)

// Whens lists all values of a When.
var Whens = []When{Never, New, Always}

// Weighed is the result of Weigh.
type Weighed struct {
	SelfChanges []plat.SelfChange // in order of lineage
	All         bool              // renderings at this visit prove that all changes are self-changes
	Looks       int               // second renderings made
	Verdicts    []Verdict         // on the changes that remain
}

// Weigh removes the self-changes from the changes between two versions. look renders the page again;
// it returns nil if that is not possible, and its error ends Weigh. given may be nil.
func Weigh(when When, old, now Look, changes *plat.Changes, m *Mask, given *Given, look func() (*Again, error)) (w Weighed, err error) {
	j := newJudge(old, now, changes.Blocks, m, given)
	verdicts := j.verdicts()
	pair := sync.OnceValues(func() (where, bool) { return pairOf(old, now) }) // reads all words
	var swaps []swap
	if when == Never {
		j.rulesOnly()
	} else {
		j.variant(pair)
		swaps = j.swaps()
		j.returned(j.turns(swaps))
	}
	// On a page that varies, two renderings may agree by chance, on one of eight quotes, so a third
	// follows. It also follows at the first change of a page, and a fourth after it if the only news
	// is items of a list that varies: four of twelve headlines.
	var looks []*Again
	first, rested := m.isNew(), m.spent == 0
	for n := range 3 {
		// Once in a while a rendering proves that a time runs, which the texts explain: then the visits
		// until the place is forgotten need no versions.
		prove := when == New && rested && n < 2 && j.provable()
		if !prove && (!anyNews(changes, verdicts, m) || n == 1 && !first && !m.Varies() && looks[0].same() || n == 2 && !(first && j.onlyWhereThingsTurn())) {
			break
		}
		if !m.Spend(when) {
			break
		}
		again, err := look()
		if err != nil {
			return w, err
		}
		if again == nil {
			break
		}
		w.Looks++
		j = j.with(again)
		verdicts = j.verdicts()
		looks = append(looks, again)
	}
	// The mask learns after the verdicts: for the words of this visit it is too coarse.
	for _, again := range looks {
		m.learnFrom(old, now, again)
	}
	m.meetAll(old, now, changes.Blocks, verdicts)
	if when != Never {
		m.swapped(j.turns(swaps))
	}
	if when != Never && anyNews(changes, verdicts, m) {
		if at, ok := pair(); ok {
			m.flip(at)
		}
	}
	for k := j; k == j || k != nil && k.again != nil; k = k.earlier {
		k.moves = nil // to be built with the updated mask
		k.divide(verdicts)
	}
	w.All = byThemselves(*changes, verdicts, looks)
	kept := w.separate(changes.Blocks, verdicts)
	if layoutVaries(changes.Layout, looks) || m.knowsLayout(weight(changes.Layout)) {
		changes.Layout = plat.Same
	}
	if changes.Blocks = kept; w.All {
		*changes, w.Verdicts = plat.Changes{}, nil
		m.keep(old) // lineages that are not stored will be used for different blocks
	}
	slices.SortStableFunc(w.SelfChanges, func(x, y plat.SelfChange) int { return cmp.Compare(x.Lineage, y.Lineage) })
	return w, nil
}

// separate adds the self-changes among the changes of blocks, and returns the rest, which have verdicts
// of their own. It reuses the slice.
func (w *Weighed) separate(changes []plat.Change, verdicts []Verdict) []plat.Change {
	several := map[int32]int{} // changes of a lineage
	for _, c := range changes {
		several[c.Lineage]++
	}
	kept := changes[:0]
	for i, c := range changes {
		v := verdicts[i]
		if own, ok := v.selfChange(c); ok && several[c.Lineage] == 1 {
			w.SelfChanges = append(w.SelfChanges, own)
		} else if v.nothingNew() {
			// A block that was split has no single lineage to record.
			w.SelfChanges = append(w.SelfChanges, plat.SelfChange{Kind: c.Kind, Why: string(v.Why)})
		}
		if v.nothingNew() {
			continue
		}
		if v.Kind != "" {
			c.Kind = v.Kind
		}
		kept, w.Verdicts = append(kept, c), append(w.Verdicts, v)
	}
	return kept
}

// nothingNew reports whether no part of the change is news. A change of order alone is: see [Order].
func (v *Verdict) nothingNew() bool { return v.Why != "" && v.Why != Order }

// selfChange returns the part of a change that is a self-change; ok is false if it is empty.
func (v *Verdict) selfChange(c plat.Change) (own plat.SelfChange, ok bool) {
	own = plat.SelfChange{Lineage: c.Lineage, Kind: plat.Same}
	if v.nothingNew() {
		own.Kind, own.Why = c.Kind, string(v.Why)
		return own, true
	}
	if own.Old, own.New = v.Old, v.New; len(own.Old)+len(own.New) == 0 {
		return own, false
	}
	why := TwoLook
	if i := slices.IndexFunc(v.Edits, func(e Edit) bool { return e.Why != "" }); i >= 0 {
		why = v.Edits[i].Why
	}
	if v.Divided {
		why = Elsewhere
	}
	own.Why = string(why)
	return own, true
}
