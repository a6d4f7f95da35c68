package slots

import "math/bits"

// news counts the items that each visit of a period can find.
type news struct {
	n     int
	total int // items new in any slot, counted each time that they come

	// came, n×n: of slot t at a, the items in t that came in slot a and stayed until t.
	came []int
	// gains, (n+1)×n: of slot p at t, the items in t that were not there in p; row 0 is for the
	// state before the period, row p+1 for slot p.
	gains []int

	has    [][]uint64 // by slot: the set of its items, a bit each
	before []uint64
}

// newsOf counts the news of a period. It takes O(items in all slots) and O(n² different
// items / 64).
func newsOf(p Period) *news {
	n := len(p.Slots)
	s := &news{n: n, came: make([]int, n*n), gains: make([]int, (n+1)*n)}
	numbers := make([][]int32, n+1) // of the items of each snapshot, as they were met first
	all := map[uint64]int32{}
	var old Snapshot
	var since []int // of the items of old: the slot that they came in, -1 if before
	for t, now := range append([]Snapshot{p.Before}, p.Slots...) {
		number, from := make([]int32, len(now)), make([]int, len(now))
		i := 0
		for j, item := range now {
			for i < len(old) && old[i] < item {
				i++
			}
			if i < len(old) && old[i] == item {
				number[j], from[j] = numbers[t-1][i], since[i]
			} else {
				k, known := all[item]
				if !known {
					k = int32(len(all))
					all[item] = k
				}
				number[j], from[j] = k, t-1
			}
			if from[j] >= 0 {
				s.came[(t-1)*n+from[j]]++
			}
		}
		numbers[t], old, since = number, now, from
	}
	s.fill(numbers, len(all))
	return s
}

// fill computes the sets and the counts that depend on them.
func (s *news) fill(numbers [][]int32, items int) {
	words := (items + 63) / 64
	sets := make([]uint64, len(numbers)*words)
	set := func(i int) []uint64 { return sets[i*words : (i+1)*words] }
	for i, list := range numbers {
		for _, k := range list {
			set(i)[k/64] |= 1 << (k % 64)
		}
	}
	s.before = set(0)
	for t := range s.n {
		s.has = append(s.has, set(t+1))
		s.total += s.came[t*s.n+t]
		for p := range t + 1 {
			was, count := set(p), 0
			for w, x := range set(t + 1) {
				count += bits.OnesCount64(x &^ was[w])
			}
			s.gains[p*s.n+t] = count
		}
	}
}

// gain returns the number of items that a visit in slot t finds new, if p was the slot of the visit
// before it; -1 if it is the first visit.
func (s *news) gain(p, t int) int { return s.gains[(p+1)*s.n+t] }

// fresh returns the number of these that came in the last age slots, t itself included. An item
// that was there in p, went and came again counts: it is new again.
func (s *news) fresh(p, t, age int) int {
	count := 0
	for a := max(p, t-age) + 1; a <= t; a++ {
		count += s.came[t*s.n+a]
	}
	return count
}

// share returns found/all, 1 if all is 0.
func share(found, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(found) / float64(all)
}
