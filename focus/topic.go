package focus

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// ErrNoWords is the error of a topic without usable words.
var ErrNoWords = errors.New("the topic has no words to search for: stop words and single letters do not count; use different words, or give the topic a name, terms or an example text")

// Text describes a topic. It counts as often as its weight says, a positive number.
type Text struct {
	Stems  []string
	Weight float64
}

// Topic is the subject of a crawl: the words of texts that describe it.
type Topic struct {
	own   map[Term]float64 // the topic's words, before idf
	stems map[Term]string  // the words of the texts; own can also contain learnt words
	odds  calibration
}

// NewTopic makes a topic of the texts that describe it. [ErrNoWords] if they have no words.
func NewTopic(texts []Text) (*Topic, error) {
	t := &Topic{own: map[Term]float64{}, stems: map[Term]string{}, odds: uncalibrated}
	for _, text := range texts {
		if !(text.Weight > 0) || math.IsInf(text.Weight, 1) {
			continue
		}
		for _, stem := range text.Stems {
			if len(stem) < 2 {
				continue // a letter alone
			}
			k := TermOf(stem)
			t.own[k] += text.Weight
			t.stems[k] = stem
		}
	}
	if len(t.own) == 0 {
		return nil, ErrNoWords
	}
	for k, w := range t.own {
		t.own[k] = math.Log1p(w)
	}
	return t, nil
}

// cosine returns the similarity of a page and the topic in the vector space model (DRFW, section
// 3.7, formula 4), 0 to 1.
func (t *Topic) cosine(v vector, c *Collection) float64 {
	var dot, page, topic float64
	for _, k := range inOrder(v) {
		idf := c.idf(k)
		w := damp(v[k]) * idf
		page += w * w
		if own, ok := t.own[k]; ok {
			dot += w * own * idf
		}
	}
	for _, k := range inOrder(t.own) {
		w := t.own[k] * c.idf(k)
		topic += w * w
	}
	if dot <= 0 || page == 0 || topic == 0 {
		return 0
	}
	return dot / math.Sqrt(page*topic)
}

// relevance returns the chance that a page belongs to the topic, 0 to 1: the cosine, calibrated.
func (t *Topic) relevance(v vector, c *Collection) float64 { return t.odds.chance(t.cosine(v, c)) }

// RW returns the relevance weighting of a link (DRFW, section 3.6.2) with a nearness of 1 for equal
// words and 0 for different ones: the share of the topic's words in its extended metadata. 0 if it
// has no words.
func (t *Topic) RW(p *Page, l *Link) float64 {
	before, after := p.near(l)
	hits, n := 0, 0
	for _, words := range [...][]Term{p.anchor(l), l.Tip, p.heading(l), before, after} {
		n += len(words)
		for _, w := range words {
			if _, ok := t.stems[w]; ok {
				hits++
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(hits) / float64(n)
}

// match returns the part of the topic in a few words, 0 to 1: each of its words that occurs counts
// once, rare ones more.
func (t *Topic) match(words []Term, c *Collection) float32 {
	var sum float64
	for i, w := range words {
		if _, ok := t.stems[w]; !ok || slices.Contains(words[:i], w) {
			continue
		}
		sum += min(1, c.idf(w)/fullIDF)
	}
	return float32(1 - math.Exp(-sum))
}

// fullIDF is the inverse document frequency from which a word counts in full: one page of 150.
const fullIDF = 5

// Terms returns the topic's own words, weightiest first. Words that Judge learnt from pages are
// known only as hashes; they are left out.
func (t *Topic) Terms() []string {
	keys := make([]Term, 0, len(t.own))
	for k := range t.own {
		if t.stems[k] != "" {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Term) int {
		return cmp.Or(cmp.Compare(t.own[b], t.own[a]), cmp.Compare(t.stems[a], t.stems[b]))
	})
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = t.stems[k]
	}
	return out
}
