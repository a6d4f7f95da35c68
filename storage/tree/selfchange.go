package tree

import "plat/plat"

// selfChanges writes the self-changes of a page: for each, the lineage as a difference to the
// previous one, the kind, the reason, and the ranges of the old and of the new text.
func (w *writer) selfChanges(all []plat.SelfChange) {
	w.Uint(uint64(len(all)))
	last, reason := int32(0), ""
	for i := range all {
		x := &all[i]
		w.Int(int64(x.Lineage) - int64(last))
		w.kind(x.Kind)
		w.TextAs(x.Why, reason)
		w.ranges(x.Old)
		w.ranges(x.New)
		last, reason = x.Lineage, x.Why
	}
}

func (r *reader) selfChanges() []plat.SelfChange {
	all := make([]plat.SelfChange, r.Count())
	last, reason := int32(0), ""
	for i := range all {
		x := &all[i]
		x.Lineage, x.Kind, x.Why = r.Int32(int64(last)), r.kind(), r.TextAs(reason)
		x.Old, x.New = r.ranges(), r.ranges()
		last, reason = x.Lineage, x.Why
	}
	return all
}

// ranges writes the number of ranges, then the distance of each from the end of the previous
// one, and its length.
func (w *writer) ranges(all []plat.Range) {
	w.Uint(uint64(len(all)))
	at := 0
	for _, x := range all {
		w.Int(int64(x.From - at))
		w.Int(int64(x.To - x.From))
		at = x.To
	}
}

func (r *reader) ranges() []plat.Range {
	n := r.Count()
	if n == 0 {
		return nil
	}
	all := make([]plat.Range, n)
	at := 0
	for i := range all {
		all[i].From = at + int(r.Int())
		all[i].To = all[i].From + int(r.Int())
		at = all[i].To
	}
	return all
}
