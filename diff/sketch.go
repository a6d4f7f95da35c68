package diff

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"plat/plat"
)

const (
	// sketchSize is the number of least shingle hashes kept (Broder, "On the resemblance and
	// containment of documents", 1997). For texts below 64 words the resemblance is exact, otherwise
	// its standard error is below 0.07.
	sketchSize = 64

	// textFeatures is the number of these used to find candidates. Two texts with half of their
	// shingles in common share one of the least eight with a probability above 0.98.
	textFeatures = 8

	// sketchWords limits the work per leaf: the rest of a longer text adds little
	// information.
	sketchWords = 20_000
)

// sketch is the summary of a leaf for alignment.
type sketch struct {
	least    []uint64 // least distinct shingle hashes, ascending
	features []uint64 // keys of the candidate lookup
}

func newSketch(l *leaf) *sketch {
	s := &sketch{least: shingles(l.text)}
	if len(s.least) == 0 {
		// A block without words, usually a picture: use its markup instead.
		s.least = shingles(markupWords(l.Content))
	}
	s.features = append(s.features, s.least[:min(len(s.least), textFeatures)]...)
	s.features = append(s.features, hashOf('p', place(l.Block)))
	if l.Topic != "" {
		s.features = append(s.features, hashOf('t', l.Topic))
	}
	return s
}

// resemblance estimates |A∩B| ÷ |A∪B| of the shingles; 0 if there are no shingles.
func (s *sketch) resemblance(t *sketch) float64 {
	i, j, common, total := 0, 0, 0, 0
	for total < sketchSize && (i < len(s.least) || j < len(t.least)) {
		switch {
		case j == len(t.least) || i < len(s.least) && s.least[i] < t.least[j]:
			i++
		case i == len(s.least) || s.least[i] > t.least[j]:
			j++
		default:
			i, j, common = i+1, j+1, common+1
		}
		total++
	}
	if total == 0 {
		return 0
	}
	return float64(common) / float64(total)
}

// shingles returns the least hashes of all pairs of neighbouring words of text, and
// of its single words if it has no more. Pairs distinguish phrases from vocabulary,
// and a headline of five words still has four.
func shingles(text string) []uint64 {
	var all []uint64
	last, n := uint64(0), 0
	add := func(w string) {
		h := hashOf('w', w)
		if n++; n > 1 {
			all = append(all, mix(last*31+h))
		}
		last = h
	}
	for n < sketchWords {
		w, rest := word(text)
		if w == "" {
			break
		}
		text = rest
		// Split scripts without blanks between words by character.
		from := 0
		for i, r := range w {
			if r >= utf8.RuneSelf && unspaced(r) {
				if from < i {
					add(w[from:i])
				}
				from = i + utf8.RuneLen(r)
				add(w[i:from])
			}
		}
		if from < len(w) {
			add(w[from:])
		}
	}
	if n == 1 {
		all = append(all, mix(last))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.Clone(all[:min(len(all), sketchSize)])
}

// unspaced reports whether r belongs to a script without blanks between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hashOf hashes s as a feature of the given kind (64-bit FNV-1a, mixed). It is the
// same in every process: results must not depend on a seed.
func hashOf(kind byte, s string) uint64 {
	const offset, prime = 0xcbf29ce484222325, 0x100000001b3
	h := (offset ^ uint64(kind)) * prime
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return mix(h)
}

// mix spreads the bits of x (the finaliser of MurmurHash3): the least values of plain
// FNV are not a uniform sample.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// place returns a key for a block's position: its path and tag.
func place(b *plat.Block) string {
	key := make([]byte, 0, 4*len(b.Path)+len(b.Tag))
	for _, p := range b.Path {
		key = binary.AppendVarint(key, int64(p))
	}
	return string(append(key, b.Tag...))
}
