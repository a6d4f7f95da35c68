package segment

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"plat/fixtures/truth"
)

var (
	fitOn    = flag.String("fit", "", "fit the weights to the truth in `FILE`")
	fitSnaps = flag.String("snapshots", "", "the snapshots of its pages, in `DIR`")
	fitWrite = flag.Bool("write", false, "write weights.go")
	fitDrop  = flag.Bool("drop", false, "print the figures without each feature")
)

// The penalties and the constant in an example's weight were chosen by ten-fold
// cross-validation. Values between a third of and three times these change the
// figures by less than 0.01.
const (
	regionPenalty = 90
	modulePenalty = 20

	// leastWeight is the base weight of a separator, added to the mass of the
	// smaller of the two parts it separates.
	leastWeight = .02

	// pureGroup is the share of a unit that must belong to one annotated block
	// for the unit to count as part of that block. Below it, the unit contains
	// several.
	pureGroup = .9
)

// model holds the weights of both scales.
type model struct{ regions, modules []float64 }

// TestFit is a tool, run by scripts/eval-segment -fit. It fits the weights to
// human annotations on all pages, on each half and on nine tenths, and prints
// the results on the pages fitted to and on held-out pages.
func TestFit(t *testing.T) {
	if *fitOn == "" {
		t.Skip("skipped: a tool, see scripts/eval-segment -fit")
	}
	pages := marked(t)
	var halves [2][]*truth.Marked
	for _, p := range pages {
		h := truth.Fold(p.Name, 2)
		halves[h] = append(halves[h], p)
	}
	all := learn(pages)
	a, b := learn(halves[0]), learn(halves[1])
	const folds = 10
	var part [folds]model
	for k := range part {
		part[k] = learn(slices.DeleteFunc(slices.Clone(pages), func(p *truth.Marked) bool { return truth.Fold(p.Name, folds) == k }))
	}
	only := func(m model) func(string) model { return func(string) model { return m } }
	fmt.Printf("%-28s %8s %8s %8s\n", "fitted on, measured on", "regions", "blocks", "fuzzy")
	for _, row := range []struct {
		name  string
		pages []*truth.Marked
		by    func(string) model
	}{
		{"all, all", pages, only(all)},
		{"half A, half A", halves[0], only(a)},
		{"half A, half B", halves[1], only(a)},
		{"half B, half B", halves[1], only(b)},
		{"half B, half A", halves[0], only(b)},
		{"nine tenths, the tenth", pages, func(name string) model { return part[truth.Fold(name, folds)] }},
	} {
		r, m, f := figures(row.pages, row.by)
		fmt.Printf("%-28s %8.3f %8.3f %8.3f\n", row.name, r, m, f)
	}
	if *fitDrop {
		drop(pages)
	}
	if *fitWrite {
		err := truth.WriteWeights("segment",
			truth.Weights{Name: "regionWeights", Doc: "say where a page is cut into regions.", Features: names(regions), Values: all.regions, Digits: 3},
			truth.Weights{Name: "moduleWeights", Doc: "say where a region is cut into modules.", Features: names(modules), Values: all.modules, Digits: 3})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func names(s *scale) []string {
	var names []string
	for _, f := range s.features {
		names = append(names, f.name)
	}
	return names
}

// marked returns the annotated pages.
func marked(t *testing.T) []*truth.Marked {
	pages, err := truth.Read(*fitOn)
	if err != nil {
		t.Fatal(err)
	}
	var all []*truth.Marked
	for _, p := range pages {
		if !p.Scored() {
			continue
		}
		s, err := p.Snapshot(*fitSnaps)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p.On(s))
	}
	return all
}

// learn fits both scales, the second one on the regions found by the first.
func learn(pages []*truth.Marked, without ...string) model {
	var m model
	m.regions = learnScale(pages, regions, regionPenalty, model{}, without)
	m.modules = learnScale(pages, modules, modulePenalty, m, without)
	return m
}

// learnScale fits a scale in three rounds: the first divides the pages by the
// annotations, the others also by what was learned, so that it learns from its
// own mistakes.
func learnScale(pages []*truth.Marked, s *scale, penalty float64, m model, without []string) []float64 {
	var w []float64
	for range 3 {
		var examples []truth.Example
		for _, p := range pages {
			examples = append(examples, lessons(p, s, m, w, without)...)
		}
		w = truth.Logistic(examples, penalty)
	}
	return w
}

// lessons returns the separators met when a page is divided by its annotations,
// and by the weights w if given.
func lessons(p *truth.Marked, s *scale, m model, w []float64, without []string) []truth.Example {
	var out []truth.Example
	seen := map[int32]bool{}
	total := 0.0
	for i := range p.Snap.Nodes {
		total += p.Mass(int32(i))
	}
	level := 2
	if s == regions {
		level = 1
	}
	divide := func(w []float64) {
		_, err := segment(p.Snap, Params{Level: level}, func(c *cutter) {
			c.teach = func(by *scale, at *separator, x []float64) bool {
				if by != s {
					return dot(m.regions, x) > 0
				}
				x = mask(s, x, without)
				a, pureA, massA := p.Group(level == 1, at.a.first, at.a.end)
				b, pureB, massB := p.Group(level == 1, at.b.first, at.b.end)
				cut := a != b || pureA < pureGroup || pureB < pureGroup
				if (a != 0 || b != 0) && !seen[at.b.first] {
					seen[at.b.first] = true
					weight := leastWeight + min(massA, massB)/total
					if a == 0 || b == 0 {
						weight = leastWeight / 2 // not annotated as separate
					}
					out = append(out, truth.Example{X: x, Yes: cut, Weight: weight})
				}
				if w != nil {
					return dot(w, x) > 0
				}
				return cut
			}
		})
		if err != nil {
			panic(err)
		}
	}
	divide(nil)
	if w != nil {
		divide(w)
	}
	return out
}

func mask(s *scale, x []float64, without []string) []float64 {
	x = slices.Clone(x)
	for i := range x {
		if slices.Contains(without, s.features[i].name) {
			x[i] = 0
		}
	}
	return x
}

func dot(w, x []float64) float64 {
	t := 0.0
	for i := range w {
		t += w[i] * x[i]
	}
	return t
}

// figures returns F of regions, F of blocks (BCubed by characters) and F of
// fuzzy block matches, as the evaluator computes them.
func figures(pages []*truth.Marked, by func(name string) model, without ...string) (region, block, fuzzy float64) {
	var nr, nb, p, r float64
	for _, page := range pages {
		m := by(page.Name)
		for level := int32(1); level <= 2; level++ {
			c, err := segment(page.Snap, Params{Level: int(level)}, func(c *cutter) {
				c.teach = func(s *scale, _ *separator, x []float64) bool {
					if s == regions {
						return dot(m.regions, mask(s, x, without)) > 0
					}
					return dot(m.modules, mask(s, x, without)) > 0
				}
			})
			if err != nil {
				panic(err)
			}
			precision, recall, ok := page.BCubed(c.Blocks, c.Spans, level)
			if !ok {
				continue
			}
			f := 2 * precision * recall / max(1e-9, precision+recall)
			if level == 1 {
				region, nr = region+f, nr+1
				continue
			}
			block, nb = block+f, nb+1
			hits, found, marked := page.Matches(c.Blocks, c.Spans)
			p += float64(hits) / max(1, float64(found))
			r += float64(hits) / float64(marked)
		}
	}
	p, r = p/nb, r/nb
	return region / nr, block / nb, 2 * p * r / (p + r)
}

// drop prints the cross-validated figures without each feature.
func drop(pages []*truth.Marked) {
	const folds = 10
	cross := func(without ...string) (r, b, f float64) {
		var part [folds]model
		for k := range part {
			part[k] = learn(slices.DeleteFunc(slices.Clone(pages), func(p *truth.Marked) bool { return truth.Fold(p.Name, folds) == k }), without...)
		}
		return figures(pages, func(name string) model { return part[truth.Fold(name, folds)] }, without...)
	}
	r0, b0, f0 := cross()
	for _, s := range []*scale{regions, modules} {
		fmt.Printf("\n%-28s %8s %8s %8s\n", "without", "regions", "blocks", "fuzzy")
		for _, f := range s.features[1:] {
			r, b, z := cross(f.name)
			fmt.Printf("%-28s %+8.3f %+8.3f %+8.3f\n", f.name, r-r0, b-b0, z-f0)
		}
	}
}
