package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"

	"plat/browser/driver"
	"plat/browser/steps"
)

// perform performs a step once; again marks a repetition. The page's time advances meanwhile, as it
// does for a user.
func (a *Actor) perform(ctx context.Context, s *steps.Step, covers func(string) bool, again bool) error {
	if s.Action == steps.Goto {
		return a.open(ctx, s.URL)
	}
	return a.InRealTime(ctx, func(ctx context.Context) error { return a.take(ctx, s, covers, again) })
}

// take performs a step by chromedp's actions.
func (a *Actor) take(ctx context.Context, s *steps.Step, covers func(string) bool, again bool) error {
	if s.Action == steps.Fill {
		return a.fill(ctx, s, covers)
	}
	ctx, at, frame, release, err := a.place(ctx, s)
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
	case steps.Press:
		return a.press(ctx, s, frame, covers, visible)
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

// aim waits until the step's element exists, rests and is uncovered. If the step is a repetition it
// waits only briefly, unless the element is visible and only this machine is slow.
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

// place returns where chromedp finds the step's element: options that select it, the frame whose
// document contains it, and the context of that frame. release must be called.
func (a *Actor) place(ctx context.Context, s *steps.Step) (_ context.Context, at []chromedp.QueryOption, frame cdp.FrameID, release func(), err error) {
	release = func() {}
	if s.Selector != "" {
		at = append(at, chromedp.ByFunc(find(s.Selector)))
	}
	if s.Frame == "" {
		return ctx, at, a.MainFrame(), release, nil
	}
	frames, err := chromedp.Run(ctx, chromedp.Nodes(chromedp.CSS(s.Frame)))
	if err != nil {
		return ctx, nil, "", release, err
	}
	if frame = frames[0].FrameID; frame == "" {
		return ctx, nil, "", release, fmt.Errorf("%q is not a frame", s.Frame)
	}
	a.entered[frame] = true
	if frames[0].ContentDocument != nil {
		return ctx, append(at, chromedp.FromNode(frames[0])), frame, release, nil
	}
	ctx, release, err = driver.AttachFrame(ctx, frame)
	if err != nil {
		return ctx, nil, "", func() {}, err
	}
	return ctx, at, frame, release, nil
}

// steady waits until an element rests and no other covers it: a click goes to a point, and would
// hit the element that is there at that moment.
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

// coveredError is the end of a click on an element that a different one covers.
type coveredError struct {
	by  string
	err error
}

func (e *coveredError) Error() string { return "the element was covered by " + e.by }
func (e *coveredError) Unwrap() error { return e.err }
