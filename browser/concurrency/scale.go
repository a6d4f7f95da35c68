package concurrency

import "runtime"

// Load is the load of the machine during an interval.
type Load struct {
	Busy      float64 // share of the CPU time that was used, 0 to 1
	Contended bool    // renderings waited only for a tab
	Free      uint64  // available memory in bytes; 0: unknown
}

const (
	// Between these shares of CPU time the number of tabs stays as it is.
	hungry, full = 0.85, 0.99

	// tabMemory is the memory reckoned for a tab, in bytes: a typical page takes 100 to
	// 300 MB in its renderer.
	tabMemory = 256 << 20
	// lowMemory is the available memory below which tabs are given up, in bytes.
	lowMemory = 2 * tabMemory

	// fullFor is the number of consecutive intervals of full CPU before a tab is given up.
	fullFor = 6
)

// Scale decides the number of tabs: as many as keep the machine busy, and no more than fit into its
// memory. While tabs wait for the network the CPU is idle, and the number grows.
type Scale struct {
	Start int // initial number, and the minimum under a full CPU
	Most  int
	full  int // consecutive intervals of full CPU
}

// NewScale begins with two tabs per core: with that many, two cores are 0.9 busy on pages that
// answer at once. most is the maximum; 0 derives it from the cores, and from the bytes of free
// memory (0: unknown).
func NewScale(most int, free uint64) Scale {
	if most == 0 {
		most = mostTabs(free)
	}
	return Scale{Start: min(2*runtime.GOMAXPROCS(0), most), Most: most}
}

// mostTabs returns the default bound.
func mostTabs(free uint64) int {
	n := 8 * runtime.GOMAXPROCS(0)
	if free > 0 {
		n = min(n, int(free/tabMemory))
	}
	return max(2, n)
}

// Next returns the number of tabs for the next interval, after one with size tabs.
func (s *Scale) Next(size int, l Load) int {
	if l.Busy < full {
		s.full = 0
	} else {
		s.full++
	}
	switch {
	case l.Free > 0 && l.Free < lowMemory:
		return max(1, size-1)
	case s.full >= fullFor && size > s.Start:
		s.full = 0
		return size - 1
	case !l.Contended, l.Busy >= hungry, l.Free > 0 && l.Free < lowMemory+tabMemory:
		return size
	case l.Busy < hungry/2:
		return min(s.Most, size+max(1, size/2))
	}
	return min(s.Most, size+1)
}
