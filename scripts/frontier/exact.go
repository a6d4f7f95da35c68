package main

import (
	"cmp"
	"container/heap"
	"time"

	"plat/plat"
	"plat/storage"
)

// exact is one queue of all URLs, in memory. At each step it gives the best URL among
// the hosts that may be visited: by priority in thousandths, then that of the host that
// rests or waits longest, then first in, first out.
type exact struct {
	delay time.Duration
	hosts map[string]*exactHost
	ready tree[*exactHost] // have URLs and may be visited
	rests tree[*exactHost]
	seq   int
}

type exactHost struct {
	clock time.Time // not to be visited before
	since time.Time // it may be visited
	urls  tree[exactURL]
	at    int // in ready or rests; -1 in neither
	seq   int
}

type exactURL struct {
	url       string
	rank, seq int
}

func newExact(delay time.Duration) *exact {
	e := &exact{delay: delay, hosts: map[string]*exactHost{}}
	moved := func(h *exactHost, to int) { h.at = to }
	e.ready = tree[*exactHost]{moved: moved, compare: func(a, b *exactHost) int {
		return cmp.Or(a.urls.all[0].rank-b.urls.all[0].rank, a.since.Compare(b.since), a.seq-b.seq)
	}}
	e.rests = tree[*exactHost]{moved: moved, compare: func(a, b *exactHost) int { return a.clock.Compare(b.clock) }}
	return e
}

// put adds URLs that are new.
func (e *exact) put(now time.Time, jobs []plat.Job) {
	for i := range jobs {
		e.seq++
		u := exactURL{jobs[i].URL, storage.Rank(jobs[i].Priority), e.seq}
		name := plat.HostOf(u.url)
		h := e.hosts[name]
		if h == nil {
			h = &exactHost{at: -1, seq: e.seq}
			h.urls.compare = func(a, b exactURL) int { return cmp.Or(a.rank-b.rank, a.seq-b.seq) }
			e.hosts[name] = h
		}
		heap.Push(&h.urls, u)
		switch {
		case h.clock.After(now):
			if h.at < 0 {
				heap.Push(&e.rests, h)
			}
		case h.at < 0:
			h.since = now
			heap.Push(&e.ready, h)
		default:
			heap.Fix(&e.ready, h.at)
		}
	}
}

// take returns the best URL at now; empty if absent.
func (e *exact) take(now time.Time) string {
	for len(e.rests.all) > 0 && !e.rests.all[0].clock.After(now) {
		h := heap.Pop(&e.rests).(*exactHost)
		h.since = h.clock
		heap.Push(&e.ready, h)
	}
	if len(e.ready.all) == 0 {
		return ""
	}
	h := heap.Pop(&e.ready).(*exactHost)
	u := heap.Pop(&h.urls).(exactURL)
	h.clock, h.at = now.Add(e.delay), -1
	if len(h.urls.all) > 0 {
		heap.Push(&e.rests, h)
	}
	return u.url
}

// tree is a heap; see container/heap.
type tree[T any] struct {
	all     []T
	compare func(a, b T) int
	moved   func(x T, to int) // may be nil
}

func (t *tree[T]) Len() int           { return len(t.all) }
func (t *tree[T]) Less(i, j int) bool { return t.compare(t.all[i], t.all[j]) < 0 }

func (t *tree[T]) Swap(i, j int) {
	t.all[i], t.all[j] = t.all[j], t.all[i]
	if t.moved != nil {
		t.moved(t.all[i], i)
		t.moved(t.all[j], j)
	}
}

func (t *tree[T]) Push(x any) {
	t.all = append(t.all, x.(T))
	if t.moved != nil {
		t.moved(x.(T), len(t.all)-1)
	}
}

func (t *tree[T]) Pop() any {
	last := t.all[len(t.all)-1]
	t.all = t.all[:len(t.all)-1]
	return last
}
