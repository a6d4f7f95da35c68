package browser

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// load is how busy the machine was in a while.
type load struct {
	busy   float64 // share of the CPU time that was used, 0 to 1
	wanted bool    // renderings waited for a tab, and for nothing else
	free   uint64  // bytes of memory that can still be had
}

const (
	scaleEvery = 500 * time.Millisecond

	// Between these shares of CPU time the number of tabs stays as it is.
	hungry, full = 0.85, 0.99

	// tabMemory is what a tab is counted for, in bytes: a page of today takes 100 to
	// 300 MB in its renderer.
	tabMemory = 256 << 20
	// lowMemory is when tabs are given up, in bytes.
	lowMemory = 2 * tabMemory

	// fullFor is for how many looks in a row the CPU must be full before a tab is given up.
	fullFor = 6
)

// scale decides how many tabs there are: as many as keep the machine busy, and no more
// than it has memory for. While tabs wait for the network the CPU is idle, and there are
// more of them.
type scale struct {
	start, most int
	full        int // looks in a row with a full CPU
}

// startTabs is how many tabs there are at first: with that many two cores are 0.9 busy on
// pages that answer at once.
func startTabs() int { return 2 * runtime.GOMAXPROCS(0) }

// mostTabs bounds them where nobody has: by cores, and by memory that is free now.
func mostTabs(free uint64) int {
	n := 8 * runtime.GOMAXPROCS(0)
	if free > 0 {
		n = min(n, int(free/tabMemory))
	}
	return max(2, n)
}

// next is how many tabs there are to be, after a while with size of them.
func (s *scale) next(size int, l load) int {
	if l.busy < full {
		s.full = 0
	} else {
		s.full++
	}
	switch {
	case l.free > 0 && l.free < lowMemory:
		return max(1, size-1)
	case s.full >= fullFor && size > s.start:
		s.full = 0
		return size - 1
	case !l.wanted, l.busy >= hungry, l.free > 0 && l.free < lowMemory+tabMemory:
		return size
	case l.busy < hungry/2:
		return min(s.most, size+max(1, size/2))
	}
	return min(s.most, size+1)
}

// watchLoad adapts the number of tabs until the pool is closed.
func (p *Pool) watchLoad() {
	tick := time.NewTicker(scaleEvery)
	defer tick.Stop()
	before, ok := cpuTimes()
	if !ok {
		return
	}
	for {
		select {
		case <-tick.C:
		case <-p.closing:
			return
		}
		now, _ := cpuTimes()
		l := load{busy: now.busy(before), wanted: p.turns.wanted() && !p.drawing(), free: p.o.FreeMemory()}
		before = now
		p.resize(p.scale.next(p.Tabs(), l))
	}
}

// drawing reports whether pages wait for their pictures: then it is not for want of tabs
// that the CPU has time left.
func (p *Pool) drawing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current != nil && p.current.wantPicture.Load() > 1
}

// cpu is time that all cores have spent, in ticks.
type cpu struct{ used, all uint64 }

// busy is the share of time used since before.
func (c cpu) busy(before cpu) float64 {
	if c.all <= before.all {
		return 1
	}
	return float64(c.used-before.used) / float64(c.all-before.all)
}

// cpuTimes reads what the machine's cores have done (proc_stat(5)); ok is false where that
// cannot be known. A control group with a share of the cores is taken by its own measure.
func cpuTimes() (c cpu, ok bool) {
	if n := runtime.GOMAXPROCS(0); n < runtime.NumCPU() {
		for _, g := range [...]struct {
			file, key string
			perSecond uint64
		}{{"/sys/fs/cgroup/cpu.stat", "usage_usec ", 1e6}, {"/sys/fs/cgroup/cpuacct/cpuacct.usage", "", 1e9}} {
			if used, ok := counter(g.file, g.key); ok {
				all := uint64(time.Since(processStart).Seconds() * float64(g.perSecond) * float64(n))
				return cpu{used: used, all: all}, true
			}
		}
	}
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return cpu{}, false
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 6 || string(fields[0]) != "cpu" {
		return cpu{}, false
	}
	for i, f := range fields[1:min(len(fields), 9)] { // what follows is counted in the first two
		n, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return cpu{}, false
		}
		c.all += n
		if i != 3 && i != 4 { // idle, and waiting for a disk
			c.used += n
		}
	}
	return c, true
}

var processStart = time.Now()

// counter reads the number that follows key in a file.
func counter(file, key string) (uint64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(b, []byte(key))
	if !found {
		return 0, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 10, 64)
	return n, err == nil
}
