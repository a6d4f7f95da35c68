package similarity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// chatter makes texts on some topics, with words of their topic and words of no topic.
func chatter(seed uint64, texts int) (all [][]string) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range texts {
		topic := r.IntN(4)
		var text []string
		for range 3 + r.IntN(40) {
			if r.IntN(3) == 0 {
				text = append(text, fmt.Sprintf("any%d", r.IntN(10)))
			} else {
				text = append(text, fmt.Sprintf("topic%d-%d", topic, r.IntN(6)))
			}
		}
		all = append(all, text)
	}
	return all
}

func learner(o Options, texts [][]string) *Learner {
	l := NewLearner(o)
	for _, text := range texts {
		l.Learn(text)
	}
	return l
}

// dense computes the matrix of information directly from its definition.
func dense(texts [][]string, window int) (words []string, matrix [][]float64) {
	at := map[string]int{}
	for _, w := range slices.Sorted(slices.Values(slices.Concat(texts...))) {
		if _, ok := at[w]; !ok {
			at[w] = len(words)
			words = append(words, w)
		}
	}
	n := len(words)
	counts, sums := make([][]float64, n), make([]float64, n)
	for i := range counts {
		counts[i] = make([]float64, n)
	}
	for _, text := range texts {
		for i := range text {
			for j := range text {
				if text[i] != text[j] && (len(text) <= 2*window || max(i-j, j-i) <= window) {
					counts[at[text[i]]][at[text[j]]]++
					sums[at[text[i]]]++
				}
			}
		}
	}
	total := 0.0
	for _, s := range sums {
		total += math.Pow(s, .75)
	}
	for i := range n {
		row, square := make([]float64, n), 0.0
		for j, c := range counts[i] {
			if c > 0 {
				row[j] = max(0, math.Log((c/sums[i])/(math.Pow(sums[j], .75)/total))) * c / (c + 1)
				square += row[j] * row[j]
			}
		}
		row[i] = .5 * math.Sqrt(square)
		matrix = append(matrix, row)
	}
	return words, matrix
}

func TestInformationIsThatOfTheDenseMatrix(t *testing.T) {
	texts := chatter(1, 300)
	words, want := dense(texts, 5)
	l := learner(Options{Window: 5, MinCount: 1}, texts)
	r := l.rows()
	if len(r.ids) != len(words) {
		t.Fatalf("%d words, want %d", len(r.ids), len(words))
	}
	for i, id := range r.ids {
		if l.words[id].word != words[i] {
			t.Fatalf("word %d is %s, want %s", i, l.words[id].word, words[i])
		}
		got := make([]float64, len(words))
		got[i] = want[i][i]
		for _, c := range r.row(i) {
			got[c.context] = r.weight(i, c)
		}
		for j := range got {
			if math.Abs(got[j]-want[i][j]) > 1e-12 {
				t.Errorf("%s, %s: %v, want %v", words[i], words[j], got[j], want[i][j])
			}
		}
	}
}

func TestProjectionKeepsCosines(t *testing.T) {
	texts := chatter(2, 300)
	words, matrix := dense(texts, 8)
	var deviations []float64
	for _, dims := range []int{64, 256, 1024} {
		squares, n, worst := 0.0, 0, 0.0
		for seed := range uint64(10) {
			v := learner(Options{MinCount: 1, Dims: dims, Seed: seed}, texts).Vectors()
			for i := range words {
				for j := range i {
					var dot, a, b float64
					for k := range words {
						dot += matrix[i][k] * matrix[j][k]
						a += matrix[i][k] * matrix[i][k]
						b += matrix[j][k] * matrix[j][k]
					}
					got, ok := v.Similarity(words[i], words[j])
					if !ok {
						t.Fatalf("no similarity of %s and %s", words[i], words[j])
					}
					d := got - dot/math.Sqrt(a*b)
					squares, n, worst = squares+d*d, n+1, max(worst, math.Abs(d))
				}
			}
		}
		deviation := math.Sqrt(squares / float64(n))
		deviations = append(deviations, deviation)
		bound := 1 / math.Sqrt(float64(dims))
		t.Logf("%d dimensions: deviation %.4f, worst %.4f, 1/√dims %.4f", dims, deviation, worst, bound)
		if deviation > 1.1*bound || worst > 6*bound {
			t.Errorf("%d dimensions: deviation %v, worst %v; 1/√dims is %v", dims, deviation, worst, bound)
		}
	}
	if deviations[2] > .4*deviations[0] {
		t.Errorf("16 times the dimensions do not divide the error by 4: %v", deviations)
	}
}

