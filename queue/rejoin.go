package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// When a frontier begins again, earlier leases may still be held, so at first it grants none: as long
// as these may last, or until every worker that may have one says that it has none (Rejoin and
// Release). Only the workers know: what Redis has after a restart may lack the last moments.
//
// That is safe because of three rules:
//   - The caller of Release names all workers that may hold a lease, from notes in the archive: each
//     worker has one before it takes a lease; see window.Leases. One that does not answer, dead or of
//     an older version, is waited for.
//   - A worker rejoins when it has no visit under way, and not by what Redis knows of its leases.
//   - From then on it refuses leases of earlier generations, also those that were granted before the
//     restart and whose answer comes late, or that a deposed master grants.
//
// Hosts that it has visited last rest: the time until which they do may be lost, too.

// holdings are the leases of a process.
type holdings struct {
	mu     sync.Mutex
	shards []joined
	leases map[string]int       // token -> shard, of visits that may be under way
	rests  map[string]time.Time // host -> when it may be visited again, by this machine's clock
	sweep  int                  // number of rests at which those that are past are removed
}

// joined is the frontier of a shard from which a process takes leases.
type joined struct {
	generation string
	since      time.Time       // when this process first heard of it
	past       map[string]bool // earlier generations
	held       bool            // it grants no leases until earlier ones have ended
	said       bool            // this process has rejoined it
}

// mostPast limits the earlier generations that a process remembers.
const mostPast = 1000

func newHoldings(shards int) holdings {
	return holdings{shards: make([]joined, shards), leases: map[string]int{}, rests: map[string]time.Time{}, sweep: 1000}
}

// enter reports whether an answer of a generation is valid: whether this is the latest one of which
// the process knows, or one of which it has not heard before it sent the request.
func (s *joined) enter(generation string, asked time.Time) bool {
	switch {
	case generation == s.generation:
		return true
	case s.past[generation], asked.Before(s.since):
		return false
	}
	if s.past == nil || len(s.past) >= mostPast {
		s.past = map[string]bool{}
	}
	s.past[s.generation] = true
	s.generation, s.since, s.held, s.said = generation, time.Now(), false, false
	return true
}

// grant notes a lease, and returns false if it must not be used.
func (h *holdings) grant(l *Lease, generation string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &h.shards[l.shard]
	if !s.enter(generation, l.Granted) {
		return false
	}
	s.held = false
	h.leases[l.token] = l.shard
	return true
}

// wait notes whether a shard grants no leases because of earlier ones. Generation is empty if it does.
func (h *holdings) wait(shard int, generation string, asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &h.shards[shard]
	if generation == "" || s.enter(generation, asked) {
		s.held = generation != ""
	}
}

// over notes that the visit of a lease has ended, and how long its host rests.
func (h *holdings) over(l *Lease, rest time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, is := h.leases[l.token]; !is {
		return
	}
	delete(h.leases, l.token)
	now := time.Now()
	if until := now.Add(rest); rest > 0 && until.After(h.rests[l.Host]) {
		h.rests[l.Host] = until
	}
	if len(h.rests) < h.sweep {
		return
	}
	for host, until := range h.rests {
		if until.Before(now) {
			delete(h.rests, host)
		}
	}
	h.sweep = max(1000, 2*len(h.rests))
}

// due returns the shards that grant no leases and that this process has, or has not, rejoined. Those
// where it has a visit under way are not listed.
func (h *holdings) due(said bool) (shards []int, generations []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.shards {
		if s := &h.shards[i]; s.held && s.said == said {
			shards, generations = append(shards, i), append(generations, s.generation)
		}
	}
	for _, shard := range h.leases {
		if i := slices.Index(shards, shard); i >= 0 {
			shards, generations = slices.Delete(shards, i, i+1), slices.Delete(generations, i, i+1)
		}
	}
	return shards, generations
}

// set notes the state of a shard, unless it has a different generation by now.
func (h *holdings) set(shard int, generation string, held, said bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := &h.shards[shard]; s.generation == generation {
		s.held, s.said = held, said
	}
}

// resting returns the hosts of a shard that rest, each followed by the rest of that time in ms.
func (q *Queue) resting(shard int) (args []any) {
	q.holdings.mu.Lock()
	defer q.holdings.mu.Unlock()
	for host, until := range q.holdings.rests {
		if left := time.Until(until); left > 0 && q.ShardOf(host) == shard {
			args = append(args, host, left.Milliseconds())
		}
	}
	return args
}

// Over tells that the visit of a lease has ended. It is needed only if the lease is not ended by End,
// EndNext or Back: because it is lost, or Redis does not answer. Until then, the process counts as
// visiting the URL.
func (q *Queue) Over(l *Lease) { q.holdings.over(l, q.o.Rest) }

// Rejoin tells a frontier that has begun again, and grants no leases because of earlier ones, that this
// process has none, as soon as that is so. The name is one that Release can be given. It returns whether
// there is such a frontier, which this process has rejoined. It sends nothing unless Lease has met
// one.
func (q *Queue) Rejoin(ctx context.Context, name string) (bool, error) {
	shards, generations := q.holdings.due(false)
	for i, shard := range shards {
		rests := q.resting(shard)
		for first := true; first || len(rests) > 0; first = false {
			part := rests[:min(len(rests), 2*batch)]
			rests = rests[len(part):]
			worker := name
			if len(rests) > 0 {
				worker = "" // not yet
			}
			n, err := q.run(ctx, rejoinScript, shard, append([]any{generations[i], worker}, part...)...).Int()
			if err != nil {
				return false, fmt.Errorf("rejoin the frontier: %w", err)
			}
			if n == 0 {
				q.holdings.set(shard, generations[i], false, false)
				break
			}
			if worker != "" {
				q.holdings.set(shard, generations[i], true, true)
			}
		}
	}
	shards, _ = q.holdings.due(true)
	return len(shards) > 0, nil
}

// Release has a frontier that has begun again grant leases at once, if all the named workers have
// rejoined it: they must be all that may hold an earlier lease. It returns whether it has.
func (q *Queue) Release(ctx context.Context, names []string) (bool, error) {
	released := false
	shards, generations := q.holdings.due(true)
	for i, shard := range shards {
		args := []any{generations[i]}
		for _, name := range names {
			args = append(args, name)
		}
		n, err := q.run(ctx, releaseScript, shard, args...).Int()
		if err != nil {
			return released, fmt.Errorf("release the frontier: %w", err)
		}
		if n != 0 {
			q.holdings.set(shard, generations[i], false, true)
		}
		released = released || n == 1
	}
	return released, nil
}
