package egress

import (
	"context"
	"sync"
)

// life owns goroutines that outlive the call that started them. Its context
// ends when end is called, and end returns after the last goroutine.
type life struct {
	// ctx is stored because a life is a scope for goroutines.
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	over bool // guarded by mu: no goroutine may start once end waits
	wg   sync.WaitGroup
}

func newLife() *life {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &life{ctx: ctx, cancel: cancel}
}

// run starts f and reports whether it did: false after end.
func (l *life) run(f func(context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.wg.Go(func() { f(l.ctx) })
	return true
}

// enter registers the calling goroutine until leave; false after end.
func (l *life) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.wg.Add(1)
	}
	return !l.over
}

func (l *life) leave() { l.wg.Done() }

func (l *life) end(cause error) {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.cancel(cause)
	l.wg.Wait()
}
