package label

import (
	"fmt"
	"math"

	"plat/fixtures/landmarks"
	"plat/segment/classifier"
	"plat/segment/classifier/fit"
)

// commentsOptions are those of the model of comments.
var commentsOptions = fit.Options{
	Rounds: 50, Depth: 4, Rate: .12, Penalty: 1, Least: .5, Features: .25, Sample: .6, Bins: 64, Steps: 80, LinearPenalty: 120, Seed: 1,
}

// weightOfComments makes up for few blocks being comments.
const weightOfComments = 6

// fitComments fits the model of comments, and prints how it does on sites that it was not fitted to, of the sources that
// mark comments. Pages of designs and of documentation have none.
func fitComments(leaves []leaf) *classifier.Model {
	sum := map[string]float64{}
	for i := range leaves {
		sum[leaves[i].page] += leaves[i].talk + leaves[i].rest
	}
	examples := make([]fit.Example, len(leaves))
	var some []int
	for i := range leaves {
		l := &leaves[i]
		e := &examples[i]
		e.X, e.Y = append(l.X[:len(l.X):len(l.X)], float32(is(l.facts.discussed))), []float32{0}
		switch l.set {
		case "content":
			if n := sum[l.page]; n > 0 {
				e.Y[0], e.NotFirst = weightOfComments*float32(math.Pow(l.talk/n, rolePower)), float32(math.Pow(l.rest/n, rolePower))
			}
		case landmarks.Variants[0], "documents":
			e.NotFirst = l.NotFirst / 40
			for _, y := range l.Y {
				e.NotFirst += y / 40
			}
		}
		if e.Y[0]+e.NotFirst > 0 {
			some = append(some, i)
		}
	}
	train := func(without int) *classifier.Model {
		var of []fit.Example
		for _, i := range some {
			if leaves[i].fold != without {
				of = append(of, examples[i])
			}
		}
		return fit.Train(namesOf(commentsEvidence), of, commentsOptions)
	}
	scores := make([]int32, len(leaves))
	for k := range folds {
		m := train(k)
		var in classifier.Input
		for i := range leaves {
			if l := &leaves[i]; l.fold == k && l.set == "content" {
				m.Read(examples[i].X, &in)
				m.Scores(&in, scores[i:i+1])
			}
		}
	}
	for _, how := range []struct {
		name   string
		weight func(*leaf) float64
	}{{"words", func(*leaf) float64 { return 1 }}, {"pages", func(l *leaf) float64 { return 1 / max(1, sum[l.page]) }}} {
		var hit, found, marked float64
		for i := range leaves {
			l := &leaves[i]
			if !l.told {
				continue
			}
			w := how.weight(l)
			marked += w * l.talk
			if scores[i] >= 0 && (l.guess == partMain || l.facts.discussed || named(hintComments)(&l.facts) >= .25) {
				hit += w * l.talk
				found += w * (l.talk + l.rest)
			}
		}
		fmt.Printf("comments without its site, by %s: F %.3f, precision %.3f, recall %.3f\n", how.name, 2*hit/(found+marked), hit/max(1e-9, found), hit/max(1e-9, marked))
	}
	whole := train(-1)
	fmt.Printf("the model of comments has %d bytes\n", len(whole.Encode()))
	return whole
}
