package focus

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestModelsLearnAsAdaGradSays: each weight moves against the error by the learning rate, divided by the root of the sum of
// the squares of all its errors.
func TestModelsLearnAsAdaGradSays(t *testing.T) {
	m := newModel()
	features := []uint32{3, 7, 9}
	squares, weights := [3]float64{}, [3]float64{}
	for i, err := range []float64{0.5, -0.25, 1, 0.125} {
		used := 3 - i%2 // the last feature is absent each second time
		g := err / math.Sqrt(float64(used+1))
		m.step(features[:used], err)
		for k := range used {
			squares[k] += g * g
			weights[k] -= learnRate * g / math.Sqrt(squares[k]+1e-3)
		}
		for k, f := range features {
			if got := float64(m.weight[f]); math.Abs(got-weights[k]) > 1e-5 {
				t.Errorf("after step %d feature %d has the weight %v, want %v", i, k, got, weights[k])
			}
		}
		if got, want := m.sum(features), (weights[0]+weights[1]+weights[2])/2; math.Abs(got-want) > 1e-5 {
			t.Errorf("after step %d the log-odds are %v, want %v", i, got, want)
		}
	}
	if m.sum(nil) != 0 || m.weight[1] != 0 {
		t.Error("no words, or words never seen, say something")
	}
}

// TestLogOddsAreLimited: they are the inverse of the logistic function within their limits.
func TestLogOddsAreLimited(t *testing.T) {
	for p, want := range map[float64]float64{0: .005, .004: .005, .005: .005, .3: .3, .5: .5, .99: .99, .995: .99, 1: .99} {
		if got := sigmoid(logOdds(p)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is limited to %v, want %v", p, got, want)
		}
	}
}

// TestRanksAreThoseOfThePowerMethod: whatever the order in which links are set and changed, the ranks are those of the
// equation of PageRank: 1-d, and d times the shares of the pages that link to it.
func TestRanksAreThoseOfThePowerMethod(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 50 {
		n := 2 + r.IntN(12)
		var found ranks
		found.grow(1 + r.IntN(n))
		found.settle(r.IntN(5))
		found.grow(n)
		shares := make([][]float64, n) // by page and target
		for page := range n {
			for range 1 + r.IntN(3) { // links may change
				to, weight := []int32{}, []float32{}
				share, sum := make([]float64, n), 0.0
				equal := r.IntN(3) == 0
				for _, k := range r.Perm(n)[:r.IntN(n)] {
					w := float64(r.IntN(4))
					if equal {
						w = 0
					}
					to, weight = append(to, int32(k)), append(weight, float32(w))
					share[k], sum = w, sum+w
				}
				for _, k := range to {
					if sum == 0 {
						share[k] = 1 / float64(len(to))
					} else {
						share[k] /= sum
					}
				}
				found.link(int32(page), to, weight)
				shares[page] = share
				if r.IntN(2) == 0 {
					found.settle(r.IntN(20))
				}
			}
		}
		if !found.settle(1 << 20) {
			t.Fatal("ranks do not settle")
		}
		want := make([]float64, n)
		for range 300 {
			next := make([]float64, n)
			for k := range next {
				next[k] = 1 - damping
				for page := range n {
					next[k] += damping * shares[page][k] * want[page]
				}
			}
			want = next
		}
		for k := range n {
			// Each page may keep a residual, which the others would hand on.
			if got := found.of(int32(k)); math.Abs(got-want[k]) > float64(n)*rankError/(1-damping) {
				t.Fatalf("page %d of %d has the rank %v, want %v", k, n, got, want[k])
			}
			if x := found.residual[k]; x > rankError || x < -rankError {
				t.Fatalf("page %d keeps the residual %v", k, x)
			}
		}
		if found.of(int32(n)) != 1-damping {
			t.Error("an unknown page has a different rank than one without links to it")
		}
	}
}

// TestClassifierLearnsFromRewards: words of links that led to the topic rise, those of others fall.
func TestClassifierLearnsFromRewards(t *testing.T) {
	o := newClassifier(newCrawl(t, Options{}))
	good, bad := &link{words: []uint32{1, 2}}, &link{words: []uint32{3, 4}}
	if a, b := o.score(nil, good), o.score(nil, bad); a != .5 || b != .5 {
		t.Errorf("unknown words have the chances %g and %g, want .5", a, b)
	}
	for range 3 {
		a, b := o.score(nil, good), o.score(nil, bad)
		o.learn(nil, good, 1)
		o.learn(nil, bad, 0)
		if o.score(nil, good) <= a || o.score(nil, bad) >= b {
			t.Fatalf("after a reward the chance went from %g to %g, after none from %g to %g", a, o.score(nil, good), b, o.score(nil, bad))
		}
	}
}
