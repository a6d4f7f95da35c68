package noise

import (
	"time"

	"plat/diff"
	"plat/diff/noise/times"
)

// Reason names the cause of a difference between two texts that is not news.
type Reason string

// The reasons.
const (
	Clock          = Reason(times.Going) // a time of day, or a remaining or elapsed time, has advanced
	Age            = Reason(times.Age)   // "5 minutes ago", or "in 5 minutes", of the same instant
	Date           = Reason(times.Date)  // the date of the visit
	Year    Reason = "year"              // the year of the visit in a copyright notice
	MadeIn  Reason = "made-in"           // the time the page took to generate
	TwoLook Reason = "two-look"          // two renderings at this visit differ there too
)

// Span is a part of a text, in bytes: [From, To).
type Span struct{ From, To int }

// Empty reports whether the span has no bytes.
func (s Span) Empty() bool { return s.From == s.To }

func (s Span) contains(t Span) bool { return s.From <= t.From && t.To <= s.To }

// Edit is a place where two texts differ, by whole words.
type Edit struct {
	Old, New Span   // either may be empty, but not both
	Why      Reason // empty: news

	ran bool // a time that is proven to run: see running
}

// seen holds the first and the last time at which a text was seen.
type seen struct{ first, last time.Time }

// edits returns the differences between two texts, in order. Their Why is the reason that the texts
// show. White space does not count.
func edits(old *words, then seen, new *words, now time.Time) []Edit {
	a, b := old.all, new.all
	var edits []Edit
	i, j := 0, 0
	news := false // the last edit is news, and ends at i, j
	add := func(toA, toB int, why Reason) {
		if news && why == "" {
			e := &edits[len(edits)-1]
			e.Old.To, e.New.To = end(a, e.Old, i, toA), end(b, e.New, j, toB)
		} else {
			edits = append(edits, Edit{Old: part(a, i, toA), New: part(b, j, toB), Why: why})
		}
		i, j, news = toA, toB, why == ""
	}
	for _, r := range diff.ByLines(keys(a), keys(b), old.ends(), new.ends()) {
		if i < r.A || j < r.B {
			add(r.A, r.B, "")
		}
		for range r.N {
			if x, y := &a[i], &b[j]; x.text != y.text {
				add(i+1, j+1, same(x, then, y, now))
			} else {
				i, j, news = i+1, j+1, false
			}
		}
	}
	if i < len(a) || j < len(b) {
		add(len(a), len(b), "")
	}
	for i := range edits {
		switch e := &edits[i]; {
		case e.Why != "":
		case newYear(old, new, e, now):
			e.Why = Year
		case old.madeIn(e.Old) && new.madeIn(e.New):
			e.Why = MadeIn
		}
	}
	return edits
}

// madeIn reports whether a part of a text is the time that the page took to generate.
func (w *words) madeIn(in Span) bool {
	ws, next := w.in(in), ""
	if len(ws) != 1 || !w.alone(ws[0].Span) {
		return false
	}
	if i := w.at(in.From) + 1; i < len(w.all) {
		next = w.all[i].text
	}
	return times.MadeIn(w.text[:ws[0].From], ws[0].text, next)
}

// part returns the span of some tokens; if there are no tokens, the position before the next one.
func part(ts []token, from, to int) Span {
	switch {
	case from < to:
		return Span{ts[from].From, ts[to-1].To}
	case from < len(ts):
		return Span{ts[from].From, ts[from].From}
	case len(ts) > 0:
		return Span{ts[len(ts)-1].To, ts[len(ts)-1].To}
	}
	return Span{}
}

// end returns the end of a span that is extended by some tokens.
func end(ts []token, s Span, from, to int) int {
	if from == to {
		return s.To
	}
	return ts[to-1].To
}
