package similarity

import "math"

// Words combines sources. Each may be nil; the zero value only knows equal words. It is safe for
// concurrent use.
type Words struct {
	WordNet *WordNet
	Learnt  *Vectors // of a Learner
	Static  *Vectors // of LoadVectors
}

// mostStatic is the greatest nearness from loaded vectors: words that are only used alike, such as
// the names of weekdays, have cosines near 1.
const mostStatic = .95

// Learnt cosines are divided into three ranges. Up to the deviation of the random projection they
// mean nothing. Up to togetherAt, words occur together but are not near: 0 to 0.5. On the comments
// of Go's library 1 of 100 unrelated pairs has a cosine above 0.33 and none of 444 above 0.47, and
// of random pairs of all words 1 of 1,000 is above 0.46; of the related pairs half have 0.31 or
// more and one of ten 0.51. Above it they are near, up to mostLearnt: a synonym from WordNet
// counts more.
const (
	togetherAt = .5
	mostLearnt = .9
)

// Near returns how near two words are: 1 if they are equal, and else the greatest value of the
// sources; 0 if no source knows both words.
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
