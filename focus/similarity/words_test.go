package similarity

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTheGreatestOfTheSourcesCounts(t *testing.T) {
	net, err := LoadWordNet(small(), same)
	if err != nil {
		t.Fatal(err)
	}
	load := func(text string) *Vectors {
		v, err := LoadVectors(strings.NewReader(text), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	pad := strings.Repeat(" 0", 254) // 256 dimensions: below 0.0625 is noise
	learnt := load("car 1 0" + pad + "\nroad .8 .6" + pad + "\ndust .06 .9982" + pad + "\nlorry .28125 .9596" + pad + "\nwheel 1 0" + pad + "\nthing -1 0" + pad)
	static := load("car 1 0\nroad .6 .8\nbus 1 0\nthing -1 0")
	all := Words{net, learnt, static}
	for _, tc := range []struct {
		name  string
		words Words
		a, b  string
		want  float64
	}{
		{"the zero value knows equal words", Words{}, "a", "a", 1},
		{"and no others", Words{}, "car", "automobile", 0},
		{"a synonym", all, "car", "automobile", 1},
		{"static vectors give their cosine", Words{Static: static}, "car", "road", .6},
		{"never 1", all, "car", "bus", .95},
		{"nothing is below 0", Words{Static: static, Learnt: learnt}, "car", "thing", 0},
		{"learnt: far", Words{Learnt: learnt}, "car", "lorry", .25},
		{"learnt: noise", Words{Learnt: learnt}, "car", "dust", 0},
		{"learnt: near", Words{Learnt: learnt}, "car", "road", .74},
		{"learnt: at most .9", Words{Learnt: learnt}, "car", "wheel", .9},
		{"learnt is more than static here", all, "car", "road", .74},
		{"known to one only", all, "road", "wheel", .74},
		{"unknown", all, "car", "wug", 0},
	} {
		for _, got := range []float64{tc.words.Near(tc.a, tc.b), tc.words.Near(tc.b, tc.a)} {
			if math.Abs(got-tc.want) > .01 {
				t.Errorf("%s: %s and %s: %.3f, want %.3f", tc.name, tc.a, tc.b, got, tc.want)
			}
		}
	}
}

func TestLearntNearnessRisesWithTheCosine(t *testing.T) {
	for _, dims := range []int{1, 16, 128, 1024} {
		last := 0.0
		for c := -1.0; c <= 1; c += .001 {
			near := learntNear(c, dims)
			if near < last || near > mostLearnt || near-last > .06 {
				t.Fatalf("%d dimensions: from %v to %v at %v", dims, last, near, c)
			}
			last = near
		}
		if got := learntNear(1, dims); math.Abs(got-mostLearnt) > 1e-9 {
			t.Errorf("%d dimensions: the most is %v", dims, got)
		}
	}
}

// everything is all sources, and pairs of words that most of them know.
func everything(t testing.TB) (Words, [][2]string) {
	learnt := learntFromComments(t, Options{})
	w := Words{WordNet: installed(t), Learnt: learnt, Static: learnt}
	known := slices.DeleteFunc(slices.Clone(learnt.words), func(s string) bool { return !w.WordNet.Has(s) })
	r := rand.New(rand.NewPCG(1, 1))
	pairs := make([][2]string, 1<<14)
	for i := range pairs {
		pairs[i] = [2]string{known[r.IntN(len(known))], known[r.IntN(len(known))]}
	}
	return w, pairs
}

func TestNearAllocatesNothing(t *testing.T) {
	w, pairs := everything(t)
	i := 0
	if n := testing.AllocsPerRun(1000, func() { w.Near(pairs[i][0], pairs[i][1]); i++ }); n != 0 {
		t.Errorf("%v allocations a pair", n)
	}
	for _, p := range pairs[:4000] {
		if a, b := w.Near(p[0], p[1]), w.Near(p[1], p[0]); a != b || a < 0 || a > 1 {
			t.Fatalf("%v: %v one way, %v the other", p, a, b)
		}
	}
}

// BenchmarkNear compares random pairs of words that all sources know, which is the most
// that a pair costs. The goal is 1 µs.
func BenchmarkNear(b *testing.B) {
	all, pairs := everything(b)
	for name, w := range map[string]Words{"all": all, "wordnet": {WordNet: all.WordNet}, "learnt": {Learnt: all.Learnt}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p := &pairs[i&(1<<14-1)]
				w.Near(p[0], p[1])
				i++
			}
		})
	}
}
