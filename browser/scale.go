package browser

import (
	"time"

	"plat/browser/concurrency"
)

// scaleEvery is the interval between adjustments of the number of tabs.
const scaleEvery = 500 * time.Millisecond

// watchLoad adapts the number of tabs until the pool is closed.
func (p *Pool) watchLoad() {
	tick := time.NewTicker(scaleEvery)
	defer tick.Stop()
	before, ok := concurrency.CPUTimes()
	if !ok {
		return
	}
	for {
		select {
		case <-tick.C:
		case <-p.closing:
			return
		}
		now, _ := concurrency.CPUTimes()
		l := concurrency.Load{Busy: now.Busy(before), Contended: p.turns.Contended() && !p.drawing(), Free: p.o.FreeMemory()}
		before = now
		p.resize(p.scale.Next(p.Tabs(), l))
	}
}

// drawing reports whether pages wait for their pictures: then more tabs would not use the idle
// CPU time.
func (p *Pool) drawing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current != nil && p.current.wantPicture.Load() > 1
}
