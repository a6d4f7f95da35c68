package draw

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
	"plat/storage/history"
)

// The ways to colour blocks.
const (
	ByLabel   = "label"   // kind of content
	ByAge     = "age"     // age of the content
	ByKind    = "change"  // change since the previous version
	ByNothing = "nothing" // no colouring
)

// Ways lists all ways to colour blocks by their names in settings.
var Ways = []string{ByLabel, ByAge, ByKind, ByNothing}

// IsWay reports whether by is in Ways.
func IsWay(by string) bool { return slices.Contains(Ways, by) }

// Check returns an error if the name of a picture's file, or a way to colour it, is not valid.
func Check(path, by string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext != ".png" && ext != ".svg":
		return fmt.Errorf("--picture %q: name a file that ends in .png or .svg", path)
	case !IsWay(by):
		return fmt.Errorf("--by %q: write %s", by, strings.Join(Ways, ", "))
	}
	return nil
}

// Colouring assigns a class to each leaf of a version.
type Colouring struct {
	Class  func(i int) string // class of the leaf v.Blocks[i]
	Legend []Entry            // meaning of the classes in use
}

// Entry is a class and its meaning.
type Entry struct{ Class, Name string }

// LabelClass returns the class of blocks with a label.
func LabelClass(l plat.Label) string { return "label-" + string(l) }

// KindClass returns the class of blocks with a kind of change.
func KindClass(k plat.Kind) string { return "kind-" + string(k) }

func ageClass(i int) string { return "age-" + strconv.Itoa(i) }

// KindEntry returns the legend entry of a kind of change.
func KindEntry(k plat.Kind) Entry { return Entry{KindClass(k), string(k)} }

// SelfChange is used as the kind of a self-change.
const SelfChange plat.Kind = "itself"

// SelfChangeEntry is the legend entry of blocks with a self-change.
var SelfChangeEntry = Entry{KindClass(SelfChange), "by itself"}

// past is the history of a version, for colouring.
type past interface {
	// Since returns, for every block of v, the first version with its present
	// content; only leaves matter.
	Since(ctx context.Context, v *plat.Version) ([]int, error)
	// Changes compares v with its predecessor; it is not called for the first version.
	Changes(ctx context.Context, v *plat.Version) (*history.Diff, error)
}

// Colour colours v in one of [Ways]. Other errors come from p.
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
		if v.Previous() == 0 {
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
	return Colouring{}, fmt.Errorf("unknown colouring %q; use %s", by, strings.Join(Ways, ", "))
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

// ColourAges colours v by age; since holds, for every block, the first version
// with its present content.
func ColourAges(v *plat.Version, since []int) Colouring {
	class := func(i int) string { return ageClass(age(v, since[i])) }
	var all []Entry
	for i, a := range ages {
		all = append(all, Entry{ageClass(i), a.name})
	}
	return Colouring{class, used(v, class, all)}
}

// ColourKinds colours v by the changes in d, whose newer version is v; nil means no changes.
func ColourKinds(v *plat.Version, d *history.Diff) Colouring {
	kinds := make([]plat.Kind, len(v.Blocks))
	for i := range kinds {
		kinds[i] = plat.Same
	}
	if d != nil {
		for _, c := range d.Changes {
			if c.New >= 0 && int(c.New) < len(kinds) {
				kinds[c.New] = c.Kind
				if c.SelfChange != "" {
					kinds[c.New] = SelfChange
				}
			}
		}
	}
	class := func(i int) string { return KindClass(kinds[i]) }
	all := []Entry{KindEntry(plat.Same)}
	for _, k := range plat.Kinds {
		all = append(all, KindEntry(k))
	}
	return Colouring{class, used(v, class, append(all, SelfChangeEntry))}
}

// used returns the entries of the classes of v's leaves.
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

// age returns the age of the content present since version since, relative to the number of
// versions up to v, as an index into ages.
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
