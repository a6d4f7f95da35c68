package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"strings"
	"time"
)

// Lease is the exclusive right to visit one URL and its host.
type Lease struct {
	Entry
	Host    string
	Granted time.Time // by this machine's clock, when the request was sent
	Now     time.Time // by Redis' clock

	token string
	shard int
}

// newToken returns a unique token.
func newToken() string { return rand.Text() }

// Lease grants the best available job. If no job is available, the lease is nil and the duration
// says when to try again, although a job may come in earlier. A job whose Attempt exceeds
// [Queue.Attempts] has failed for good: its workers crashed or hung. The error is [ErrNone]
// without a frontier.
func (q *Queue) Lease(ctx context.Context, worker string) (*Lease, time.Duration, error) {
	worker = wordOf(worker)
	wait := time.Minute
	from := mrand.IntN(len(q.keys)) // random, so that no shard is preferred
	for i := 0; i < len(q.keys); i++ {
		shard := (from + i) % len(q.keys)
		r := request{wants: true, worker: worker}
		answer, err := q.ask(ctx, shard, &r)
		if err != nil {
			return nil, 0, fmt.Errorf("lease: %w", err)
		}
		switch answer[0] {
		case "lost":
			return nil, 0, ErrNone
		case "again":
			i--
		case "wait":
			ms, _ := answer[1].(int64)
			held := ""
			if len(answer) > 2 {
				held, _ = answer[2].(string)
			}
			q.holdings.wait(shard, held, r.asked)
			wait = min(wait, time.Duration(ms)*time.Millisecond)
		default:
			l, err := q.lease(&r, shard)
			if l == nil {
				return nil, time.Second, err
			}
			return l, 0, err
		}
	}
	return nil, wait, nil
}

// Beat extends a lease to its TTL from now. [ErrLost] if it is lost.
func (q *Queue) Beat(ctx context.Context, l *Lease) error {
	n, err := q.run(ctx, beatScript, l.shard, l.Host, l.token, q.o.TTL.Milliseconds()).Int()
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}

// Each of the following ends a lease and delays the host's next visit by delay. The URL leaves the
// window, except with Back: a following job is written to the archive before, and offered if it is
// due. They differ in the counter of [Stats]. If the lease is lost, they return [ErrLost] and
// change nothing.

// Done settles the job.
func (q *Queue) Done(ctx context.Context, l *Lease, delay time.Duration) error {
	return q.End(ctx, l, Finished, delay)
}

// EndNext is End and [Queue.Lease] in one step, which costs Redis and the network less than two.
// The lease is nil if no further job is available at once, or only in a different shard: then call
// Lease.
func (q *Queue) EndNext(ctx context.Context, l *Lease, how Ending, delay time.Duration, worker string) (next *Lease, err error) {
	if mrand.IntN(len(q.keys)) != l.shard { // no shard is preferred
		return nil, q.End(ctx, l, how, delay)
	}
	r := request{ends: l, how: string(how), delay: delay, wants: true, worker: wordOf(worker)}
	if err := q.end(ctx, &r); err != nil {
		return nil, err
	}
	return q.lease(&r, l.shard)
}

// Ending is the way in which a lease ends.
type Ending string

const (
	Finished Ending = "done"
	Retried  Ending = "retry"  // the visit failed, and a retry follows
	Slowed   Ending = "slow"   // the visit failed, and the host requested a delay
	Buried   Ending = "buried" // the URL has failed for good
	PutOff   Ending = "later"  // it is not worth a visit yet
)

// End ends a lease in the given way.
func (q *Queue) End(ctx context.Context, l *Lease, how Ending, delay time.Duration) error {
	return q.settle(ctx, l, string(how), delay)
}

// Back returns a job that was not started: it is queued again, and the attempt is not
// counted.
func (q *Queue) Back(ctx context.Context, l *Lease, delay time.Duration) error {
	err := ended(q.run(ctx, backScript, l.shard, l.Host, l.token, l.URL, delay.Milliseconds()).Slice())
	q.ended(l, err, delay)
	if err != nil {
		return fmt.Errorf("give %s back: %w", l.URL, err)
	}
	return nil
}

func (q *Queue) settle(ctx context.Context, l *Lease, how string, delay time.Duration) error {
	return q.end(ctx, &request{ends: l, how: how, delay: delay})
}

// end sends a request that ends a lease.
func (q *Queue) end(ctx context.Context, r *request) error {
	err := ended(q.ask(ctx, r.ends.shard, r))
	q.ended(r.ends, err, r.delay)
	if err != nil {
		return fmt.Errorf("settle %s: %w", r.ends.URL, err)
	}
	return nil
}

// ended notes the end of a lease, if Redis has answered: else it is tried again, or [Queue.Over] follows.
func (q *Queue) ended(l *Lease, err error, delay time.Duration) {
	if err == nil || errors.Is(err, ErrLost) {
		q.holdings.over(l, delay)
	}
}

func ended(answer []any, err error) error {
	if err == nil && answer[0] == "late" {
		err = ErrLost
	}
	return err
}

// wordOf turns a worker's name into one word.
func wordOf(worker string) string { return strings.Join(strings.Fields(worker), "_") }
