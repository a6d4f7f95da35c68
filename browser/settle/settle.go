package settle

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"

	"plat/browser/devtools"
	"plat/browser/tab"
	"plat/plat"
)

// Slices of virtual time. A changing page is checked often, so that its frame-by-frame drawing
// finishes; a page without changes soon gets longer slices, and the longest if it waits for no
// frames, which come between slices.
const (
	firstSlice = 100 * time.Millisecond
	topSlice   = 6400 * time.Millisecond
	topFramed  = 2 * time.Second  // of a page that needs frames
	frameSlice = time.Second / 60 // while a page builds itself frame by frame
)

// Durations in virtual time for which a page is watched. The limits are measured on client-rendered
// pages; see docs/rendering.md.
const (
	stillFor         = 8500 * time.Millisecond // without a change: it has settled
	stillAfterScroll = 1500 * time.Millisecond // the same, when it has been scrolled through
	stillAtEnd       = 2 * time.Second         // without a change, when a page has been watched for the maximum time
	watchFor         = 12 * time.Second        // at most, from the load event
	scrollStep       = 250 * time.Millisecond  // at each viewport
)

// Limits in real time of waits for the network, workers and the browser.
const (
	stallAfter = 4 * time.Second         // without traffic, the wait for a request is given up
	liveLull   = 1600 * time.Millisecond // without a sign of a worker, a socket or a stream
	liveFor    = 5 * time.Second         // at most, for those
	taskLull   = 250 * time.Millisecond  // for asynchronous work of the browser: storage, decoding, cryptography
	slowFor    = 3 * time.Second         // at most, for those
	leastReal  = 30 * time.Millisecond   // for any page with scripts
)

// looks is the result of look in hooks.js.
type looks struct {
	Inert  bool    `json:"inert"`  // nothing in it can move
	Frames bool    `json:"frames"` // there are documents in it
	Lazy   bool    `json:"lazy"`   // an element loads when it is scrolled to
	Height float64 `json:"height"` // of the scrolled content, px
	View   float64 `json:"view"`   // height of its visible part, px
	Fonts  bool    `json:"fonts"`  // some are being loaded
	Driven bool    `json:"driven"` // scrolling drives animations
}

// signs count the changes of a page. All counters only grow, except nodes.
type signs struct {
	nodes    int64 // that the renderer holds; falls when garbage is collected
	changes  int   // of the DOM
	requests int
	messages int  // between the page and its workers
	elements int  // of the document
	asked    bool // it waits for a frame
	framed   bool // it needs frames
}

// newer reports whether something has happened since before.
func (s signs) newer(before signs) bool {
	return s.nodes > before.nodes || s.changes != before.changes || s.requests != before.requests
}

// Bits of the member used that hooks.js returns.
const (
	frameAsked = 1 << iota
	framesSeen
	scrollSeen
	isLive
	takesTime
)

// watched is the state of the document that is being watched.
type watched struct {
	looks
	document  int           // its number; see [tab.State]
	live      bool          // it has begun a worker or a socket
	streaming bool          // a response comes bit by bit
	running   bool          // it is run in real time
	lull      time.Duration // time without a sign of activity, of a live page
	liveEnd   time.Time     // end of the run in real time
	waits     int           // times that time passed while a request was in flight
	spoken    time.Time     // when it and its workers last exchanged messages
	messages  int           // between it and its workers
	slow      time.Time     // end of the time in which the browser may work for it asynchronously, or owes it a frame
	stalled   bool          // the wait for a request was given up
	drawn     bool          // it has had a frame
	frozen    bool          // it does not draw frames
	busy      int           // number of times that frames of other tabs took all the time
	built     int           // frames granted because they add elements
}

