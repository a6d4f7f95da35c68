package plat

import (
	"cmp"
	"slices"
)

// SelfChange is a change between a version and the previous one that the page makes on its own, or
// that part of a change: a counter, a clock, a quote that differs each time.
type SelfChange struct {
	Lineage int32  // 0: one of several changes with the same lineage
	Kind    Kind   // of the change, if no part of it is news; otherwise [Same]
	Why     string // a reason of package noise

	// Old and New are the ranges in which the texts of the block differ on their own, in order, in
	// the old and in the new version. They are empty if no part of the change is news. If Lineage is
	// 0 and Kind is [Image], New are entries of the version's manifest: files that differ at each
	// rendering.
	Old, New []Range
}

// SelfChangedFile returns the reason why the change of a file, by its index in the version's
// manifest, is a self-change; empty if it is not.
func SelfChangedFile(all []SelfChange, i int) (why string) {
	for _, x := range all {
		if x.Lineage == 0 && x.Kind == Image && slices.ContainsFunc(x.New, func(r Range) bool { return r.From <= i && i < r.To }) {
			return x.Why
		}
	}
	return ""
}

// Suppressed reports whether x is a change of which no part is news.
func (x *SelfChange) Suppressed() bool { return x != nil && x.Kind != Same }

// Range is a part of a text, in bytes: [From, To).
type Range struct{ From, To int }

// reasonTexts maps the reasons of package noise to texts.
var reasonTexts = map[string]string{
	"clock":     "a clock has advanced",
	"age":       "it is a relative time, such as \"5 minutes ago\"",
	"date":      "it is the date of the visit",
	"year":      "it is the year of the visit in a copyright notice",
	"made-in":   "it is the time that the page took to generate",
	"two-look":  "two renderings at the same visit differ there",
	"learned":   "it has varied there before",
	"variant":   "the page changes back and forth between two states",
	"returned":  "many texts take turns there, and this one is back",
	"ignored":   "a rule ignores it",
	"elsewhere": "it is in a different block",
}

// ReasonText returns the text for a reason.
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

// News reports whether a version is news: some of its changes are, or the archive has no version
// before it.
func (v *Version) News() bool {
	for k, n := range v.Changes {
		if n > 0 && k.News() {
			return true
		}
	}
	return v.Previous() == 0
}

// SelfChangeOf returns the self-change of a lineage, nil if there is no such change. all is ordered
// by lineage.
func SelfChangeOf(all []SelfChange, lineage int32) *SelfChange {
	i, ok := slices.BinarySearchFunc(all, lineage, func(x SelfChange, l int32) int { return cmp.Compare(x.Lineage, l) })
	if !ok || lineage <= 0 {
		return nil
	}
	return &all[i]
}
