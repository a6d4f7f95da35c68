package similarity

import "math"

// Words puts sources together. Each may be nil; the zero value only knows equal words. It
// is safe for concurrent use.
type Words struct {
	WordNet *WordNet
	Learnt  *Vectors // of a Learner
	Static  *Vectors // of LoadVectors
}

// mostStatic is the most that vectors from elsewhere say: words that are merely used alike,
// as the names of weekdays are, have cosines near 1.
const mostStatic = .95

// Learnt cosines are taken in three parts. Up to the deviation of the random
// projection they say nothing. Up to togetherAt words are far ones that occur together: 0 to
// .5. On the comments of Go's library 1 of 100 unrelated pairs has a cosine above .33 and
// none of 444 above .47, and of random pairs of all words 1 of 1,000 is above .46; of the
// related pairs half have .31 or more and one of ten .51. What is above is taken as near, up
// to mostLearnt: a synonym that WordNet tells is worth more.
const (
	togetherAt = .5
	mostLearnt = .9
)

// Near is how near two words are: 1 if they are equal, and else the greatest of what the
// sources say; 0 where none knows anything.
func (w Words) Near(a, b string) float64 {
	if a == b {
		return 1
	}
	near := w.WordNet.Near(a, b)
	if near < mostStatic {
		if c, ok := w.Static.Similarity(a, b); ok {
			near = max(near, min(c, mostStatic))
		}
	}
	if near < mostLearnt {
		if c, ok := w.Learnt.Similarity(a, b); ok {
			near = max(near, learntNear(c, w.Learnt.dims))
		}
	}
	return near
}

func learntNear(cosine float64, dims int) float64 {
	noise := min(1/math.Sqrt(float64(dims)), togetherAt-.01)
	if cosine < togetherAt {
		return max(0, .5*(cosine-noise)/(togetherAt-noise))
	}
	return .5 + (mostLearnt-.5)*(cosine-togetherAt)/(1-togetherAt)
}
