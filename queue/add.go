package queue

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"plat"
)

// batch is how many URLs one script call takes: some 2 ms of the server's time.
const batch = 200

// Add has URLs visited that are not known yet, each when it is due; a Due that is
// zero is now. Of the others, the higher priority counts. It returns how many were new.
// The plans of the jobs are the archive's to keep: see storage's Enlist.
func (q *Queue) Add(ctx context.Context, jobs []plat.Job) (int, error) {
	return q.add(ctx, jobs, "new")
}

// AddAgain is Add, and known URLs are visited once more, unless they are about
// to be anyway.
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

// adder collects URLs for the script add, and runs it on a shard whenever a batch
// is full. How and state are the script's.
type adder struct {
	q     *Queue
	how   string
	args  [][]any // of each shard's next run
	added int     // that were not known
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

// flush runs what is left.
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

// split sorts URLs by their shards.
func (q *Queue) split(urls []string) [][]string {
	byShard := make([][]string, len(q.keys))
	for _, u := range urls {
		s := q.shardOf(plat.HostOf(u))
		byShard[s] = append(byShard[s], u)
	}
	return byShard
}

// Unknown returns those of the URLs that were never added, each once.
func (q *Queue) Unknown(ctx context.Context, urls []string) ([]string, error) {
	var unknown []string
	for s, urls := range q.split(urls) {
		for part := range slices.Chunk(urls, 1000) {
			have, err := q.rdb.HMGet(ctx, q.keys[s][0], part...).Result()
			if err != nil {
				return nil, fmt.Errorf("look into the frontier: %w", err)
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

// unwell is how long a host rests after a visit that it put off (429, 503), where
// nobody knows any more for how long it asked to.
const unwell = 10 * time.Minute

// Rebuild fills a frontier that is new, lost, or has forgotten something, with what
// the archive knows, and has it give out leases, after the time that leases of
// before may still be held (not if alone says that there are no workers). Hosts rest
// from their last visit on that the archive knows of. It may be called by several at
// once, and again. It returns how many URLs the archive knew.
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
				clock = s.Last.Add(max(q.o.Rest, unwell))
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
