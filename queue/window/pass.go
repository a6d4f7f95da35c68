package window

import (
	"time"

	"plat/queue"
	"plat/storage"
)

// A pass goes through the ready hosts of the archive in their order, over as many ticks as it
// takes. The hosts behind it are in the window, except those that have changed since it began. So
// the next one is the most urgent host outside, and is found without reading those of the window
// again.
type pass struct {
	at          storage.ReadyHost // the last host behind the pass; zero: at the start
	began       time.Time         // by Redis' clock; zero: never
	news, woken int64             // when it began
	peeked      [2]int64          // news and woken when the first page was read last

	started time.Time     // by the clock of this process
	spent   time.Duration // until it reached a host outside, without its first page
	done    bool          // it reached one, or one that is not urgent enough, or the end
	ended   bool          // it came to the end

	// Rows of hosts that were in the window: as this pass or the previous one read them, or as
	// they were loaded since. A host that runs low competes by its row.
	rows, was map[string]storage.ReadyHost
}

// restPer is the pause before a new pass, per time that the last one spent on hosts of the window:
// searching takes at most a fifth of the loader's time, and each pass reaches the hosts outside.
const restPer = 4

// changed reports whether there may be hosts to be loaded behind the pass.
func (p *pass) changed(w *queue.Window, woken int64) bool {
	return p.news != w.News || p.woken != woken || w.Now.Sub(p.began) >= rescan || w.Now.Before(p.began)
}

// over reports whether a new pass is to begin.
func (p *pass) over(w *queue.Window, woken int64) bool {
	return p.began.IsZero() || p.done && p.changed(w, woken) && time.Since(p.started) >= restPer*p.spent
}

// next returns the pass that follows.
func (p *pass) next(w *queue.Window, woken int64) pass {
	return pass{
		began: w.Now, news: w.News, woken: woken, peeked: [2]int64{w.News, woken}, started: time.Now(),
		rows: map[string]storage.ReadyHost{}, was: p.rows,
	}
}

// back moves a pass back to the first host that was not loaded.
func (p *pass) back(left []candidate) {
	for _, c := range left {
		if c.listed {
			p.at, p.ended = c.prev, false
			return
		}
	}
}

// row returns the known row of a host of the window.
func (p *pass) row(host string) (storage.ReadyHost, bool) {
	r, ok := p.rows[host]
	if !ok {
		r, ok = p.was[host]
	}
	return r, ok
}

// load updates the rows of loaded hosts.
func (p *pass) load(now time.Time, hosts []storage.HostJobs) {
	for i := range hosts {
		h := &hosts[i]
		delete(p.was, h.Host)
		delete(p.rows, h.Host)
		if len(h.Jobs) == 0 {
			continue // it is not ready any more
		}
		r := storage.ReadyHost{Host: h.Host, Since: now}
		for _, j := range h.Jobs {
			r.Priority = max(r.Priority, j.Priority)
		}
		p.rows[h.Host] = r
	}
}

// compare orders hosts as [storage.Jobs] lists them, but for those of one urgency that
// were loaded at the same time.
func compare(a, b storage.ReadyHost) int {
	if n := storage.Rank(a.Priority) - storage.Rank(b.Priority); n != 0 {
		return n
	}
	return a.Since.Compare(b.Since)
}
