package browser

import (
	"context"
	"sync"
)

// seats let a number of holders in at once; the rest wait in order. The number may
// change at any time: who is in stays in.
type seats struct {
	mu      sync.Mutex
	size    int             // guarded by mu
	taken   int             // guarded by mu
	waiting []chan struct{} // guarded by mu; closed for whoever gets a seat
	waited  int             // guarded by mu: who had to wait, since asked last
}

func newSeats(n int) *seats { return &seats{size: n} }

// take waits for a seat.
func (s *seats) take(ctx context.Context) error {
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
	s.give() // it came at the same moment
	return context.Cause(ctx)
}

// give gives a seat back.
func (s *seats) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	s.fill()
}

// resize changes how many there are.
func (s *seats) resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = n
	s.fill()
}

// fill lets in who waits. mu is held.
func (s *seats) fill() {
	for s.taken < s.size && len(s.waiting) > 0 {
		s.taken++
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
	}
}

// wanted reports whether somebody waits, or has waited since it was asked last.
func (s *seats) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.waited
	s.waited = 0
	return was > 0 || len(s.waiting) > 0
}
