package queue

import (
	"sync"

	"plat/queue/schedule"
)

// tally is how many pages a budget has, and how much is asked of a visit of them. See
// [schedule.Shared].
type tally struct {
	pages, offset, counted float64
	epoch                  uint32
}

func tallyOf(s *schedule.Shared) tally { return tally{s.Pages, s.Offset, s.Counted, s.Epoch} }

// into sets what pages share to that of a tally.
func (t tally) into(s *schedule.Shared) {
	s.Pages, s.Offset, s.Counted, s.Epoch = t.pages, t.offset, t.counted, t.epoch
}

// recall is what Redis has, t, with what is remembered of it, as lua/budget.lua has it. sum is what is
// known to be counted in earlier lives, and before that of was among it.
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

// tallies are those that this process saw last, by the keys of their budgets. It says them with each
// visit: of what Redis has lost, pages say only what they remember, once they are visited. Its methods
// may be called concurrently.
type tallies struct {
	mu  sync.Mutex
	all map[string]tally
}

// maxTallies limits them: each host may have a budget of its own.
const maxTallies = 10_000

// of returns the last tally of a budget; the zero tally if there is none.
func (t *tallies) of(key string) tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[key]
}

// set notes a tally. Of one life of Redis that with the most pages is the last: answers may come in
// another order.
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
