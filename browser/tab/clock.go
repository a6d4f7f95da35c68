package tab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/headlessexperimental"

	"plat/browser/devtools"
)

// clock is the virtual time of a tab's pages. It pauses except in the slices granted by
// [Tab.Advance]: there, timers fire as soon as the renderer is idle, so that a second of a waiting
// page costs nothing. Dates advance with it. Virtual time cannot be switched off: all pages of a
// tab have it.
type clock struct {
	began   time.Time     // when virtual time was switched on; zero: it was not
	granted time.Duration // since
	base    float64       // of the renderer's ticks when it was switched on, ms
	inBase  time.Duration // granted since base: each renderer has a separate base
	frame   float64       // ticks of the last frame, ms
	runs    bool          // meanwhile advances it at present
}

// ahead returns how far the pages' clock is ahead of real time; negative if it is behind.
func (c *clock) ahead(now time.Time) time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return c.granted - now.Sub(c.began)
}

// maxAhead bounds the lead of a page's clock at its beginning. A page with scripts gains a few
// seconds on real time, so that a tab serves some ten of them in a row.
const maxAhead = 2 * time.Minute

// maxStarvation bounds the tasks that run in a row while virtual time pauses. Without it an
// endless chain of messages would pause it for ever.
const maxStarvation = 500

// policy sets how virtual time passes from now on, for so long.
func (t *Tab) policy(ctx context.Context, p emulation.VirtualTimePolicy, d time.Duration) error {
	return t.setPolicy(ctx, emulation.SetVirtualTimePolicyParams{
		Policy: p, Budget: new(millis(d)), MaxVirtualTimeTaskStarvationCount: maxStarvation,
	})
}

func (t *Tab) setPolicy(ctx context.Context, p emulation.SetVirtualTimePolicyParams) error {
	r, err := devtools.Call(ctx, t.Session, emulation.SetVirtualTimePolicy, p)
	if err == nil && r.VirtualTimeTicksBase != t.clock.base {
		t.clock.base, t.clock.inBase = r.VirtualTimeTicksBase, 0
	}
	return err
}

// StopClock pauses virtual time.
func (t *Tab) StopClock(ctx context.Context) error {
	return t.setPolicy(ctx, emulation.SetVirtualTimePolicyParams{Policy: emulation.VirtualTimePolicyPause})
}

// StartClock pauses the clock for a page that is about to begin: at the current time or, in a tab
// without previous page, at the given time.
func (t *Tab) StartClock(ctx context.Context, at time.Time) error {
	p := emulation.SetVirtualTimePolicyParams{Policy: emulation.VirtualTimePolicyPause}
	if t.clock.began.IsZero() {
		t.clock.began = time.Now()
		if !at.IsZero() {
			p.InitialVirtualTime = cdp.TimeSinceEpoch(float64(at.UnixMicro()) / 1e6)
		}
	}
	if err := t.setPolicy(ctx, p); err != nil {
		return err
	}
	// The clock of a tab that waited for its page is behind; catching up delays nothing in it.
	if late := -t.clock.ahead(time.Now()); late > 0 && at.IsZero() && t.Uses > 1 {
		return t.Advance(ctx, emulation.VirtualTimePolicyAdvance, late)
	}
	return nil
}

// errTick ends a wait that is then resumed.
var errTick = errors.New("a tick")

// Advance grants a slice of virtual time and returns when it has passed.
func (t *Tab) Advance(ctx context.Context, p emulation.VirtualTimePolicy, d time.Duration) error {
	return t.AdvanceWith(ctx, p, d, nil)
}

// AdvanceWith is Advance, but calls other every 50 ms: if it returns a policy, the rest of the
// slice runs under that policy.
func (t *Tab) AdvanceWith(ctx context.Context, p emulation.VirtualTimePolicy, d time.Duration, other func() emulation.VirtualTimePolicy) error {
	was := 0
	t.View(func(s *State) { was = s.expired })
	if err := t.policy(ctx, p, d); err != nil {
		return err
	}
	passed := func(s *State) bool { return s.expired != was }
	for {
		tick, cancel := context.WithTimeoutCause(ctx, 50*time.Millisecond, errTick)
		err := t.wait(tick, passed)
		cancel()
		if err == nil {
			t.clock.granted += d
			t.clock.inBase += d
			return nil
		}
		if !errors.Is(err, errTick) || ctx.Err() != nil {
			return err
		}
		if other == nil {
			continue
		}
		if next := other(); next != "" && next != p {
			// The granted slice keeps its end: a new slice would end in the middle of the next one,
			// and so on, and time would pass too slowly.
			p = next
			if err := t.setPolicy(ctx, emulation.SetVirtualTimePolicyParams{Policy: p, MaxVirtualTimeTaskStarvationCount: maxStarvation}); err != nil {
				return err
			}
		}
	}
}

const (
	frameInterval = 1000 / 60.0 // ms, as pages see it

	// frameTimeout limits the time of a frame, and the wait for frames of other tabs.
	frameTimeout = 3 * time.Second
)

