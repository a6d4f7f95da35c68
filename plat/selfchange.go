package plat

import (
	"cmp"
	"slices"
)

// SelfChange is a change between a version and the one before that the page makes by itself, or
// the part of a change that it does: a counter, a clock, a quote that is another each time.
type SelfChange struct {
	Lineage int32  // 0: of one of several changes that have the same
	Kind    Kind   // of the change, if no part of it is news; otherwise [Same]
	Why     string // a reason of package noise

	// Old and New are where the texts of the block differ by themselves, in order, in the old
	// and in the new version. Empty if no part of the change is news. Of lineage 0 and kind
	// [Image], New are entries of the version's manifest: files that are others at each look.
	Old, New []Range
}

// SelfChangedFile returns why a file, by its index in the version's manifest, is another one by itself; empty
// if it is not.
func SelfChangedFile(all []SelfChange, i int) (why string) {
	for _, x := range all {
		if x.Lineage == 0 && x.Kind == Image && slices.ContainsFunc(x.New, func(r Range) bool { return r.From <= i && i < r.To }) {
			return x.Why
		}
	}
	return ""
}

// Suppressed reports whether there is a change of which no part is news.
func (x *SelfChange) Suppressed() bool { return x != nil && x.Kind != Same }

// Range is a part of a text, in bytes: [From, To).
type Range struct{ From, To int }

// reasonTexts are the reasons of package noise in words.
var reasonTexts = map[string]string{
	"clock":     "a clock has gone on",
	"age":       "it says how long ago something was",
	"date":      "it is the date of the visit",
	"year":      "it is the year of the visit in a copyright notice",
	"made-in":   "it says how long the page took to be made",
	"two-look":  "two looks at the same visit differ there",
	"learned":   "it has varied there before",
	"variant":   "the page changes back and forth between two states",
	"ignored":   "a rule says so",
	"elsewhere": "it stands in another block",
}

// ReasonText is a reason in words.
func ReasonText(why string) string { return cmp.Or(reasonTexts[why], why) }

// SuppressedKinds counts the changes of which no part is news, by kind.
func SuppressedKinds(all []SelfChange) map[Kind]int {
	n := map[Kind]int{}
	for i := range all {
		if x := &all[i]; x.Suppressed() {
			n[x.Kind]++
		}
	}
	return n
}

// News reports whether a version is: none is kept before it, or some of its changes are.
func (v *Version) News() bool {
	for k, n := range v.Changes {
		if n > 0 && k.News() {
			return true
		}
	}
	return v.Previous() == 0
}

// SelfChangeOf returns what a page does by itself in a lineage, nil if that is nothing. all is
// ordered by lineage.
func SelfChangeOf(all []SelfChange, lineage int32) *SelfChange {
	i, ok := slices.BinarySearchFunc(all, lineage, func(x SelfChange, l int32) int { return cmp.Compare(x.Lineage, l) })
	if !ok || lineage <= 0 {
		return nil
	}
	return &all[i]
}
