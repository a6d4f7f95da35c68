package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"plat/plat"
	"plat/workers"
)

// The parts of a worker and an archive that a batch uses.
type (
	// A worker visits a page once; see [workers.Worker].
	worker interface {
		Visit(ctx context.Context, j plat.Job) (workers.Report, error)
	}

	// An archive answers something, if it can be reached at all.
	archive interface {
		State(ctx context.Context, url string) (plat.URLState, error)
	}

	// A gate says how many visits may be under way.
	gate interface {
		Enter(ctx context.Context) error
		Leave()
	}
)

// Options say how a batch works.
type Options struct {
	Worker  worker
	Archive archive // that the worker keeps pages in
	Gate    gate    // nil: everybody may enter

	// Retries is how often a visit is tried again if it may succeed then: after 1 s,
	// then twice as long each time, at most a minute.
	Retries int

	// Done receives each page when it is done; calls are concurrent. Its error ends the
	// batch: the reader of the pages is gone.
	Done func(p *Page) error

	// Watch, if set, receives the progress of a run every 200 ms.
	Watch func(Progress)
}

// Progress is the progress of a batch.
type Progress struct {
	Totals
	Found int           // URLs of the list, as far as it is read
	All   bool          // the list is read to its end
	Spent time.Duration // since the batch began
}

// Batch visits many URLs, several at once, and tells how each went.
type Batch struct {
	o     Options
	begun time.Time

	mu     sync.Mutex
	totals Totals // guarded by mu
	lost   error  // the archive, out of reach; guarded by mu
}

// New returns a batch that has begun now.
func New(o Options) *Batch { return &Batch{o: o, begun: time.Now()} }

// errLost is the cause of a batch's end when its archive cannot be reached.
var errLost = errors.New("the archive cannot be reached")

// Run visits all seeds, at most n at once, and returns when the last is done or
// abandoned. How it went say [Batch.Progress] and [Batch.Lost].
func (b *Batch) Run(ctx context.Context, seeds *Seeds, n int) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var visiting, showing sync.WaitGroup
	for range n {
		visiting.Go(func() {
			for b.next(inner, cancel, seeds) {
			}
		})
	}
	over := make(chan struct{})
	if b.o.Watch != nil {
		showing.Go(func() { b.watch(seeds, over) })
	}
	visiting.Wait()
	close(over)
	showing.Wait()
}

// next visits one seed, and reports whether there may be more.
func (b *Batch) next(ctx context.Context, cancel context.CancelCauseFunc, seeds *Seeds) bool {
	if b.o.Gate != nil {
		if b.o.Gate.Enter(ctx) != nil {
			return false
		}
		defer b.o.Gate.Leave()
	}
	s, ok := seeds.next(ctx)
	if ok {
		if err := b.Visit(ctx, s); err != nil {
			cancel(err)
		}
	}
	return ok
}

// Visit does one seed, with its retries. An error, of Done or that the archive cannot
// be reached, says that no other seed should be begun; how the page went is no error.
func (b *Batch) Visit(ctx context.Context, s Seed) (end error) {
	p := refused(s)
	for try := 1; s.Err == nil; try++ {
		r, err := b.o.Worker.Visit(ctx, plat.Job{URL: s.URL, Plan: plat.Plan{Spelling: s.As}})
		p = PageOf(&r, try, err)
		if r.Outcome == plat.OutcomeError && b.unreachable(ctx) {
			end = errLost
			break
		}
		if err == nil || !r.Retry || try > b.o.Retries || !pause(ctx, time.Second<<(try-1)) {
			break
		}
	}
	if s.Err != nil {
		p.fail(s.Err)
	}
	b.mu.Lock()
	b.totals.Add(&p)
	b.mu.Unlock()
	if err := b.o.Done(&p); err != nil && end == nil {
		end = err
	}
	return end
}

// unreachable asks the archive for anything at all, after something of ours went
// wrong. If it does not answer, every other visit would be in vain too.
func (b *Batch) unreachable(ctx context.Context) bool {
	_, err := b.o.Archive.State(ctx, "plat:")
	if err == nil || errors.Is(err, plat.ErrNotFound) || ctx.Err() != nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = err
	}
	return true
}

// pause waits, for a minute at most, unless ctx ends first.
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

// watch tells how far a run is until it is over.
func (b *Batch) watch(seeds *Seeds, over <-chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		b.o.Watch(b.Progress(seeds))
		select {
		case <-tick.C:
		case <-over:
			return
		}
	}
}

// Progress returns the progress of the batch with seeds.
func (b *Batch) Progress(seeds *Seeds) Progress {
	n, all, _ := seeds.total()
	return Progress{Totals: b.Totals(), Found: n, All: all, Spent: time.Since(b.begun)}
}

// Totals returns the sums over the pages so far.
func (b *Batch) Totals() Totals {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.totals
}

// Lost is why the archive could not be reached, nil if it could.
func (b *Batch) Lost() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}
