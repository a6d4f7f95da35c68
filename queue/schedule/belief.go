package schedule

import (
	"fmt"
	"math"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
)

// Belief is the estimate that a URL's policy has of its changes, for display.
type Belief struct {
	Policy  string
	Visits  int       // that were learned from, after the first
	Every   float64   // days between changes, as estimated; 0: unknown
	Turns   float64   // part of the lasting content that changes a day, at first; 0: not used by the policy
	Still   float64   // days from the last change that was seen to the last visit
	Last    time.Time // visit with a known result; zero: no visit yet
	Signal  Source    // of the last signal since Last
	Heard   Heard     // of the sources of signals on its site
	Chance  float64   // that the page has changed since, 0 to 1
	Pages   float64   // that share the budget; 0 without one
	Factor  float64   // multiplier on the value that a visit needs; see [Steering]
	Next    time.Time // expected time of the next visit, if there is no change; zero: never, or not known
	Decides string    // why then, a sentence without a full stop
}

// Believe returns the policy's belief about a URL at v.Time: v.State and v.Memory are those of its
// last visit; v.Shared may be nil.
func Believe(v *Visit) Belief {
	s := v.State.Schedule
	b := Belief{Policy: PolicyOf(s)}
	k := recall(v)
	day := v.Length()
	b.Signal, b.Heard = k.Signal, k.Heard
	if !k.at.IsZero() {
		b.Last, b.Visits, b.Still = k.at, k.Visits, k.Age
		if k.Visits > 0 {
			b.Every = 1 / k.Rate()
		}
	}
	b.Chance, _ = k.changed(v)
	b.Next = v.State.Due
	p, ok := of(s).(Learning)
	switch {
	case v.State.Due.IsZero():
		b.Decides = "it is not visited again"
		return b
	case b.Policy == "plan":
		b.Decides = fmt.Sprintf("it is visited in chosen slots of %s", excerpt.Span(s.Every))
		return b
	case !ok:
		b.Decides = fmt.Sprintf("it is visited every %s", excerpt.Span(s.Every))
		return b
	}
	if b.Policy == "blocks" && b.Every > 0 {
		b.Turns = k.Blocks.Rate()
	}
	budget, err := ParseBudget(s.Budget)
	if err != nil {
		b.Decides = fmt.Sprintf("%s; an unknown page would be visited every %s", b.seen(), excerpt.Span(s.Every))
		return b
	}
	b.Pages, b.Factor = k.Pages, k.Factor()
	low, high := v.bounds()
	after := time.Duration(p.reach(&k.Model, p.threshold(&k.Model, &k.Steering, budget)) * float64(day))
	which := "when a visit is worth it"
	if after < low {
		after, which = low, "the minimum set by --min"
	} else if after > high {
		after, which = high, "the maximum set by --max"
	}
	if !k.at.IsZero() {
		b.Next = plat.Later(plat.Later(k.at, v.State.Last).Add(after), v.Time)
	}
	b.Decides = fmt.Sprintf("%s; with %s for %s it is visited every %s, %s", b.seen(), s.Budget, pages(k.Pages), About(after.Seconds()/day.Seconds()), which)
	return b
}

// Changed returns the chance that a page has changed by v.Time since its last visit; it is not
// known if there was only one. v is as for [Believe].
func Changed(v *Visit) (chance float64, known bool) { return recall(v).changed(v) }

func (k *memory) changed(v *Visit) (chance float64, known bool) {
	if k.at.IsZero() {
		return 0, false
	}
	return k.Burst.Changed(&k.Known, v.Time.Sub(k.at).Seconds()/v.Length().Seconds()), k.Visits > 0
}

// seen summarizes the visits in a sentence.
func (b *Belief) seen() string {
	if b.Every == 0 {
		return "too few visits to know how often it changes"
	}
	say := fmt.Sprintf("%d visits say", b.Visits)
	if b.Visits == 1 {
		say = "one visit says"
	}
	if b.Turns > 0 {
		return fmt.Sprintf("%s that %.2g %% of its lasting content changes a day", say, 100*-math.Expm1(-b.Turns))
	}
	return say + " that it changes every " + About(b.Every)
}

// pages returns a number of pages in words.
func pages(n float64) string {
	if n < 1.5 {
		return "one page"
	}
	return fmt.Sprintf("%.0f pages", n)
}

// About returns a number of days in words, to follow "every".
func About(days float64) string {
	switch {
	case days < 1.5/1440:
		return "minute"
	case days < 2.0/24:
		return fmt.Sprintf("%.0f minutes", days*1440)
	case days < 2:
		return fmt.Sprintf("%.0f hours", days*24)
	case days < 1000:
		return fmt.Sprintf("%.0f days", days)
	}
	return fmt.Sprintf("%.0f years", days/365)
}

// Rebuild returns the policy's memory of a URL as its visits would have left it, given in their
// order, each with its time and result. v is as for [Believe]. Data that visits do not contain is
// kept: that shared by budget and site, that of blocks, and the next due time. Empty without a
// schedule.
func Rebuild(v *Visit, visits []Visit) string {
	var memory string
	for i := range visits {
		x := visits[i]
		x.State, x.Due, x.Day, x.Memory, x.Shared = v.State, x.Time, v.Day, memory, nil
		if x.State.Signal.Modified.After(x.Time) {
			x.State.Signal = plat.Signal{} // it came later
		}
		if x.State.Outcome = ""; i > 0 {
			x.State.Outcome = visits[i-1].Outcome
		}
		memory = Decide(&x).Memory
	}
	if memory == "" {
		return ""
	}
	k, was := decode(memory), recall(v)
	k.Steering, k.epoch, k.counted, k.Heard = was.Steering, was.epoch, was.counted, was.Heard
	if *was.Burst != (Burst{}) { // else the memory covers only this URL's visits
		*k.Burst = *was.Burst
	}
	k.Blocks = was.Blocks // visits do not say which blocks have changed
	if k.due = was.due; was.at.IsZero() {
		k.due = v.State.Due
	}
	return k.encode()
}
