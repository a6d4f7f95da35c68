package settle

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/devtools"
	"plat/plat"
)

// Durations in virtual time of pages that change all the time.
const (
	watchGrowing = time.Minute             // of a page that adds text, at most, from the load event
	growStep     = 3 * time.Second         // in which it has added some
	fadeFor      = 1500 * time.Millisecond // in which a page shows its most text once
)

// leastGrowth is the number of characters that a page adds in a growStep if it still builds
// itself: a clock or a counter adds fewer.
const leastGrowth = 8

// growth is the text of a page at a time of its watch.
type growth struct {
	next     time.Duration // when it is measured again
	length   int
	requests int
	drawn    bool // the page asked for frames in the second half of the watch
}

// over reports whether a page that changes all the time has been watched long enough, and ends its
// watch. A page that adds text by timers alone gets more time; one that asks its server for it does
// not, since it may never end.
func (p *Page) over(ctx context.Context, g *growth, used, quiet time.Duration, requests int) (bool, error) {
	if used < g.next {
		return false, nil
	}
	var length int
	if err := p.ask(ctx, "length()", &length); err != nil {
		return false, err
	}
	grows := length >= g.length+leastGrowth && requests == g.requests && used < watchGrowing
	first := g.next < watchFor
	g.next, g.length, g.requests = g.next+growStep, length, requests
	if first || grows {
		return false, nil
	}
	return true, p.endMoving(ctx, quiet, g.drawn)
}

// endMoving ends the watch of a page that may still change. If frames change it, as texts that fade
// between states do, the end is an instant in which as much text is shown as at any other.
func (p *Page) endMoving(ctx context.Context, quiet time.Duration, drawn bool) error {
	if quiet >= stillAtEnd {
		return nil
	}
	p.reason = plat.SettledMoving
	most := 0
	for passed := time.Duration(0); drawn && passed < 2*fadeFor; passed += firstSlice {
		var shown int
		if err := p.ask(ctx, "shown()", &shown); err != nil {
			return err
		}
		if passed >= fadeFor && shown >= most-most/50 {
			return nil
		}
		most = max(most, shown)
		if err := p.slice(ctx, firstSlice); err != nil {
			return err
		}
		if _, err := p.turnPage(ctx); err != nil || p.elsewhere() {
			return err
		}
	}
	return nil
}

// reveal lets text be shown that only scrolling would show: its animation follows the scrolling.
func (p *Page) reveal(ctx context.Context) error {
	if !p.seen.Driven {
		return nil
	}
	var n int
	return p.ask(ctx, "reveal()", &n)
}

// ask calls a function of hooks.js. A page that cannot answer leaves the answer as it is.
func (p *Page) ask(ctx context.Context, call string, answer any) error {
	b, err := p.Hook(ctx, call)
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) {
		return nil
	}
	if err == nil {
		_ = jsonv2.Unmarshal(b, answer)
	}
	return err
}