func TestWordsThatOnlyOccurTogetherAreNear(t *testing.T) {
	// Each has the other as a context with weight w, and itself with w/2: 2·w·w/2 / (1.25 w²).
	sum := 0.0
	for seed := range uint64(20) {
		c, _ := learner(Options{Dims: 1024, Seed: seed}, slices.Repeat([][]string{{"a", "b"}}, 5)).Vectors().Similarity("a", "b")
		sum += c / 20
	}
	if math.Abs(sum-.8) > .01 {
		t.Errorf("a cosine of %.3f on average, want .8", sum)
	}
}

// equal reports whether two sets of vectors have the same words, with the same numbers.
func (v *Vectors) equal(w *Vectors) bool {
	return slices.Equal(v.words, w.words) && slices.Equal(v.numbers, w.numbers)
}

func TestLearningOnIsLearningAtOnceInAnyOrder(t *testing.T) {
	texts := chatter(3, 400)
	want := learner(Options{}, texts).Vectors()
	l := NewLearner(Options{})
	for i, text := range texts {
		if l.Learn(text); i%50 == 0 {
			l.Vectors()
		}
	}
	if !l.Vectors().equal(want) {
		t.Error("learning on gives other vectors")
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	if !learner(Options{}, texts).Vectors().equal(want) {
		t.Error("the order of texts matters")
	}
	if learner(Options{Seed: 1}, texts).Vectors().equal(want) {
		t.Error("the seed does not matter")
	}
}

func TestLearnersWithOneSeedShareASpace(t *testing.T) {
	a := learner(Options{}, chatter(4, 3000)).Vectors()
	b := learner(Options{}, chatter(5, 3000)).Vectors()
	for _, w := range []string{"topic0-0", "topic3-5"} {
		row := b.row(b.at[w])
		if c := float64(dot(a.row(a.at[w]), row)) * float64(a.inverse[a.at[w]]) * float64(b.inverse[b.at[w]]); c < .9 {
			t.Errorf("%s: the cosine of what two learners found is %.2f", w, c)
		}
	}
}

// flood makes n words; one in three is new, and most of the rest are rare. From time to time two
// words come that belong together.
func flood(n int, learn func([]string)) {
	r := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(r, 1.1, 10, 100_000)
	text := make([]string, 0, 50)
	for i := range n {
		switch {
		case i%200 == 100 || i%200 == 102:
			text = append(text, []string{"castor", "pollux"}[i%200/2%2])
		case i%3 == 0:
			text = append(text, fmt.Sprintf("once%d", i))
		default:
			text = append(text, fmt.Sprintf("word%d", zipf.Uint64()))
		}
		if len(text) == cap(text) {
			learn(text)
			text = text[:0]
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	o := Options{MaxWords: 1000, MaxPairs: 6000}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	l := NewLearner(o)
	flood(1_000_000, func(text []string) {
		l.Learn(text)
		if len(l.ids) > o.MaxWords || l.pairs.n > o.MaxPairs || len(l.words) > o.MaxWords+1 || len(l.pairs.keys) > 8192 {
			t.Fatalf("%d words in %d, %d pairs in %d", len(l.ids), len(l.words), l.pairs.n, len(l.pairs.keys))
		}
	})
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	n, steps := 0, 0
	for i, key := range l.pairs.keys {
		if key == 0 {
			continue
		}
		n++
		if l.words[key>>32].word == "" || l.words[uint32(key)].word == "" || l.pairs.counts[i] == 0 {
			t.Fatal("a pair of a word that was forgotten, or without a count")
		}
		if l.pairs.find(key) != i {
			t.Fatal("a pair is not found where it is")
		}
		steps += (i - int(mix(key))) & (len(l.pairs.keys) - 1)
	}
	if n != l.pairs.n {
		t.Errorf("%d pairs, said to be %d", n, l.pairs.n)
	}
	// A table three quarters full takes 1.5 steps past the first place [Knuth, 6.4].
	if steps > 2*n {
		t.Errorf("%d steps to find %d pairs", steps, n)
	}
	v := l.Vectors()
	if s, ok := v.Similarity("castor", "pollux"); !ok || s < .6 {
		t.Errorf("what is frequent is forgotten: %v, %v", s, ok)
	}
	again := NewLearner(o)
	flood(1_000_000, again.Learn)
	if !again.Vectors().equal(v) {
		t.Error("forgetting is not the same each time")
	}
}

func TestTheSmallestLimitsHold(t *testing.T) {
	l := NewLearner(Options{MaxWords: 1, MaxPairs: 1, Window: 1000, MinCount: 1})
	// Counts beyond the histogram of rarest.
	for range 3 * alike {
		l.Learn([]string{"a", "b", "c", "d", "e", "f", "g", "h"})
	}
	flood(10_000, l.Learn)
	if len(l.ids) > 16 || l.pairs.n > 16 {
		t.Errorf("%d words, %d pairs", len(l.ids), l.pairs.n)
	}
	l.Vectors()
}

func TestTheRarestAreTaken(t *testing.T) {
	counts := []uint32{5, 1, 2, 2, 9, 2, 1, 2, 90_000, 80_000, 2, 70_000}
	for n := 1; n <= len(counts); n++ {
		rare := rarest(n, func(yield func(uint32)) {
			for _, c := range counts {
				yield(c)
			}
		})
		var taken, kept []uint32
		for _, c := range counts {
			if rare.take(c) {
				taken = append(taken, min(c, alike))
			} else {
				kept = append(kept, min(c, alike))
			}
		}
		if len(taken) != n || len(kept) > 0 && slices.Max(taken) > slices.Min(kept) {
			t.Errorf("of %d taken are %v, kept %v", n, taken, kept)
		}
	}
}

func TestWhatIsNoWordIsNotLearnt(t *testing.T) {
	l := NewLearner(Options{MinCount: 1})
	l.Learn(nil)
	l.Learn([]string{"", strings.Repeat("x", MaxWord+1), "only", "only"})
	if v := l.Vectors(); len(l.ids) != 1 || !v.Has("only") || l.pairs.n != 0 {
		t.Errorf("%d words, %d pairs", len(l.ids), l.pairs.n)
	}
	if v := NewLearner(Options{}).Vectors(); v.Len() != 0 {
		t.Error("nothing was learnt, and there are vectors")
	}
}

// BenchmarkLearn reads the comments of Go and makes vectors, per word of text.
//
//	GOMAXPROCS=1 go test ./focus/similarity -run '^$' -bench . -benchmem
func BenchmarkLearn(b *testing.B) {
	texts := goComments()
	words := 0
	for _, text := range texts {
		words += len(text)
	}
	for b.Loop() {
		learner(Options{}, texts)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*max(words, 1)), "ns/word")
}

func BenchmarkVectors(b *testing.B) {
	l := learner(Options{}, goComments())
	b.ReportAllocs()
	for b.Loop() {
		l.Vectors()
	}
	b.ReportMetric(float64(l.Vectors().Len()), "words")
}
