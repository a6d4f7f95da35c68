package label

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"plat/fixtures/truth"
	"plat/segment"
)

var (
	fitOn    = flag.String("fit", "", "fit the weights to the truth in `FILE`")
	fitSnaps = flag.String("snapshots", "", "the snapshots of its pages, in `DIR`")
	fitWrite = flag.Bool("write", false, "write weights.go")
)

// fitted are the features that distinguish the two sides. Leave-one-out
// cross-validation kept these. The features of advertisements and comments are
// too rare to be fitted and keep their manual weights.
var fitted = []string{
	"any block", "region below", "small region", "near end", "left", "links beyond usual", "long text", "long runs",
	"off column", "narrow, off column", "above main text", "most text", "in aside", "in form", "headings", "paragraphs",
	"links", "teasers", "items", "large font", "few words", "pictures", "top", "bottom", "wide", "side", "centre",
	"named nav", "named sidebar", "named header", "named footer", "named article", "named form",
}

// penalty was chosen by ten-fold cross-validation; half or twice of it changes
// F by 0.01.
const penalty = 10

// piece is the part of a block that belongs to one side.
type piece struct {
	truth.Example
	chars float64
	page  string
}

// TestFit is a tool, run by scripts/eval-segment -fit. It fits the weights that
// separate boilerplate from content, and prints the results on the pages fitted
// to and on held-out pages.
func TestFit(t *testing.T) {
	if *fitOn == "" {
		t.Skip("skipped: a tool, see scripts/eval-segment -fit")
	}
	all := pieces(t)
	fit := func(keep func(page string) bool) []float64 {
		var examples []truth.Example
		for _, p := range all {
			if keep(p.page) {
				examples = append(examples, p.Example)
			}
		}
		return truth.Logistic(examples, penalty)
	}
	half := func(h int) func(string) bool {
		return func(page string) bool { return truth.Fold(page, 2) == h }
	}
	every := func(string) bool { return true }
	whole, a, b := fit(every), fit(half(0)), fit(half(1))
	const folds = 10
	var part [folds][]float64
	for k := range part {
		part[k] = fit(func(page string) bool { return truth.Fold(page, folds) != k })
	}
	only := func(w []float64) func(string) []float64 { return func(string) []float64 { return w } }
	fmt.Println("of blocks cut by weights fitted to all pages:")
	fmt.Printf("%-28s %8s %8s\n", "fitted on, measured on", "noise", "main")
	for _, row := range []struct {
		name string
		on   func(string) bool
		by   func(string) []float64
	}{
		{"by hand, all", every, only(make([]float64, len(fitted)))},
		{"all, all", every, only(whole)},
		{"half A, half A", half(0), only(a)},
		{"half A, half B", half(1), only(a)},
		{"half B, half B", half(1), only(b)},
		{"half B, half A", half(0), only(b)},
		{"nine tenths, the tenth", every, func(page string) []float64 { return part[truth.Fold(page, folds)] }},
	} {
		noise, content := figures(all, row.on, row.by)
		fmt.Printf("%-28s %8.3f %8.3f\n", row.name, noise, content)
	}
	if *fitWrite {
		err := truth.WriteWeights("label", truth.Weights{
			Name: "aroundWeights", Doc: "say whether a block stands around the content of its page.", Features: fitted, Values: whole, Digits: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// pieces returns the leaves of the pages with reliable annotations, by side.
func pieces(t *testing.T) []piece {
	pages, err := truth.Read(*fitOn)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []piece
	for _, p := range pages {
		if !p.Scored() || !p.Typed() {
			continue
		}
		s, err := p.Snapshot(*fitSnaps)
		if err != nil {
			t.Fatal(err)
		}
		c, err := segment.Segment(s, segment.Params{Level: 2})
		if err != nil {
			t.Fatal(err)
		}
		m := p.On(s)
		g := d.gather(s, &c.Page, c.Spans, c.Visible())
		texts := g.texts()
		w := d.words(d.detect(s.Language, texts), texts)
		near := g.survey()
		for i := range c.Blocks {
			if !c.Blocks[i].Leaf() {
				continue
			}
			g.look(i, w)
			g.place(i, &near)
			x, offset := seen(&g.facts[i])
			var mass, chars [3]float64 // by side, −1 to 1
			for n := c.Spans[i].First; n < c.Spans[i].End; n++ {
				mass[m.SideOf(n)+1] += m.Mass(n)
				chars[m.SideOf(n)+1] += m.Chars[n]
			}
			for _, side := range []int{-1, 1} {
				if w := mass[side+1]; w > 0 {
					// The square root keeps a page's longest text from
					// outweighing all its menus.
					e := truth.Example{X: x, Yes: side > 0, Weight: math.Sqrt(math.Sqrt(w)), Offset: offset}
					all = append(all, piece{e, chars[side+1], p.Name})
				}
			}
		}
	}
	return all
}

// seen returns the values of the fitted features, and the logit of being
// boilerplate by the manual weights.
func seen(f *facts) (x []float64, offset float64) {
	score := start
	values := map[string]float64{}
	for i := range features {
		v := features[i].of(f)
		if v != v {
			v = 0
		}
		values[features[i].name] = v
		for k, w := range features[i].to {
			score[k] += v * w
		}
	}
	for _, name := range fitted {
		x = append(x, values[name])
	}
	var around, content float64
	for k := range kinds {
		if sign(k) > 0 {
			around += math.Exp(score[k])
		} else {
			content += math.Exp(score[k])
		}
	}
	return x, math.Log(around) - math.Log(content)
}

// figures returns F of both sides by characters, as the evaluator computes it.
func figures(all []piece, on func(page string) bool, by func(page string) []float64) (noise, content float64) {
	var chars [2][2]float64 // [actual noise][predicted noise]
	for i := range all {
		p := &all[i]
		if !on(p.page) {
			continue
		}
		logit := p.Offset
		for k, w := range by(p.page) {
			logit += w * p.X[k]
		}
		chars[index(p.Yes)][index(logit > 0)] += p.chars
	}
	f := func(k int) float64 {
		hit := chars[k][k]
		return 2 * hit / (2*hit + chars[k][1-k] + chars[1-k][k])
	}
	return f(1), f(0)
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
