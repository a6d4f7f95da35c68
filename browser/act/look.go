package act

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plat/browser/devtools"
	"plat/browser/steps"
	"plat/plat/urlpattern"
	"plat/plat/weburl"
)

// await waits for the condition of a step.
func (a *Actor) await(ctx context.Context, s *steps.Step, at []chromedp.QueryOption) error {
	switch {
	case s.Pause > 0:
		return a.Sleep(ctx, s.Pause)
	case s.URL != "":
		pattern, err := urlpattern.Parse(s.URL)
		if err != nil {
			return err
		}
		return a.poll(ctx, func() (bool, error) {
			u, err := a.location(ctx)
			return err == nil && pattern.Matches(u), err
		})
	}
	switch s.State {
	case steps.Absent:
		return chromedp.Do(ctx, chromedp.WaitNotPresent("", at...))
	case steps.Present:
		return chromedp.Do(ctx, chromedp.WaitReady("", at...))
	case steps.Hidden:
		gone := chromedp.WaitFunc(func(ctx context.Context, t *chromedp.Target, _ *chromedp.Frame, _ runtime.ExecutionContextID, ids ...cdp.NodeID) ([]*chromedp.Node, error) {
			for _, id := range ids {
				r, err := callOn(ctx, t, id, true, `function() { return this.getClientRects().length > 0 }`)
				if err != nil || string(r.Value) == "true" {
					return nil, err
				}
			}
			return []*chromedp.Node{}, nil
		})
		return chromedp.Do(ctx, chromedp.Query("", append(at, chromedp.AtLeast(0), gone)...))
	}
	return chromedp.Do(ctx, chromedp.WaitVisible("", at...))
}

// pollEvery is the interval at which conditions without an event are polled.
const pollEvery = 25 * time.Millisecond

// poll calls is until it returns true.
func (a *Actor) poll(ctx context.Context, is func() (bool, error)) error {
	for {
		ok, err := is()
		var refused *devtools.ProtocolError
		if ok || err != nil && !errors.As(err, &refused) { // refused: it is between two documents
			return err
		}
		if err := a.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// location returns the URL of the document that is shown, including changes by its scripts.
func (a *Actor) location(ctx context.Context) (*url.URL, error) {
	b, err := a.Evaluate(ctx, 0, "location.href") // no page can forge it
	if err != nil {
		return nil, err
	}
	var href string
	if err := jsonv2.Unmarshal(b, &href); err != nil {
		return nil, err
	}
	return url.Parse(weburl.ForRequest(href))
}

// open navigates the tab to a new document, and waits for it.
func (a *Actor) open(ctx context.Context, to string) error {
	if err := a.Navigate(ctx, to); err != nil {
		return err
	}
	if err := a.Load(ctx); err != nil {
		return err
	}
	return a.Again(ctx)
}

// scrollPage puts the page at a height, in px.
func (a *Actor) scrollPage(ctx context.Context, y string) error {
	world, err := a.World(ctx)
	if err == nil {
		_, err = a.Evaluate(ctx, world, "scrollTo({ top: "+y+", behavior: 'instant' })")
	}
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) {
		return nil // it is going elsewhere
	}
	return err
}

// elementScript defines predicates on elements, for an isolated world.
const elementScript = `
const one = (parts) => parts.reduce((root, s) => root && (root.shadowRoot ?? root).querySelector(s), document);
const seen = (e) => !!e && e.getClientRects().length > 0 && getComputedStyle(e).visibility === 'visible';
`

// elements evaluates an expression about elements and decodes its value.
func (a *Actor) elements(ctx context.Context, expression string, into any) error {
	world, err := a.World(ctx)
	if err != nil {
		return err
	}
	b, err := a.Evaluate(ctx, world, "(() => {"+elementScript+"return "+expression+"})()")
	if err != nil {
		return err
	}
	return jsonv2.Unmarshal(b, into)
}

// diagnose explains why a step was not performed in time.
func (a *Actor) diagnose(ctx context.Context, s *steps.Step) string {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	switch {
	case s.URL != "":
		if u, err := a.location(ctx); err == nil {
			return fmt.Sprintf("the page's URL is %q and did not become one that matches", a.redacted(u.Redacted()))
		}
		return "the page's URL did not become one that matches"
	case s.Selector == "" || s.Frame != "":
		return "the step was not performed"
	}
	is, err := a.matched(ctx, s)
	if err != nil {
		return "the page did not answer"
	}
	wait := s.Action == steps.Wait
	switch {
	case wait && s.State == steps.Absent:
		return "the element did not go away"
	case wait && s.State == steps.Hidden:
		return "the element did not become hidden"
	case !is.There:
		return "no element matched"
	case !is.Seen:
		return "the element was there and did not become visible"
	}
	return "the page did not allow the step"
}

// matched reports whether an element matches a step's selector, and whether it is visible.
func (a *Actor) matched(ctx context.Context, s *steps.Step) (is struct{ There, Seen bool }, err error) {
	list, err := jsonv2.Marshal(steps.SplitSelector(s.Selector))
	if err == nil {
		err = a.elements(ctx, fmt.Sprintf("(({ There: !!one(%[1]s), Seen: seen(one(%[1]s)) }))", list), &is)
	}
	return is, err
}

// diagnoseTimeout limits the diagnosis of a failure.
const diagnoseTimeout = 2 * time.Second

// short makes text fit for an error.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
