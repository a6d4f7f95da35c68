package trapsite

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

var (
	glue   = strings.Fields("the of and in to with for on at by from near under after before between without through")
	verbs  = strings.Fields("holds keeps meets follows leaves carries shows brings turns marks joins opens closes reaches covers")
	starts = strings.Fields("b br c d f g gr h k l m n p pr r s st t tr v w")
	middle = strings.Fields("a e i o u ai ea ou")
	ends   = strings.Fields("l m n r s t nd rn st ck")
)

// vocabulary returns n different words, nouns in the texts of a site.
func vocabulary(n int, seed uint64) (all []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	known := map[string]bool{}
	for len(all) < n {
		w := pick(starts) + pick(middle) + pick(starts) + pick(middle) + pick(ends)
		if !known[w] {
			known[w] = true
			all = append(all, w)
		}
	}
	return all
}

// random returns numbers that depend on the seed and a text, and on nothing else.
func (s *Site) random(about string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(about))
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// word returns a word of the site's vocabulary.
func (s *Site) word(r *rand.Rand) string { return s.words[r.IntN(len(s.words))] }

// sentence returns one of 8 to 20 words, in English order as far as that matters.
func (s *Site) sentence(r *rand.Rand) string {
	var b strings.Builder
	for i, n := 0, 4+r.IntN(6); i < n; i++ {
		switch {
		case i > 0 && i%3 == 0:
			b.WriteString(verbs[r.IntN(len(verbs))] + " ")
		case i > 0 && i%3 == 2:
			b.WriteString("and ")
		}
		b.WriteString(glue[r.IntN(len(glue))] + " " + s.word(r) + " ")
	}
	return upper(strings.TrimSpace(b.String())) + "."
}

// paragraph returns n sentences.
func (s *Site) paragraph(r *rand.Rand, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = s.sentence(r)
	}
	return strings.Join(all, " ")
}

// title returns two to four words.
func (s *Site) title(r *rand.Rand) string {
	t := s.word(r) + " " + glue[r.IntN(len(glue))] + " " + s.word(r)
	if r.IntN(2) == 0 {
		t += " " + s.word(r)
	}
	return upper(t)
}

func upper(t string) string { return strings.ToUpper(t[:1]) + t[1:] }
