package focus

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestATopicWithoutWordsIsRefused(t *testing.T) {
	for _, texts := range [][]Text{nil, {}, {{Weight: 1}}, {{Stems: []string{"octopus"}}}, {{Stems: []string{"octopus"}, Weight: -1}},
		{{Stems: []string{"a", ""}, Weight: 1}}, {{Stems: []string{"octopus"}, Weight: math.NaN()}}, {{Stems: []string{"octopus"}, Weight: math.Inf(1)}}} {
		if _, err := NewTopic(texts); !errors.Is(err, ErrNoWords) {
			t.Errorf("topic of %v: error %v, want ErrNoWords", texts, err)
		}
	}
}

func TestTermsOfATopicAreItsWordsByWeight(t *testing.T) {
	topic, err := NewTopic([]Text{{Stems: []string{"squid", "octopus", "x"}, Weight: 1}, {Stems: []string{"squid", "章鱼"}, Weight: .5}})
	if err != nil {
		t.Fatal(err)
	}
	if got := topic.Terms(); !slices.Equal(got, []string{"squid", "octopus", "章鱼"}) {
		t.Errorf("terms %q", got)
	}
	// Words that are learnt from pages have no names.
	judged := topic.Judge([]Judged{{pageOf("u", "bread jam butter"), true}, {pageOf("v", "squid"), false}}, &Collection{})
	if got := judged.Terms(); slices.Contains(got, "") || len(got) == 0 {
		t.Errorf("terms %q", got)
	}
}

// plainCosine computes formula 4 of DRFW literally: over words as strings, with vectors over all
// words.
func plainCosine(topic map[string]float64, words []string, title []string, docs [][]string) float64 {
	idf := func(w string) float64 {
		in := 0
		for _, d := range docs {
			if slices.Contains(d, w) {
				in++
			}
		}
		return math.Log(float64(len(docs)+2) / float64(in+1))
	}
	count := map[string]float64{}
	for _, w := range words {
		count[w]++
	}
	for _, w := range title {
		count[w] += 3
	}
	all := map[string]bool{}
	for w := range topic {
		all[w] = true
	}
	for w := range count {
		all[w] = true
	}
	var dot, a, b float64
	for w := range all {
		x, y := 0.0, 0.0
		if n := count[w]; n > 0 {
			x = (1 + math.Log(n)) * idf(w)
		}
		if n := topic[w]; n > 0 {
			y = math.Log1p(n) * idf(w)
		}
		dot, a, b = dot+x*y, a+x*x, b+y*y
	}
	if a == 0 || b == 0 {
		return 0
	}
	return dot / math.Sqrt(a*b)
}

func TestTheCosineIsThatOfTheBook(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	word := func() string { return fmt.Sprint("w", int(math.Exp(rng.Float64()*5))) }
	terms := func(words []string) (out []Term) {
		for _, w := range words {
			out = append(out, TermOf(w))
		}
		return out
	}
	for range 200 {
		own := map[string]float64{}
		var texts []Text
		for range 1 + rng.IntN(10) {
			w, by := word(), 2*rng.Float64()
			own[w] += by
			texts = append(texts, Text{[]string{w}, by})
		}
		topic, err := NewTopic(texts)
		if err != nil {
			t.Fatal(err)
		}
		var c Collection
		var docs [][]string
		for range rng.IntN(12) {
			var d []string
			for range rng.IntN(20) {
				d = append(d, word())
			}
			docs = append(docs, d)
			c.add((&Page{Words: terms(d)}).vector())
		}
		var words, title []string
		for range rng.IntN(40) {
			words = append(words, word())
		}
		for range rng.IntN(4) {
			title = append(title, word())
		}
		got := topic.cosine((&Page{Words: terms(words), Title: terms(title)}).vector(), &c)
		if want := plainCosine(own, words, title, docs); math.Abs(got-want) > 1e-6 {
			t.Fatalf("cosine of %q and %v is %.9f, want %.9f", words, own, got, want)
		}
	}
}

// Menus do not count as the subject of a page, unless it has nothing else.
func TestWordsOfMenusAreLeftOut(t *testing.T) {
	p := pageOf("u", "home octopus news bread squid about bread")
	p.Menus = []Span{{0, 3}, {5, 6}}
	want := vector{TermOf("bread"): 2, TermOf("squid"): 1, TermOf("jam"): 3}
	p.Title = []Term{TermOf("jam")}
	if got := p.vector(); !mapsEqual(got, want) {
		t.Errorf("vector %v, want %v", got, want)
	}
	p.Menus = []Span{{0, int32(len(p.Words))}}
	if got := p.vector(); got[TermOf("octopus")] != 1 || got[TermOf("bread")] != 2 {
		t.Errorf("vector of a page that is nothing but menus %v", got)
	}
}

func mapsEqual(a, b vector) bool {
	for k, x := range a {
		if b[k] != x {
			return false
		}
	}
	return len(a) == len(b)
}

