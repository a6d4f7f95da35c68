package revalidate

import (
	"time"

	"plat/plat"
)

// When a page is rendered.
const (
	// Streak is the number of consecutive renderings in which the same HTML and
	// loads must have given the same blocks before a page with scripts may be
	// skipped.
	Streak = 3

	// Every is the maximum number of visits between renderings.
	Every = 20

	// Chance is the share of visits rendered at random.
	Chance = 1.0 / 20

	// patience is the number of consecutive mismatches after which some visits
	// skip revalidation, maxRest the maximum number of those visits. For pages
	// that change on every visit, revalidation only costs requests.
	patience = 3
	maxRest  = 16

	// maxTrials is the maximum number of attempts at a proof.
	maxTrials = 3
)

// Findings are the results of a visit's validation requests.
type Findings struct {
	Verdict Verdict // the highest of all

	Masked   bool   // the HTML differs only in volatile tokens
	Drift    uint64 // mask of the tokens that differ, if the HTML is equal otherwise and not all are known as volatile
	Document Resource
	Source   *Source // nil if the document's body was not received
	Head     Mark    // zero if unknown

	// Loads are the loads updated by the answers, in the order of the state's;
	// shorter if some were not requested.
	Loads []Resource
}

// Asks reports whether revalidation may save a rendering. version is the archive's latest, setup
// the mark of the rendering's options, and provable reports that scripts can be proven harmless.
func (s *State) Asks(version int, setup Mark, provable bool) bool {
	return s.Ended == NoReason && s.Unfit == NoReason && s.Rest == 0 && s.usable(version, setup) && (provable || !s.Sourced || s.inert())
}

func (s *State) usable(version int, setup Mark) bool {
	return s.Version > 0 && s.Version == version && s.Setup == setup
}

// inert reports whether nothing in the page runs.
func (s *State) inert() bool { return s.Inert && s.Sourced && !s.Scripts }

// NeedsSource reports whether the document must be requested unconditionally,
// because the properties of its HTML are unknown.
func (s *State) NeedsSource() bool { return !s.Sourced }

// CompareDocument adds the answer for the document; source is parsed from its
// body, nil without a body.
func (f *Findings) CompareDocument(s *State, a Answer, source *Source) {
	v, doc := s.Document.Compare(a)
	f.Document, f.Source = doc, source
	if a.Header != nil && a.Status != 304 {
		f.Head = HeadMark(a.Header)
		if !s.Head.IsZero() && f.Head != s.Head {
			v = Other
		}
	}
	if v == Other && source != nil && s.Document.By == ByBody && !s.NoMask && doc.By == ByBody && (s.Head.IsZero() || f.Head == s.Head) &&
		len(s.Tokens) > 0 && source.Skeleton == s.Skeleton && len(source.Tokens) == len(s.Tokens) {
		differ := drift(s.Tokens, source.Tokens)
		if differ&^s.Volatile == 0 {
			v, f.Masked = Same, true
		} else {
			f.Drift = differ
		}
	}
	f.Verdict = max(f.Verdict, v)
}

// CompareLoad adds the answer for the next of s's loads.
func (f *Findings) CompareLoad(s *State, a Answer) {
	v, r := s.Loads[len(f.Loads)].Compare(a)
	f.Loads = append(f.Loads, r)
	f.Verdict = max(f.Verdict, v)
}

// Keep adds the next of s's loads unchanged, because it is still fresh.
func (f *Findings) Keep(s *State) { f.Loads = append(f.Loads, s.Loads[len(f.Loads)]) }

// Decide reports whether findings settle a visit as unchanged. chance is a
// random number in [0, 1).
func Decide(s *State, f *Findings, chance float64) bool {
	if f == nil || f.Verdict != Same || len(f.Loads) != len(s.Loads) || s.Skips+1 >= Every || chance < Chance {
		return false
	}
	sourced := s.Sourced || f.Source != nil
	scripts := s.Scripts || f.Source != nil && f.Source.Scripts
	if sourced && !scripts && s.Inert {
		return !f.Masked || s.Streak >= Streak
	}
	return s.Proven && s.Streak >= Streak && f.sameCode(s)
}

