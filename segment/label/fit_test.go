package label

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"plat/fixtures/documents"
	"plat/fixtures/landmarks"
	"plat/fixtures/truth"
	"plat/plat"
	"plat/segment"
	"plat/segment/boilerplate"
	"plat/segment/classifier"
	"plat/segment/classifier/fit"
)

var (
	fitData  = flag.String("fit", "", "fit to the pages marked in the folder `DIR` of data")
	fitSnaps = flag.String("snapshots", "", "the snapshots of its pages, in `DIR`")
	fitSaid  = flag.String("said", "", "what models of texts say of pages that they have not seen, in `DIR`")
	fitWrite = flag.Bool("write", false, "write role.model and comments.model")
	fitInto  = flag.String("into", ".", "write them into the folder `DIR`")

	fitWithout = flag.Int("without", -1, "leave out the sites of this half, 0 or 1")
)

// Options for fitting the model, by cross-validation over designs. Values near these change F of
// noise by 0.01 to 0.02, and so does a different seed.
var roleOptions = fit.Options{
	Rounds: 100, Depth: 4, Rate: .1, Penalty: 1, Least: .3, Features: .2, Sample: .5, Bins: 128, Steps: 100, LinearPenalty: 250, Seed: 1,
}

const (
	// rolePower keeps a page's longest text from outweighing all its menus: a leaf
	// counts by its share of the page's text to this power.
	rolePower = .6

	// weightOfWebseg makes up for its pages being fewer than those of landmarks.
	weightOfWebseg = 1.5

	// weightOfDocuments is lower, because their marks identify only content.
	weightOfDocuments = .5

	// manyLeaves is the maximum number of leaves of a page of documentation used for fitting: an
	// index of hundreds of lines takes as long as all the rest.
	manyLeaves = 150

	// amongOthers is a second set of the leaves of documentation, judged together with the other
	// pages of their site.
	amongOthers = "among others"

	// folds are the parts that are left out in turn: designs of landmarks, generators of documentation, pages of
	// webseg and sites of content.
	folds = 7
)

// leaf is a block of a marked page.
type leaf struct {
	fit.Example
	set, page string
	fold      int
	facts     facts
	chars     [parts]float64 // by role; of landmarks, the share of the page's
	guess     part           // of a model fitted without its design

	span       plat.Span
	talk, rest float64 // words that are comments, and others that are surely none; of content
	told       bool    // the page's source marks comments
}

