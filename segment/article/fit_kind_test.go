package article

import (
	"fmt"
	"slices"

	"plat/segment/classifier"
	"plat/segment/classifier/fit"
)

// kindOptions are those of the model of kinds, which has few pages to learn from.
var kindOptions = fit.Options{
	Rounds: 60, Depth: 3, Rate: .1, Penalty: 2, Least: 1, Features: .3, Sample: .6, Bins: 32, Steps: 100, LinearPenalty: 50, Seed: 1,
}

// weightOfArticles makes up for more pages being articles.
const weightOfArticles = .7

// isArticle returns whether a page is an article; known is false if no mark says so.
func (l *lesson) isArticle() (is, known bool) {
	switch l.source {
	case "l3s-gn1", "daniel", "dragnet", "mozilla", "cleanportal", "maincontent": // news and blogs
		return true, true
	case "wcxb":
		return l.page.Kind == "article", true
	case "documents":
		return false, true
	}
	return false, false
}

// pageExample observes a page by what a model says that has not seen it.
func (l *lesson) pageExample() fit.Example {
	f := l.found
	a := (&Reading{f, l.said()}).article()
	return fit.Example{X: f.pageSight(l.said(), &a).observe(), Y: []float32{0}}
}

// said returns what a model says of the passages that has not seen the page.
func (l *lesson) said() []float32 {
	said := make([]float32, len(l.units))
	for i := range said {
		said[i] = float32(l.units[i].p)
	}
	return said
}

// kindLessons are pages whose kind is known.
type kindLessons struct {
	all      []*lesson
	examples []fit.Example
	is       []bool
	p        []float64
}

func kindsOf(all []*lesson) *kindLessons {
	k := &kindLessons{}
	sum := map[string]float32{}
	for _, l := range all {
		is, known := l.isArticle()
		if !known {
			continue
		}
		e := l.pageExample()
		k.all, k.examples, k.is = append(k.all, l), append(k.examples, e), append(k.is, is)
		sum[fmt.Sprint(l.source, is)]++
	}
	for i := range k.examples {
		l, e := k.all[i], &k.examples[i]
		w := float32(200) / max(100, sum[fmt.Sprint(l.source, k.is[i])])
		if l.source == "wcxb" {
			w *= 2
		}
		if k.is[i] {
			e.Y[0] = w * weightOfArticles
		} else {
			e.NotFirst = w
		}
	}
	k.p = make([]float64, len(k.all))
	return k
}

func (k *kindLessons) train(without func(*lesson) bool) *classifier.Model {
	var names []string
	for _, o := range pageObservations {
		names = append(names, o.name)
	}
	var some []fit.Example
	for i, l := range k.all {
		if !without(l) {
			some = append(some, k.examples[i])
		}
	}
	return fit.Train(names, some, kindOptions)
}

// withhold judges each page by a model fitted to the pages of other groups.
func (k *kindLessons) withhold(groupOf func(*lesson) string) {
	var groups []string
	for _, l := range k.all {
		groups = append(groups, groupOf(l))
	}
	slices.Sort(groups)
	for _, g := range slices.Compact(groups) {
		in := func(l *lesson) bool { return groupOf(l) == g }
		m := k.train(in)
		var input classifier.Input
		score := make([]int32, 1)
		for i, l := range k.all {
			if in(l) {
				m.Read(k.examples[i].X, &input)
				m.Scores(&input, score)
				k.p[i] = float64(float32(classifier.Probability(score[0])))
			}
		}
	}
}

// show prints how many pages of each source are taken for articles.
func (k *kindLessons) show(title string) {
	type sum struct{ pages, called int }
	by := map[string]*sum{}
	for i, l := range k.all {
		g := fmt.Sprintf("%s, %s", l.source, map[bool]string{true: "articles", false: "others"}[k.is[i]])
		for _, g := range []string{g, g + " " + l.kind()} {
			if by[g] == nil {
				by[g] = &sum{}
			}
			by[g].pages++
			if k.p[i] >= articleFrom {
				by[g].called++
			}
		}
	}
	fmt.Printf("%-40s %6s %s\n", title, "pages", "taken for articles")
	var groups []string
	for g := range by {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	for _, g := range groups {
		fmt.Printf("%-40s %6d %6d\n", g, by[g].pages, by[g].called)
	}
	fmt.Println()
}

func (l *lesson) kind() string {
	if l.page == nil {
		return ""
	}
	return l.page.Kind
}
