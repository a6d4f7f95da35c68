package queue

import (
	"sync"

	"plat/queue/schedule"
)

// tally is the number of pages of a budget and the steering of their visits. See
// [schedule.Shared].
type tally struct {
	pages, offset, counted float64
	epoch                  uint32
}

func tallyOf(s *schedule.Shared) tally { return tally{s.Pages, s.Offset, s.Counted, s.Epoch} }

// into copies a tally into shared data.
func (t tally) into(s *schedule.Shared) {
	s.Pages, s.Offset, s.Counted, s.Epoch = t.pages, t.offset, t.counted, t.epoch
}

// recall merges the data in Redis, t, with remembered data, as lua/budget.lua does. sum is the
// number of pages known to be counted in earlier epochs, and before is the part of it from was's
// epoch.
func (t tally) recall(was tally, sum, before float64) tally {
	known := t.pages - t.counted
	if was.pages > t.pages {
		t.offset = was.offset
	}
	switch was.epoch {
	case t.epoch:
		t.counted = max(t.counted, was.counted)
		t.pages = max(known, was.pages-was.counted) + t.counted
	case 0:
		t.pages = max(t.pages, was.pages)
	default:
		t.pages += max(known, was.pages, sum+max(0, was.counted-before)) - known
	}
	return t
}

// tallies are the last tallies that this process saw, by the keys of their budgets. It sends them
// with each visit: after a loss of Redis, a page can restore only its own memory, and only when it
// is visited. Its methods may be called concurrently.
type tallies struct {
	mu  sync.Mutex
	all map[string]tally
}

// maxTallies limits them: each host may have a budget of its own.
const maxTallies = 10_000

// of returns the last tally of a budget; the zero tally if unknown.
func (t *tallies) of(key string) tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[key]
}

// set stores a tally. Within an epoch the one with the most pages is the last: replies may arrive
// in a different order.
func (t *tallies) set(key string, last tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[string]tally{}
	}
	was, known := t.all[key]
	if known && was.epoch == last.epoch && was.pages > last.pages {
		return
	}
	if !known && len(t.all) >= maxTallies {
		for some := range t.all {
			delete(t.all, some)
			break
		}
	}
	t.all[key] = last
}
