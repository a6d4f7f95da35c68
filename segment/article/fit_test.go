package article

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	truths "plat/fixtures/truth"
	"plat/segment/classifier"
	"plat/segment/classifier/fit"
)

var (
	fitData    = flag.String("fit", "", "fit to the pages marked in the folder `DIR` of data")
	fitSnaps   = flag.String("snapshots", "", "the snapshots of its pages, in `DIR`")
	fitSources = flag.Bool("sources", true, "also leave out each source")
	fitWrite   = flag.Bool("write", false, "write text.model and kind.model")
	fitInto    = flag.String("into", ".", "write them into the folder `DIR`")
	fitWithout = flag.Int("without", -1, "leave out the sites of this half, 0 or 1")
	fitSay     = flag.String("say", "", "write what models that have not seen a page say of its nodes into `DIR`")
)

// Options for fitting. Twice the trees, deeper ones, and a second model that sees what the first says of the passages
// around, change F by less than 0.002 on sites that were left out.
var textOptions = fit.Options{
	Rounds: 120, Depth: 4, Rate: .12, Penalty: 1, Least: .3, Features: .25, Sample: .5, Bins: 64, Steps: 60, LinearPenalty: 250, Seed: 1,
}

// textFrom is the probability from which a passage is text.
const textFrom = .5

// textPower keeps a page's longest passage from outweighing its short ones: one counts by its share of the page's words
// to this power.
const textPower = .6

// The weights of pages of the sets: documents come by generators, and landmarks twice.
var weightOfSet = map[string]float64{"content": 1, "maincontent": 1, "webseg": 1, "landmarks": .3, "documents": .3}

// siteFolds are the parts in which sites are left out in turn.
const siteFolds = 7

