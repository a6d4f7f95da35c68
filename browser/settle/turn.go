package settle

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/memory"

	"plat/browser/devtools"
	"plat/browser/tab"
)

// turnPage collects the changes of a slice, and draws a frame if the page requests one.
func (p *Page) turnPage(ctx context.Context) (signs, error) {
	counting := p.Session.Send(memory.GetDOMCounters.Method, nil)
	var took struct {
		Used     int  `json:"used"`
		Late     bool `json:"late"` // the frame that it requested earlier has not come
		Changes  int  `json:"changes"`
		Messages int  `json:"messages"`
		Elements int  `json:"elements"`
	}
	b, err := p.Hook(ctx, "take()")
	var refused *devtools.ProtocolError
	switch {
	case errors.As(err, &refused):
		took.Used = framesSeen
	case err != nil:
		counting.Forget()
		return signs{}, err
	default:
		_ = jsonv2.Unmarshal(b, &took)
	}
	count, err := devtools.Await(ctx, counting, memory.GetDOMCounters)
	if err != nil && !errors.As(err, &refused) {
		return signs{}, err
	}
	p.seen.live = p.seen.live || took.Used&isLive != 0
	p.seen.Lazy = p.seen.Lazy || took.Used&scrollSeen != 0
	if took.Used&takesTime != 0 {
		p.seen.slow = time.Now().Add(taskLull)
	}
	framed := took.Used&(frameAsked|framesSeen) != 0 || p.seen.Frames
	switch {
	case p.wantsFirst():
		err = p.firstFrame(ctx)
	case framed:
		err = p.frame(ctx)
	}
	if err != nil {
		return signs{}, err
	}
	if took.Late && p.Browser.Framed && !p.seen.frozen {
		p.seen.slow = time.Now().Add(taskLull) // the browser was not ready to draw it
	}
	p.seen.messages = took.Messages
	s := signs{nodes: count.Nodes, changes: took.Changes, requests: p.Lane.Stats().Requests, messages: took.Messages, elements: took.Elements, asked: took.Used&frameAsked != 0, framed: framed}
	p.View(func(t *tab.State) { s.requests += t.Requests })
	return s, nil
}

// frame lets the page draw a frame. Full Chromium draws unprompted, in real time.
func (p *Page) frame(ctx context.Context) error {
	if !p.Browser.Framed {
		p.seen.drawn = true
		return p.Sleep(ctx, tab.FrameEvery)
	}
	if p.seen.frozen {
		return nil
	}
	err := p.Draw(ctx, false)
	var refused *devtools.ProtocolError
	p.seen.drawn = p.seen.drawn || err == nil
	if errors.Is(err, tab.ErrBusy) {
		// The page is not the cause; it gets a frame with the next slice.
		p.seen.busy++
		p.seen.frozen = p.seen.busy >= maxBusy
		return nil
	}
	if errors.Is(err, tab.ErrNoFrame) || errors.As(err, &refused) {
		p.seen.frozen = true
		return nil
	}
	return err
}

// wantsFirst reports whether something in view is loaded only when the page has had a frame.
func (p *Page) wantsFirst() bool { return p.seen.Lazy && !p.seen.drawn }

// firstFrame draws a frame, and gives the page a moment to request visible content.
func (p *Page) firstFrame(ctx context.Context) error {
	if err := p.frame(ctx); err != nil {
		return err
	}
	return p.Sleep(ctx, tab.FrameEvery)
}

// quiet reports whether nothing is in flight.
func (p *Page) quiet() bool {
	return !p.underWay() && p.Is(func(s *tab.State) bool { return !s.Leaving && s.Loaded })
}

// underWay reports whether a response has not ended. The guard knows for plain http; the Network
// domain reports requests in tunnels.
func (p *Page) underWay() bool {
	return p.Lane.Idle().InFlight > 0 || p.Is((*tab.State).InFlight)
}
