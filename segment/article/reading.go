package article

import (
	_ "embed"
	"math"
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

// textFrom is the probability from which a passage is part of the text.
const textFrom = .5

func probability(score int32) float32 {
	return float32(1 / (1 + math.Exp(-float64(score)/classifier.Unit)))
}

// mainByNode returns the probability of each node that its text is main text.
func (f *finding) mainByNode() []float32 {
	main := make([]float32, len(f.Nodes))
	v := f.view()
	for i, p := range v.main() {
		for n := v.all[i].first; n <= v.all[i].last; n++ {
			main[n] = p
		}
	}
	return main
}

// mainText returns the passages of the text: those that the rules for articles keep, unless the model is against them, and
// those that they leave out without a reason of their own, if the model is for them. The rules know captions, bylines and
// labels, which few marked pages have; the model knows where texts end.
func (f *finding) mainText(main func(passage int) float32) (chosen []int) {
	kept := f.kept
	for i := range f.all {
		q := &f.all[i]
		if len(kept) == 0 && phrases.Endings.Has(q.text) {
			break
		}
		from := float32(addFrom)
		if len(kept) > 0 && kept[0] == i {
			from, kept = keepFrom, kept[1:]
		} else if len(kept) == len(f.kept) || !q.seen || !f.addable(q) {
			continue
		}
		if main(i) >= from {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return f.kept
	}
	return chosen
}

// Probabilities from which passages are kept, and added.
const keepFrom, addFrom = .3, .6

// addable reports whether no rule is against a passage after the beginning of the text.
func (f *finding) addable(q *passage) bool {
	return f.at[q.first].all&(boilerplate|hintSummary) == 0 && !f.outside(q) && q.linkShare() <= .7 && !phrases.Labels.Has(q.text) && !phrases.Credit(q.text)
}

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
		main[i] = probability(score[0])
	}
	return main
}
