package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A request is a worker's request to a shard, in one step: to end a lease, to be granted one, or
// both.
type request struct {
	ends   *Lease // nil: no lease to end
	how    string // the counter of such endings
	delay  time.Duration
	wants  bool // a lease, for worker
	worker string

	token  string // of the lease that is wanted
	asked  time.Time
	answer []any // see lua/settle.lua
	err    error

	// Receives the requests that this one is to send, itself among them; nil: it was sent.
	sends chan []*request
}

// A batcher gathers the requests of a shard: while calls are under way, new requests wait, and go
// together in the next call. So a lone request is sent at once, and concurrent ones share the cost
// of a call: a third of Redis' time, and more of the network's.
type batcher struct {
	mu      sync.Mutex
	calls   int        // guarded by mu: under way
	waiting []*request // guarded by mu
}

const (
	maxCalls    = 2  // under way: Redis works on the second one while this process reads the reply to the first
	maxRequests = 64 // of a call, so that the rest does not wait long
)

// ask sends a request to a shard, and returns the answer. If ctx ends while the request
// waits, it is not sent.
func (q *Queue) ask(ctx context.Context, shard int, r *request) ([]any, error) {
	b := &q.batchers[shard]
	requests := []*request{r}
	b.mu.Lock()
	if b.calls == maxCalls {
		r.sends = make(chan []*request, 1)
		b.waiting = append(b.waiting, r)
		b.mu.Unlock()
		if requests = b.wait(ctx, r); requests == nil {
			return r.answer, r.err
		}
	} else {
		b.calls++
		b.mu.Unlock()
	}
	q.send(ctx, shard, requests)
	b.next()
	for _, o := range requests {
		if o != r {
			o.sends <- nil
		}
	}
	return r.answer, r.err
}

// wait waits until a request is sent, or is to send the returned ones.
func (b *batcher) wait(ctx context.Context, r *request) []*request {
	select {
	case requests := <-r.sends:
		return requests
	case <-ctx.Done():
	}
	b.mu.Lock()
	i := slices.Index(b.waiting, r)
	if i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		r.err = ctx.Err()
	}
	b.mu.Unlock()
	if i >= 0 {
		return nil
	}
	return <-r.sends // a call takes seconds at most
}

// next makes the first waiting request send the waiting ones; without any, a call is over.
func (b *batcher) next() {
	b.mu.Lock()
	n := min(len(b.waiting), maxRequests)
	if n == 0 {
		b.calls--
		b.mu.Unlock()
		return
	}
	requests := slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	b.mu.Unlock()
	requests[0].sends <- requests
}

// send sends requests in one call.
func (q *Queue) send(ctx context.Context, shard int, requests []*request) {
	if len(requests) > 1 {
		ctx = context.WithoutCancel(ctx) // the end of one request's context must not end the call
	}
	args := make([]any, 0, 2+7*len(requests))
	args = append(args, q.o.TTL.Milliseconds(), q.o.Rest.Milliseconds())
	for _, r := range requests {
		host, held, url := "", "", ""
		if r.ends != nil {
			host, held, url = r.ends.Host, r.ends.token, r.ends.URL
		}
		if r.wants {
			r.token = newToken()
		}
		r.asked = time.Now()
		args = append(args, host, held, url, r.how, r.delay.Milliseconds(), r.token, r.worker)
	}
	all, err := q.run(ctx, settleScript, shard, args...).Slice()
	if err == nil && len(all) != len(requests) {
		err = fmt.Errorf("queue: Redis answers %d of %d", len(all), len(requests))
	}
	for i, r := range requests {
		if r.err = err; err != nil {
			continue
		}
		r.answer, _ = all[i].([]any)
		switch {
		case len(r.answer) == 0:
			r.err = fmt.Errorf("queue: Redis answers %T", all[i])
		case r.answer[0] == "full":
			r.err = fmt.Errorf("%s", r.answer[1])
		}
	}
}

// lease returns the lease that a request was granted; nil: none was available, or the frontier that
// granted it is not there any more.
func (q *Queue) lease(r *request, shard int) (l *Lease, err error) {
	if r.answer[0] != "lease" || len(r.answer) < 6 {
		return nil, nil
	}
	host, _ := r.answer[1].(string)
	url, _ := r.answer[2].(string)
	entry, _ := r.answer[3].(string)
	now, _ := r.answer[4].(int64)
	l = &Lease{Host: host, Granted: r.asked, Now: time.UnixMilli(now).UTC(), token: r.token, shard: shard}
	if l.Entry, err = parseEntry(url, entry); err != nil {
		return nil, err
	}
	generation, _ := r.answer[5].(string)
	if !q.holdings.grant(l, generation) {
		return nil, nil
	}
	return l, nil
}
