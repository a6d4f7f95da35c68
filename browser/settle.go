package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// settleScript defines the functions that look at a page; see settle.js.
//
//go:embed settle.js
var settleScript string

// looks is what settle.js tells of a page.
type looks struct {
	Inert  bool    `json:"inert"`  // nothing in it can move
	Lazy   bool    `json:"lazy"`   // something waits for being scrolled to
	Height float64 `json:"height"` // of the document, px
}

// settle waits until the page is ready to be taken.
//
// The load event says that all is there that the document itself asks for. What
// scripts do next nobody announces, so it is watched: for [Options.Quiet] nothing
// may move on the wire (as the guard sees it, and for https Chrome) and no node
// may be made (as Chrome's renderer counts them, which no script can hide). A
// document without scripts and frames cannot move and is taken at once. Where
// something is left to gain by it, the page is then scrolled through once, a
// viewport at a time, and must come to rest again. If the page goes to another
// document meanwhile, all begins anew for that one.
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
		if err := v.untilLoaded(ctx); err != nil {
			return err
		}
		v.mu.Lock()
		document := v.loads
		v.mu.Unlock()
		seen, err := v.look(ctx)
		if err != nil {
			return err
		}
		if err := v.untilStill(ctx, seen.Inert); err != nil {
			return err
		}
		v.mu.Lock()
		another := v.loads != document || v.leaving
		v.mu.Unlock()
		switch {
		case another:
			scrolled = v.o.NoScroll
		case scrolled || !seen.Lazy || seen.Height <= float64(v.o.Height):
			return v.arrived()
		default:
			scrolled = true
			if err := v.scroll(ctx); err != nil {
				return err
			}
		}
	}
}

// untilLoaded waits for the load event of the document that is shown.
func (v *visit) untilLoaded(ctx context.Context) error {
	return v.wait(ctx, func() bool { return v.loaded && !v.leaving })
}

// look asks the page. It is asked in its own world, which it could prepare for
// lies: they would make it be taken too early or not be scrolled, no more. An
// isolated world would cost 8 ms of CPU time.
func (v *visit) look(ctx context.Context) (looks, error) {
	b, err := v.evaluate(ctx, 0, "(() => { "+settleScript+"return look(); })()")
	var refused *protocolError
	if errors.As(err, &refused) {
		return looks{}, nil // it is going elsewhere, or means to be odd
	}
	if err != nil {
		return looks{}, err
	}
	var seen looks
	if err := jsonv2.Unmarshal(b, &seen); err != nil {
		return looks{}, nil // its lies are no JSON of ours
	}
	return seen, nil
}

// untilStill waits until nothing has moved for as long as it takes.
func (v *visit) untilStill(ctx context.Context, inert bool) error {
	if inert && v.quiet(true) {
		return nil
	}
	before, err := v.count(ctx)
	if err != nil {
		return err
	}
	for {
		if err := v.pause(ctx, v.o.Quiet); err != nil {
			return err
		}
		after, err := v.count(ctx)
		if err != nil {
			return err
		}
		// The count falls when garbage is collected, which moves nothing.
		still := after <= before
		if before = after; !still {
			continue
		}
		if v.quiet(false) {
			return nil
		}
		if err := v.untilLoaded(ctx); err != nil {
			return err
		}
		if err := v.wait(ctx, func() bool { return len(v.inFlight) == 0 || v.leaving }); err != nil {
			return err
		}
		if err := v.lane.Quiet(ctx, v.o.Quiet); err != nil {
			return err
		}
	}
}

// pause lets time pass for the page.
func (v *visit) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-v.session.gone:
		return v.lost()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// count is how many nodes the renderer holds: the page's, and those that its
// scripts hold on to or have thrown away lately.
func (v *visit) count(ctx context.Context) (int64, error) {
	n, err := call(ctx, v.session, memory.GetDOMCounters, cdp.Empty{})
	v.held = n.Nodes
	return n.Nodes, err
}

// scroll goes through the page, in a world of its own.
func (v *visit) scroll(ctx context.Context) error {
	world, err := v.world(ctx)
	if err == nil {
		_, err = v.evaluate(ctx, world, fmt.Sprintf("%s; scrollThrough(%d)", settleScript, v.o.ScrollHeight))
	}
	var refused *protocolError
	if errors.As(err, &refused) {
		return nil // it has gone elsewhere
	}
	return err
}

// world makes an isolated world in the page's main frame: its scripts see the
// DOM, and the page's scripts neither see nor change them.
func (v *visit) world(ctx context.Context) (runtime.ExecutionContextID, error) {
	r, err := call(ctx, v.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(v.target)})
	return r.ExecutionContextID, err
}

// evaluate runs an expression in a world, 0 for the page's own, and returns its
// value, JSON, awaiting it if it is a promise.
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

// quiet reports whether nothing is under way on the wire, and nothing was for
// as long as it takes, unless the page is inert.
func (v *visit) quiet(inert bool) bool {
	a := v.lane.Idle()
	v.mu.Lock()
	defer v.mu.Unlock()
	return a.InFlight == 0 && len(v.inFlight) == 0 && !v.leaving && v.loaded && (inert || time.Since(a.Last) >= v.o.Quiet)
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
