package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/memory"

	"plat"
	"plat/browser/tab"
	"plat/browser/wire"
)

// settleScript defines countNodes; see settle.js.
//
//go:embed settle.js
var settleScript string

// Slices of virtual time. A page that changes is looked at often, so that what it draws
// frame by frame comes to its end; one that does not is soon left alone for longer, and
// longest if it does not wait for frames either, which come between slices.
const (
	firstSlice = 100 * time.Millisecond
	topSlice   = 6400 * time.Millisecond
	topFramed  = 2 * time.Second  // of a page that needs frames
	frameSlice = time.Second / 60 // while a page builds itself frame by frame
)

// How long, in virtual time, a page is watched. The limits are measured on client-rendered
// pages; see docs/rendering.md.
const (
	stillFor         = 8500 * time.Millisecond // without a change: it has settled
	stillAfterScroll = 1500 * time.Millisecond // the same, when it has been scrolled through
	stillAtEnd       = 2 * time.Second         // without a change when it has been watched for as long as can be
	watchFor         = 12 * time.Second        // at most, from the load event
	scrollStep       = 250 * time.Millisecond  // at each viewport
)

// How long, in real time, one waits for others than the page.
const (
	stallAfter = 4 * time.Second         // without traffic, a request is not waited for any more
	liveLull   = 1600 * time.Millisecond // without a sign of a worker, a socket or a stream
	liveFor    = 5 * time.Second         // at most, for those
	taskLull   = 250 * time.Millisecond  // for what the browser does for the page aside: storage, decoding, cryptography
	slowFor    = 3 * time.Second         // at most, for those
	leastReal  = 30 * time.Millisecond   // for any page with scripts
)

// looks is what look in hooks.js tells of a page.
type looks struct {
	Inert  bool    `json:"inert"`  // nothing in it can move
	Frames bool    `json:"frames"` // there are documents in it
	Lazy   bool    `json:"lazy"`   // something waits for being scrolled to
	Height float64 `json:"height"` // of what is scrolled, px
	View   float64 `json:"view"`   // how much of that is seen at once, px
	Fonts  bool    `json:"fonts"`  // some are being loaded
}

// signs are what tells that a page has changed. Each only grows, but for nodes.
type signs struct {
	nodes    int64 // that the renderer holds; falls when garbage is collected
	changes  int   // of the DOM
	requests int
	elements int  // of the document
	asked    bool // it waits for a frame
	framed   bool // it needs frames
}

// newer reports whether something has happened since before.
func (s signs) newer(before signs) bool {
	return s.nodes > before.nodes || s.changes != before.changes || s.requests != before.requests
}

// What hooks.js says of a page: see there.
const (
	frameAsked = 1 << iota
	framesSeen
	scrollSeen
	isLive
	takesTime
)

// watched is what is known of the document that is being watched.
type watched struct {
	looks
	document  int           // which it is; see [tab.State]
	live      bool          // it has begun a worker or a socket
	streaming bool          // a response comes bit by bit
	running   bool          // it is run in real time
	lull      time.Duration // how long there has been no sign, of a page that is live
	liveEnd   time.Time     // when it is not run in real time any more
	slow      time.Time     // until when the browser may be doing something for it aside
	stalled   bool          // a request is not waited for any more
	drawn     bool          // it has had a frame
	frozen    bool          // it does not draw frames
	built     int           // frames that were given because they bring elements
}