// A collection with too many terms keeps the frequent ones, and drops terms rarely.
func TestACollectionIsBounded(t *testing.T) {
	var c Collection
	frequent := vector{1: 1, 2: 1}
	next := Term(10)
	for page := range 400 {
		v := vector{1: 1, 2: 1}
		for range 20_000 {
			v[next] = 1
			next++
		}
		c.add(v)
		if page%2 == 0 {
			c.add(v) // all terms occur twice
		}
		if len(c.in) > maxTerms {
			t.Fatalf("%d terms, of at most %d", len(c.in), maxTerms)
		}
	}
	for k := range frequent {
		if c.in[k] != 600 {
			t.Errorf("a frequent term occurs in %d pages, want 600", c.in[k])
		}
	}
	if len(c.in) < maxTerms/4 {
		t.Errorf("only %d terms are left", len(c.in))
	}
}

func TestChancesRiseWithTheCosine(t *testing.T) {
	for _, c := range []calibration{uncalibrated, {.002, .3}, {.9, 5}, {.002, 5}} {
		if got := c.chance(c.half); math.Abs(got-.5) > 1e-12 {
			t.Errorf("%v: chance of half is %g", c, got)
		}
		last := 0.0
		for _, x := range []float64{-1, 0, 1e-300, 1e-9, .01, .05, .1, .5, 1, 1 + 1e-9} {
			got := c.chance(x)
			if !(got >= last && got <= 1) {
				t.Errorf("%v: chance of %g is %g, after %g", c, x, got, last)
			}
			last = got
		}
	}
}

// Labels that are drawn by a known curve give it back, the closer the more there are.
func TestCalibrationRecoversWhatLabelsWereDrawnBy(t *testing.T) {
	for _, want := range []calibration{{.06, 2}, {.15, 3}, {.02, 1}, {.3, 4}, {.1, .5}} {
		rng := rand.New(rand.NewPCG(3, 3))
		const n = 20_000
		cosines := make([]float64, n)
		pages := make([]Judged, n)
		for i := range pages {
			cosines[i] = math.Min(1, want.half*math.Exp(1.5*rng.NormFloat64()))
			pages[i].Belongs = rng.Float64() < want.chance(cosines[i])
		}
		got := calibrate(cosines, pages)
		if math.Abs(math.Log(got.half/want.half)) > .1 || math.Abs(got.slope/want.slope-1) > .1 {
			t.Errorf("half %.4f, slope %.3f; want %.4f, %.3f", got.half, got.slope, want.half, want.slope)
		}
	}
}

// plainLoss returns the objective that calibrate minimises.
func plainLoss(k calibration, cosines []float64, pages []Judged) float64 {
	yes, no := 0.0, 0.0
	for _, p := range pages {
		if p.Belongs {
			yes++
		} else {
			no++
		}
	}
	l := math.Log(uncalibrated.half)
	b := k.slope
	a := -b * math.Log(k.half)
	sum := (a+b*l)*(a+b*l) + (b-uncalibrated.slope)*(b-uncalibrated.slope)
	for i, p := range pages {
		target := 1 / (no + 2)
		if p.Belongs {
			target = (yes + 1) / (yes + 2)
		}
		z := a + b*math.Log(max(1e-3, cosines[i]))
		sum += math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - target*z
	}
	return sum
}

// For any labels, no neighbour of the result is better, unless a bound forbids it.
func TestCalibrationFindsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	inside := 0
	for round := range 2_000 {
		n := 1 + rng.IntN(1+rng.IntN(300))
		cosines := make([]float64, n)
		pages := make([]Judged, n)
		kind := round % 5
		for i := range pages {
			cosines[i] = math.Pow(rng.Float64(), float64(1+rng.IntN(6)))
			switch kind {
			case 0:
				pages[i].Belongs = true
			case 1:
			case 2:
				pages[i].Belongs = cosines[i] > .2
			case 3:
				pages[i].Belongs = cosines[i] < .2
			default:
				pages[i].Belongs = rng.IntN(2) == 0
			}
			if rng.IntN(10) == 0 {
				cosines[i] = 0
			}
		}
		got := calibrate(cosines, pages)
		if !(got.half >= .002 && got.half <= .9 && got.slope >= .3 && got.slope <= 5) {
			t.Fatalf("round %d: %v is out of bounds", round, got)
		}
		loss := plainLoss(got, cosines, pages)
		if got.half == leastHalf || got.half == mostHalf {
			continue // it was the bound that decided
		}
		inside++
		for _, other := range []calibration{{got.half * 1.1, got.slope}, {got.half / 1.1, got.slope}, {got.half, got.slope * 1.1}, {got.half, got.slope / 1.1},
			{got.half * 2, got.slope}, {got.half / 2, got.slope}, uncalibrated} {
			other.slope = min(mostSlope, max(leastSlope, other.slope))
			if x := plainLoss(other, cosines, pages); x < loss-1e-6*(1+loss) {
				t.Fatalf("round %d, kind %d, %d labels: %v has loss %.5f, and %v %.5f", round, kind, n, got, loss, other, x)
			}
		}
	}
	if inside < 1_000 {
		t.Errorf("only %d of 2,000 results are inside the bounds", inside)
	}
}

