package settle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"plat/browser/wire"
)

// scrollThrough goes down the page, a viewport at a time, and back to the top, if there is
// something to gain by it.
func (p *Page) scrollThrough(ctx context.Context) error {
	if !p.seen.Inert { // what it waits for, its scripts may have said since
		if err := p.look(ctx); err != nil {
			return err
		}
	}
	if !p.seen.Lazy || p.seen.Height <= p.seen.View || p.seen.View < 1 {
		return nil
	}
	step := max(100, p.seen.View)
	for y := step; y < float64(p.o.ScrollHeight); y += step {
		moved, err := p.scrollTo(ctx, y)
		if err != nil || p.elsewhere() {
			return err
		}
		if !moved {
			break
		}
	}
	if _, err := p.scrollTo(ctx, 0); err != nil || p.elsewhere() {
		return err
	}
	return p.watchPage(ctx, stillAfterScroll, time.Time{})
}

// scrollTo scrolls to y, px from the top, if there is something, and lets the page see it.
func (p *Page) scrollTo(ctx context.Context, y float64) (bool, error) {
	b, err := p.Hook(ctx, fmt.Sprintf("scrollTo(%g)", y))
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
	if err := p.Advance(ctx, emulation.VirtualTimePolicyAdvance, scrollStep); err != nil {
		return false, err
	}
	return true, p.frame(ctx)
}
