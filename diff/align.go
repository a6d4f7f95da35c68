package diff

import (
	"cmp"
	"math"
	"slices"

	"plat/plat"
)

// matching maps old to new leaves, by index in reading order.
type matching struct {
	old   []int32 // old leaf per new leaf, -1 if unpaired
	new   []int32 // new leaf per old leaf
	gapO  []int32 // per old leaf its gap, -1 for anchors
	gapN  []int32
	shift []bool // per gap: equal words on both sides, except for images that failed in one version
	page  bool   // equal words on the whole page
}

func (m *matching) join(o, n int32) { m.old[n], m.new[o] = o, n }

// align pairs leaves, each at most once: first anchors, by LCS over the ids of the
// whole page in reading order (slots are ignored, because a changed layout renumbers
// them); then equal ids elsewhere; then equal texts; then similar leaves; last,
// within a gap, leaves at the same position.
//
// Each step is linear in the leaves, except for sorting: similar leaves are found by
// common features, and of leaves with a frequent feature only the nearest few are
// examined.
func align(old, new []*leaf) *matching {
	m := &matching{old: filled(len(new)), new: filled(len(old))}
	m.anchor(old, new)
	m.equal(ids(old), ids(new))
	m.equal(m.texts(old, new))
	m.similar(old, new)
	return m
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// anchor pairs the leaves of a longest common subsequence of ids and determines the
// gaps between them.
func (m *matching) anchor(old, new []*leaf) {
	m.gapO, m.gapN = filled(len(old)), filled(len(new))
	o, n := 0, 0
	gap := func(toO, toN int) {
		if o == toO && n == toN {
			return
		}
		id := int32(len(m.shift))
		m.shift = append(m.shift, sameWords(old[o:toO], new[n:toN]) || sameButImages(old[o:toO], new[n:toN]))
		for ; o < toO; o++ {
			m.gapO[o] = id
		}
		for ; n < toN; n++ {
			m.gapN[n] = id
		}
	}
	for _, r := range LCS(ids(old), ids(new)) {
		gap(r.A, r.B)
		for i := range r.N {
			m.join(int32(r.A+i), int32(r.B+i))
		}
		o, n = r.A+r.N, r.B+r.N
	}
	gap(len(old), len(new))
	// Gaps alone do not decide about a shift on the whole page: an anchor may be one
	// of several equal leaves, and not the one a reader would have chosen.
	m.page = !slices.Contains(m.shift, false) || sameWords(old, new)
}

// equal pairs free leaves of equal key (-1: no key), first within gaps, then in reading order.
func (m *matching) equal(old, new []int32) {
	type spot struct{ gap, key int32 }
	here, anywhere := map[spot][]int32{}, map[int32][]int32{}
	for i, k := range old {
		if m.new[i] < 0 && k >= 0 {
			s := spot{m.gapO[i], k}
			here[s] = append(here[s], int32(i))
			anywhere[k] = append(anywhere[k], int32(i))
		}
	}
	if len(here) == 0 {
		return
	}
	for j, k := range new {
		if m.old[j] < 0 && k >= 0 {
			s := spot{m.gapN[j], k}
			if left := here[s]; len(left) > 0 {
				m.join(left[0], int32(j))
				here[s] = left[1:]
			}
		}
	}
	for j, k := range new {
		if m.old[j] < 0 && k >= 0 {
			left := anywhere[k]
			for len(left) > 0 && m.new[left[0]] >= 0 {
				left = left[1:]
			}
			if len(left) > 0 {
				m.join(left[0], int32(j))
			}
			anywhere[k] = left
		}
	}
}

// ids returns the ids of leaves.
func ids(ls []*leaf) []int32 {
	s := make([]int32, len(ls))
	for i, l := range ls {
		s[i] = l.id
	}
	return s
}

// texts numbers the texts of free leaves; equal texts get equal numbers.
func (m *matching) texts(old, new []*leaf) (o, n []int32) {
	numbers := map[string]int32{}
	number := func(ls []*leaf, partner []int32) []int32 {
		s := filled(len(ls))
		for i, l := range ls {
			if partner[i] >= 0 || !l.known || l.text == "" {
				continue
			}
			k := joinWords(l.text)
			id, ok := numbers[k]
			if !ok {
				id = int32(len(numbers))
				numbers[k] = id
			}
			s[i] = id
		}
		return s
	}
	return number(old, m.new), number(new, m.old)
}

const (
	// minSimilarity is the least score at which a pair of leaves of different text counts as one
	// changed leaf. 0.4 is half of the words in common anywhere (0.6 × 0.5 + look), or a third of
	// them in the same place. It is an estimate: there is no ground truth for the alignment of
	// blocks.
	minSimilarity = 0.4

	// Weights of the components of similarity; they add up to 1.
	weightText, weightPath, weightTopic, weightLook = 0.6, 0.2, 0.1, 0.1

	// maxCandidates is the maximum number of old leaves with a common feature that are examined per
	// new leaf, the nearest in reading order. More frequent features (a common phrase) are
	// uninformative, and 8 keeps thousands of equal rows linear.
	maxCandidates = 8
)

// similar pairs free leaves with common words, topic or path, best first.
func (m *matching) similar(old, new []*leaf) {
	var freeO, freeN []int32
	for i := range old {
		if m.new[i] < 0 {
			freeO = append(freeO, int32(i))
		}
	}
	for j := range new {
		if m.old[j] < 0 {
			freeN = append(freeN, int32(j))
		}
	}
	if len(freeO) == 0 || len(freeN) == 0 {
		return
	}
	features := map[uint64][]int32{}
	for _, i := range freeO {
		old[i].sk = newSketch(old[i])
		for _, f := range old[i].sk.features {
			features[f] = append(features[f], i)
		}
	}
	type pair struct {
		score float64
		away  int32 // difference of relative rank in reading order
		o, n  int32
	}
	var pairs []pair
	seen := map[int32]bool{}
	for _, j := range freeN {
		l := new[j]
		l.sk = newSketch(l)
		clear(seen)
		// The corresponding position among the old leaves.
		at := int32(float64(j) * float64(len(old)) / float64(len(new)))
		for _, f := range l.sk.features {
			for _, i := range nearest(features[f], at) {
				if seen[i] {
					continue
				}
				seen[i] = true
				same := m.gapO[i] == m.gapN[j]
				s := similarity(old[i], l)
				if s < minSimilarity && !(same && samePlace(old[i], l)) {
					continue
				}
				away := i - at
				pairs = append(pairs, pair{s, max(away, -away), i, j})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		return cmp.Or(cmp.Compare(q.score, p.score), cmp.Compare(p.away, q.away), cmp.Compare(p.n, q.n), cmp.Compare(p.o, q.o))
	})
	for _, p := range pairs {
		if m.old[p.n] < 0 && m.new[p.o] < 0 {
			m.join(p.o, p.n)
		}
	}
	m.alone(old, new, freeO, freeN)
}

// nearest returns at most maxCandidates of the ascending indices in list, those
// around at.
func nearest(list []int32, at int32) []int32 {
	if len(list) <= maxCandidates {
		return list
	}
	i, _ := slices.BinarySearch(list, at)
	lo := min(max(0, i-maxCandidates/2), len(list)-maxCandidates)
	return list[lo : lo+maxCandidates]
}

// alone pairs the remaining leaves of a gap if there is one with the same element on
// either side: a replaced headline, whatever its path.
func (m *matching) alone(old, new []*leaf, freeO, freeN []int32) {
	one := filled(len(m.shift)) // per gap the free old leaf, -2 if several
	for _, i := range freeO {
		if g := m.gapO[i]; m.new[i] < 0 {
			if one[g] == -1 {
				one[g] = i
			} else {
				one[g] = -2
			}
		}
	}
	mine := filled(len(m.shift))
	for _, j := range freeN {
		if g := m.gapN[j]; m.old[j] < 0 {
			if mine[g] == -1 {
				mine[g] = j
			} else {
				mine[g] = -2
			}
		}
	}
	for g, j := range mine {
		if i := one[g]; i >= 0 && j >= 0 && old[i].Tag == new[j].Tag && old[i].Label == new[j].Label {
			m.join(i, j)
		}
	}
}

// samePlace reports whether two leaves of one gap have the same position: then they
// are one block whose words were all replaced.
func samePlace(a, b *leaf) bool {
	return a.Tag == b.Tag && a.Run == b.Run && slices.Equal(a.Path, b.Path)
}

// similarity ranges from 0 for unrelated leaves to 1 for leaves equal in text, path,
// topic and look.
func similarity(a, b *leaf) float64 {
	s := weightText*a.sk.resemblance(b.sk) + weightPath*pathLikeness(a.Path, b.Path)
	if a.Topic != "" && a.Topic == b.Topic {
		s += weightTopic
	}
	if a.Tag == b.Tag && a.Label == b.Label {
		s += weightLook
	}
	return s
}

// pathLikeness returns the share of steps that two paths have in common from the root, 1 for equal
// paths; squared, because all blocks of a page share the first steps.
func pathLikeness(a, b []int32) float64 {
	n := max(len(a), len(b))
	if n == 0 {
		return 1
	}
	return math.Pow(float64(prefix(a, b))/float64(n), 2)
}

// inner extends the mapping of leaves, by index, to all blocks: a parent block maps
// to the one that most of its children map to, else to the one of the same path and
// tag.
func inner(old, new []plat.Block, o, n []*leaf, m *matching) []int32 {
	to := filled(len(new))
	taken := make([]bool, len(old))
	for j, i := range m.old {
		if i >= 0 {
			to[n[j].index] = o[i].index
		}
	}
	if len(old) == 0 || len(new) == 0 {
		return to
	}
	// The root is always the whole page.
	if !old[0].Leaf() && !new[0].Leaf() {
		to[0], taken[0] = 0, true
	}
	votes := make([]map[int32]int, len(new))
	byPath := map[string]int32{}
	for i := range old {
		if !old[i].Leaf() {
			byPath[place(&old[i])] = int32(i)
		}
	}
	// In pre-order children follow their parent, so in reverse all votes are counted
	// before a block is decided.
	for j := len(new) - 1; j >= 0; j-- {
		b := &new[j]
		if !b.Leaf() && to[j] < 0 {
			best, most := int32(-1), 0
			for i, v := range votes[j] {
				if !taken[i] && (v > most || v == most && (slices.Equal(old[i].Path, b.Path) || i < best && !slices.Equal(old[best].Path, b.Path))) {
					best, most = i, v
				}
			}
			if best < 0 {
				if i, ok := byPath[place(b)]; ok && !taken[i] {
					best = i
				}
			}
			if best >= 0 {
				to[j], taken[best] = best, true
			}
		}
		if i := to[j]; i >= 0 && b.Parent >= 0 && int(b.Parent) < j {
			if p := old[i].Parent; p >= 0 && int(p) < len(old) && !old[p].Leaf() {
				if votes[b.Parent] == nil {
					votes[b.Parent] = map[int32]int{}
				}
				votes[b.Parent][p]++
			}
		}
	}
	return to
}