// Settle waits until the page is ready for capture.
//
// The load event means that the resources of the document itself are loaded. No event announces the
// end of later scripts, so they get time, which costs nothing while they only wait: virtual time
// passes in slices, and pauses while a request is in flight. After a slice the page gets a frame if
// it requests one. A page has settled when a period of virtual time (stillFor) adds no node, no
// change of the DOM and no request. A document without scripts and frames cannot change and is
// captured at once. Where scrolling can load more, the page is scrolled through, a viewport at a
// time, and must settle again. If it navigates to a new document meanwhile, the procedure restarts
// for that one.
//
// Workers, sockets and streams do not follow virtual time: a page that has them runs in real time
// while they are active.
func (p *Page) Settle(ctx context.Context) error {
	start := time.Now()
	defer func() { p.Timing.Settle = time.Since(start) }()
	if p.o.AtLoad || p.reason != "" {
		return p.StopClock(ctx)
	}
	limit, cancel := context.WithTimeoutCause(ctx, p.o.SettleTimeout, errLimit)
	defer cancel()
	err := p.rest(limit)
	if errors.Is(err, errLimit) {
		p.reason = plat.SettledLimit
		err = p.StopClock(ctx)
	}
	return err
}

// rest is settle without its limit.
func (p *Page) rest(ctx context.Context) error {
	start := time.Now()
	for scrolled := p.o.NoScroll; ; {
		if err := p.UntilLoaded(ctx); err != nil {
			return err
		}
		p.reason = plat.SettledQuiet
		if p.begin(); p.Is(func(s *tab.State) bool { return s.Reloads > maxReloads }) {
			p.reason = plat.SettledMoving
			return p.arrived()
		}
		if err := p.look(ctx); err != nil {
			return err
		}
		var err error
		if p.seen.Inert {
			err = p.untilDrawn(ctx)
		} else {
			var until time.Time
			if !scrolled {
				until = start.Add(p.o.SettleTimeout / 5 * 3)
			}
			err = p.watchPage(ctx, stillFor, until)
		}
		if err != nil {
			return err
		}
		if p.elsewhere() {
			scrolled = p.o.NoScroll
			continue
		}
		if !scrolled {
			scrolled = true
			if err := p.scrollThrough(ctx); err != nil {
				return err
			}
			if p.elsewhere() {
				scrolled = p.o.NoScroll
				continue
			}
		}
		if err := p.reveal(ctx); err != nil {
			return err
		}
		return p.arrived()
	}
}

// maxBuilt bounds the frames of a page that add elements: some build long lists frame by frame.
const maxBuilt = 240

// maxBusy bounds the vain waits of a page for the frames of other tabs. One page can occupy a
// browser's frames for as long as it is open, and the other tabs must finish.
const maxBusy = 3

// maxWaits bounds the slices of a page in which time passes while a request is in flight, as it does
// in a window: what the page does at once, and draws while it waits, comes before the answer.
const maxWaits = 4

// maxReloads bounds the reloads of a page by itself while it is watched.
const maxReloads = 1

// begin resets the state of the previous document, if there is a new one.
func (p *Page) begin() {
	p.View(func(s *tab.State) {
		if p.seen.document != s.Documents {
			p.seen = watched{document: s.Documents}
		}
	})
}

// elsewhere reports whether the page has navigated to a new document.
func (p *Page) elsewhere() bool {
	return p.Is(func(s *tab.State) bool { return s.Documents != p.seen.document || s.Leaving })
}

