package similarity

import (
	"cmp"
	"math"
	"slices"
)

// Vectors are the vectors of words, which do not change: 8 bits a dimension. They are safe
// for concurrent use; a nil *Vectors has no words.
type Vectors struct {
	dims    int
	words   []string // ascending
	at      map[string]int32
	numbers []int8
	inverse []float32 // of each length; 0 for a vector of zeros
}

// Len returns the number of words.
func (v *Vectors) Len() int {
	if v == nil {
		return 0
	}
	return len(v.words)
}

// Dims returns the number of dimensions.
func (v *Vectors) Dims() int {
	if v == nil {
		return 0
	}
	return v.dims
}

// Has reports whether word has a vector.
func (v *Vectors) Has(word string) bool {
	if v == nil {
		return false
	}
	_, ok := v.at[word]
	return ok
}

// Similarity returns the cosine of the vectors of two words, in [−1,1]; false if one of them has
// no vector.
func (v *Vectors) Similarity(a, b string) (float64, bool) {
	if v == nil {
		return 0, false
	}
	i, ok := v.at[a]
	if !ok {
		return 0, false
	}
	j, ok := v.at[b]
	if !ok {
		return 0, false
	}
	return v.cosine(i, j), true
}

func (v *Vectors) cosine(i, j int32) float64 {
	if i == j {
		return 1
	}
	c := float64(dot(v.row(i), v.row(j))) * float64(v.inverse[i]) * float64(v.inverse[j])
	return min(max(c, -1), 1)
}

func (v *Vectors) row(i int32) []int8 { return v.numbers[int(i)*v.dims : (int(i)+1)*v.dims] }

// dot does not overflow: 1,024 products of at most 2¹⁴ are less than 2²⁵. Taking four at a
// time is slower: 113 ns instead of 100 for 256.
func dot(a, b []int8) (sum int32) {
	b = b[:len(a)]
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return sum
}

// Neighbour is a word and its similarity with a given word.
type Neighbour struct {
	Word       string
	Similarity float64
}

// Nearest returns the n words most similar to word, most similar first, equal ones by name.
func (v *Vectors) Nearest(word string, n int) []Neighbour {
	if !v.Has(word) || n <= 0 {
		return nil
	}
	i := v.at[word]
	all := make([]Neighbour, 0, len(v.words)-1)
	for j, w := range v.words {
		if int32(j) != i {
			all = append(all, Neighbour{w, v.cosine(i, int32(j))})
		}
	}
	slices.SortStableFunc(all, func(a, b Neighbour) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return slices.Clone(all[:min(n, len(all))])
}

// builder makes Vectors from words that come in ascending order.
type builder struct{ v *Vectors }

func newBuilder(dims, n int) builder {
	return builder{&Vectors{dims: dims, words: make([]string, 0, n), at: make(map[string]int32, n),
		numbers: make([]int8, 0, n*dims), inverse: make([]float32, 0, n)}}
}

// add rounds a vector so that its largest number is ±127.
func (b builder) add(word string, row []float32) {
	largest := 0.0
	for _, x := range row {
		largest = max(largest, math.Abs(float64(x)))
	}
	scale := 0.0
	if largest > 0 {
		scale = math.MaxInt8 / largest
	}
	for _, x := range row {
		b.v.numbers = append(b.v.numbers, int8(math.Round(float64(x)*scale)))
	}
	b.addRounded(word)
}

// addRounded adds a word whose numbers were appended.
func (b builder) addRounded(word string) {
	row := b.v.numbers[len(b.v.numbers)-b.v.dims:]
	inverse := float32(0)
	if square := dot(row, row); square > 0 {
		inverse = float32(1 / math.Sqrt(float64(square)))
	}
	b.v.at[word] = int32(len(b.v.words))
	b.v.words = append(b.v.words, word)
	b.v.inverse = append(b.v.inverse, inverse)
}
