package window

import (
	"context"
	"slices"
	"time"

	"plat/queue"
	"plat/storage"
)

// A candidate is a host to be loaded: it is not in the window, or has few URLs left
// there.
type candidate struct {
	host   string
	in     bool  // it is in the window
	queued int   // there
	stamp  int64 // see [queue.HostJobs]

	listed bool              // found in the archive's list
	prev   storage.ReadyHost // there, the host before it
}

// A finder finds candidates in the archive, in its order.
type finder struct {
	l    *Loader
	w    *queue.Window
	p    *pass
	full bool // the window has no room
	most int  // candidates
	late bool // time ran out before the search ended

	all     []candidate
	seen    map[string]bool // hosts of all
	outside bool            // one of them is not in the window

	// Without room: the number of URLs less urgent than priority to push out.
	urgent   int
	priority float32
}

// find finds candidates, the most urgent first. Without room these are only hosts that are more
// urgent than one of the window. It continues where the previous tick ended.
func (f *finder) find(ctx context.Context) error {
	f.seen = map[string]bool{}
	switch now := [2]int64{f.w.News, f.l.woken}; {
	case f.p.over(f.w, f.l.woken):
		*f.p = f.p.next(f.w, f.l.woken)
	case f.p.done && f.p.peeked != now:
		// The most urgent hosts of all do not wait for the next pass.
		f.p.peeked = now
		if _, _, err := f.page(ctx, new(storage.ReadyHost)); err != nil {
			return err
		}
	}
	f.low()
	start := time.Now()
	for range maxPages {
		if f.p.ended || len(f.all) >= f.most {
			return nil
		}
		began, first := time.Now(), f.p.at.Row == 0
		if f.late = began.Sub(start) > findTime; f.late {
			return nil
		}
		stopped, ended, err := f.page(ctx, &f.p.at)
		if err != nil {
			return err
		}
		if !f.p.done && !first {
			f.p.spent += time.Since(began)
		}
		f.p.ended = ended
		f.p.done = f.p.done || f.outside || stopped || ended
		if stopped {
			return nil
		}
	}
	return nil
}

// each returns how many URLs each of the candidates gets: an equal part of the room, or few
// if there may be many more candidates.
func (f *finder) each() int {
	n := max(f.w.Room/max(1, len(f.all)), f.l.least())
	if f.late {
		n = min(n, mostEach)
	}
	return min(n, f.l.queue.PerHost())
}

// page reads a page of the archive's hosts after at, adds those that are candidates, and moves at.
// It reports whether it stopped at a host that is not more urgent than those of a full window, or
// reached the end of the list.
func (f *finder) page(ctx context.Context, at *storage.ReadyHost) (stopped, ended bool, err error) {
	page, err := f.l.archive.Ready(ctx, *at, perPage)
	if err != nil {
		return false, false, err
	}
	ended = len(page) < perPage
	var hosts []string
	for i, h := range page {
		if f.full && storage.Rank(h.Priority) >= storage.Rank(f.w.Worst) {
			page, stopped, ended = page[:i], true, false
			break
		}
		if f.l.queue.ShardOf(h.Host) == f.w.Shard {
			hosts = append(hosts, h.Host)
		}
	}
	in, err := f.l.queue.Hosts(ctx, f.w.Shard, hosts)
	if err != nil {
		return false, false, err
	}
	for _, row := range page {
		if len(f.all) >= f.most {
			return false, false, nil
		}
		prev := *at
		*at = row
		if len(hosts) == 0 || row.Host != hosts[0] {
			continue // of a different shard
		}
		f.meet(row, prev, in[0])
		hosts, in = hosts[1:], in[1:]
	}
	return stopped, ended, nil
}

// meet adds a host of the archive if it is a candidate.
func (f *finder) meet(row, prev storage.ReadyHost, h queue.HostWindow) {
	switch {
	case !h.In:
		f.outside = true
		if f.full {
			// A host that leaves makes room for several, if it has many URLs.
			f.urgent += f.l.least()
			f.priority = row.Priority
		}
	case f.full && h.Urgent:
		f.urgent++
		f.priority = row.Priority
	case f.full || !h.Low:
		f.p.rows[row.Host] = row
		return
	}
	f.add(candidate{host: row.Host, in: h.In, queued: h.Queued, stamp: h.Stamp, listed: true, prev: prev})
}

func (f *finder) add(c candidate) {
	if !f.seen[c.host] {
		f.seen[c.host] = true
		f.all = append(f.all, c)
	}
}

// low adds hosts that run low and come before those that the pass has not reached.
func (f *finder) low() {
	if f.full || f.p.at.Row == 0 {
		return
	}
	var rows []storage.ReadyHost
	low := map[string]queue.LowHost{}
	for _, h := range f.w.Low {
		if row, ok := f.p.row(h.Host); ok && compare(row, f.p.at) < 0 {
			row.Host = h.Host
			rows = append(rows, row)
			low[h.Host] = h
		}
	}
	slices.SortStableFunc(rows, compare)
	for _, r := range rows[:min(len(rows), max(0, f.most-len(f.all)))] {
		f.add(candidate{host: r.Host, in: true, queued: low[r.Host].Queued, stamp: low[r.Host].Stamp})
	}
}

// others adds hosts that run low and have no known row, up to the limit of candidates.
func (f *finder) others() {
	for _, h := range f.w.Low {
		if len(f.all) >= f.most {
			return
		}
		f.add(candidate{host: h.Host, in: true, queued: h.Queued, stamp: h.Stamp})
	}
}
