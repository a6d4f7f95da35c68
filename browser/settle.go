package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// settleScript defines the functions that look at a page from an isolated
// world: they see its DOM, and the page's scripts neither see nor change them.
//
//go:embed settle.js
var settleScript string

// looks is what settle.js tells of a page.
type looks struct {
	Still  bool    `json:"still"`  // nothing moved for as long as was asked
	Inert  bool    `json:"inert"`  // nothing can move
	Lazy   bool    `json:"lazy"`   // something waits for being scrolled to
	Height float64 `json:"height"` // of the document, px
}

// settle waits until the page is ready to be taken.
//
// The load event says that all is there that the document itself asks for. What
// scripts do next nobody announces, so it is watched: nothing may move on the
// wire (as the guard sees it, and for https Chrome) and no node come, go or
// change its text for [Options.Quiet]. A document without scripts cannot move
// and costs one round trip. Where something is left to gain by it, the page is
// then scrolled through once, a viewport at a time, and must come to rest again.
// If the page goes to another document meanwhile, all begins anew for that one.
func (v *visit) settle(ctx context.Context) error {
	start := time.Now()
	defer func() { v.timing.Settle = time.Since(start) }()
	if v.o.Quiet < 0 || v.restive {
		return nil
	}
	limit, cancel := context.WithTimeoutCause(ctx, v.o.SettleTimeout, errLimit)
	defer cancel()
	err := v.rest(limit)
	if errors.Is(err, errLimit) {
		v.restive = true
		err = nil
	}
	return err
}

func (v *visit) rest(ctx context.Context) error {
	scrolled := v.o.NoScroll
	for {
		seen, world, err := v.look(ctx)
		if err != nil {
			if again, err := v.moved(ctx, err); !again {
				return err
			}
			scrolled = v.o.NoScroll
			continue
		}
		if !seen.Still {
			continue
		}
		if !v.quiet(seen.Inert) {
			if err := v.untilQuiet(ctx); err != nil {
				return err
			}
			continue
		}
		if scrolled || !seen.Lazy || seen.Height <= float64(v.o.Height) {
			return v.arrived()
		}
		scrolled = true
		if _, err := v.evaluate(ctx, world, fmt.Sprintf("scrollThrough(%d)", v.o.ScrollHeight)); err != nil {
			if again, err := v.moved(ctx, err); !again {
				return err
			}
		}
	}
}

// look asks the page, in a world made for the purpose.
func (v *visit) look(ctx context.Context) (looks, runtime.ExecutionContextID, error) {
	world, err := v.world(ctx)
	if err != nil {
		return looks{}, 0, err
	}
	b, err := v.evaluate(ctx, world, fmt.Sprintf("%s; look(%d)", settleScript, v.o.Quiet.Milliseconds()))
	if err != nil {
		return looks{}, 0, err
	}
	var seen looks
	if err := jsonv2.Unmarshal(b, &seen); err != nil {
		return looks{}, 0, fmt.Errorf("look at the page: %w", err)
	}
	return seen, world, nil
}

// world makes an isolated world in the page's main frame.
func (v *visit) world(ctx context.Context) (runtime.ExecutionContextID, error) {
	r, err := call(ctx, v.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(v.target)})
	return r.ExecutionContextID, err
}

// evaluate runs an expression in a world and returns its value, JSON, awaiting
// it if it is a promise.
func (v *visit) evaluate(ctx context.Context, world runtime.ExecutionContextID, expression string) ([]byte, error) {
	r, err := call(ctx, v.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: world, ReturnByValue: new(true), AwaitPromise: new(true),
	})
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, &protocolError{runtime.Evaluate.Method, r.ExceptionDetails.Text}
	}
	return r.Result.Value, nil
}

// moved says whether a failed look was due to the page's going to another
// document, and if so waits for that to load.
func (v *visit) moved(ctx context.Context, err error) (again bool, _ error) {
	var refused *protocolError
	if !errors.As(err, &refused) {
		return false, err
	}
	v.mu.Lock()
	loads := v.loads
	v.mu.Unlock()
	if loads == v.seenLoads && v.refusals > maxRefusals {
		return false, err
	}
	if v.refusals++; loads != v.seenLoads {
		v.seenLoads, v.refusals = loads, 0
	}
	if err := v.wait(ctx, func() bool { return v.loaded && !v.leaving }); err != nil {
		return false, err
	}
	return true, v.arrived()
}

// maxRefusals is how often a look may fail on one document. It may once or
// twice: a world ends before the event that says why.
const maxRefusals = 10

// quiet reports whether nothing is under way on the wire, and nothing was for
// as long as it takes, unless the page is inert.
func (v *visit) quiet(inert bool) bool {
	a := v.lane.Idle()
	v.mu.Lock()
	defer v.mu.Unlock()
	return a.InFlight == 0 && len(v.inFlight) == 0 && !v.leaving && v.loaded && (inert || time.Since(a.Last) >= v.o.Quiet)
}

// untilQuiet waits until nothing has been on the wire for long enough.
func (v *visit) untilQuiet(ctx context.Context) error {
	if err := v.wait(ctx, func() bool { return len(v.inFlight) == 0 && !v.leaving && v.loaded }); err != nil {
		return err
	}
	return v.lane.Quiet(ctx, v.o.Quiet)
}

// countNodes counts the nodes of the page and of the frames that it can see.
func (v *visit) countNodes(ctx context.Context) (int64, error) {
	world, err := v.world(ctx)
	if err != nil {
		return 0, err
	}
	b, err := v.evaluate(ctx, world, settleScript+"; countNodes(document)")
	if err != nil {
		return 0, err
	}
	var n int64
	if err := jsonv2.Unmarshal(b, &n); err != nil {
		return 0, fmt.Errorf("count the nodes: %w", err)
	}
	return n, nil
}