// settle waits until the page is ready to be taken.
//
// The load event says that all is there that the document itself asks for. What scripts
// do next nobody announces, so they are given time, which costs nothing while they only
// wait: virtual time passes in slices, and stands still while a request is under way.
// After a slice the page is given a frame if it asks for one. A page has settled when a
// while of virtual time has brought no node, no change of the DOM and no request. A
// document without scripts and frames cannot change and is taken at once. Where scrolling
// can bring something, the page is scrolled through, a viewport at a time, and must settle
// again. If it goes to another document meanwhile, all begins anew for that one.
//
// What does not wait for virtual time (workers, sockets, streams) is run in real time for
// as long as it is heard of.
func (v *visit) settle(ctx context.Context) error {
	start := time.Now()
	defer func() { v.timing.Settle = time.Since(start) }()
	if v.o.AtLoad || v.reason != "" {
		return v.StopClock(ctx)
	}
	limit, cancel := context.WithTimeoutCause(ctx, v.o.SettleTimeout, errLimit)
	defer cancel()
	err := v.rest(limit)
	if errors.Is(err, errLimit) {
		v.reason = plat.SettledLimit
		err = v.StopClock(ctx)
	}
	return err
}

// rest is settle without its limit.
func (v *visit) rest(ctx context.Context) error {
	start := time.Now()
	for scrolled := v.o.NoScroll; ; {
		if err := v.untilLoaded(ctx); err != nil {
			return err
		}
		v.reason = plat.SettledQuiet
		if v.begin(); v.Is(func(s *tab.State) bool { return s.Reloads > maxReloads }) {
			v.reason = plat.SettledMoving
			return v.arrived()
		}
		if err := v.look(ctx); err != nil {
			return err
		}
		var err error
		if v.seen.Inert {
			err = v.untilDrawn(ctx)
		} else {
			var until time.Time
			if !scrolled {
				until = start.Add(v.o.SettleTimeout / 5 * 3)
			}
			err = v.watchPage(ctx, stillFor, until)
		}
		if err != nil {
			return err
		}
		if v.elsewhere() {
			scrolled = v.o.NoScroll
			continue
		}
		if !scrolled {
			scrolled = true
			if err := v.scrollThrough(ctx); err != nil {
				return err
			}
			if v.elsewhere() {
				scrolled = v.o.NoScroll
				continue
			}
		}
		return v.arrived()
	}
}

// maxBuilt is how many frames a page may have that bring elements each: some put long lists
// together so.
const maxBuilt = 240

// maxReloads is how often a page may load itself again while it is watched.
const maxReloads = 1

// begin forgets what was known of the document before, if this is another one.
func (v *visit) begin() {
	v.View(func(s *tab.State) {
		if v.seen.document != s.Documents {
			v.seen = watched{document: s.Documents}
		}
	})
}

// elsewhere reports whether the page has gone on to another document.
func (v *visit) elsewhere() bool {
	return v.Is(func(s *tab.State) bool { return s.Documents != v.seen.document || s.Leaving })
}

// untilLoaded waits for the load event of the document that is shown. Time goes on for the
// page meanwhile, for some wait for their own timers before they let it happen.
func (v *visit) untilLoaded(ctx context.Context) error {
	for loaded := func(s *tab.State) bool { return s.Loaded && !s.Leaving }; !v.Is(loaded); {
		v.begin()
		began := time.Now()
		if err := v.slice(ctx, firstSlice); err != nil {
			return err
		}
		if v.Is(loaded) {
			break
		}
		v.begin()
		if _, err := v.turnPage(ctx); err != nil {
			return err
		}
		if last := v.Lane.Idle().Last; v.Is(func(s *tab.State) bool { return s.Loaded && time.Since(s.Left) > liveLull }) && time.Since(last) > liveLull {
			v.View(func(s *tab.State) { s.Leaving = false }) // it has asked for what does not take its place
			continue
		}
		// Nothing holds its time, and it still waits: for what takes real time.
		if err := v.Sleep(ctx, firstSlice-time.Since(began)); err != nil {
			return err
		}
	}
	return nil
}

