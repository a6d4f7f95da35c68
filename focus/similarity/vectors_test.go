package similarity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestRoundingHardlyChangesCosines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([][]float32, 50)
	b := newBuilder(99, len(rows))
	for i := range rows {
		rows[i] = make([]float32, 99)
		for k := range rows[i] {
			rows[i][k] = float32(r.NormFloat64() * math.Pow(10, float64(i%5-2)))
			if i > 0 {
				rows[i][k] += rows[i-1][k]
			}
		}
		b.add(fmt.Sprintf("%02d", i), rows[i])
	}
	for i := range rows {
		for j := range rows {
			var dot, x, y float64
			for k := range rows[i] {
				dot += float64(rows[i][k]) * float64(rows[j][k])
				x += float64(rows[i][k]) * float64(rows[i][k])
				y += float64(rows[j][k]) * float64(rows[j][k])
			}
			got, _ := b.v.Similarity(fmt.Sprintf("%02d", i), fmt.Sprintf("%02d", j))
			if want := dot / math.Sqrt(x*y); math.Abs(got-want) > .01 {
				t.Errorf("%d, %d: %.4f, want %.4f", i, j, got, want)
			}
		}
	}
}

func TestLoadVectors(t *testing.T) {
	lower := func(w string) string { return strings.TrimSuffix(w, "s") }
	for _, tc := range []struct {
		name, text string
		options    LoadOptions
		words      string
		err        string
	}{
		{name: "word2vec has a first line", text: "2 3\nb 1 0 0\na 0 1 0\n", words: "a b"},
		{name: "GloVe has none", text: "b 1 0 0\na 0 1 0", words: "a b"},
		{name: "fastText ends lines with a space, and some files with CR", text: "2 2\nb 1 0 \na 0 1 \r\n\n", words: "a b"},
		{name: "words with spaces", text: "a b 1 0\n. . 0 1\n", options: LoadOptions{}, words: "", err: `line 1: "b" is not a number`},
		{name: "words with spaces, after a first line", text: "2 2\na b 1 0\n. . 0 1\n", words: ". .|a b"},
		{name: "stems are merged, in lower case", text: "Dog 1 0\ndogs 0 1\ncat 1 1\n", options: LoadOptions{Stem: lower}, words: "cat dog"},
		{name: "so many words", text: "3 2\na 1 0\nb 1 0\nc 0 1\n", options: LoadOptions{MaxWords: 2}, words: "a b"},
		{name: "a vector of zeros says nothing", text: "a 0 0\nb 1 0\n", words: "b"},
		{name: "a file that is cut off", text: "3 2\na 1 0\n", err: "1 of 3 words"},
		{name: "a line that is cut off", text: "a 1 0\nb 1\n", err: "line 2: 1 numbers, not 2"},
		{name: "no number", text: "a 1 0\nb 1 x\n", err: `line 2: "x"`},
		{name: "infinite", text: "a 1 inf\n", err: "is not a number"},
		{name: "too great", text: "a 1 1e39\n", err: "is not a number"},
		{name: "nothing", text: "", err: "has none"},
		{name: "only a word", text: "a\n", err: "0 dimensions"},
		{name: "too many dimensions", text: "1 2000\n", err: "2000 dimensions; 1 to 1024"},
		{name: "a page", text: strings.Repeat("x", maxLine+1), err: "longer than"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := LoadVectors(strings.NewReader(tc.text), tc.options)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error %v, want %q", err, tc.err)
				}
				return
			}
			sep := " "
			if strings.Contains(tc.words, "|") {
				sep = "|"
			}
			if err != nil || strings.Join(v.words, sep) != tc.words {
				t.Fatalf("%v, %v; want %s", v, err, tc.words)
			}
		})
	}
	v, err := LoadVectors(strings.NewReader("dog 100 0\ndogs 0 1\ncat 1 1\n"), LoadOptions{Stem: lower})
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := v.Similarity("dog", "cat"); !ok || s < .999 {
		t.Errorf("the mean of two vectors at length 1: cosine %v, %v; want 1", s, ok)
	}
}

func FuzzLoadVectors(f *testing.F) {
	f.Add("2 3\nb 1 0 0\na 0 1 0\n")
	f.Add("b 1 0 0\na 0 1 -1e-3")
	f.Add("a b 1 0\n\n. . 0 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := LoadVectors(strings.NewReader(text), LoadOptions{MaxWords: 100, MaxDims: 8})
		if err != nil {
			return
		}
		if v.Len() > 100 || v.Dims() > 8 || !slices.IsSorted(v.words) {
			t.Fatalf("%d words of %d dimensions", v.Len(), v.Dims())
		}
		for _, w := range v.words[:min(len(v.words), 3)] {
			if s, ok := v.Similarity(w, v.words[0]); !ok || math.IsNaN(s) || s < -1 || s > 1 {
				t.Fatalf("a similarity of %v, %v", s, ok)
			}
		}
	})
}
