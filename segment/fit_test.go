package segment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"plat/fixtures/landmarks"
	"plat/fixtures/truth"
	"plat/plat"
	"plat/segment/classifier"
	"plat/segment/classifier/fit"
)

var (
	fitData  = flag.String("fit", "", "fit to the pages marked in the folder `DIR` of data")
	fitSnaps = flag.String("snapshots", "", "the snapshots of its pages, in `DIR`")
	fitWrite = flag.Bool("write", false, "write weights.go and region.model")
	fitDrop  = flag.Bool("drop", false, "print the figures of modules without each feature")
)

// How the model of regions is fitted, by cross-validation over designs.
var regionOptions = fit.Options{
	Rounds: 20, Depth: 3, Rate: .1, Penalty: 1, Least: 1, Features: .3, Sample: .6, Bins: 100, Steps: 150, LinearPenalty: 65, Seed: 1,
}

// The penalty and the constant in an example's weight were chosen by ten-fold
// cross-validation. Values between a third of and three times these change the
// figures by less than 0.01.
const (
	modulePenalty = 6

	// leastWeight is the base weight of a separator, added to the mass of the
	// smaller of the two parts it separates.
	leastWeight = .02

	// pureGroup is the share of a unit that must belong to one annotated block
	// for the unit to count as part of that block. Below it, the unit contains
	// several.
	pureGroup = .9

	// weightOfWebseg makes up for its pages being fewer than those of landmarks.
	weightOfWebseg = 2
)

// markedPage is a page with annotated regions.
type markedPage interface {
	snapshot() *plat.Snapshot
	design() string // key of its fold
	set() string

	Group(region bool, first, end int32) (group uint64, pure, mass float64)
	Mass(node int32) float64
	BCubed(blocks []plat.Block, spans []plat.Span, level int32) (p, r float64, ok bool)
}

// websegPage has its regions and blocks marked.
type websegPage struct{ *truth.Marked }

func (p websegPage) snapshot() *plat.Snapshot { return p.Snap }
func (p websegPage) design() string           { return p.Name }
func (p websegPage) set() string              { return "webseg" }

// landmarkPage has its regions marked.
type landmarkPage struct{ *landmarks.Marked }

func (p landmarkPage) snapshot() *plat.Snapshot { return p.Snap }
func (p landmarkPage) design() string           { return p.Design }
func (p landmarkPage) set() string              { return p.Variant }

// model holds the fitted model and weights; nil and empty if not fitted.
type model struct {
	regions *classifier.Model
	modules []float64
}

// decide applies the model in place of the compiled one.
func (m *model) decide(s *scale, x []float64, with *scratch, without []string) bool {
	if s == regions && m.regions != nil {
		return with.ask(m.regions, x) > 0
	}
	if s == modules && m.modules != nil {
		return dot(m.modules, mask(s, x, without)) > 0
	}
	return s.weigh(x, with) > 0
}

