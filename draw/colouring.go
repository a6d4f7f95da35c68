package draw

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plat"
	"plat/history"
)

// The ways to colour blocks.
const (
	ByLabel   = "label"   // what a block is
	ByAge     = "age"     // how old its content is
	ByKind    = "change"  // how it changed against the version before
	ByNothing = "nothing" // all alike
)

// Ways are the ways to colour blocks, as people choose them.
var Ways = []string{ByLabel, ByAge, ByKind, ByNothing}

// IsWay reports whether blocks can be coloured so.
func IsWay(by string) bool { return slices.Contains(Ways, by) }

// Colouring gives each leaf of a version its class.
type Colouring struct {
	Class  func(i int) string // of the leaf v.Blocks[i]
	Legend []Entry            // what those classes mean that leaves of the version have
}

// Entry is one colour and what it says.
type Entry struct{ Class, Name string }

// LabelClass is the class of blocks with a label.
func LabelClass(l plat.Label) string { return "label-" + string(l) }

// KindClass is the class of blocks that changed in one way.
func KindClass(k plat.Kind) string { return "kind-" + string(k) }

func ageClass(i int) string { return "age-" + strconv.Itoa(i) }

// KindEntry says what the class of a kind of change means.
func KindEntry(k plat.Kind) Entry { return Entry{KindClass(k), string(k)} }

// past is what colours say of how a version came about.
type past interface {
	// Since says of every block of v which version brought the content that it has;
	// only leaves matter.
	Since(ctx context.Context, v *plat.Version) ([]int, error)
	// Changes compares v with the version before it; it is not asked of the first.
	Changes(ctx context.Context, v *plat.Version) (*history.Diff, error)
}

// Colour colours v in one of [Ways]. Other errors are those of p.
func Colour(ctx context.Context, p past, v *plat.Version, by string) (Colouring, error) {
	switch by {
	case ByLabel:
		return ColourLabels(v), nil
	case ByAge:
		since, err := p.Since(ctx, v)
		if err != nil {
			return Colouring{}, err
		}
		return ColourAges(v, since), nil
	case ByKind:
		if v.N == 1 {
			return ColourKinds(v, nil), nil
		}
		d, err := p.Changes(ctx, v)
		if err != nil {
			return Colouring{}, err
		}
		return ColourKinds(v, d), nil
	case ByNothing:
		return Colouring{Class: func(int) string { return "plain" }}, nil
	}
	return Colouring{}, fmt.Errorf("blocks cannot be coloured by %q; write %s", by, strings.Join(Ways, ", "))
}

// ColourLabels colours v by the labels of its blocks.
func ColourLabels(v *plat.Version) Colouring {
	class := func(i int) string { return LabelClass(v.Blocks[i].Label) }
	var all []Entry
	for _, l := range plat.Labels {
		all = append(all, Entry{LabelClass(l), string(l)})
	}
	return Colouring{class, used(v, class, all)}
}

// ColourAges colours v by age; since says of every block which version brought its
// content.
func ColourAges(v *plat.Version, since []int) Colouring {
	class := func(i int) string { return ageClass(age(v, since[i])) }
	var all []Entry
	for i, a := range ages {
		all = append(all, Entry{ageClass(i), a.name})
	}
	return Colouring{class, used(v, class, all)}
}

// ColourKinds colours v by what changed in d, which leads to it; nil is nothing.
func ColourKinds(v *plat.Version, d *history.Diff) Colouring {
	kinds := make([]plat.Kind, len(v.Blocks))
	for i := range kinds {
		kinds[i] = plat.Same
	}
	if d != nil {
		for _, c := range d.Changes {
			if c.New >= 0 && int(c.New) < len(kinds) {
				kinds[c.New] = c.Kind
			}
		}
	}
	class := func(i int) string { return KindClass(kinds[i]) }
	all := []Entry{KindEntry(plat.Same)}
	for _, k := range plat.Kinds {
		all = append(all, KindEntry(k))
	}
	return Colouring{class, used(v, class, all)}
}

// used are the entries of those classes that leaves of v have.
func used(v *plat.Version, class func(i int) string, all []Entry) []Entry {
	have := map[string]bool{}
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			have[class(i)] = true
		}
	}
	var some []Entry
	for _, e := range all {
		if have[e.Class] {
			some = append(some, e)
		}
	}
	return some
}

// age is how old a content is that version since brought, as part of the versions
// up to v: an index into ages.
func age(v *plat.Version, since int) int {
	switch age := v.N - since; {
	case since == 1:
		return 5
	case age == 0:
		return 0
	case age*10 <= v.N:
		return 1
	case age*4 <= v.N:
		return 2
	case age*2 <= v.N:
		return 3
	}
	return 4
}