// TestFit is a tool, run by scripts/eval-segment -fit. It fits the model of texts to all pages, and prints how it does on
// sites, and on sources, that it was not fitted to.
func TestFit(t *testing.T) {
	if *fitData == "" {
		t.Skip("skipped: a tool, see scripts/eval-segment -fit")
	}
	all := slices.DeleteFunc(lessons(t), func(l *lesson) bool { return truths.Fold(l.site, 2) == *fitWithout })
	passages := 0
	for _, l := range all {
		passages += len(l.units)
	}
	fmt.Printf("%d pages, %d passages, %d observations\n", len(all), passages, len(observations))
	show("the rules for articles", all, func(l *lesson) score {
		for i := range l.units {
			l.units[i].p = 0
		}
		for _, i := range l.found.kept {
			l.units[i].p = 1
		}
		return l.by(textFrom)
	})
	if *fitSources && *fitWithout < 0 {
		withhold(all, func(l *lesson) string { return l.source }, true)
		show("without its source", all, func(l *lesson) score { return l.by(textFrom) })
	}
	withhold(all, siteFold, false)
	show("without its site", all, func(l *lesson) score { return l.by(textFrom) })
	show("with the rules", all, func(l *lesson) score {
		chosen := map[int]bool{}
		var text []string
		for _, i := range l.found.mainText(l.said()) {
			chosen[i] = true
			text = append(text, l.units[i].said...)
		}
		i := -1
		return l.score(text, func(*unit) bool { i++; return chosen[i] })
	})
	k := kindsOf(all)
	k.withhold(func(l *lesson) string { return l.source })
	k.show("without its source")
	k.withhold(siteFold)
	k.show("without its site")
	if *fitSay != "" {
		say(t, all)
	}
	if *fitWrite {
		kind := k.train(func(*lesson) bool { return false })
		fmt.Printf("the model of kinds has %d bytes\n", len(kind.Encode()))
		if err := os.WriteFile(filepath.Join(*fitInto, "kind.model"), kind.Encode(), 0o644); err != nil {
			t.Fatal(err)
		}
		model := train(all)
		fmt.Printf("the model has %d bytes\n", len(model.Encode()))
		if err := os.WriteFile(filepath.Join(*fitInto, "text.model"), model.Encode(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// siteFold returns the part of the sites that a page is in.
func siteFold(l *lesson) string { return fmt.Sprint(truths.Fold(l.site, siteFolds)) }

// say writes what models say of the nodes of pages that they have not seen.
func say(t *testing.T, all []*lesson) {
	for _, l := range all {
		type passage struct {
			First, Last int32
			Main        float64
		}
		said := []passage{}
		for i := range l.units {
			if u := &l.units[i]; u.seen {
				said = append(said, passage{u.first, u.last, u.p})
			}
		}
		raw, err := json.Marshal(said)
		if err == nil {
			file := filepath.Join(*fitSay, l.set, l.name+".json")
			if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
				err = os.WriteFile(file, raw, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func train(some []*lesson) *classifier.Model {
	var names []string
	for _, o := range observations {
		names = append(names, o.name)
	}
	var examples []fit.Example
	for _, l := range some {
		for i := range l.units {
			if u := &l.units[i]; u.seen && u.Y[0]+u.NotFirst > 0 {
				examples = append(examples, u.Example)
			}
		}
	}
	return fit.Train(names, examples, textOptions)
}

// withhold judges each page by a model fitted to the pages of other groups; if contentOnly, only those of the set
// content are judged.
func withhold(all []*lesson, groupOf func(*lesson) string, contentOnly bool) {
	var groups []string
	for _, l := range all {
		if !contentOnly || l.page != nil {
			groups = append(groups, groupOf(l))
		}
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	todo := make(chan string)
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for group := range todo {
				in := func(l *lesson) bool { return groupOf(l) == group }
				model := train(slices.DeleteFunc(slices.Clone(all), in))
				var input classifier.Input
				score := make([]int32, 1)
				for _, l := range all {
					if !in(l) {
						continue
					}
					for i := range l.units {
						if u := &l.units[i]; u.seen {
							model.Read(u.X, &input)
							model.Scores(&input, score)
							u.p = float64(float32(classifier.Probability(score[0])))
						}
					}
				}
			}
		})
	}
	for _, g := range groups {
		todo <- g
	}
	close(todo)
	work.Wait()
}

// score compares a text with the marked text: precision and recall of runs of four words, F of the words of noise, and
// F of the words of main text.
type score struct {
	p, r, noise, main float64
	some, noisy       bool
}

// by scores the passages whose probability is at least that.
func (l *lesson) by(least float64) score {
	keep := func(u *unit) bool { return u.seen && u.p >= least }
	var text []string
	for i := range l.units {
		if u := &l.units[i]; keep(u) {
			text = append(text, u.said...)
		}
	}
	return l.score(text, keep)
}

func (l *lesson) score(text []string, keep func(*unit) bool) (s score) {
	gold, got := runsOfFour(l.gold), runsOfFour(text)
	both, want, have := 0, 0, 0
	for k, n := range gold {
		both += min(n, got[k])
		want += n
	}
	for _, n := range got {
		have += n
	}
	s.some = have > 0
	s.p, s.r = float64(both)/float64(max(1, have)), float64(both)/float64(max(1, want))
	var keptMain, keptRest, leftMain, leftRest int
	for i := range l.units {
		if u := &l.units[i]; keep(u) {
			keptMain, keptRest = keptMain+u.main, keptRest+u.rest
		} else {
			leftMain, leftRest = leftMain+u.main, leftRest+u.rest
		}
	}
	s.noisy = keptRest+leftRest >= 10
	s.noise, s.main = f1(leftRest, leftMain, keptRest), f1(keptMain, keptRest, leftMain)
	return s
}

func f1(hit, wrong, missed int) float64 {
	if hit == 0 {
		return 0
	}
	return 2 * float64(hit) / float64(2*hit+wrong+missed)
}

func runsOfFour(words []string) map[[4]string]int {
	all := map[[4]string]int{}
	for i := range words {
		if i > 0 && i+4 > len(words) {
			break
		}
		var s [4]string
		copy(s[:], words[i:min(len(words), i+4)])
		all[s]++
	}
	return all
}

// show prints the means over pages, of all and by source and kind.
func show(title string, all []*lesson, of func(*lesson) score) {
	type sum struct{ pages, some, noisy, p, r, noise, main float64 }
	by := map[string]*sum{}
	for _, l := range all {
		if l.page == nil {
			continue
		}
		s := of(l)
		groups := []string{"all", l.source}
		if l.page.Kind != "" {
			groups = append(groups, "of kind "+l.page.Kind)
		}
		for _, g := range groups {
			x := by[g]
			if x == nil {
				x = &sum{}
				by[g] = x
			}
			x.pages, x.r, x.main = x.pages+1, x.r+s.r, x.main+s.main
			if s.some {
				x.some, x.p = x.some+1, x.p+s.p
			}
			if s.noisy {
				x.noisy, x.noise = x.noisy+1, x.noise+s.noise
			}
		}
	}
	fmt.Printf("%-24s %6s %6s %6s %6s %6s %6s\n", title, "pages", "P", "R", "F1", "noise", "main")
	var groups []string
	for g := range by {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	for _, g := range groups {
		x := by[g]
		p, r := x.p/x.some, x.r/x.pages
		fmt.Printf("%-24s %6.0f %6.3f %6.3f %6.3f %6.3f %6.3f\n", g, x.pages, p, r, 2*p*r/(p+r), x.noise/x.noisy, x.main/x.pages)
	}
	fmt.Println()
}