// UntilLoaded waits for the load event of the document that is shown. The page's time advances
// meanwhile, since some pages delay the event by timers.
func (p *Page) UntilLoaded(ctx context.Context) error {
	for loaded := func(s *tab.State) bool { return s.Loaded && !s.Leaving }; !p.Is(loaded); {
		p.begin()
		began := time.Now()
		if err := p.slice(ctx, firstSlice); err != nil {
			return err
		}
		if p.Is(loaded) {
			break
		}
		if p.Lane.CutShort() || p.Is(func(s *tab.State) bool { return s.Cut != "" }) {
			if err := p.Whole(); err != nil { // else it was a frame's
				return err // no load event follows
			}
		}
		p.begin()
		turned, err := p.turnPage(ctx)
		if err != nil {
			return err
		}
		// Chrome builds the shadow tree of an svg:use of a loaded file with the next frame, and a
		// document in a frame has no load event before.
		if !turned.framed && !p.underWay() {
			if err := p.frame(ctx); err != nil {
				return err
			}
		}
		if last := p.Lane.Idle().Last; p.Is(func(s *tab.State) bool { return s.Loaded && time.Since(s.Left) > liveLull }) && time.Since(last) > liveLull {
			p.View(func(s *tab.State) { s.Leaving = false }) // its request does not replace the page
			continue
		}
		// Virtual time is not paused, and the page still waits: for something in real time.
		if err := p.Sleep(ctx, firstSlice-time.Since(began)); err != nil {
			return err
		}
	}
	return nil
}

// look queries the state of the page. The answer comes from hooks.js, which the page cannot
// reach, but the page could forge the data behind it. A lie can only cause an early capture or
// prevent scrolling.
func (p *Page) look(ctx context.Context) error {
	b, err := p.Hook(ctx, "look()")
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) {
		p.seen.looks = looks{Frames: true} // it is navigating, or is a document without scripts
		return nil
	}
	if err != nil {
		return err
	}
	var seen looks
	if jsonv2.Unmarshal(b, &seen) != nil {
		seen = looks{Frames: true}
	}
	p.seen.looks = seen
	return nil
}

// untilDrawn waits for the resources that an inert page still loads: fonts are requested at layout.
func (p *Page) untilDrawn(ctx context.Context) error {
	p.reason = plat.SettledStatic
	for range 20 {
		if p.wantsFirst() && !p.seen.frozen {
			if err := p.firstFrame(ctx); err != nil {
				return err
			}
			if err := p.slice(ctx, firstSlice); err != nil {
				return err
			}
		}
		if !p.seen.Fonts && p.quiet() {
			return nil
		}
		if err := p.slice(ctx, firstSlice); err != nil {
			return err
		}
		if err := p.look(ctx); err != nil || p.elsewhere() {
			return err
		}
	}
	return nil
}

