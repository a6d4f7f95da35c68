package queue

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"plat"
)

// batch is the number of URLs per script call: some 2 ms of the server's time.
const batch = 200

// Add enqueues URLs that are not known yet for when they are due; a zero Due is now.
// For known URLs the higher priority wins. It returns how many were new. The frontier
// does not store the jobs' plans; the archive does: see storage's Enlist.
func (q *Queue) Add(ctx context.Context, jobs []plat.Job) (int, error) {
	return q.add(ctx, jobs, "new")
}

// AddAgain is Add, but enqueues known URLs once more, unless a visit is already
// pending.
func (q *Queue) AddAgain(ctx context.Context, jobs []plat.Job) (int, error) {
	return q.add(ctx, jobs, "again")
}

func (q *Queue) add(ctx context.Context, jobs []plat.Job, how string) (int, error) {
	a := q.adder(how)
	for i := range jobs {
		if err := a.put(ctx, &jobs[i], "", time.Time{}); err != nil {
			return a.added, err
		}
	}
	return a.added, a.flush(ctx)
}

// adder batches URLs for the script add, and runs it on a shard whenever a batch is
// full. how and state are those of the script.
type adder struct {
	q     *Queue
	how   string
	args  [][]any // of each shard's next run
	added int     // new URLs
}

func (q *Queue) adder(how string) *adder {
	return &adder{q: q, how: how, args: make([][]any, len(q.keys))}
}

func (a *adder) put(ctx context.Context, j *plat.Job, state string, clock time.Time) error {
	shard := a.q.shardOf(plat.HostOf(j.URL))
	if len(a.args[shard]) == 0 {
		a.args[shard] = append(a.args[shard], a.how)
	}
	a.args[shard] = append(a.args[shard], j.URL, millis(j.Due), rankOf(j.Priority), state, millis(clock))
	if len(a.args[shard]) > 5*batch {
		return a.run(ctx, shard)
	}
	return nil
}

func (a *adder) run(ctx context.Context, shard int) error {
	n, err := a.q.run(ctx, addScript, shard, a.args[shard]...).Int()
	a.args[shard] = a.args[shard][:0]
	a.added += n
	if err != nil {
		return fmt.Errorf("add to the frontier: %w", err)
	}
	return nil
}

// flush runs the remaining batches.
func (a *adder) flush(ctx context.Context) error {
	for shard, args := range a.args {
		if len(args) > 0 {
			if err := a.run(ctx, shard); err != nil {
				return err
			}
		}
	}
	return nil
}

// split groups URLs by shard.
func (q *Queue) split(urls []string) [][]string {
	byShard := make([][]string, len(q.keys))
	for _, u := range urls {
		s := q.shardOf(plat.HostOf(u))
		byShard[s] = append(byShard[s], u)
	}
	return byShard
}

// Unknown returns those of the URLs that were never added, without duplicates.
func (q *Queue) Unknown(ctx context.Context, urls []string) ([]string, error) {
	var unknown []string
	for s, urls := range q.split(urls) {
		for part := range slices.Chunk(urls, 1000) {
			have, err := q.rdb.HMGet(ctx, q.keys[s][0], part...).Result()
			if err != nil {
				return nil, fmt.Errorf("read the frontier: %w", err)
			}
			for i, entry := range have {
				if entry == nil {
					unknown = append(unknown, part[i])
				}
			}
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown), nil
}

// throttledRest is the delay of a host whose last visit was throttled (429, 503), when the
// delay it requested is no longer known.
const throttledRest = 10 * time.Minute

// Rebuild restores a new, lost or stale frontier from the archive. Leases are granted
// again after all earlier ones have expired (at once if alone says that there are no
// workers). Hosts are delayed from their last visit in the archive. It is idempotent
// and may run concurrently. It returns the number of URLs in the archive.
func (q *Queue) Rebuild(ctx context.Context, states iter.Seq2[plat.URLState, error], alone bool) (int, error) {
	n := 0
	a := q.adder("merge")
	for s, err := range states {
		if err != nil {
			return n, fmt.Errorf("rebuild the frontier from the archive: %w", err)
		}
		n++
		known := ""
		if s.Due.IsZero() {
			known = "k"
		}
		j := plat.Job{URL: s.URL, Due: s.Due, Priority: s.Priority}
		var clock time.Time
		if !s.Last.IsZero() {
			clock = s.Last.Add(q.o.Rest)
			if s.Status == 429 || s.Status == 503 {
				clock = s.Last.Add(max(q.o.Rest, throttledRest))
			}
		}
		if err := a.put(ctx, &j, known, clock); err != nil {
			return n, fmt.Errorf("rebuild the frontier: %w", err)
		}
	}
	if err := a.flush(ctx); err != nil {
		return n, fmt.Errorf("rebuild the frontier: %w", err)
	}
	hold := q.hold()
	if alone || n == 0 {
		hold = 0
	}
	for shard := range q.keys {
		if err := q.run(ctx, beginScript, shard, newToken(), hold.Milliseconds()).Err(); err != nil {
			return n, fmt.Errorf("rebuild the frontier: %w", err)
		}
	}
	return n, nil
}