// TestFit is a tool, run by scripts/eval-segment -fit. It fits regions and modules to
// human annotations on all pages and on nine tenths of the designs, and prints the
// results on the pages fitted to and on held-out pages.
func TestFit(t *testing.T) {
	if *fitData == "" {
		t.Skip("skipped: a tool, see scripts/eval-segment -fit")
	}
	pages := append(websegPages(t), landmarkPages(t)...)
	const folds = 10
	fold := func(p markedPage) int { return truth.Fold(p.design(), folds) }
	whole := learn(pages)
	var part [folds]model
	for k := range part {
		part[k] = learn(slices.DeleteFunc(slices.Clone(pages), func(p markedPage) bool { return fold(p) == k }))
	}
	fmt.Printf("%-24s %-8s %8s %8s %8s %8s %8s\n", "fitted on, measured on", "", "regions", "P", "R", "blocks", "fuzzy")
	for _, set := range append([]string{"webseg"}, landmarks.Variants...) {
		some := slices.DeleteFunc(slices.Clone(pages), func(p markedPage) bool { return p.set() != set })
		for _, row := range []struct {
			name string
			by   func(markedPage) *model
		}{
			{"all, all", func(markedPage) *model { return &whole }},
			{"nine tenths, the tenth", func(p markedPage) *model { return &part[fold(p)] }},
		} {
			f := figures(some, row.by)
			fmt.Printf("%-24s %-8s %8.3f %8.3f %8.3f %8s %8s\n", row.name, set, f.region, f.p, f.r, known(f.block), known(f.fuzzy))
		}
	}
	fmt.Printf("the model of regions has %d bytes\n", len(whole.regions.Encode()))
	if *fitDrop {
		drop(pages)
	}
	if *fitWrite {
		err := truth.WriteWeights("segment",
			truth.Weights{Name: "moduleWeights", Doc: "say where a region is cut into modules.", Features: names(modules), Values: whole.modules, Digits: 3})
		if err == nil {
			err = os.WriteFile("region.model", whole.regions.Encode(), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// known formats a figure that a set may not have.
func known(f float64) string {
	if f == 0 {
		return "–"
	}
	return strconv.FormatFloat(f, 'f', 3, 64)
}

func names(s *scale) []string {
	var names []string
	for _, f := range s.features {
		names = append(names, f.name)
	}
	return names
}

// websegPages returns the pages with regions and blocks.
func websegPages(t *testing.T) (all []markedPage) {
	pages, err := truth.Read(filepath.Join(*fitData, "webseg", "dev", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if !p.Scored() {
			continue
		}
		s, err := p.Snapshot(filepath.Join(*fitSnaps, "webseg"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, websegPage{p.On(s)})
	}
	return all
}

// landmarkPages returns the pages of many designs, as they are and without hints.
func landmarkPages(t *testing.T) (all []markedPage) {
	pages, err := landmarks.Read(filepath.Join(*fitData, "landmarks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		for _, v := range landmarks.Variants {
			s, err := p.Snapshot(filepath.Join(*fitSnaps, "landmarks"), v)
			if err != nil {
				t.Fatal(err)
			}
			var seen view
			seen.look(s, Visual, countOf(s))
			m, err := p.Map(s, v, seen.visible)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, landmarkPage{m})
		}
	}
	return all
}

// learn fits both; modules are fitted on the regions found by the model without the same designs.
func learn(pages []markedPage, without ...string) model {
	var m model
	m.learnRegions(pages)
	m.learnModules(slices.DeleteFunc(slices.Clone(pages), func(p markedPage) bool { return p.set() != "webseg" }), without)
	return m
}

// rounds is the number of fits: the first learns from pages divided by the annotations, the rest also
// from pages divided by the previous fit, to learn from its mistakes.
const rounds = 3

func (m *model) learnRegions(pages []markedPage) {
	for range rounds {
		var examples []fit.Example
		for _, p := range pages {
			for _, e := range m.lessons(p, regions, m.regions != nil, nil) {
				x := make([]float32, len(e.X))
				for i, v := range e.X {
					x[i] = float32(v)
				}
				w := float32(4 * e.Weight)
				if p.set() == "webseg" {
					w *= weightOfWebseg
				}
				y := []float32{w, 0}
				if e.Yes {
					y = []float32{0, w}
				}
				examples = append(examples, fit.Example{X: x, Y: y})
			}
		}
		m.regions = fit.Train(names(regions), examples, regionOptions)
	}
}

func (m *model) learnModules(pages []markedPage, without []string) {
	for range rounds {
		var examples []truth.Example
		for _, p := range pages {
			examples = append(examples, m.lessons(p, modules, m.modules != nil, without)...)
		}
		m.modules = truth.Logistic(examples, modulePenalty)
	}
}

// lessons returns the separators met when a page is divided by its annotations and, if learned, by
// the previous fit.
func (m *model) lessons(p markedPage, s *scale, learned bool, without []string) []truth.Example {
	var out []truth.Example
	seen := map[int32]bool{}
	total := 0.0
	snap := p.snapshot()
	for i := range snap.Nodes {
		total += p.Mass(int32(i))
	}
	level := 2
	if s == regions {
		level = 1
	}
	divide := func(learned bool) {
		var with scratch
		_, err := segment(snap, Params{Level: level}, func(c *cutter) {
			c.teach = func(by *scale, at *separator, x []float64) bool {
				if by != s {
					return m.decide(by, x, &with, nil)
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
				if learned {
					return m.decide(by, x, &with, nil)
				}
				return cut
			}
		})
		if err != nil {
			panic(err)
		}
	}
	divide(false)
	if learned {
		divide(true)
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

// figuresOf are means over pages: F, precision and recall of regions, F of blocks (BCubed
// by characters) and F of fuzzy block matches, as the evaluators compute them.
type figuresOf struct{ region, p, r, block, fuzzy float64 }

func figures(pages []markedPage, by func(markedPage) *model, without ...string) (f figuresOf) {
	var nr, nb, p, r float64
	f1 := func(p, r float64) float64 { return 2 * p * r / max(1e-9, p+r) }
	for _, page := range pages {
		m := by(page)
		for level := int32(1); level <= 2; level++ {
			var with scratch
			c, err := segment(page.snapshot(), Params{Level: int(level)}, func(c *cutter) {
				c.teach = func(s *scale, _ *separator, x []float64) bool { return m.decide(s, x, &with, without) }
			})
			if err != nil {
				panic(err)
			}
			if level == 2 && page.set() != "webseg" {
				continue
			}
			precision, recall, ok := page.BCubed(c.Blocks, c.Spans, level)
			if !ok {
				continue
			}
			if level == 1 {
				f.region, f.p, f.r, nr = f.region+f1(precision, recall), f.p+precision, f.r+recall, nr+1
				continue
			}
			f.block, nb = f.block+f1(precision, recall), nb+1
			hits, found, marked := page.(websegPage).Matches(c.Blocks, c.Spans)
			p += float64(hits) / max(1, float64(found))
			r += float64(hits) / float64(marked)
		}
	}
	f.region, f.p, f.r = f.region/nr, f.p/nr, f.r/nr
	if nb > 0 {
		f.block, f.fuzzy = f.block/nb, f1(p/nb, r/nb)
	}
	return f
}

// drop prints the cross-validated figures without each feature of the modules.
func drop(pages []markedPage) {
	const folds = 10
	pages = slices.DeleteFunc(slices.Clone(pages), func(p markedPage) bool { return p.set() != "webseg" })
	cross := func(without ...string) figuresOf {
		var part [folds]model
		for k := range part {
			part[k].learnModules(slices.DeleteFunc(slices.Clone(pages), func(p markedPage) bool { return truth.Fold(p.design(), folds) == k }), without)
		}
		return figures(pages, func(p markedPage) *model { return &part[truth.Fold(p.design(), folds)] }, without...)
	}
	whole := cross()
	fmt.Printf("\n%-28s %8s %8s\n", "without", "blocks", "fuzzy")
	for _, f := range modules.features[1:] {
		v := cross(f.name)
		fmt.Printf("%-28s %+8.3f %+8.3f\n", f.name, v.block-whole.block, v.fuzzy-whole.fuzzy)
	}
}