// sameCode reports whether the HTML's scripts are those of the state.
func (f *Findings) sameCode(s *State) bool {
	return s.Sourced && (f.Source == nil || f.Source.Code == s.Code)
}

// Skipped returns the state after a visit settled by findings.
func (s *State) Skipped(f *Findings) *State {
	next := *s
	next.Skips++
	next.Misses = 0
	next.Loads = f.Loads
	next.Document = f.Document
	if f.Masked {
		next.Document.Mark, next.Tokens = f.Source.Body, f.Source.Tokens
	}
	next.source(f)
	return &next
}

// source copies the properties of the HTML into the state.
func (s *State) source(f *Findings) {
	if f.Source == nil {
		return
	}
	s.Sourced, s.Scripts, s.Code = true, f.Source.Scripts, f.Source.Code
	if !f.Head.IsZero() {
		s.Head = f.Head
	}
}

// Learn returns the next state after a rendering and the findings just before
// it, if any. prove requests a rendering with a different clock and different random
// numbers, the only condition still missing; pass its outcome to [State.Prove].
func Learn(s *State, f *Findings, r Rendering) (next *State, prove bool) {
	next = &State{Version: r.Version, PageBytes: r.PageBytes, Setup: r.Setup, Ended: s.Ended}
	if s.Ended != NoReason {
		return next, false
	}
	before := r.Version
	if r.Changed {
		before--
	}
	if !s.usable(before, r.Setup) || s.Unfit != NoReason {
		s, f = &State{}, nil
	}
	if f != nil && f.Verdict == Same && r.Changed && !f.Masked && agrees(s, &r) {
		next.Ended = Contradicted
		return next, false
	}
	if r.Unfit != NoReason {
		next.Unfit = r.Unfit
		return next, false
	}
	next.Inert, next.Chain, next.Document, next.Loads = r.Inert, r.Chain, r.Document, r.Loads
	next.Trials = s.Trials
	next.NoMask = s.NoMask || f != nil && f.Masked && r.Changed
	next.learnDocument(s, f)
	next.learnLoads(s, f)
	next.learnEvidence(s, f, &r)
	return next, !next.inert() && next.Sourced && next.Streak >= Streak && !next.Proven && !r.Changed
}

// agrees reports whether the rendering's loads show no change since the
// findings.
func agrees(s *State, r *Rendering) bool {
	if s.Document.By != ByBody && !identical(&s.Document, &r.Document) || s.Chain != r.Chain {
		return false
	}
	was := map[string]*Resource{}
	for i := range s.Loads {
		was[s.Loads[i].URL] = &s.Loads[i]
	}
	for i := range r.Loads {
		x := &r.Loads[i]
		if y := was[x.URL]; y != nil && x.By != Unknown && y.By == x.By && x.Mark != y.Mark {
			return false
		}
	}
	return true
}

func identical(a, b *Resource) bool { return a.By == b.By && a.By != Unknown && a.Mark == b.Mark }

// learnDocument determines the document's validator, and the properties of its
// HTML.
func (n *State) learnDocument(s *State, f *Findings) {
	switch {
	case f != nil && f.Source != nil && (n.Document.By == Unknown || identical(&n.Document, &f.Document)):
		if n.Document.By == Unknown {
			// The next validation will show whether the browser received the
			// same body.
			n.Document.By, n.Document.Mark = ByBody, f.Source.Body
			n.Skeleton, n.Tokens = f.Source.Skeleton, f.Source.Tokens
			if !n.NoMask {
				n.Volatile = s.Volatile
				if len(s.Tokens) != len(n.Tokens) || s.Skeleton != n.Skeleton {
					n.Volatile = 0
				}
			}
		}
		n.Sourced, n.Scripts, n.Code, n.Head = true, f.Source.Scripts, f.Source.Code, f.Head
	case s.Sourced && identical(&s.Document, &n.Document):
		n.Sourced, n.Scripts, n.Code, n.Head = true, s.Scripts, s.Code, s.Head
	}
}