func TestLabelsMoveRelevance(t *testing.T) {
	topic := seaTopic(t)
	rng := rand.New(rand.NewPCG(1, 1))
	var c Collection
	page := func(share float64, more string) *Page {
		p := pageOf("u", prose(rng, 100, share)+more)
		c.add(p.vector())
		return p
	}
	for range 100 {
		page(0, "")
	}
	reef := strings.Repeat("coral reef lagoon ", 5)
	var yes, no []Judged
	for range 6 {
		yes = append(yes, Judged{page(.05, reef), true})
		no = append(no, Judged{page(.05, strings.Repeat("recipe kitchen frying ", 5)), false})
	}
	like, unlike := page(.05, reef), page(.05, strings.Repeat("recipe kitchen frying ", 5))
	of := func(topic *Topic, p *Page) float64 { return topic.relevance(p.vector(), &c) }
	both := topic.Judge(append(slices.Clone(yes), no...), &c)
	if a, b := of(both, like), of(topic, like); !(a > b && a > .5) {
		t.Errorf("a page like those that belong has %.3f, and had %.3f", a, b)
	}
	if a, b := of(both, unlike), of(both, like); !(a < b-.2 && a < .5) {
		t.Errorf("a page like those that do not belong has %.3f, one like those that do %.3f", a, b)
	}
	if a, b := of(topic.Judge(yes, &c), like), of(topic, like); !(a > b) {
		t.Errorf("after labels yes a page like them has %.3f, and had %.3f", a, b)
	}
	if a, b := of(topic.Judge(no, &c), unlike), of(topic, unlike); !(a < b) {
		t.Errorf("after labels no a page like them has %.3f, and had %.3f", a, b)
	}
	if topic.Judge(nil, &c) != topic {
		t.Error("without labels the topic is another")
	}
	if a := of(topic, like); a != of(seaTopic(t), like) {
		t.Error("Judge has changed the topic itself")
	}
	// The same labels give the same topic to the last bit.
	for range 5 {
		if again := seaTopic(t).Judge(append(slices.Clone(yes), no...), &c); again.odds != both.odds || of(again, like) != of(both, like) {
			t.Error("the same labels give another topic")
		}
	}
}

// For any labels, relevance is a number from 0 to 1.
func TestRelevanceIsAlwaysAChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for round := range 300 {
		topic := seaTopic(t)
		var c Collection
		var pages []*Page
		for range 1 + rng.IntN(20) {
			p := pageOf("u", prose(rng, rng.IntN(30), rng.Float64()))
			if rng.IntN(4) == 0 {
				p = &Page{}
			}
			if rng.IntN(4) > 0 {
				c.add(p.vector())
			}
			pages = append(pages, p)
		}
		var judged []Judged
		for range rng.IntN(30) { // some twice, also as both
			j := Judged{pages[rng.IntN(len(pages))], rng.IntN(2) == 0}
			switch round % 4 {
			case 0:
				j.Belongs = true
			case 1:
				j.Belongs = false
			}
			judged = append(judged, j)
		}
		topic = topic.Judge(judged, &c)
		for _, p := range append(pages, pageOf("u", seaWords), &Page{}) {
			if r := topic.relevance(p.vector(), &c); !(r >= 0 && r <= 1) {
				t.Fatalf("round %d: relevance %g", round, r)
			}
		}
		for k, w := range topic.own {
			if !(w > 0) || math.IsInf(w, 0) {
				t.Fatalf("round %d: weight of %d is %g", round, k, w)
			}
		}
		if len(topic.own) == 0 {
			t.Fatalf("round %d: nothing is left of the topic", round)
		}
		// Twice judged is a topic too.
		if r := topic.Judge(judged, &c).relevance(pages[0].vector(), &c); !(r >= 0 && r <= 1) {
			t.Fatalf("round %d: relevance %g", round, r)
		}
	}
}

func TestMatchCountsEachWordOnce(t *testing.T) {
	topic := seaTopic(t)
	var c Collection
	for range 1_000 {
		c.add(vector{TermOf("bread"): 1, TermOf("squid"): 1}) // squid is in every page here
	}
	terms := func(s string) (out []Term) {
		for _, w := range strings.Fields(s) {
			out = append(out, TermOf(w))
		}
		return out
	}
	one := topic.match(terms("octopus"), &c)
	if want := float32(1 - math.Exp(-1)); one != want {
		t.Errorf("a rare word matches %.3f, want %.3f", one, want)
	}
	if got := topic.match(terms("octopus octopus bread"), &c); got != one {
		t.Errorf("a word twice matches %.3f, want %.3f", got, one)
	}
	if got := topic.match(terms("squid"), &c); got > .01 {
		t.Errorf("a word of all pages matches %.3f", got)
	}
	if got := topic.match(terms("octopus cuttlefish"), &c); got <= one || got > 1 {
		t.Errorf("two words match %.3f", got)
	}
	if got := topic.match(nil, &c); got != 0 {
		t.Errorf("no words match %.3f", got)
	}
}
