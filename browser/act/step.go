package act

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"

	"plat/browser/devtools"
	"plat/browser/steps"
	"plat/browser/tab"
)

// list runs steps in order. covers reports whether secrets may be typed into pages of a host.
func (a *Actor) list(ctx context.Context, r *steps.Rule, list []steps.Step, word string, covers func(string) bool) error {
	for i := range list {
		s := &list[i]
		if leads(s) {
			a.View(func(s *tab.State) { a.begun = s.Documents })
		}
		err := a.step(ctx, s, covers)
		if err == nil || s.Optional && a.alive(ctx) {
			continue
		}
		return fmt.Errorf("%s: rule %q: %s %d (line %d), %v: %w", r.File, r.Name, word, i+1, s.Line, s, err)
	}
	return nil
}

// alive reports whether the next step has any sense.
func (a *Actor) alive(ctx context.Context) bool {
	select {
	case <-a.Session.Detached():
		return false
	default:
		return ctx.Err() == nil && a.Browser.Running()
	}
}

// step runs one step, with its repetitions, and waits for the page that it may lead to.
func (a *Actor) step(ctx context.Context, s *steps.Step, covers func(string) bool) error {
	a.ResetLoopCount()
	var covered *coveredError
	times := max(1, s.Repeat)
	for i := range times {
		limit := s.Limit()
		one, cancel := tab.WithLimit(ctx, limit, "the step")
		err := a.perform(one, s, covers, i > 0)
		if err == nil && leads(s) {
			err = a.arrive(one)
		}
		out := one.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && i > 0:
			return nil // no more of them
		case errors.As(err, &covered) && out:
			return fmt.Errorf("%w, for %v", covered, limit)
		case err != nil && out:
			return fmt.Errorf("%s within %v", a.diagnose(ctx, s), limit)
		case err != nil:
			return plain(err)
		}
		if i+1 < times {
			if err := a.Again(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// leads reports whether a step may lead to a new document.
func leads(s *steps.Step) bool {
	return s.Action == steps.Click || s.Action == steps.Press || s.Action == steps.Evaluate
}

// repeatTimeout limits the wait for the next element of a repeated click: the page has settled
// since the last, so that it is there now. The click itself, and the document that it may lead to,
// have the step's limit.
const repeatTimeout = 500 * time.Millisecond

// leaveTime limits the wait for a page to request a new document after a click.
const leaveTime = 200 * time.Millisecond

// arrive waits for the document that a click or a key has requested.
func (a *Actor) arrive(ctx context.Context) error {
	err := a.InRealTime(ctx, func(ctx context.Context) error {
		if err := a.turnTasks(ctx); err != nil {
			return err
		}
		limit, cancel := context.WithTimeoutCause(ctx, leaveTime, errLimit)
		defer cancel()
		return a.poll(limit, func() (bool, error) {
			return a.Is(func(s *tab.State) bool { return s.Leaving || !s.Loaded }), nil
		})
	})
	if err != nil && !errors.Is(err, errLimit) {
		return err
	}
	if err := a.UntilLoaded(ctx); err != nil && !errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return nil // the next step fails if the document does not load
}

// turnTasks waits until the page has run its pending tasks: a form is submitted in a task of its
// own, which a busy machine may run late.
func (a *Actor) turnTasks(ctx context.Context) error {
	limit, cancel := context.WithTimeoutCause(ctx, tasksTime, errLimit)
	defer cancel()
	world, err := a.World(limit)
	if err == nil {
		_, err = a.EvaluatePromise(limit, world, "new Promise(done => setTimeout(() => setTimeout(done)))")
	}
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) || errors.Is(err, errLimit) {
		return nil // it is between two documents, or hangs
	}
	return err
}

// tasksTime limits the wait for a page's tasks.
const tasksTime = 2 * time.Second

// plain rewords errors of Chrome and chromedp.
func plain(err error) error {
	var refused *cdproto.Error
	if errors.As(err, &refused) && refused.Message == "DOM Error while querying" {
		return errors.New("the browser does not understand the selector")
	}
	var thrown *chromedp.ExceptionError
	if errors.As(err, &thrown) {
		return fmt.Errorf("the script failed: %w", thrown)
	}
	return err
}
