package article

import (
	_ "embed"
	"sync"

	"plat/segment/article/phrases"
	"plat/segment/classifier"
)

// textModel determines whether a passage is main text, by [observations]. It is fitted to pages whose texts are marked:
// scripts/eval-segment -fit -write.
//
//go:embed text.model
var textBytes []byte

var textModel = sync.OnceValue(func() *classifier.Model { return classifier.MustDecode(textBytes) })

// Main returns the probability of each node that its text is main text, of any kind of page: 0 for nodes without a
// visible text.
func (r *Reading) Main() []float32 {
	if r.finding == nil {
		return nil
	}
	main := make([]float32, len(r.Nodes))
	for i, p := range r.main {
		for n := r.all[i].first; n <= r.all[i].last; n++ {
			main[n] = p
		}
	}
	return main
}

// mainText returns the passages of the text of an article, given the probability of each: those that the rules for
// articles keep, unless the model is against them, and those after the first that the rules leave out, if the model is
// for them; outside of the region, or in a part with the name of boilerplate, it must be sure. The rules know captions,
// bylines and labels, which few marked pages have; the model knows where texts end.
func (f *finding) mainText(main []float32) (chosen []int) {
	kept := f.kept
	for i := range f.all {
		q := &f.all[i]
		if len(kept) == 0 && phrases.Endings.Has(q.text) {
			break
		}
		from := float32(addFrom)
		switch {
		case len(kept) > 0 && kept[0] == i:
			from, kept = keepFrom, kept[1:]
		case len(kept) == len(f.kept) || f.leftOut(q):
			continue
		case f.at[q.first].all&boilerplate != 0 || !f.inRegion(q):
			from = surelyAdd
		}
		if q.seen && main[i] >= from {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return f.kept
	}
	return chosen
}

// Probabilities from which passages are kept, added, and added against the rules. With sites left out, F of articles
// alone (maincontent) is .985 with these and values near them, and .963 with .5 for all three.
const keepFrom, addFrom, surelyAdd = .5, .6, .75

// main returns the probability of each passage.
func (v *view) main() []float32 {
	m := textModel()
	values := make([]float32, len(observations))
	score := make([]int32, 1)
	var in classifier.Input
	main := make([]float32, len(v.all))
	for i := range v.all {
		if !v.all[i].seen {
			continue
		}
		v.observe(i, values)
		m.Read(values, &in)
		m.Scores(&in, score)
		main[i] = float32(classifier.Probability(score[0]))
	}
	return main
}

// inRegion reports whether a passage is in the region of the text.
func (f *finding) inRegion(q *passage) bool {
	return q.first >= f.region && q.first < f.at[f.region].end
}

// leftOut reports whether a rule is against a passage, whatever the model says.
func (f *finding) leftOut(q *passage) bool {
	const parts = hintCaption | hintAd | hintShare | hintSubscribe | hintByline | hintTags | hintRelated | hintSummary | hintComments
	return f.at[q.first].all&parts != 0 || f.outside(q) || q.linkShare() > .7 || phrases.Labels.Has(q.text) || phrases.Credit(q.text)
}
