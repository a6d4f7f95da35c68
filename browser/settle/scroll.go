package settle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"

	"plat/browser/devtools"
)

// scrollThrough scrolls down the page, a viewport at a time, and back to the top, if scrolling may
// load more.
func (p *Page) scrollThrough(ctx context.Context) error {
	if !p.seen.Inert { // scripts may have changed the page since the last look
		if err := p.look(ctx); err != nil {
			return err
		}
	}
	if !p.seen.Lazy || p.seen.Height <= p.seen.View || p.seen.View < 1 {
		return nil
	}
	before := p.seen.messages
	step := max(100, p.seen.View)
	y, longest, ends := step, 0.0, 0
	for y < float64(p.o.ScrollHeight) {
		height, err := p.scrollTo(ctx, y)
		if err != nil || p.elsewhere() {
			return err
		}
		if y < height {
			longest = height
			y += step
			continue
		}
		// Content loaded on the way may have moved the end of the page out of view, and content
		// requested at the end may add more.
		if ends++; ends > maxEnds {
			break
		}
		if err := p.slice(ctx, scrollStep); err != nil || p.elsewhere() {
			return err
		}
		if height, err = p.heightNow(ctx); err != nil {
			return err
		}
		if height <= longest {
			break
		}
		y = min(y, height-1)
	}
	if _, err := p.scrollTo(ctx, 0); err != nil || p.elsewhere() {
		return err
	}
	if _, err := p.turnPage(ctx); err != nil {
		return err
	}
	if p.seen.messages != before { // its workers are at work again
		p.seen.lull, p.seen.liveEnd = 0, time.Time{}
	}
	return p.watchPage(ctx, stillAfterScroll, time.Time{})
}

// maxEnds bounds the waits at the end of a page that grows longer.
const maxEnds = 8

// scrollTo scrolls to y, in px from the top, if the page is that long, and lets the page react.
func (p *Page) scrollTo(ctx context.Context, y float64) (height float64, err error) {
	if height, err = p.scroll(ctx, y); err != nil || y >= height {
		return height, err
	}
	// A frame tells the page where it is; then it has time to react. The requests are awaited at the
	// end, not here.
	if err := p.frame(ctx); err != nil {
		return height, err
	}
	return height, p.Advance(ctx, emulation.VirtualTimePolicyAdvance, scrollStep)
}

// heightNow returns how high the page is, and scrolls nowhere.
func (p *Page) heightNow(ctx context.Context) (float64, error) { return p.scroll(ctx, math.MaxFloat64) }

// scroll scrolls to y if the page is higher, and returns how high it is.
func (p *Page) scroll(ctx context.Context, y float64) (height float64, err error) {
	b, err := p.Hook(ctx, fmt.Sprintf("scrollTo(%v)", y))
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_ = jsonv2.Unmarshal(b, &height) // anything else: 0
	return height, nil
}