// watchPage lets virtual time pass until the page has not changed for the duration still. If
// scrolling may load more, it ends at the real time until, if not zero, to leave time for that.
func (p *Page) watchPage(ctx context.Context, still time.Duration, until time.Time) error {
	last, err := p.turnPage(ctx)
	if err != nil {
		return err
	}
	d, quiet, used, g := firstSlice, time.Duration(0), time.Duration(0), growth{next: watchFor - growStep}
	for begun := time.Now(); quiet < still || time.Since(begun) < leastReal; {
		if quiet >= still {
			if err := p.Sleep(ctx, leastReal-time.Since(begun)); err != nil {
				return err
			}
			quiet = still - firstSlice
		}
		if over, err := p.over(ctx, &g, used, quiet, last.requests); over || err != nil {
			return err
		}
		if p.seen.Lazy && !until.IsZero() && time.Now().After(until) {
			p.reason = plat.SettledLimit
			return nil
		}
		began := time.Now()
		live, waits := p.isLive(), p.seen.waits
		p.seen.running = live
		slow := !live && p.seen.slow.After(began) && used < slowFor
		if live || slow {
			d = min(d, firstSlice)
		}
		d = min(d, still-quiet)
		if err := p.slice(ctx, d); err != nil {
			return err
		}
		now, err := p.turnPage(ctx)
		if err != nil || p.elsewhere() {
			return err
		}
		changed, grown, spoken := now.newer(last), now.elements > last.elements, now.messages != last.messages
		first := now.framed && !last.framed
		g.drawn = g.drawn || now.asked && used > watchFor/2
		last = now
		if live {
			p.lived(d, time.Since(began))
		} else {
			used += d
		}
		if changed || spoken || p.Lane.Idle().Last.After(began) {
			p.seen.lull = 0
		}
		if live || slow {
			if err := p.Sleep(ctx, d-time.Since(began)); err != nil {
				return err
			}
			quiet, d = 0, p.pace(spoken, now.framed)
			continue
		}
		if p.seen.waits != waits { // it waits for a request
			quiet, d = 0, firstSlice
			continue
		}
		if changed {
			// A page that changes all the time is checked less and less often.
			quiet, d = 0, min(max(firstSlice, used/8), time.Second)
			if now.asked && grown && p.seen.built < maxBuilt {
				p.seen.built++
				d = frameSlice
			}
		} else {
			quiet += d
			switch {
			case first && d > topFramed: // it has waited for its frame, and continues
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

// pace returns the next slice of a page that is run in real time: a frame while it exchanges
// messages with its workers, and draws.
func (p *Page) pace(spoken, framed bool) time.Duration {
	if spoken {
		p.seen.spoken = time.Now()
	}
	if framed && time.Since(p.seen.spoken) < 2*firstSlice {
		return tab.FrameEvery
	}
	return firstSlice
}

// lived counts a slice without a sign of activity. It counts slices, not clock time, and a slow
// slice as half, because everything is slow on a busy machine. While a request waits for its
// answer, as on a slow network, slices do not count.
func (p *Page) lived(slice, took time.Duration) {
	p.reason = plat.SettledLive
	if p.Unanswered() {
		return
	}
	if p.seen.lull += slice / 2; took < slice/4 {
		p.seen.lull += slice / 2
	}
}

// isLive reports whether the page is to be run in real time.
func (p *Page) isLive() bool {
	if !p.Is(func(s *tab.State) bool { return s.Workers > 0 || s.Streams > 0 }) && !p.seen.live && !p.seen.streaming {
		return false
	}
	now := time.Now()
	if p.seen.liveEnd.IsZero() {
		p.seen.liveEnd = now.Add(liveFor)
	}
	return now.Before(p.seen.liveEnd) && p.seen.lull < liveLull
}

// beenLive reports whether the page has been run in real time.
func (p *Page) beenLive() bool { return !p.seen.liveEnd.IsZero() }

// slice lets virtual time pass. It pauses while a request is in flight, but not for ever.
func (p *Page) slice(ctx context.Context, d time.Duration) error {
	policy := emulation.VirtualTimePolicyPauseIfNetworkFetchesPending
	if p.seen.stalled || p.seen.running || p.seen.streaming || p.beenLive() && p.Is(func(s *tab.State) bool { return s.Streams > 0 }) {
		policy = emulation.VirtualTimePolicyAdvance
	}
	waited := policy != emulation.VirtualTimePolicyAdvance
	began := time.Now()
	other := func() emulation.VirtualTimePolicy {
		if d <= firstSlice && p.seen.waits < maxWaits {
			p.seen.waits++
			waited = false
			return emulation.VirtualTimePolicyAdvance
		}
		if !p.beenLive() && p.Is(func(s *tab.State) bool { return s.Workers > 0 || s.Streams > 0 }) {
			waited = false
			return emulation.VirtualTimePolicyAdvance
		}
		if min(time.Since(began), time.Since(p.Lane.Idle().Last)) > stallAfter {
			p.seen.stalled, p.stalled = true, true
			return emulation.VirtualTimePolicyAdvance
		}
		return ""
	}
	if err := p.AdvanceWith(ctx, policy, d, other); err != nil {
		return err
	}
	if waited && !p.seen.stalled && p.underWay() {
		// A request may have begun at the very end, or its end is not reported yet.
		if err := p.AdvanceWith(ctx, policy, time.Millisecond, other); err != nil {
			return err
		}
		if !p.seen.streaming && p.underWay() {
			if err := p.Sleep(ctx, tab.FrameEvery); err != nil {
				return err
			}
		}
	}
	// Time paused for requests until the end of the slice; a request still in flight has begun
	// to receive its response, and continues.
	p.seen.streaming = (waited || p.seen.streaming) && !p.seen.stalled && p.underWay()
	return nil
}
