package segmenter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plat/plat"
	"plat/segment"
	"plat/segment/label"
	"plat/workers"
	"plat/workers/visitor"
)

// Options configure a [Segmenter].
type Options struct {
	// Render configures the browser and the addresses that pages may reach.
	Render visitor.Options

	// Segmentation holds the parameters of all pages, as those of the first visit of a URL.
	Segmentation segment.Params

	// Forbid lists ports of this machine that no page reaches: those of our listeners.
	Forbid []uint16

	// Idle is the time without a page after which the browser ends; the next page starts it again. 0: it
	// ends with Close.
	Idle time.Duration
}

var errClosed = &plat.VisitError{Outcome: plat.OutcomeInterrupted, Retry: true, Err: errors.New("the segmenter is closed")}

// Segmenter divides pages. It is safe for concurrent use.
type Segmenter struct {
	o     Options
	label func() (*label.Describer, error)

	chinese  sync.Once     // loads the Chinese words
	starting chan struct{} // holds a token while a browser is started or ended

	mu     sync.Mutex
	render *visitor.Renderer // nil: no browser runs; guarded by mu
	users  int               // calls under way; guarded by mu
	used   time.Time         // when the last call ended; guarded by mu
	idle   *time.Timer       // ends the browser; nil without Idle; guarded by mu
	closed bool              // guarded by mu
	ended  sync.WaitGroup    // calls under way, and the end of an idle browser
}

// New returns a segmenter whose browser starts with the first page. Close it.
func New(o Options) *Segmenter {
	return &Segmenter{o: o, label: sync.OnceValues(newDescriber), starting: make(chan struct{}, 1)}
}

func newDescriber() (*label.Describer, error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	return d, nil
}

// Start starts the browser. The error is that of [visitor.OpenRenderer].
func (s *Segmenter) Start(ctx context.Context) error {
	_, err := s.enter(ctx)
	if err == nil {
		s.leave()
	}
	return err
}

// Segment renders a page and divides it. The errors are a [*plat.VisitError], those of
// [visitor.OpenRenderer], and a [*SourceError]. An error response of a URL is a
// *plat.VisitError, as it is for a visit.
func (s *Segmenter) Segment(ctx context.Context, from Source) (*Page, error) {
	url, document, err := from.document()
	if err != nil {
		return nil, err
	}
	if han := someHan(from.HTML); han != "" {
		s.chinese.Do(func() { s.loadWords(han) })
	}
	r, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	var snap *plat.Snapshot
	if document != nil {
		snap, err = r.RenderDocument(ctx, url, document)
	} else {
		snap, err = r.Render(ctx, url, nil)
	}
	if err != nil {
		return nil, err
	}
	if err := workers.Refuse(snap); err != nil {
		return nil, err
	}
	from.restore(snap)
	d, err := s.label()
	if err != nil {
		return nil, err
	}
	return divide(d, snap, s.o.Segmentation)
}

// loadWords has the labels load the words that a Chinese text needs, which takes 200 ms, while the browser starts and
// renders.
func (s *Segmenter) loadWords(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.ended.Go(func() {
		if d, err := s.label(); err == nil {
			d.Terms("", []string{text}).Each(text, func(string) bool { return true })
		}
	})
}

// Close ends the browser. Calls under way are interrupted.
func (s *Segmenter) Close() {
	s.mu.Lock()
	s.closed = true
	if s.idle != nil {
		s.idle.Stop()
	}
	r := s.render
	s.render = nil
	s.mu.Unlock()
	if r != nil {
		r.Close()
	}
	s.ended.Wait()
}

// enter counts a call and returns the browser; leave must follow, unless there is an error.
func (s *Segmenter) enter(ctx context.Context) (*visitor.Renderer, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	s.users++
	s.ended.Add(1)
	r := s.render
	s.mu.Unlock()
	if r != nil {
		return r, nil
	}
	r, err := s.start(ctx)
	if err != nil {
		s.leave()
	}
	return r, err
}

// start starts a browser, and loads the word lists meanwhile. If a different call does, it waits for that.
func (s *Segmenter) start(ctx context.Context) (*visitor.Renderer, error) {
	select {
	case s.starting <- struct{}{}:
		defer func() { <-s.starting }()
	case <-ctx.Done():
		return nil, &plat.VisitError{Outcome: plat.OutcomeInterrupted, Retry: true, Err: context.Cause(ctx)}
	}
	s.mu.Lock()
	r, closed := s.render, s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return nil, errClosed
	case r != nil:
		return r, nil
	}
	s.ended.Go(func() { _, _ = s.label() })
	r, err := visitor.OpenRenderer(ctx, s.o.Render)
	if err != nil {
		return nil, err
	}
	r.Forbid(s.o.Forbid...)
	s.mu.Lock()
	if closed = s.closed; !closed {
		s.render = r
	}
	s.mu.Unlock()
	if closed {
		r.Close()
		return nil, errClosed
	}
	return r, nil
}

// leave ends a call.
func (s *Segmenter) leave() {
	defer s.ended.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.used = time.Now()
	if s.o.Idle <= 0 || s.users > 0 || s.closed {
		return
	}
	if s.idle == nil {
		s.idle = time.AfterFunc(s.o.Idle, s.rest)
		return
	}
	s.idle.Reset(s.o.Idle)
}

// rest ends a browser that has been idle for long enough.
func (s *Segmenter) rest() {
	s.mu.Lock()
	r := s.render
	if s.closed || r == nil || s.users > 0 || time.Since(s.used) < s.o.Idle {
		s.mu.Unlock()
		return
	}
	s.render = nil
	s.ended.Add(1)
	s.mu.Unlock()
	defer s.ended.Done()
	r.Close()
}