// look asks the page what it is. The answer comes from hooks.js, which the page cannot
// reach, but of what the page could prepare for lies: they would make it be taken too early
// or not be scrolled, no more.
func (v *visit) look(ctx context.Context) error {
	b, err := v.Hook(ctx, "look()")
	var refused *wire.ProtocolError
	if errors.As(err, &refused) {
		v.seen.looks = looks{Frames: true} // it is going elsewhere, or is no document of a kind that has scripts
		return nil
	}
	if err != nil {
		return err
	}
	var seen looks
	if jsonv2.Unmarshal(b, &seen) != nil {
		seen = looks{Frames: true}
	}
	v.seen.looks = seen
	return nil
}

// untilDrawn waits for what an inert page still loads: fonts are asked for when it is laid
// out.
func (v *visit) untilDrawn(ctx context.Context) error {
	v.reason = plat.SettledStatic
	for range 20 {
		if v.wantsFirst() && !v.seen.frozen {
			if err := v.firstFrame(ctx); err != nil {
				return err
			}
			if err := v.slice(ctx, firstSlice); err != nil {
				return err
			}
		}
		if !v.seen.Fonts && v.quiet() {
			return nil
		}
		if err := v.slice(ctx, firstSlice); err != nil {
			return err
		}
		if err := v.look(ctx); err != nil || v.elsewhere() {
			return err
		}
	}
	return nil
}

// watchPage lets virtual time pass until the page has not changed for so long. If scrolling
// may bring more, it ends at a point in real time, if one is given, that leaves enough for it.
func (v *visit) watchPage(ctx context.Context, still time.Duration, until time.Time) error {
	last, err := v.turnPage(ctx)
	if err != nil {
		return err
	}
	d, quiet, used := firstSlice, time.Duration(0), time.Duration(0)
	for begun := time.Now(); quiet < still || time.Since(begun) < leastReal; {
		if quiet >= still {
			if err := v.Sleep(ctx, leastReal-time.Since(begun)); err != nil {
				return err
			}
			quiet = still - firstSlice
		}
		if used >= watchFor {
			if quiet < stillAtEnd {
				v.reason = plat.SettledMoving
			}
			return nil
		}
		if v.seen.Lazy && !until.IsZero() && time.Now().After(until) {
			v.reason = plat.SettledLimit
			return nil
		}
		began := time.Now()
		live := v.isLive()
		v.seen.running = live
		slow := !live && v.seen.slow.After(began) && used < slowFor
		if live || slow {
			d = firstSlice
		}
		d = min(d, still-quiet)
		if err := v.slice(ctx, d); err != nil {
			return err
		}
		now, err := v.turnPage(ctx)
		if err != nil || v.elsewhere() {
			return err
		}
		changed, grown := now.newer(last), now.elements > last.elements
		first := now.framed && !last.framed
		last = now
		if live {
			v.reason = plat.SettledLive
			// In slices, not by the clock, and half where even a slice takes long: on a busy
			// machine all else does too.
			if v.seen.lull += d / 2; time.Since(began) < d/4 {
				v.seen.lull += d / 2
			}
		} else {
			used += d
		}
		if changed || v.Lane.Idle().Last.After(began) {
			v.seen.lull = 0
		}
		if live || slow {
			if err := v.Sleep(ctx, d-time.Since(began)); err != nil {
				return err
			}
			quiet = 0
			continue
		}
		if changed {
			// One that changes all the time is looked at less and less often.
			quiet, d = 0, min(max(firstSlice, used/8), time.Second)
			if now.asked && grown && v.seen.built < maxBuilt {
				v.seen.built++
				d = frameSlice
			}
		} else {
			quiet += d
			switch {
			case first && d > topFramed: // it has waited for its frame, and goes on
				quiet, d = min(quiet, still-topFramed), firstSlice/2
			case now.framed:
				d = min(2*d, topFramed)
			default:
				d = min(4*d, topSlice)
			}
		}
	}
	return nil
}

