package article

import (
	_ "embed"
	"sync"

	"plat/segment/classifier"
)

//go:embed kind.model
var kindBytes []byte

// kindModel determines whether a page is an article, by [pageObservations]. It is fitted with textModel.
var kindModel = sync.OnceValue(func() *classifier.Model { return classifier.MustDecode(kindBytes) })

// pageSight is a page with an article by the rules, and what the model of texts says of its passages.
type pageSight struct {
	*finding
	author, day float64 // as byTitle returns them
	texts       int

	words, main, kept, keptMain float64 // words of the page, of the main text, of the rules' text, of both
	prose, linked, ends         float64 // of the main text
	headings                    float64 // their number in the main text
	items, cells, code          float64 // words of the main text in them
	comments, boilerplate       float64 // words of the page in them
	passages, runs, jumps       float64 // of the main text
	before                      float64 // words of the page before the first passage of the main text
	links                       float64 // of the page
	dated                       float64 // short passages with a date
	structured                  float64
}

// pageSight sums up a page. main is the probability of each passage, and a the article by the rules.
func (f *finding) pageSight(main []float32, a *Article) *pageSight {
	s := &pageSight{finding: f, texts: f.texts(), structured: f.structured()}
	s.author, s.day = f.byTitle(f.declared, a, f.from)
	kept := f.kept
	in, was := false, -1
	for i := range f.all {
		q := &f.all[i]
		isKept := len(kept) > 0 && kept[0] == i
		if isKept {
			kept = kept[1:]
		}
		if !q.seen {
			continue
		}
		w, p := float64(q.weight()), float64(main[i])
		s.words += w
		s.links += w * q.linkShare()
		if h := f.at[q.first].all; h&hintComments != 0 {
			s.comments += w
		} else if h&boilerplate != 0 {
			s.boilerplate += w
		}
		if w <= 20 && dated(q) {
			s.dated++
		}
		if isKept {
			s.kept += w
			s.keptMain += p * w
		}
		if s.passages == 0 && p < .5 {
			s.before += w
		}
		s.main += p * w
		s.linked += p * w * q.linkShare()
		if q.prose() {
			s.prose += p * w
		}
		switch f.tag(q) {
		case "li":
			s.items += p * w
		case "td", "th":
			s.cells += p * w
		case "pre":
			s.code += p * w
		}
		if f.heading(q) > 0 {
			s.headings += p
		}
		if q.ends {
			s.ends += p * w
		}
		if p < .5 {
			in = false
			continue
		}
		s.passages++
		if !in {
			s.runs++
		}
		if was >= 0 && f.all[was].box.X != q.box.X {
			s.jumps++
		}
		in, was = true, i
	}
	return s
}

// pageObservation is one value for the model of kinds.
type pageObservation struct {
	name string
	of   func(s *pageSight) float64
}

// pageObservations are all values, in the order of the model's features.
var pageObservations = []pageObservation{
	{"declared", func(s *pageSight) float64 { return yes(s.declared.article) }},
	{"author", func(s *pageSight) float64 { return s.author }},
	{"day", func(s *pageSight) float64 { return s.day }},
	{"author and day", func(s *pageSight) float64 { return s.author + s.day }},
	{"structured", func(s *pageSight) float64 { return s.structured }},
	{"texts", func(s *pageSight) float64 { return float64(min(8, s.texts)) }},
	{"title shown", func(s *pageSight) float64 { return yes(s.shown >= 0) }},
	{"words", func(s *pageSight) float64 { return logOf(s.words) }},
	{"main words", func(s *pageSight) float64 { return logOf(s.main) }},
	{"words by the rules", func(s *pageSight) float64 { return logOf(s.kept) }},
	{"main of page", func(s *pageSight) float64 { return portion(s.main, s.words) }},
	{"rules of main", func(s *pageSight) float64 { return portion(s.keptMain, s.main) }},
	{"main of rules", func(s *pageSight) float64 { return portion(s.keptMain, s.kept) }},
	{"prose", func(s *pageSight) float64 { return portion(s.prose, s.main) }},
	{"in links", func(s *pageSight) float64 { return portion(s.linked, s.main) }},
	{"ends", func(s *pageSight) float64 { return portion(s.ends, s.main) }},
	{"headings", func(s *pageSight) float64 { return portion(100*s.headings, s.main) }},
	{"number of headings", func(s *pageSight) float64 { return logOf(s.headings) }},
	{"items", func(s *pageSight) float64 { return portion(s.items, s.main) }},
	{"cells", func(s *pageSight) float64 { return portion(s.cells, s.main) }},
	{"code", func(s *pageSight) float64 { return portion(s.code, s.main) }},
	{"comments", func(s *pageSight) float64 { return portion(s.comments, s.words) }},
	{"boilerplate", func(s *pageSight) float64 { return portion(s.boilerplate, s.words) }},
	{"length of passages", func(s *pageSight) float64 { return portion(s.main, s.passages) }},
	{"runs", func(s *pageSight) float64 { return logOf(s.runs) }},
	{"passages a run", func(s *pageSight) float64 { return logOf(portion(s.passages, s.runs)) }},
	{"jumps", func(s *pageSight) float64 { return portion(s.jumps, s.passages) }},
	{"before", func(s *pageSight) float64 { return logOf(s.before) }},
	{"links of page", func(s *pageSight) float64 { return portion(s.links, s.words) }},
	{"dated", func(s *pageSight) float64 { return logOf(s.dated) }},
}

// observe computes all values.
func (s *pageSight) observe() []float32 {
	values := make([]float32, len(pageObservations))
	for k := range pageObservations {
		if x := pageObservations[k].of(s); x == x {
			values[k] = float32(x)
		}
	}
	return values
}

// article returns the probability that the page is an article.
func (s *pageSight) article() float32 {
	var in classifier.Input
	score := make([]int32, 1)
	m := kindModel()
	m.Read(s.observe(), &in)
	m.Scores(&in, score)
	return float32(classifier.Probability(score[0]))
}
