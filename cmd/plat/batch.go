package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"plat"
	"plat/storage"
	"plat/term"
	"plat/workers"
)

// batch visits many URLs, several at once, and tells how each went.
type batch struct {
	*app
	worker  *workers.Worker
	store   storage.Store
	seeds   *seeds
	retries int
	gate    gate

	begun time.Time

	mu   sync.Mutex
	sums sums  // guarded by mu
	lost error // the store, out of reach; guarded by mu
}

// errStoreLost is the cause of a batch's end when its store cannot be reached.
var errStoreLost = errors.New("the store cannot be reached")

// run visits all seeds, at most n at once, and returns when the last is done or
// abandoned.
func (b *batch) run(ctx context.Context, n int) error {
	b.begun = time.Now()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var visiting, showing sync.WaitGroup
	for range n {
		visiting.Go(func() {
			for b.next(inner, cancel) {
			}
		})
	}
	shown := make(chan struct{})
	if b.out.Watched() {
		showing.Go(func() { b.show(shown) })
	}
	visiting.Wait()
	close(shown)
	showing.Wait()
	b.out.Progress("")
	return b.end(ctx)
}

// gate says how many visits may be under way.
type gate interface {
	Enter(ctx context.Context) error
	Leave()
}

// next does one more seed, and reports whether there may be others.
func (b *batch) next(ctx context.Context, cancel context.CancelCauseFunc) bool {
	if b.gate.Enter(ctx) != nil {
		return false
	}
	defer b.gate.Leave()
	s, ok := b.seeds.next(ctx)
	if ok {
		b.visit(ctx, cancel, s)
	}
	return ok
}

// visit does one seed, with its retries.
func (b *batch) visit(ctx context.Context, cancel context.CancelCauseFunc, s seed) {
	a := refusedSeed(s)
	err := s.err
	for try := 1; s.err == nil; try++ {
		var r workers.Report
		r, err = b.worker.Visit(ctx, plat.Job{URL: s.url})
		a = archivedOf(&r, try)
		if r.Outcome == plat.OutcomeError && b.unreachable(ctx, cancel) {
			break
		}
		if err == nil || !r.Retry || try > b.retries || !pause(ctx, time.Second<<(try-1)) {
			break
		}
	}
	switch {
	case a.Outcome == plat.OutcomeInterrupted:
		a.Error = "interrupted before it was done"
	case err != nil:
		// The outcome has its own field and column.
		a.Error = strings.TrimPrefix(err.Error(), string(a.Outcome)+": ")
	}
	b.mu.Lock()
	b.sums.add(&a)
	b.mu.Unlock()
	switch {
	case b.quiet && err == nil:
	case b.json:
		b.out.JSON(a)
	default:
		b.out.Print(a.line(b.out))
	}
	if b.out.Err() != nil {
		cancel(term.ErrOutput)
	}
}

// unreachable asks the store for anything at all, after something of ours went
// wrong. If it does not answer, every other visit would be in vain too.
func (b *batch) unreachable(ctx context.Context, cancel context.CancelCauseFunc) bool {
	_, err := b.store.State(ctx, "plat:")
	if err == nil || errors.Is(err, plat.ErrNotFound) || ctx.Err() != nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = err
	}
	cancel(errStoreLost)
	return true
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(min(d, time.Minute))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// show keeps the line of progress up to date.
func (b *batch) show(done <-chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		n, all, _ := b.seeds.total()
		b.mu.Lock()
		s := b.sums
		b.mu.Unlock()
		b.out.Progress(s.progress(n, all, time.Since(b.begun)))
		select {
		case <-tick.C:
		case <-done:
			return
		}
	}
}

// end prints the totals and says how it went.
func (b *batch) end(ctx context.Context) error {
	n, all, err := b.seeds.total()
	if !b.quiet && !b.json && (err == nil || b.sums.pages > 0) {
		b.out.Print(b.sums.total(b.out, time.Since(b.begun)))
	}
	left := fmt.Sprintf("%d of %d", b.sums.pages-b.sums.interrupted, n)
	if !all {
		left += " or more"
	}
	switch {
	case ctx.Err() != nil:
		return fail(exitInterrupted, "interrupted; %s URLs were visited; run the command again to visit the rest", left)
	case b.out.Err() != nil && (!all || b.sums.pages-b.sums.interrupted < n):
		return fail(exitError, "%w; %s URLs were visited; run the command again to visit the rest", b.out.Err(), left)
	case b.out.Err() != nil:
		return b.out.Err()
	case b.lost != nil:
		return fail(exitStore, "store: %w; %s URLs were visited; run the command again when the store is back", b.lost, left)
	case err != nil:
		return fail(exitError, "list of URLs: %w; the URLs before it were visited", err)
	case b.sums.failed > 0:
		return &failure{code: exitPartly}
	}
	return nil
}
