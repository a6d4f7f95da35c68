package browser

import (
	"context"
	"fmt"
	"slices"

	"plat/browser/concurrency"
	"plat/browser/egress"
	"plat/browser/tab"
)

// slot is a lane with, most often, a tab that is ready for use. There is one slot more than tabs:
// the tab for the next page is opened while pages load.
type slot struct {
	lane *egress.Lane
	tab  *tab.Tab
	of   *chrome // the tab's
}

// acquire returns a browser for one more tab, starting one if need be.
func (p *Pool) acquire(ctx context.Context) (*chrome, error) {
	if c := p.take(); c != nil {
		return c, nil
	}
	p.starts.Lock() // one at a time
	defer p.starts.Unlock()
	if c := p.take(); c != nil {
		return c, nil
	}
	c, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	p.o.Log.Info("browser started", "product", c.Product)
	p.mu.Lock()
	p.current = c
	c.tabs++
	c.pages++
	p.mu.Unlock()
	return c, nil
}

// take counts a tab of the current browser, unless that browser is to be replaced.
func (p *Pool) take() *chrome {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.current
	if c == nil {
		return nil
	}
	why := p.worn(c)
	if why == "" {
		c.tabs++
		c.pages++
		return c
	}
	p.retire(c, why)
	return nil
}

// worn returns why a browser should get no more pages, "" if it should. mu is held.
func (p *Pool) worn(c *chrome) string {
	switch {
	case !c.Running():
		return "it has ended"
	case c.pages >= p.o.RecyclePages:
		return "it has had its pages"
	case c.pages > 0 && c.pages%memoryEvery == 0:
		if c.Memory() > p.o.RecycleMemory {
			return "it has grown too big"
		}
	}
	return ""
}

// memoryEvery is the number of pages between two checks of memory, which read all of /proc.
const memoryEvery = 32

// retire lets no new tabs into a browser. Open tabs continue, and when the last one is closed the
// browser is stopped. mu is held.
func (p *Pool) retire(c *chrome, why string) {
	if c.retired {
		return
	}
	c.retired = true
	if p.current == c {
		p.current = nil
	}
	p.o.Log.Info("browser is replaced", "why", why, "pages", c.pages)
	if c.tabs == 0 {
		p.work.Go(c.Stop)
	}
}

// release counts a closed tab of a browser.
func (p *Pool) release(c *chrome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.tabs--; c.tabs == 0 && c.retired {
		p.work.Go(c.Stop)
	}
}

// ready makes sure that the slot has a tab that works.
func (p *Pool) ready(ctx context.Context, s *slot) error {
	if s.tab != nil && s.of.Running() {
		return nil
	}
	p.discard(ctx, s)
	var last error
	for range 2 { // the browser may die just now, but hardly twice in a row
		c, err := p.acquire(ctx)
		if err != nil {
			return err
		}
		t, err := c.Open(ctx, s.lane)
		if err == nil {
			s.tab, s.of = t, c
			return nil
		}
		p.mu.Lock()
		if c.Running() && ctx.Err() == nil {
			p.retire(c, "it opens no tab: "+err.Error())
		}
		p.mu.Unlock()
		p.release(c)
		if last = err; ctx.Err() != nil {
			break
		}
	}
	return fmt.Errorf("open a tab: %w", last)
}

// discard closes the slot's tab, if it has one.
func (p *Pool) discard(ctx context.Context, s *slot) {
	t, c := s.tab, s.of
	if t == nil {
		return
	}
	s.tab, s.of = nil, nil
	if err := t.Close(ctx); err != nil && c.Running() && ctx.Err() == nil {
		p.mu.Lock()
		p.retire(c, err.Error())
		p.mu.Unlock()
	}
	p.release(c)
}

// free returns a slot to the idle ones, or gives it up if there are more than needed.
func (p *Pool) free(ctx context.Context, s *slot) {
	p.mu.Lock()
	if p.slots > p.tabs+1 {
		p.slots--
		p.mu.Unlock()
		p.discard(ctx, s)
		s.lane.Close()
		return
	}
	p.idle = append(p.idle, s)
	p.mu.Unlock()
	p.freed <- struct{}{}
}

// slot returns the slot for a page of an origin: an idle one, or a new one.
func (p *Pool) slot(ctx context.Context, origin string) (*slot, error) {
	select {
	case <-p.freed:
		return p.choose(origin), nil
	default:
	}
	p.mu.Lock()
	more := p.slots < p.tabs+1
	if more {
		p.slots++
	}
	p.mu.Unlock()
	if more {
		lane, err := p.o.Guard.Lane()
		if err != nil {
			p.mu.Lock()
			p.slots--
			p.mu.Unlock()
			return nil, err
		}
		return &slot{lane: lane}, nil
	}
	select {
	case <-p.freed:
		return p.choose(origin), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// choose removes and returns the idle slot that suits an origin best: a tab used for it, else a
// new tab, else any slot. The caller has taken a token from freed.
func (p *Pool) choose(origin string) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	best, rank := 0, -1
	for i, s := range p.idle {
		r := 0
		switch {
		case s.tab == nil:
		case s.tab.Origin == origin:
			r = 2
		case s.tab.Origin == "":
			r = 1
		}
		if r > rank {
			best, rank = i, r
		}
	}
	s := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return s
}

// comesAgain records a page of an origin, and reports whether a recent page had the same origin,
// so that the next one may well have it too.
func (p *Pool) comesAgain(origin string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	again := !p.o.NoReuse && slices.Contains(p.recent, origin)
	if p.recent = append(p.recent, origin); len(p.recent) > 4*p.tabs {
		p.recent = slices.Delete(p.recent, 0, 1)
	}
	return again
}

// renew prepares a slot for its next page, in the background: it clears the used tab if that is to
// be used again, or closes it and opens a new one.
func (p *Pool) renew(s *slot, again bool) {
	p.work.Add(1) // by a rendering that is counted itself
	go func() {
		defer p.work.Done()
		ctx, cancel := p.scope(context.Background())
		defer cancel()
		defer p.free(ctx, s)
		if again && s.tab != nil && s.tab.Reusable() && !p.leaving(s.of) {
			if s.tab.Clear(ctx) == nil {
				return
			}
		}
		p.discard(ctx, s)
		if ctx.Err() != nil {
			return
		}
		if err := p.ready(ctx, s); err != nil && ctx.Err() == nil {
			p.o.Log.Warn("no tab for the next page yet", "error", err)
		}
	}()
}

// turn is the right to render. A rendering may return it temporarily.
type turn struct {
	turns *concurrency.Semaphore
	held  bool
}

func (t *turn) take(ctx context.Context) error {
	err := t.turns.Acquire(ctx)
	t.held = err == nil
	return err
}

// give returns the turn, if it is held.
func (t *turn) give() {
	if t.held {
		t.held = false
		t.turns.Release()
	}
}