// isLive reports whether the page is to be run in real time.
func (v *visit) isLive() bool {
	if !v.Is(func(s *tab.State) bool { return s.Workers > 0 || s.Streams > 0 }) && !v.seen.live && !v.seen.streaming {
		return false
	}
	now := time.Now()
	if v.seen.liveEnd.IsZero() {
		v.seen.liveEnd = now.Add(liveFor)
	}
	return now.Before(v.seen.liveEnd) && v.seen.lull < liveLull
}

// beenLive reports whether the page has been run in real time.
func (v *visit) beenLive() bool { return !v.seen.liveEnd.IsZero() }

// slice lets virtual time pass. While a request is under way it stands still, but not for
// ever.
func (v *visit) slice(ctx context.Context, d time.Duration) error {
	policy := emulation.VirtualTimePolicyPauseIfNetworkFetchesPending
	if v.seen.stalled || v.seen.running || v.seen.streaming || v.beenLive() && v.Is(func(s *tab.State) bool { return s.Streams > 0 }) {
		policy = emulation.VirtualTimePolicyAdvance
	}
	began := time.Now()
	other := func() emulation.VirtualTimePolicy {
		if !v.beenLive() && v.Is(func(s *tab.State) bool { return s.Workers > 0 || s.Streams > 0 }) {
			return emulation.VirtualTimePolicyAdvance
		}
		if min(time.Since(began), time.Since(v.Lane.Idle().Last)) > stallAfter {
			v.seen.stalled, v.stalled = true, true
			return emulation.VirtualTimePolicyAdvance
		}
		return ""
	}
	if err := v.AdvanceWith(ctx, policy, d, other); err != nil {
		return err
	}
	waited := policy != emulation.VirtualTimePolicyAdvance
	if waited && !v.seen.stalled && v.underWay() {
		// It may have been asked for at the very end, or its end is not told yet.
		if err := v.AdvanceWith(ctx, policy, time.Millisecond, other); err != nil {
			return err
		}
		if !v.seen.streaming && v.underWay() {
			if err := v.Sleep(ctx, tab.FrameEvery); err != nil {
				return err
			}
		}
	}
	// Time stood still for requests; one that is under way all the same has begun to be
	// answered, and goes on.
	v.seen.streaming = (waited || v.seen.streaming) && !v.seen.stalled && v.underWay()
	return nil
}

// turnPage looks what a slice has brought, and draws a frame if the page asks for one.
func (v *visit) turnPage(ctx context.Context) (signs, error) {
	counting := v.Session.Send(memory.GetDOMCounters.Method, nil)
	var took struct {
		Used     int `json:"used"`
		Changes  int `json:"changes"`
		Elements int `json:"elements"`
	}
	b, err := v.Hook(ctx, "take()")
	var refused *wire.ProtocolError
	switch {
	case errors.As(err, &refused):
		took.Used = framesSeen
	case err != nil:
		counting.Forget()
		return signs{}, err
	default:
		_ = jsonv2.Unmarshal(b, &took)
	}
	count, err := wire.Await(ctx, counting, memory.GetDOMCounters)
	if err != nil && !errors.As(err, &refused) {
		return signs{}, err
	}
	v.held = count.Nodes
	v.seen.live = v.seen.live || took.Used&isLive != 0
	v.seen.Lazy = v.seen.Lazy || took.Used&scrollSeen != 0
	if took.Used&takesTime != 0 {
		v.seen.slow = time.Now().Add(taskLull)
	}
	framed := took.Used&(frameAsked|framesSeen) != 0 || v.seen.Frames
	switch {
	case v.wantsFirst():
		err = v.firstFrame(ctx)
	case framed:
		err = v.frame(ctx)
	}
	if err != nil {
		return signs{}, err
	}
	s := signs{nodes: count.Nodes, changes: took.Changes, requests: v.Lane.Stats().Requests, elements: took.Elements, asked: took.Used&frameAsked != 0, framed: framed}
	v.View(func(t *tab.State) { s.requests += t.Requests })
	return s, nil
}

