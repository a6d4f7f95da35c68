package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A turn is what a worker asks of a shard in one step: to end a lease, to be granted one,
// or both.
type turn struct {
	ends   *Lease // nil: none
	how    string // the counter of such endings
	delay  time.Duration
	wants  bool // a lease, for worker
	worker string

	token  string // of the lease that is wanted
	asked  time.Time
	answer []any // see lua/settle.lua
	err    error

	// Receives the turns that this one is to send, itself among them; nil: it was sent.
	sends chan []*turn
}

// A desk gathers the turns of a shard: while calls are under way, those that come in wait,
// and go together in the next one. So a lone turn goes at once, and many at a time share
// what a call costs: a third of Redis' time, and more of the network's.
type desk struct {
	mu      sync.Mutex
	calls   int     // guarded by mu: under way
	waiting []*turn // guarded by mu
}

const (
	maxCalls = 2  // under way: Redis has another one while this process reads an answer
	maxTurns = 64 // of a call, so that others need not wait long
)

// ask takes a turn at a shard, and returns the answer. If ctx ends while the turn waits, it
// is not sent.
func (q *Queue) ask(ctx context.Context, shard int, t *turn) ([]any, error) {
	d := &q.desks[shard]
	turns := []*turn{t}
	d.mu.Lock()
	if d.calls == maxCalls {
		t.sends = make(chan []*turn, 1)
		d.waiting = append(d.waiting, t)
		d.mu.Unlock()
		if turns = d.wait(ctx, t); turns == nil {
			return t.answer, t.err
		}
	} else {
		d.calls++
		d.mu.Unlock()
	}
	q.send(ctx, shard, turns)
	d.next()
	for _, o := range turns {
		if o != t {
			o.sends <- nil
		}
	}
	return t.answer, t.err
}

// wait waits until a turn is sent, or is to send the returned ones.
func (d *desk) wait(ctx context.Context, t *turn) []*turn {
	select {
	case turns := <-t.sends:
		return turns
	case <-ctx.Done():
	}
	d.mu.Lock()
	i := slices.Index(d.waiting, t)
	if i >= 0 {
		d.waiting = slices.Delete(d.waiting, i, i+1)
		t.err = ctx.Err()
	}
	d.mu.Unlock()
	if i >= 0 {
		return nil
	}
	return <-t.sends // a call takes seconds at most
}

// next lets the first of those that wait send them; without any, a call is over.
func (d *desk) next() {
	d.mu.Lock()
	n := min(len(d.waiting), maxTurns)
	if n == 0 {
		d.calls--
		d.mu.Unlock()
		return
	}
	turns := slices.Clone(d.waiting[:n])
	d.waiting = slices.Delete(d.waiting, 0, n)
	d.mu.Unlock()
	turns[0].sends <- turns
}

// send sends turns in one call.
func (q *Queue) send(ctx context.Context, shard int, turns []*turn) {
	if len(turns) > 1 {
		ctx = context.WithoutCancel(ctx) // it is not for one of them to give up
	}
	args := make([]any, 0, 2+7*len(turns))
	args = append(args, q.o.TTL.Milliseconds(), q.o.Rest.Milliseconds())
	for _, t := range turns {
		host, held, url := "", "", ""
		if t.ends != nil {
			host, held, url = t.ends.Host, t.ends.token, t.ends.URL
		}
		if t.wants {
			t.token = newToken()
		}
		t.asked = time.Now()
		args = append(args, host, held, url, t.how, t.delay.Milliseconds(), t.token, t.worker)
	}
	all, err := q.run(ctx, turnsScript, shard, args...).Slice()
	if err == nil && len(all) != len(turns) {
		err = fmt.Errorf("queue: Redis answers %d of %d", len(all), len(turns))
	}
	for i, t := range turns {
		if t.err = err; err != nil {
			continue
		}
		t.answer, _ = all[i].([]any)
		switch {
		case len(t.answer) == 0:
			t.err = fmt.Errorf("queue: Redis answers %T", all[i])
		case t.answer[0] == "full":
			t.err = fmt.Errorf("%s", t.answer[1])
		}
	}
}

// lease is the one that a turn was granted; nil: none.
func (t *turn) lease(shard int) (l *Lease, err error) {
	if t.answer[0] != "lease" {
		return nil, nil
	}
	host, _ := t.answer[1].(string)
	url, _ := t.answer[2].(string)
	entry, _ := t.answer[3].(string)
	now, _ := t.answer[4].(int64)
	l = &Lease{Host: host, Granted: t.asked, Now: time.UnixMilli(now).UTC(), token: t.token, shard: shard}
	l.Entry, err = parseEntry(url, entry)
	return l, err
}
