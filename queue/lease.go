package queue

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	mrand "math/rand/v2"
	"strings"
	"time"

	"plat"
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

// Lease grants the best available job. If there is none, the lease is nil and the
// duration says when to ask again, although something may be added earlier. [ErrNone]
// if there is no frontier.
func (q *Queue) Lease(ctx context.Context, worker string) (*Lease, time.Duration, error) {
	worker = strings.Join(strings.Fields(worker), "_")
	wait := time.Minute
	from := mrand.IntN(len(q.keys)) // random, so that no shard is preferred
	for i := range q.keys {
		shard := (from + i) % len(q.keys)
		token, asked := newToken(), time.Now()
		r, err := q.run(ctx, leaseScript, shard, worker, q.o.TTL.Milliseconds(), q.o.Attempts, q.abandoned(), token, q.o.Rest.Milliseconds()).Slice()
		if err != nil {
			return nil, 0, fmt.Errorf("lease: %w", err)
		}
		switch r[0] {
		case "lost":
			return nil, 0, ErrNone
		case "wait":
			ms, _ := r[1].(int64)
			wait = min(wait, time.Duration(ms)*time.Millisecond)
			continue
		}
		host, _ := r[1].(string)
		url, _ := r[2].(string)
		entry, _ := r[3].(string)
		now, _ := r[4].(int64)
		l := &Lease{Host: host, Granted: asked, Now: time.UnixMilli(now).UTC(), token: token, shard: shard}
		if l.Entry, err = parseEntry(url, entry); err != nil {
			return nil, 0, err
		}
		return l, 0, nil
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

// Each of the following ends a lease and delays the host's next visit by delay. If
// the lease is lost, they return [ErrLost] and change nothing.

// Done settles the job. next is the URL's next due time, zero for never.
func (q *Queue) Done(ctx context.Context, l *Lease, next time.Time, delay time.Duration) error {
	return q.settle(ctx, l, "done", millis(next), delay, "")
}

// Retry reports a failed visit, to be retried after a while.
func (q *Queue) Retry(ctx context.Context, l *Lease, after, delay time.Duration) error {
	return q.settle(ctx, l, "retry", after.Milliseconds(), delay, "")
}

// Slow is Retry for a host that requested a delay: the attempt is not counted.
func (q *Queue) Slow(ctx context.Context, l *Lease, after, delay time.Duration) error {
	return q.settle(ctx, l, "slow", after.Milliseconds(), delay, "")
}

// Back returns a job that was not started.
func (q *Queue) Back(ctx context.Context, l *Lease, delay time.Duration) error {
	return q.settle(ctx, l, "back", 0, delay, "")
}

// Bury gives a URL up: it stays dead until [Queue.Revive] or [Queue.AddAgain].
func (q *Queue) Bury(ctx context.Context, l *Lease, letter DeadLetter, delay time.Duration) error {
	letter.URL, letter.Attempts = l.URL, l.Attempt
	b, err := json.Marshal(letter)
	if err != nil {
		return err
	}
	return q.settle(ctx, l, "dead", 0, delay, string(b))
}

func (q *Queue) settle(ctx context.Context, l *Lease, how string, when int64, delay time.Duration, letter string) error {
	n, err := q.run(ctx, settleScript, l.shard, l.Host, l.token, l.URL, how, when, delay.Milliseconds(), letter).Int()
	if err != nil {
		return fmt.Errorf("settle %s: %w", l.URL, err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}

// DeadLetter says why a URL is dead.
type DeadLetter struct {
	URL      string       `json:"url"`
	Outcome  plat.Outcome `json:"outcome"`
	Error    string       `json:"error"`
	Attempts int          `json:"attempts"`
	Time     time.Time    `json:"time"`
}

// abandoned returns the letter of a URL whose workers all crashed or hung; the script
// fills in the URL, which is not known here.
func (q *Queue) abandoned() string {
	b, _ := json.Marshal(DeadLetter{
		Outcome: plat.OutcomeCrashed, Attempts: q.o.Attempts, Time: time.Now().UTC().Truncate(time.Second),
		Error: fmt.Sprintf("%d workers in a row crashed or hung while visiting it", q.o.Attempts),
	})
	return string(b)
}