var (
	// ErrNoFrame reports that a frame did not finish in time.
	ErrNoFrame = errors.New("the page draws no frame")
	// ErrBusy is ErrNoFrame where the frames of other tabs took all the time.
	ErrBusy = fmt.Errorf("%w: frames of other tabs took all the time", ErrNoFrame)
)

// Draw lets the page draw a frame: it updates animations and observers, and runs callbacks for
// the next frame. visible also updates the displayed picture.
func (t *Tab) Draw(ctx context.Context, visible bool) error {
	var p headlessexperimental.BeginFrameParams
	if !visible {
		p.NoDisplayUpdates = new(true)
	}
	_, err := t.beginFrame(ctx, frameTimeout, p)
	return err
}

// beginFrame lets the page draw a frame, within a time limit.
//
// Frames of several tabs at once kill the browser's GPU process, so a browser draws one at a time.
// A frame that does not finish blocks the others until it does, or its tab is gone.
func (t *Tab) beginFrame(ctx context.Context, limit time.Duration, p headlessexperimental.BeginFrameParams) ([]byte, error) {
	wait := time.NewTimer(frameTimeout)
	defer wait.Stop()
	select {
	case t.Browser.frames <- struct{}{}:
	case <-wait.C:
		return nil, ErrBusy
	case <-t.Session.Detached():
		return nil, t.Lost()
	case <-t.Browser.Closed():
		return nil, devtools.ErrGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	free := func() { <-t.Browser.frames }
	t.clock.frame = max(t.clock.frame+0.01, t.clock.base+millis(t.clock.inBase))
	p.FrameTimeTicks, p.Interval = t.clock.frame, frameInterval
	f := t.Session.Send(headlessexperimental.BeginFrame.Method, p)
	wait.Reset(limit)
	select {
	case reply := <-f.Answer():
		free()
		return f.Open(reply)
	case <-t.Session.Detached():
		free()
		return nil, t.Lost()
	case <-t.Browser.Closed():
		free()
		return nil, devtools.ErrGone
	case <-wait.C:
	case <-ctx.Done():
	}
	t.Browser.late.Go(func() {
		defer free()
		defer f.Forget()
		select {
		case <-f.Answer():
		case <-t.Session.Detached():
		case <-t.Browser.Closed():
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("%w in %v", ErrNoFrame, limit)
}

// whileDrawing draws frames continuously while do runs; virtual time pauses. Full Chromium draws
// unprompted.
func (t *Tab) whileDrawing(ctx context.Context, do func(context.Context) error) error {
	return t.meanwhile(ctx, do, func(ctx context.Context) error {
		if !t.Browser.Framed {
			return t.Sleep(ctx, FrameEvery)
		}
		if err := t.Draw(ctx, true); err != nil && !errors.Is(err, ErrNoFrame) {
			return err
		}
		return t.Sleep(ctx, FrameEvery)
	})
}

// FrameEvery is the interval between frames where a page runs as in a visible window.
const FrameEvery = 20 * time.Millisecond

// InRealTime lets virtual time pass as fast as real time while do runs, and draws frames: for steps
// of a user.
func (t *Tab) InRealTime(ctx context.Context, do func(context.Context) error) error {
	return t.meanwhile(ctx, do, func(ctx context.Context) error { return t.live(ctx, t.Browser.Framed) })
}

// WhileTimePasses is InRealTime without frames, for calls that wait for answers of a page whose
// pictures are done.
func (t *Tab) WhileTimePasses(ctx context.Context, do func(context.Context) error) error {
	return t.meanwhile(ctx, do, func(ctx context.Context) error { return t.live(ctx, false) })
}

// live lets as much virtual time pass as real time.
func (t *Tab) live(ctx context.Context, drawn bool) error {
	began := time.Now()
	if err := t.Advance(ctx, emulation.VirtualTimePolicyAdvance, FrameEvery); err != nil {
		return err
	}
	if drawn {
		if err := t.Draw(ctx, true); err != nil && !errors.Is(err, ErrNoFrame) {
			return err
		}
	}
	return t.Sleep(ctx, FrameEvery-time.Since(began))
}

// meanwhile runs step repeatedly while do runs, and ends with the clock paused.
func (t *Tab) meanwhile(ctx context.Context, do, step func(context.Context) error) error {
	if t.clock.runs {
		return do(ctx)
	}
	t.clock.runs = true
	defer func() { t.clock.runs = false }()
	stop, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for stop.Err() == nil {
			if step(ctx) != nil {
				return // do finds the cause
			}
		}
	}()
	err := do(ctx)
	cancel(errTick)
	<-done
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, t.StopClock(ctx))
}

// Sleep waits in real time.
func (t *Tab) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-t.Session.Detached():
		return t.Lost()
	case <-t.Browser.Closed():
		return devtools.ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// millis is a duration in milliseconds.
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
