package noise

import (
	"slices"
	"time"

	"plat/diff/noise/dial"
	"plat/plat"
)

// running returns the parts of a block's text that have moved as time has, from the last version to
// this. proven reports for each whether it runs: a second rendering has moved on by the time between the
// renderings, or one did at an earlier visit.
func (j *judge) running(c plat.Change, was, is *words) (runs []dial.Run, proven []bool) {
	text := is.dial()
	runs = dial.Ran(was.dial(), j.old.At, text, j.now.At)
	proven = make([]bool, len(runs))
	for k := j; len(runs) > 0 && k.again != nil; k = k.earlier {
		if b := k.second[c.Lineage]; b != nil {
			for _, r := range dial.Ran(text, j.now.At, dial.Parse(textOf(b, c.Folded)), k.again.At) {
				for i := range runs {
					proven[i] = proven[i] || runs[i].At == r.OldAt
				}
			}
		}
	}
	for i, r := range runs {
		proven[i] = proven[i] || j.mask.knows(ofDial(c.Lineage, r), hashOf(is.text))
	}
	return runs, proven
}

func (w *words) dial() *dial.Text {
	if w.numbers == nil {
		w.numbers = dial.Parse(w.text)
	}
	return w.numbers
}

// ofDial returns the place of a time that runs in a block.
func ofDial(lineage int32, r dial.Run) where {
	return where{kind: ofMarkup, lineage: lineage, item: hashOf("runs " + r.Key)}
}

// learnDials learns the times that run in a block.
func (m *Mask) learnDials(lineage int32, first *words, at time.Time, second *words, later time.Time) {
	for _, r := range dial.Ran(first.dial(), at, second.dial(), later) {
		m.learn(ofDial(lineage, r), hashOf(first.text))
	}
}

// ran marks the edits, or their parts, within times that run, and within clocks that the texts alone
// prove.
func (j *judge) ran(c plat.Change, was, is *words, edits []Edit) []Edit {
	runs, proven := j.running(c, was, is)
	if len(runs) == 0 {
		return edits
	}
	var run, fit []dial.Run
	for i, r := range runs {
		switch {
		case proven[i]:
			run = append(run, r)
		case r.OfAnyClock:
			fit = append(fit, r)
		}
	}
	if last := j.old.seen().last; len(fit) > 0 && last.After(j.old.At) { // as for same
		since := dial.Ran(was.dial(), last, is.dial(), j.now.At)
		fit = slices.DeleteFunc(fit, func(r dial.Run) bool {
			return !slices.ContainsFunc(since, func(x dial.Run) bool { return x.OfAnyClock && x.Old == r.Old && x.New == r.New })
		})
	}
	return moved(fit, false, moved(run, true, edits, was, is), was, is)
}

// moved marks the edits within parts of two texts as those of clocks; ran tells whether these are
// proven to run.
func moved(runs []dial.Run, ran bool, edits []Edit, was, is *words) (all []Edit) {
	if len(runs) == 0 {
		return edits
	}
	in := func(ws []token, part func(*dial.Run) [2]int) []bool {
		marks := make([]bool, len(ws))
		for i, w := range ws {
			marks[i] = slices.ContainsFunc(runs, func(r dial.Run) bool { p := part(&r); return p[0] < w.To && w.From < p[1] })
		}
		return marks
	}
	for _, e := range edits {
		stood, vary := in(was.in(e.Old), func(r *dial.Run) [2]int { return r.Old }), in(is.in(e.New), func(r *dial.Run) [2]int { return r.New })
		some := slices.Contains(stood, true) || slices.Contains(vary, true)
		whole := !slices.Contains(stood, false) && !slices.Contains(vary, false)
		switch {
		case !some || e.Why == Ignored || e.Why != "" && !(whole && ran):
			all = append(all, e)
		default:
			for _, e := range split(e, was.in(e.Old), is.in(e.New), stood, vary, Clock) {
				e.ran = ran && e.Why == Clock
				all = append(all, e)
			}
		}
	}
	return all
}

// runsIn reports whether a block has a time that may run.
func (j *judge) runsIn(c plat.Change) bool {
	if c.Old < 0 || c.New < 0 || c.Kind != plat.Content && c.Kind != plat.Advertisement {
		return false
	}
	was, is := textOf(&j.old.Blocks[c.Old], c.Folded), textOf(&j.now.Blocks[c.New], c.Folded)
	return len(dial.Ran(dial.Parse(was), j.old.At, dial.Parse(is), j.now.At)) > 0
}

// provable reports whether one more rendering could prove all changes to be self-changes: those that
// are not proven are of times that may run.
func (j *judge) provable() bool {
	some := false
	for i, c := range j.changes {
		v := &j.found[i]
		if v.Proven {
			continue
		}
		if c.Old < 0 || c.New < 0 || v.Why == "" || c.Kind != plat.Content && c.Kind != plat.Advertisement {
			return false
		}
		was, is := parse(textOf(&j.old.Blocks[c.Old], c.Folded)), parse(textOf(&j.now.Blocks[c.New], c.Folded))
		runs, _ := j.running(c, was, is)
		if !proven(was, is, moved(runs, true, v.Edits, was, is)) {
			return false
		}
		some = true
	}
	return some
}

// onlyRan reports whether a value of an attribute differs only in times that have moved as time has.
func onlyRan(was string, then time.Time, is string, now time.Time) bool {
	all := dial.Ran(dial.Parse(was), then, dial.Parse(is), now)
	a, b := 0, 0
	for _, r := range all {
		if was[a:r.Old[0]] != is[b:r.New[0]] {
			return false
		}
		a, b = r.Old[1], r.New[1]
	}
	return len(all) > 0 && was[a:] == is[b:]
}
