package queue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/queue/redistest"
)

// several checks requests of many workers in one call: some end leases, some request one, some do
// both. The leases are granted in the workers' order, after all that end have ended.
func (s *simulation) several() {
	var requests []*request
	n := s.r.IntN(len(s.leases) + 1)
	for _, l := range s.leases[:n] {
		s.archive.done(l.URL)
		requests = append(requests, &request{
			ends: l, how: []string{"done", "retry", "slow", "buried"}[s.r.IntN(4)], delay: time.Duration(s.r.IntN(3)) * time.Millisecond,
			wants: s.r.IntN(2) == 0, worker: "w",
		})
	}
	for range s.r.IntN(4) {
		requests = append(requests, &request{wants: true, worker: "w"})
	}
	late := -1
	if n > 0 && s.r.IntN(3) == 0 { // one settles twice
		late = len(requests)
		requests = append(requests, &request{ends: s.leases[0], how: "done", wants: true, worker: "w"})
	}
	s.leases = append([]*Lease(nil), s.leases[n:]...)
	if len(requests) == 0 {
		return
	}
	s.did("%d requests, %d end leases", len(requests), n)
	s.q.send(s.Context(), 0, requests)
	for _, t := range requests[:n] {
		s.m.settled(t.ends.Host)
	}
	for i, t := range requests {
		ok(s, t.err)
		switch {
		case i == late:
			if err := ended(t.answer, nil); !errors.Is(err, ErrLost) {
				s.Errorf("settled twice: %v", t.answer)
			}
		case !t.wants:
			if t.answer[0] != "ended" {
				s.Errorf("no lease was wanted: %v", t.answer)
			}
		default:
			l, err := s.q.lease(t, 0)
			ok(s, err)
			if l != nil { // the next Lease shows whether one had to be granted
				s.leased(l)
			}
		}
	}
}

// counter counts the calls of scripts.
type counter struct{ n atomic.Int64 }

func (c *counter) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if strings.HasPrefix(cmd.Name(), "eval") {
			c.n.Add(1)
		}
		return next(ctx, cmd)
	}
}

// hold keeps a shard's batcher busy until the returned function is called.
func hold(q *Queue) (free func()) {
	d := &q.batchers[0]
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = maxCalls
	return d.next
}

// wait waits until n requests wait.
func wait(t *testing.T, q *Queue, n int) {
	t.Helper()
	d := &q.batchers[0]
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		got := len(d.waiting)
		d.mu.Unlock()
		if got == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d requests wait, want %d", got, n)
		}
	}
}

func TestRequestsThatWaitGoInOneCall(t *testing.T) {
	q := begun(t, redistest.Start(t).URL(), func(o *Options) { o.Shards = 1 })
	const workers = 20
	for i := range workers - 1 {
		add(t, q, job(fmt.Sprintf("http://h%d.test/", i), 1))
	}
	empty := func(l *Lease, err error) error {
		if err == nil && l == nil {
			err = errors.New("nothing")
		}
		return err
	}
	ok(t, q.Done(t.Context(), lease(t, q), 0)) // the script is loaded
	var calls counter
	q.rdb.AddHook(&calls)

	free := hold(q)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, _, err := q.Lease(ctx, "gone")
		gone <- err
	}()
	wait(t, q, 1)
	errs := make(chan error, workers)
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			l, _, err := q.Lease(t.Context(), fmt.Sprint("w", i))
			errs <- empty(l, err)
		})
	}
	wait(t, q, workers+1)
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up was told %v", err)
	}
	if n := calls.n.Load(); n != 0 {
		t.Fatalf("%d calls while one was under way", n)
	}
	free()
	all.Wait()
	none := 0
	for range workers {
		if err := <-errs; err != nil {
			none++
		}
	}
	if n := calls.n.Load(); n != 1 || none != 2 {
		t.Errorf("%d calls, %d of %d workers have nothing; want 1 and 2", n, none, workers)
	}
	checkKeys(t, q)
	if n := q.batchers[0].calls; n != maxCalls-1 { // those that were never made
		t.Errorf("%d calls are under way, and nobody waits", n)
	}
}

// A failed call returns its error to every request in it, and the next calls are sent.
func TestACallThatFailsTellsAll(t *testing.T) {
	server := redistest.Start(t)
	q := begun(t, server.URL(), func(o *Options) { o.Shards = 1 })
	free := hold(q)
	server.Kill()
	const workers = 5
	errs := make(chan error, workers)
	for range workers {
		go func() {
			_, _, err := q.Lease(t.Context(), "w")
			errs <- err
		}()
	}
	wait(t, q, workers)
	free()
	for range workers {
		var network net.Error
		if err := <-errs; !errors.As(err, &network) {
			t.Errorf("told %v", err)
		}
	}
	ok(t, server.Restart())
	if _, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
		t.Errorf("told %v, want ErrNone", err)
	}
}

// If Redis is full, leases can end, and a request for a lease only gets the error.
func TestRequestsInAFullRedis(t *testing.T) {
	q := begun(t, redistest.Start(t).URL(), func(o *Options) { o.Shards = 1 })
	add(t, q, job("http://a.test/", 1), job("http://b.test/", 1), job("http://b.test/2", 1))
	a, b := lease(t, q), lease(t, q)
	ok(t, q.rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())
	requests := []*request{
		{ends: a, how: "done", wants: true, worker: "w"},
		{wants: true, worker: "w"},
		{ends: b, how: "done", delay: time.Millisecond},
	}
	q.send(t.Context(), 0, requests)
	ok(t, requests[0].err)
	ok(t, requests[2].err)
	if l, err := q.lease(requests[0], 0); l != nil || err != nil {
		t.Errorf("leased %+v, %v", l, err)
	}
	if err := requests[1].err; err == nil || !strings.HasPrefix(err.Error(), "OOM") {
		t.Errorf("told %v", err)
	}
	ok(t, q.rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	checkKeys(t, q)
	if l := lease(t, q); l.URL != "http://b.test/2" {
		t.Errorf("leased %s", l.URL)
	}
}
