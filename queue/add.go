package queue

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"plat"
)

// batch is how many URLs one script call takes: some 2 ms of the server's time.
const batch = 200

// Add has URLs visited that are not known yet, each when it is due; a Due that is
// zero is now. What is known of the others is merged: see storage's Enlist. It
// returns how many were new.
func (q *Queue) Add(ctx context.Context, jobs []plat.Job) (int, error) {
	return q.add(ctx, jobs, "new")
}

// AddAgain is Add, and known URLs are visited once more, unless they are about
// to be anyway.
func (q *Queue) AddAgain(ctx context.Context, jobs []plat.Job) (int, error) {
	return q.add(ctx, jobs, "again")
}

func (q *Queue) add(ctx context.Context, jobs []plat.Job, how string) (added int, err error) {
	byShard := make([][]any, len(q.keys))
	flush := func(shard int) error {
		args := byShard[shard]
		byShard[shard] = nil
		n, err := q.run(ctx, addScript, shard, args...).Int()
		added += n
		if err != nil {
			return fmt.Errorf("add to the frontier: %w", err)
		}
		return nil
	}
	for i := range jobs {
		j := &jobs[i]
		shard := q.shardOf(plat.HostOf(j.URL))
		if byShard[shard] == nil {
			byShard[shard] = append(make([]any, 0, 1+7*min(batch, len(jobs))), how)
		}
		byShard[shard] = append(byShard[shard], j.URL, millis(j.Due), rankOf(j.Priority), j.Depth, j.Every.Milliseconds(), j.Scope, "")
		if len(byShard[shard]) > 7*batch {
			if err := flush(shard); err != nil {
				return added, err
			}
		}
	}
	for shard, args := range byShard {
		if args != nil {
			if err := flush(shard); err != nil {
				return added, err
			}
		}
	}
	return added, nil
}

// Unknown returns those of the URLs that were never added, each once.
func (q *Queue) Unknown(ctx context.Context, urls []string) ([]string, error) {
	byShard := make([][]string, len(q.keys))
	for _, u := range urls {
		s := q.shardOf(plat.HostOf(u))
		byShard[s] = append(byShard[s], u)
	}
	var unknown []string
	for s, urls := range byShard {
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

// Rebuild fills a frontier that is new, lost, or has forgotten something, with what
// the archive knows, and has it give out leases, after the time that leases of before may still be held
// (not if alone says that there are no other workers). It may be called by
// several at once, and again. It returns how many URLs the archive knew.
func (q *Queue) Rebuild(ctx context.Context, states iter.Seq2[plat.URLState, error], alone bool) (int, error) {
	n := 0
	byShard := make([][]any, len(q.keys))
	flush := func(shard int) error {
		if byShard[shard] == nil {
			return nil
		}
		err := q.run(ctx, addScript, shard, byShard[shard]...).Err()
		byShard[shard] = nil
		return err
	}
	for s, err := range states {
		if err != nil {
			return n, fmt.Errorf("rebuild the frontier from the archive: %w", err)
		}
		n++
		shard := q.shardOf(plat.HostOf(s.URL))
		if byShard[shard] == nil {
			byShard[shard] = append(make([]any, 0, 1+7*batch), "merge")
		}
		state := ""
		if s.Due.IsZero() {
			state = "k"
		}
		byShard[shard] = append(byShard[shard], s.URL, millis(s.Due), rankOf(s.Priority), s.Depth, s.Every.Milliseconds(), s.Scope, state)
		if len(byShard[shard]) > 7*batch {
			if err := flush(shard); err != nil {
				return n, fmt.Errorf("rebuild the frontier: %w", err)
			}
		}
	}
	hold := q.hold()
	if alone || n == 0 {
		hold = 0
	}
	for shard := range q.keys {
		if err := flush(shard); err != nil {
			return n, fmt.Errorf("rebuild the frontier: %w", err)
		}
		if err := q.run(ctx, beginScript, shard, newToken(), hold.Milliseconds()).Err(); err != nil {
			return n, fmt.Errorf("rebuild the frontier: %w", err)
		}
	}
	return n, nil
}