// TestFit is a tool, run by scripts/eval-segment -fit. It fits the model of roles to all
// pages, and prints how it does on designs that it was not fitted to.
func TestFit(t *testing.T) {
	if *fitData == "" {
		t.Skip("skipped: a tool, see scripts/eval-segment -fit")
	}
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Pages are described for their topics; the embedded models may have other features.
	roleModel = func() *classifier.Model { return blank(roleEvidence, int(parts)) }
	commentsModel = func() *classifier.Model { return blank(commentsEvidence, 1) }
	leaves, designs := landmarkLeaves(t, d)
	leaves = append(leaves, websegLeaves(t, d)...)
	leaves = append(leaves, contentLeaves(t, d)...)
	train := func(without int) *classifier.Model {
		var some []fit.Example
		for i := range leaves {
			if leaves[i].fold != without && leaves[i].set != amongOthers {
				some = append(some, leaves[i].Example)
			}
		}
		return fit.Train(namesOf(roleEvidence), some, roleOptions)
	}
	documented, packages := documentLeaves(t, d)
	leaves = append(leaves, documented...)
	fmt.Printf("%d leaves, %d designs, %d generators\n", len(leaves), designs, packages)
	whole := train(-1)
	show(leaves, "fitted to all", whole, -1)
	fmt.Println()
	todo := make(chan int)
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for k := range todo {
				guess(leaves, train(k), k)
			}
		})
	}
	for k := range folds {
		todo <- k
	}
	close(todo)
	work.Wait()
	show(leaves, "without its site", nil, 0)
	comments := fitComments(leaves)
	fmt.Printf("the model has %d bytes; %d leaves, %d features\n", len(whole.Encode()), len(leaves), len(roleEvidence))
	if *fitWrite {
		for name, m := range map[string]*classifier.Model{"role.model": whole, "comments.model": comments} {
			if err := os.WriteFile(filepath.Join(*fitInto, name), m.Encode(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// leftOut reports whether the fit does without a site.
func leftOut(site string) bool { return truth.Fold(site, 2) == *fitWithout }

// blank returns a model without weights.
func blank(of []evidence, classes int) *classifier.Model {
	m := &classifier.Model{Classes: classes, Names: namesOf(of), Start: make([]int16, classes)}
	for range of {
		m.Linear = append(m.Linear, classifier.Term{Deviation: 1, Weights: make([]int16, classes)})
		m.Edges = append(m.Edges, nil)
	}
	return m
}

func namesOf(all []evidence) []string {
	var names []string
	for _, e := range all {
		names = append(names, e.name)
	}
	return names
}

// guess evaluates a model for the leaves of a fold, −1 for all.
func guess(leaves []leaf, m *classifier.Model, fold int) {
	var in classifier.Input
	var scores [parts]int32
	for i := range leaves {
		if l := &leaves[i]; l.fold == fold || fold < 0 {
			m.Read(l.X, &in)
			m.Scores(&in, scores[:])
			adjust(scores[:], &l.facts)
			l.guess, _ = judge(scores[:])
		}
	}
}

// show prints F by role and F of noise, for each set: by the model if there is one.
func show(leaves []leaf, title string, m *classifier.Model, fold int) {
	if m != nil {
		guess(leaves, m, fold)
	}
	fmt.Printf("%-20s %10s %10s %10s %10s %10s %10s %10s\n", title, "main", "navigation", "banner", "footer", "sidebar", "ad", "noise")
	for _, set := range append(slices.Clone(landmarks.Variants), "webseg", "content", "documents", amongOthers) {
		var by [parts][parts]float64 // actual, guessed
		for i := range leaves {
			if l := &leaves[i]; l.set == set {
				for k, v := range l.chars {
					by[k][l.guess] += v
				}
			}
		}
		fmt.Printf("%-20s", set)
		for k := range parts {
			fmt.Printf(" %10s", measure(&by, func(p part) bool { return p == k }))
		}
		fmt.Printf(" %10s\n", measure(&by, func(p part) bool { return p != partMain }))
	}
}

// measure returns F of the roles in a group.
func measure(by *[parts][parts]float64, in func(part) bool) string {
	var hit, found, marked float64
	for a := range parts {
		for b := range parts {
			v := by[a][b]
			if in(a) {
				marked += v
			}
			if in(b) {
				found += v
			}
			if in(a) && in(b) {
				hit += v
			}
		}
	}
	if marked == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", 2*hit/(found+marked))
}

// leavesOf cuts a page and observes its leaves; chars is the number of marked characters. roleOf
// returns the marked role of a text, false if it is not marked; others are the other pages of the
// site, if available.
func (d *Describer) leavesOf(t *testing.T, s *plat.Snapshot, others boilerplate.Pages, level int, set, page string, fold int, roleOf func(node int32) (part, bool)) (all []leaf, chars float64) {
	c, err := segment.Segment(s, segment.Params{Level: level})
	if err != nil {
		t.Fatal(err)
	}
	visible := c.Visible()
	if others != nil { // matching them takes topics
		if err := d.Describe(s, &c.Page, c.Spans, visible); err != nil {
			t.Fatal(err)
		}
	}
	g := d.gather(s, &c.Page, c.Spans, visible, foretold(t, s, set, page))
	texts := g.texts()
	w := d.words(d.detect(s.Language, texts), texts)
	near := g.survey()
	g.among(others)
	for i := range c.Blocks {
		g.look(i, w)
		g.place(i, &near)
	}
	g.discuss(near.main)
	for i := range c.Blocks {
		if !c.Blocks[i].Leaf() || g.facts[i].mass == 0 {
			continue
		}
		l := leaf{set: set, page: page, fold: fold, facts: g.facts[i], span: c.Spans[i]}
		l.X, l.Y = make([]float32, len(roleEvidence)), make([]float32, parts)
		scene := g.scene(i, &near)
		scene.observe(l.X)
		for n := c.Spans[i].First; n < c.Spans[i].End; n++ {
			if s.Nodes[n].Kind != plat.TextNode || !visible[n] {
				continue
			}
			if k, ok := roleOf(n); ok {
				l.chars[k] += float64(countChars(s.Nodes[n].Value))
			}
		}
		for _, v := range l.chars {
			chars += v
		}
		all = append(all, l)
	}
	if chars == 0 {
		return nil, 0
	}
	for i := range all {
		l := &all[i]
		for k, v := range l.chars {
			l.Y[k] = float32(40 * math.Pow(v/chars, rolePower))
		}
	}
	return all, chars
}

var partOfType = map[string]part{
	"main": partMain, "navigation": partNavigation, "banner": partBanner, "footer": partFooter, "sidebar": partSidebar, "comments": partMain,
}

// landmarkLeaves returns the leaves of the pages of many designs, and how many designs
// there are.
func landmarkLeaves(t *testing.T, d *Describer) (all []leaf, designs int) {
	pages, err := landmarks.Read(filepath.Join(*fitData, "landmarks"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range pages {
		if leftOut(p.Design) {
			continue
		}
		seen[p.Design] = true
		fold := truth.Fold(p.Design, folds)
		for _, v := range landmarks.Variants {
			s, err := p.Snapshot(filepath.Join(*fitSnaps, "landmarks"), v)
			if err != nil {
				t.Fatal(err)
			}
			inner, _, err := p.On(s)
			if err != nil {
				t.Fatal(err)
			}
			own, sum := d.leavesOf(t, s, nil, segment.DefaultLevel, v, p.ID, fold, func(n int32) (part, bool) {
				for r := int(inner[n]); r >= 0; r = p.Regions[r].Parent {
					if k, ok := partOfType[p.Regions[r].Type]; ok {
						return k, true
					}
				}
				return 0, false
			})
			for i := range own { // each page has the same weight, as in the evaluator
				for k := range own[i].chars {
					own[i].chars[k] /= sum
				}
			}
			all = append(all, own...)
		}
	}
	return all, len(seen)
}

// documentLeaves returns the leaves of pages of documentation, and the number of their generators.
// The marks identify only content; the rest is only known as non-content.
func documentLeaves(t *testing.T, d *Describer) (all []leaf, packages int) {
	pages, err := documents.Read()
	if err != nil {
		t.Fatal(err)
	}
	sites := d.sites(t, pages)
	seen := map[string]bool{}
	for _, p := range pages {
		s, err := p.Snapshot(filepath.Join(*fitSnaps, "documents"))
		if err != nil {
			t.Fatal(err)
		}
		main, ok := p.Main(s)
		if !ok || leftOut(p.Package) {
			continue
		}
		seen[p.Package] = true
		fold := truth.Fold(p.Package, folds)
		roleOf := func(n int32) (part, bool) {
			if n >= main.First && n < main.End {
				return partMain, true
			}
			for up := n; up >= 0; up = s.Nodes[up].Parent {
				if s.Nodes[up].Name == "h1" {
					return 0, false // the title of the content, above the element
				}
			}
			return partNavigation, true
		}
		own, sum := d.leavesOf(t, s, nil, segment.DefaultLevel, "documents", p.File, fold, roleOf)
		if len(own) > manyLeaves {
			continue
		}
		known, _ := d.leavesOf(t, s, sites[p.Package].Except(p.File), segment.DefaultLevel, amongOthers, p.File, fold, roleOf)
		own = append(own, known...)
		for i := range own {
			l := &own[i]
			l.NotFirst, l.Y[partNavigation] = l.Y[partNavigation]*weightOfDocuments, 0
			l.Y[partMain] *= weightOfDocuments
			for k := range l.chars {
				l.chars[k] /= sum
			}
		}
		all = append(all, own...)
	}
	return all, len(seen)
}

// sites returns the site of each generator, with its pages.
func (d *Describer) sites(t *testing.T, pages []documents.Page) map[string]*boilerplate.Site {
	sites := map[string]*boilerplate.Site{}
	for _, p := range pages {
		s, err := p.Snapshot(filepath.Join(*fitSnaps, "documents"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := segment.Segment(s, segment.Params{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Describe(s, &c.Page, c.Spans, c.Visible()); err != nil {
			t.Fatal(err)
		}
		if sites[p.Package] == nil {
			sites[p.Package] = &boilerplate.Site{}
		}
		sites[p.Package].Learn(p.File, c.Blocks)
	}
	return sites
}

// websegLeaves returns the leaves of the pages whose blocks have reliable types.
func websegLeaves(t *testing.T, d *Describer) (all []leaf) {
	pages, err := truth.Read(filepath.Join(*fitData, "webseg", "dev", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if !p.Scored() || !p.Typed() || leftOut(p.Name) {
			continue
		}
		s, err := p.Snapshot(filepath.Join(*fitSnaps, "webseg"))
		if err != nil {
			t.Fatal(err)
		}
		m := p.On(s)
		own, sum := d.leavesOf(t, s, nil, 2, "webseg", p.Name, truth.Fold(p.Name, folds), func(n int32) (part, bool) {
			if m.Chars[n] == 0 {
				return 0, false
			}
			switch m.SideOf(n) {
			case -1:
				return partMain, true
			case 1:
				return partOfTypes(m.TypesOf(n))
			}
			return 0, false
		})
		for i := range own {
			l := &own[i]
			// The set does not define the role of lists of links. Those of titles are content.
			if l.chars == [parts]float64{} && teasers(&l.facts) > .5 {
				l.Y[partMain] = float32(40 * math.Pow(float64(l.facts.chars)/sum, rolePower))
			}
			for k := range l.Y {
				l.Y[k] *= weightOfWebseg
			}
		}
		all = append(all, own...)
	}
	return all
}

// partOfTypes returns the role by the types around a text, innermost first.
func partOfTypes(types []string) (part, bool) {
	for _, ty := range types {
		switch ty {
		case "menu":
			return partNavigation, true
		case "header", "logo", "searchbar":
			return partBanner, true
		case "footer":
			return partFooter, true
		case "sidebar", "menu sidebar":
			return partSidebar, true
		case "ad":
			return partAd, true
		}
	}
	return 0, false
}
