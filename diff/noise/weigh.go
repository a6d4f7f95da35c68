package noise

import (
	"cmp"
	"slices"
	"sync"

	"plat/plat"
)

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
	SelfChanges []plat.SelfChange // what the page changes by itself, by lineage
	All      bool              // there is nothing else, and looks at this visit prove it
	Looks    int               // that were taken
	Verdicts []Verdict         // on the changes that are left: what of each is news
}

// Weigh takes out of the changes between two versions those that the page makes by itself.
// look looks at the page once more; its answer is nil if that was not possible, its error
// ends Weigh. given may be nil.
func Weigh(when When, old, now Look, changes *plat.Changes, m *Mask, given *Given, look func() (*Again, error)) (w Weighed, err error) {
	j := newJudge(old, now, changes.Blocks, m, given)
	verdicts := j.verdicts()
	pair := sync.OnceValues(func() (where, bool) { return pairOf(old, now) }) // it reads all words
	if when == Never {
		j.rulesOnly()
	} else {
		j.variant(pair)
	}
	// Where a page does vary, what two looks share may be chance, one of eight quotes: it is
	// looked at a third time. So it is at its first change, where a fourth look follows if
	// nothing is news but things in a list that shows others: four of twelve headlines.
	var looks []*Again
	first := m.isNew()
	for n := range 3 {
		if !anyNews(changes, verdicts, m) || n == 1 && !first && !m.Varies() && looks[0].same() || n == 2 && !(first && j.onlyWhereThingsTurn()) {
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
	// What a look teaches is for later visits: beside this one's own words it is coarse.
	for _, again := range looks {
		m.learnFrom(now, again)
	}
	m.meetAll(old, now, changes.Blocks, verdicts)
	if when != Never && anyNews(changes, verdicts, m) {
		if at, ok := pair(); ok {
			m.flip(at)
		}
	}
	for k := j; k == j || k != nil && k.again != nil; k = k.earlier {
		k.moves = nil // what the looks have taught counts here
		k.divide(verdicts)
	}
	w.All = byThemselves(*changes, verdicts, looks)
	several := map[int32]int{} // changes of a lineage
	for _, c := range changes.Blocks {
		several[c.Lineage]++
	}
	kept := changes.Blocks[:0]
	for i, c := range changes.Blocks {
		v := verdicts[i]
		if own, ok := v.selfChange(c); ok && several[c.Lineage] == 1 {
			w.SelfChanges = append(w.SelfChanges, own)
		} else if v.nothingNew() {
			// Of a block that was divided, it is not said which part.
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
	if layoutVaries(changes.Layout, looks) || m.knowsLayout(weight(changes.Layout)) {
		changes.Layout = plat.Same
	}
	if changes.Blocks = kept; w.All {
		*changes, w.Verdicts = plat.Changes{}, nil
		m.keep(old) // lineages that are not stored will be those of other blocks
	}
	slices.SortStableFunc(w.SelfChanges, func(x, y plat.SelfChange) int { return cmp.Compare(x.Lineage, y.Lineage) })
	return w, nil
}

// nothingNew reports whether no part of the change is news. Order alone is: see [Order].
func (v *Verdict) nothingNew() bool { return v.Why != "" && v.Why != Order }

// selfChange is what the page does by itself of a change; ok is false if that is nothing.
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
