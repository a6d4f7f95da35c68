package watch

import (
	"hash/fnv"
	"slices"
	"testing"

	"plat/plat/calendar"
)

// TestAddressesOfEntriesAreFoundIfUnique: an address that several entries have is of none of them.
func TestAddressesOfEntriesAreFoundIfUnique(t *testing.T) {
	seq := []past{{url: "https://a.test/1"}, {url: "http://a.test/2/"}, {url: "https://a.test/1/index.html"}, {url: ""}, {url: "https://a.test/1"}, {url: ""}}
	s := standing(seq, []uint64{10, 20, 30, 40, 50, 60})
	for url, want := range map[string]int{"https://a.test/1": -1, "https://a.test/2": 1, "https://a.test/2/index.html": 1, "https://a.test/3": -1, "": -1} {
		if got := s.of(url); got != want {
			t.Errorf("%q is of entry %d, want %d", url, got, want)
		}
	}
	if len(s.titles) != 6 || !s.titles[10] || !s.titles[60] || s.titles[11] {
		t.Errorf("titles %v", s.titles)
	}
}

// TestEntriesThatArePushedOffAreNotRemoved: in a list with the entries 0 to 4 before, those after the last one that is still
// there are pushed off its end; those before the first one only if the list has grown at its end.
func TestEntriesThatArePushedOffAreNotRemoved(t *testing.T) {
	const a, b = 1, 2 // shapes of lists
	old := []past{{shape: a}, {shape: a}, {shape: a}, {shape: a}, {shape: a}, {shape: b}, {shape: b}}
	titles := []uint64{10, 11, 12, 13, 14, 20, 21}
	for _, tc := range []struct {
		name string
		now  []uint64 // titles of list a on the page
	}{
		{"all are there", []uint64{10, 11, 12, 13, 14}},
		{"grown at the start", []uint64{9, 10, 11, 12}},
		{"grown at the end", []uint64{12, 13, 14, 15}},
		{"without the middle", []uint64{10, 11, 13, 14}},
		{"without the first", []uint64{11, 12, 13, 14}},
	} {
		seq := make([]past, len(tc.now))
		for i := range seq {
			seq[i].shape = a
		}
		m := &Memory{last: old}
		f := m.pushedOff(titles, seq, tc.now, standing(seq, tc.now), standing(old, titles))
		// The last entry that is there counts as at the end, and so does a list of which none is there.
		for i := range 5 {
			first, last := 5, -1
			for k := range 5 {
				if slices.Contains(tc.now, titles[k]) {
					first, last = min(first, k), k
				}
			}
			grown := tc.now[len(tc.now)-1] == 15
			if got, want := f(i), i >= last || grown && i < first; got != want {
				t.Errorf("%s: entry %d is pushed off: %v", tc.name, i, got)
			}
		}
		if !f(5) || !f(6) {
			t.Errorf("%s: entries of a list that is gone are not pushed off", tc.name)
		}
	}
}

// TestFactsDifferInEachPart: the hash of a fact is stored, so it is FNV-1a of its parts in a fixed order.
func TestFactsDifferInEachPart(t *testing.T) {
	day := calendar.Day{Year: 2026, Month: 11, Day: 29}
	h := fnv.New64a()
	h.Write([]byte{'k', 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xea, 0x07, 0, 0, 11, 29})
	if got := fact('k', 1, 2, day); got != h.Sum64() {
		t.Errorf("a fact has the hash %x, want %x", got, h.Sum64())
	}
	all := map[uint64]bool{}
	for _, f := range []uint64{
		fact('k', 1, 2, day), fact('l', 1, 2, day), fact('k', 2, 2, day), fact('k', 1, 1, day), fact('k', 2, 1, day),
		fact('k', 1, 2, calendar.Day{Year: 2025, Month: 11, Day: 29}), fact('k', 1, 2, calendar.Day{Year: 2026, Month: 10, Day: 29}), fact('k', 1, 2, calendar.Day{Year: 2026, Month: 11, Day: 28}),
		fact('k', 1, 2, several), fact('k', 1, 2, whenever),
	} {
		if all[f] {
			t.Error("two facts have one hash")
		}
		all[f] = true
	}
}
