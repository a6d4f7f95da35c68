package main

import (
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"slices"

	"plat/scripts/focus/corpus"
)

// Kinds of seeds.
const (
	near = "near" // three relevant pages
	far  = "far"  // home pages that neither are relevant nor link to a page that is
)

// departments are the far seeds of webkb: the home pages of its four universities' departments.
var departments = []string{"http://www.cs.cornell.edu/", "http://www.cs.utexas.edu/", "http://www.cs.washington.edu/", "http://www.cs.wisc.edu/"}

// seeds is a set of them, with how many pages can be reached from there, and of these of each grade.
type seeds struct {
	urls                    []string
	pages, relevant, strong int
}

// sower chooses seeds, by the corpus' own list of links: the seeds of a topic must not depend on
// the code under measurement.
type sower struct {
	c   *corpus.Corpus
	far []int32
}

func newSower(c *corpus.Corpus) *sower {
	s := &sower{c: c}
	for _, u := range c.Far {
		s.far = append(s.far, c.Find(u))
	}
	if c.Name == "webkb" {
		for _, u := range departments {
			s.far = append(s.far, c.Find(u))
		}
	}
	s.far = slices.DeleteFunc(s.far, func(id int32) bool { return id < 0 })
	return s
}

// sets returns n sets of seeds for a topic: that of the corpus, and more drawn by the same rule
// with a generator whose seed is the topic's name.
func (s *sower) sets(t *corpus.Topic, kind string, n int) []seeds {
	h := fnv.New64a()
	h.Write([]byte(t.ID))
	rng := rand.New(rand.NewPCG(7, h.Sum64()))
	if kind == near {
		return s.near(t, rng, n)
	}
	return s.distant(t, rng, n)
}

func (s *sower) near(t *corpus.Topic, rng *rand.Rand, n int) []seeds {
	var sets []seeds
	if len(t.Near) > 0 {
		var own []int32
		for _, u := range t.Near {
			own = append(own, s.c.Find(u))
		}
		sets = append(sets, s.set(t, own))
	}
	all := s.c.Reach(s.far)
	var from []int32
	for i := range s.c.Pages {
		// A page without links is where a crawl ends.
		if (len(s.far) == 0 || all[i]) && len(s.c.Links[i]) > 2 && s.c.Pages[i].Grade(t.ID) >= corpus.Relevant {
			from = append(from, int32(i))
		}
	}
	return s.more(t, rng, n, sets, from)
}

// more adds sets of three that have about as much to find as the first, and to find it among: some
// sites lead nowhere else, and all orders are the same there.
func (s *sower) more(t *corpus.Topic, rng *rand.Rand, n int, sets []seeds, from []int32) []seeds {
	for tries := 0; len(sets) < n && tries < 100 && len(from) >= 3; tries++ {
		x := s.set(t, draw(rng, from))
		if len(sets) == 0 || float64(x.relevant) >= .9*float64(sets[0].relevant) && float64(x.pages) >= .9*float64(sets[0].pages) {
			sets = append(sets, x)
		}
	}
	return sets
}

func (s *sower) distant(t *corpus.Topic, rng *rand.Rand, n int) []seeds {
	if len(s.far) == 0 {
		return nil
	}
	sets := []seeds{s.set(t, s.far)}
	if s.c.Name == "webkb" {
		// From one page, of its many sites hardly any is reached; so all but one of the four.
		for _, skip := range rng.Perm(len(s.far)) {
			if len(sets) < n {
				sets = append(sets, s.set(t, slices.Delete(slices.Clone(s.far), skip, skip+1)))
			}
		}
		return sets
	}
	var from []int32
	for i := range s.c.Pages {
		if u, err := url.Parse(s.c.Pages[i].URL); err == nil && len(u.Path) <= 1 && u.RawQuery == "" && len(s.c.Links[i]) >= 5 &&
			!slices.ContainsFunc(append([]int32{int32(i)}, s.c.Links[i]...), func(id int32) bool { return s.c.Pages[id].Grade(t.ID) != corpus.Irrelevant }) {
			from = append(from, int32(i))
		}
	}
	return s.more(t, rng, n, sets, from)
}

// draw returns three different ones.
func draw(rng *rand.Rand, from []int32) []int32 {
	var out []int32
	for len(out) < 3 {
		if id := from[rng.IntN(len(from))]; !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func (s *sower) set(t *corpus.Topic, ids []int32) seeds {
	var x seeds
	for _, id := range ids {
		x.urls = append(x.urls, canonical(s.c.Pages[id].URL))
	}
	for i, there := range s.c.Reach(ids) {
		if !there {
			continue
		}
		x.pages++
		if g := s.c.Pages[i].Grade(t.ID); g >= corpus.Relevant {
			x.relevant++
			if g >= corpus.Strong {
				x.strong++
			}
		}
	}
	return x
}
