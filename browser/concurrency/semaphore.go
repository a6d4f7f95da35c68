package concurrency

import (
	"context"
	"sync"
)

// Semaphore admits a number of holders at once; the rest wait in order. The number may
// change at any time: holders keep their place. It is safe for concurrent use.
type Semaphore struct {
	mu      sync.Mutex
	size    int             // guarded by mu
	taken   int             // guarded by mu
	waiting []chan struct{} // guarded by mu; closed on admission
	waited  int             // guarded by mu: number of waits since the last call of Contended
}

// NewSemaphore returns a semaphore of size n.
func NewSemaphore(n int) *Semaphore { return &Semaphore{size: n} }

// Acquire waits for admission; Release must follow. The error is the cause of ctx's end.
func (s *Semaphore) Acquire(ctx context.Context) error {
	s.mu.Lock()
	if s.taken < s.size && len(s.waiting) == 0 {
		s.taken++
		s.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.waited++
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for i, w := range s.waiting {
		if w == turn {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			s.mu.Unlock()
			return context.Cause(ctx)
		}
	}
	s.mu.Unlock()
	s.Release() // admission and the end of ctx coincided
	return context.Cause(ctx)
}

// Release gives the place to the next waiter.
func (s *Semaphore) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	s.fill()
}

// Fits reports whether no more are in than may be.
func (s *Semaphore) Fits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken <= s.size
}

// Resize changes the number of holders admitted at once.
func (s *Semaphore) Resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = n
	s.fill()
}

// fill admits waiters. mu is held.
func (s *Semaphore) fill() {
	for s.taken < s.size && len(s.waiting) > 0 {
		s.taken++
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
	}
}

// Contended reports whether any wait, or have waited since the last call.
func (s *Semaphore) Contended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.waited
	s.waited = 0
	return was > 0 || len(s.waiting) > 0
}
