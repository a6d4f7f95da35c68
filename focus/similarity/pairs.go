package similarity

import (
	"math"
	"math/bits"
)

// pairs counts pairs of words, at most limit of them, in an open table: two flat slices
// take 12 bytes an entry, where a Go map takes some 40.
type pairs struct {
	keys   []uint64 // 0: empty; the length is a power of two
	counts []uint32
	n      int
	limit  int
}

// pairOf returns the key of an unordered pair. Ids begin at 1, so no key is 0.
func pairOf(a, b uint32) uint64 { return uint64(max(a, b))<<32 | uint64(min(a, b)) }

// firstTable is the size of the first table.
const firstTable = 1 << 10

func newPairs(limit int) pairs {
	return pairs{keys: make([]uint64, firstTable), counts: make([]uint32, firstTable), limit: limit}
}

// add counts a pair n times.
func (p *pairs) add(key uint64, n uint32) {
	at := p.find(key)
	if p.keys[at] == key {
		p.counts[at] = saturated(p.counts[at], n)
		return
	}
	if p.n >= p.limit {
		p.drop(p.n/2 + 1)
		at = p.find(key)
	} else if 4*p.n >= 3*len(p.keys) {
		p.rebuild(2*len(p.keys), func(uint64, uint32) bool { return true })
		at = p.find(key)
	}
	p.keys[at], p.counts[at] = key, n
	p.n++
}

func saturated(a, b uint32) uint32 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint32
}

// find returns the place of key, or the empty place for it.
func (p *pairs) find(key uint64) int {
	mask := len(p.keys) - 1
	at := int(mix(key)) & mask
	for p.keys[at] != 0 && p.keys[at] != key {
		at = (at + 1) & mask
	}
	return at
}

// drop forgets the n pairs that were counted least often; of those that are equal,
// some.
func (p *pairs) drop(n int) {
	rare := rarest(n, func(yield func(uint32)) {
		for i, key := range p.keys {
			if key != 0 {
				yield(p.counts[i])
			}
		}
	})
	p.rebuild(len(p.keys), func(_ uint64, count uint32) bool { return !rare.take(count) })
}

// rebuild replaces the table by one with size places, with the pairs that keep accepts.
func (p *pairs) rebuild(size int, keep func(key uint64, count uint32) bool) {
	old := *p
	p.keys, p.counts, p.n = make([]uint64, size), make([]uint32, size), 0
	for i, key := range old.keys {
		if key == 0 || !keep(key, old.counts[i]) {
			continue
		}
		at := p.find(key)
		p.keys[at], p.counts[at] = key, old.counts[i]
		p.n++
	}
}

// rare selects the smallest of some counts: all that are less than below, and equal of the all
// that are below, evenly from first to last. Taking the first ones of a table instead would fill
// the rest of it more and more, until no empty place is near.
type rare struct {
	below           uint32
	equal, all, due int
}

// alike is the count from which counts are treated as equal: a histogram is short.
const alike = 1 << 12

// rarest finds the n least counts.
func rarest(n int, each func(yield func(uint32))) rare {
	var histogram [alike + 1]int
	each(func(count uint32) { histogram[min(count, alike)]++ })
	for count, of := range histogram {
		if n <= of {
			return rare{below: uint32(count), equal: n, all: of}
		}
		n -= of
	}
	return rare{below: alike + 1} // all
}

// take reports whether a count is one of the least; call it once for each.
func (r *rare) take(count uint32) bool {
	count = min(count, alike)
	if count != r.below {
		return count < r.below
	}
	r.due += r.equal
	if r.due < r.all {
		return false
	}
	r.due -= r.all
	return true
}

// mix spreads the bits of x: the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hashOf returns the hash of a word under a seed, the same everywhere: FNV-1a, mixed.
func hashOf(word string, seed uint64) uint64 {
	h := uint64(0xcbf29ce484222325) ^ bits.RotateLeft64(mix(seed+0x9e3779b97f4a7c15), 17)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 0x100000001b3
	}
	return mix(h)
}