// learnLoads copies validators for loads without validators.
func (n *State) learnLoads(s *State, f *Findings) {
	if f == nil {
		return
	}
	asked := map[string]*Resource{}
	for i := range f.Loads {
		asked[s.Loads[i].URL] = &f.Loads[i]
	}
	for i := range n.Loads {
		x := &n.Loads[i]
		if a := asked[x.URL]; x.By == Unknown && !x.cached && a != nil && a.By <= ByBody {
			x.By, x.Mark, x.ETag, x.Modified = a.By, a.Mark, a.ETag, a.Modified
		}
	}
}

// learnEvidence updates the evidence for and against skipping.
func (n *State) learnEvidence(s *State, f *Findings, r *Rendering) {
	loads := sameLoads(s.Loads, n.Loads)
	code := s.Sourced && n.Sourced && s.Code == n.Code && sameScripts(s.Loads, n.Loads)
	n.Proven = s.Proven && code && !r.Changed
	switch {
	case r.Changed && s.Proven && code:
		// The same scripts gave a different result: require one more visit and a
		// new proof.
		n.Streak = Streak - 1
	case r.Changed || !loads || s.Sourced && n.Sourced && !code && !n.inert():
		n.Streak = 0
	case f != nil && f.Drift != 0:
		n.Volatile |= f.Drift
		n.Streak = 0
	case f != nil && f.Verdict == Same:
		n.Streak = min(s.Streak+1, Streak)
	default:
		n.Streak = s.Streak
	}
	switch {
	case f == nil:
		n.Misses, n.Rest = s.Misses, max(0, s.Rest-1)
	case f.Verdict == Other && (f.Drift == 0 || r.Changed):
		n.Misses = s.Misses + 1
		if over := n.Misses - patience; over >= 0 {
			n.Rest = min(1<<min(over, 8), maxRest)
		}
	}
}

// sameLoads reports whether two renderings loaded the same URLs.
func sameLoads(a, b []Resource) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].URL != b[i].URL {
			return false
		}
	}
	return true
}

// sameScripts reports whether they loaded the same scripts.
func sameScripts(a, b []Resource) bool {
	scripts := func(all []Resource) (out []Resource) {
		for _, x := range all {
			if x.Kind == plat.LoadScript {
				out = append(out, x)
			}
		}
		return out
	}
	a, b = scripts(a), scripts(b)
	if !sameLoads(a, b) {
		return false
	}
	for i := range a {
		if !identical(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// Proof is the outcome of a rendering with a different clock and different random
// numbers.
type Proof uint8

// The outcomes.
const (
	Failed   Proof = iota // the page could not be rendered this way
	Differs               // it shows or loads something else
	Confirms              // the result is the same
)

// Prove records the outcome of a proof.
func (s *State) Prove(p Proof) {
	switch p {
	case Confirms:
		s.Proven, s.Trials = true, 0
	case Differs:
		*s = State{Version: s.Version, PageBytes: s.PageBytes, Setup: s.Setup, Ended: Unproven}
	case Failed:
		if s.Trials++; s.Trials >= maxTrials {
			s.Prove(Differs)
		}
	}
}

// Compare returns the outcome of a proof: real and moved are the two renderings, differs reports
// that their blocks differ.
func Compare(real, moved Rendering, differs bool) Proof {
	switch {
	case moved.Unfit == Restless || moved.Unfit == Unlisted:
		return Failed // inconclusive
	case differs || moved.Unfit != real.Unfit || moved.Chain != real.Chain || !sameLoads(real.Loads, moved.Loads):
		return Differs
	}
	return Confirms
}

// OtherTime returns the clock for a proof: more than a year ahead, in a different month, on a
// different kind of day (working day or weekend), in the other half of the day, at a different
// minute and second.
func OtherTime(now time.Time) time.Time {
	t := now.Add(403*24*time.Hour + 12*time.Hour)
	for weekend(t) == weekend(now) {
		t = t.Add(24 * time.Hour)
	}
	within := func(n int, d time.Duration) time.Duration { // without a carry
		if n < 30 {
			return d
		}
		return -d
	}
	return t.Add(within(t.Minute(), 23*time.Minute) + within(t.Second(), 17*time.Second))
}

func weekend(t time.Time) bool { return t.Weekday() == time.Saturday || t.Weekday() == time.Sunday }