// frame lets the page draw a frame. Full Chromium draws by itself, in real time.
func (v *visit) frame(ctx context.Context) error {
	if !v.Browser.Framed {
		v.seen.drawn = true
		return v.Sleep(ctx, tab.FrameEvery)
	}
	if v.seen.frozen {
		return nil
	}
	err := v.Draw(ctx, false)
	var refused *wire.ProtocolError
	v.seen.drawn = v.seen.drawn || err == nil
	if errors.Is(err, tab.ErrBusy) {
		return nil // it is not the page's fault; it has another with the next slice
	}
	if errors.Is(err, tab.ErrNoFrame) || errors.As(err, &refused) {
		v.seen.frozen = true
		return nil
	}
	return err
}

// wantsFirst reports whether something in view is loaded only when the page has had a frame.
func (v *visit) wantsFirst() bool { return v.seen.Lazy && !v.seen.drawn }

// firstFrame draws a frame, and gives the page a moment to ask for what is in view.
func (v *visit) firstFrame(ctx context.Context) error {
	if err := v.frame(ctx); err != nil {
		return err
	}
	return v.Sleep(ctx, tab.FrameEvery)
}

// scrollThrough goes down the page, a viewport at a time, and back to the top, if there is
// something to gain by it.
func (v *visit) scrollThrough(ctx context.Context) error {
	if !v.seen.Inert { // what it waits for, its scripts may have said since
		if err := v.look(ctx); err != nil {
			return err
		}
	}
	if !v.seen.Lazy || v.seen.Height <= v.seen.View || v.seen.View < 1 {
		return nil
	}
	step := max(100, v.seen.View)
	for y := step; y < float64(v.o.ScrollHeight); y += step {
		moved, err := v.scrollTo(ctx, y)
		if err != nil || v.elsewhere() {
			return err
		}
		if !moved {
			break
		}
	}
	if _, err := v.scrollTo(ctx, 0); err != nil || v.elsewhere() {
		return err
	}
	return v.watchPage(ctx, stillAfterScroll, time.Time{})
}

// scrollTo scrolls to y, px from the top, if there is something, and lets the page see it.
func (v *visit) scrollTo(ctx context.Context, y float64) (bool, error) {
	b, err := v.Hook(ctx, fmt.Sprintf("scrollTo(%g)", y))
	var refused *wire.ProtocolError
	if errors.As(err, &refused) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if string(b) != "true" {
		return false, nil
	}
	// The network is not waited for here: what comes is waited for in the end.
	if err := v.Advance(ctx, emulation.VirtualTimePolicyAdvance, scrollStep); err != nil {
		return false, err
	}
	return true, v.frame(ctx)
}

// count is how many nodes the renderer holds: the page's, and those that its
// scripts hold on to or have thrown away lately.
func (v *visit) count(ctx context.Context) (int64, error) {
	n, err := wire.Call(ctx, v.Session, memory.GetDOMCounters, cdp.Empty{})
	v.held = n.Nodes
	return n.Nodes, err
}

// quiet reports whether nothing is under way on the wire.
func (v *visit) quiet() bool {
	return !v.underWay() && v.Is(func(s *tab.State) bool { return !s.Leaving && s.Loaded })
}

// underWay reports whether a response has not ended. The guard knows for plain http; what
// is in a tunnel the Network domain tells.
func (v *visit) underWay() bool {
	return v.Lane.Idle().InFlight > 0 || v.Is((*tab.State).InFlight)
}

// countNodes counts the nodes of the page and of the frames that it can see.
func (v *visit) countNodes(ctx context.Context) (int64, error) {
	world, err := v.World(ctx)
	if err != nil {
		return 0, err
	}
	b, err := v.Evaluate(ctx, world, settleScript+"; countNodes(document)")
	if err != nil {
		return 0, err
	}
	var n int64
	if err := jsonv2.Unmarshal(b, &n); err != nil {
		return 0, fmt.Errorf("count the nodes: %w", err)
	}
	return n, nil
}
