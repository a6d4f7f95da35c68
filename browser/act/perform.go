package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plat/browser/driver"
	"plat/steps"
)

// perform does what a step says, once; again says that it was done before. Time goes on for
// the page meanwhile, as it does for one that a user sits in front of.
func (a *Actor) perform(ctx context.Context, s *steps.Step, covers func(string) bool, again bool) error {
	if s.Action == steps.Goto {
		return a.open(ctx, s.URL)
	}
	return a.InRealTime(ctx, func(ctx context.Context) error { return a.take(ctx, s, covers, again) })
}

// take does what a step says by chromedp's actions.
func (a *Actor) take(ctx context.Context, s *steps.Step, covers func(string) bool, again bool) error {
	ctx, at, release, err := a.place(ctx, s)
	if err != nil {
		return err
	}
	defer release()
	visible := append(slices.Clone(at), chromedp.NodeVisible)
	switch s.Action {
	case steps.Click:
		if err := a.aim(ctx, s, visible, again); err != nil {
			return err
		}
		return chromedp.Do(ctx, chromedp.Click("", at...))
	case steps.Fill:
		value, secrets, err := s.Resolve(a.o.Secret)
		if err != nil {
			return err
		}
		a.Typed(secrets...)
		if len(secrets) == 0 {
			covers = nil
		}
		return fill(ctx, value, covers, at, visible)
	case steps.Press:
		if s.Selector != "" {
			return chromedp.Do(ctx, chromedp.SendKeys("", keys[s.Key]+single(s.Key), at...))
		}
		return chromedp.Do(ctx, chromedp.KeyEvent(keys[s.Key]+single(s.Key)))
	case steps.Select:
		return chromedp.Do(ctx, chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
			return chromedp.Void{}, choose(ctx, t, nodes[0], s.Value)
		}, at...))
	case steps.Scroll:
		switch s.To {
		case steps.Top:
			return a.scrollPage(ctx, "0")
		case steps.Bottom:
			return a.scrollPage(ctx, "1e9")
		}
		return chromedp.Do(ctx, chromedp.ScrollIntoView("", at...))
	case steps.Wait:
		return a.await(ctx, s, at)
	case steps.Evaluate:
		if !a.o.Evaluate {
			return errors.New("scripts of steps are switched off")
		}
		return chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](s.Script, chromedp.EvalAwaitPromise))
	}
	return fmt.Errorf("%s is not known", s.Action)
}

// aim waits until there is something to click, and it lies still and free. If it was clicked
// before, it is not waited for long: unless it is there, and only this machine is slow.
func (a *Actor) aim(ctx context.Context, s *steps.Step, visible []chromedp.QueryOption, again bool) error {
	aim := func(ctx context.Context) error {
		return chromedp.Do(ctx,
			chromedp.ScrollIntoView("", visible...),
			chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
				return chromedp.Void{}, a.steady(ctx, t, nodes[0])
			}, visible...))
	}
	if !again {
		return aim(ctx)
	}
	limit, cancel := context.WithTimeoutCause(ctx, repeatTimeout, errLimit)
	defer cancel()
	err := aim(limit)
	var covered *coveredError
	if err == nil || limit.Err() == nil || errors.As(err, &covered) || s.Frame != "" {
		return err
	}
	if is, asked := a.matched(ctx, s); asked != nil || !is.Seen {
		return err
	}
	return aim(ctx)
}

// keys are what chromedp calls the keys that have names.
var keys = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete, "Space": " ",
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"PageUp": kb.PageUp, "PageDown": kb.PageDown, "Home": kb.Home, "End": kb.End,
}

func single(key string) string {
	if keys[key] == "" {
		return key
	}
	return ""
}

// place says where chromedp is to look for the step's element: options that find
// it, and the context of its frame. release must be called.
func (a *Actor) place(ctx context.Context, s *steps.Step) (_ context.Context, at []chromedp.QueryOption, release func(), err error) {
	release = func() {}
	if s.Selector != "" {
		at = append(at, chromedp.ByFunc(find(s.Selector)))
	}
	if s.Frame == "" {
		return ctx, at, release, nil
	}
	frames, err := chromedp.Run(ctx, chromedp.Nodes(chromedp.CSS(s.Frame)))
	if err != nil {
		return ctx, nil, release, err
	}
	if frames[0].ContentDocument != nil {
		return ctx, append(at, chromedp.FromNode(frames[0])), release, nil
	}
	if frames[0].FrameID == "" {
		return ctx, nil, release, fmt.Errorf("%q is no frame", s.Frame)
	}
	ctx, release, err = driver.AttachFrame(ctx, frames[0].FrameID)
	if err != nil {
		return ctx, nil, func() {}, err
	}
	return ctx, at, release, nil
}

// steady waits until an element stays where it is and nothing lies over it: a
// click is at a place, and would go to what is there by then.
func (a *Actor) steady(ctx context.Context, t *chromedp.Target, n *chromedp.Node) error {
	last := ""
	for {
		r, err := callOn(ctx, t, n.NodeID, true, `function() {
			const b = this.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;
			const top = this.getRootNode().elementFromPoint(x, y);
			const free = !top || this === top || this.contains(top) || top.contains(this) || this.getClientRects().length > 1;
			return [b.x, b.y, b.width, b.height].join() + '|' + (free ? '' : top.localName + (top.id ? '#' + top.id : ''));
		}`)
		if err != nil {
			return err
		}
		var now string
		if err := jsonv2.Unmarshal(r.Value, &now); err != nil {
			return err
		}
		_, cover, _ := strings.Cut(now, "|")
		if now == last && cover == "" {
			return nil
		}
		last = now
		if err := a.Sleep(ctx, pollEvery); err != nil {
			if cover != "" {
				return &coveredError{short(cover), err}
			}
			return err
		}
	}
}

// coveredError is the end of a click on an element that another one lies over.
type coveredError struct {
	by  string
	err error
}

func (e *coveredError) Error() string { return "the element was covered by " + e.by }
func (e *coveredError) Unwrap() error { return e.err }
