package settle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/page"

	"plat/browser/devtools"
	"plat/browser/tab"
	"plat/plat"
)

// Options configure the wait for a page. The options of package browser have the same names.
type Options struct {
	LoadTimeout   time.Duration // to the load event
	SettleTimeout time.Duration // from the load event until the page is ready
	AtLoad        bool          // it is ready at its load event
	NoScroll      bool          // it is not scrolled through
	ScrollHeight  int           // greatest scroll depth, px
	MaxBytes      int64         // that it may receive; see [egress.Lane.Reset]
}

// Page is the page in a tab, on its way to being ready. It is for one goroutine at a time.
type Page struct {
	*tab.Tab

	// Timing has Navigate, Load and Settle once they are known.
	Timing plat.Timing

	o       Options
	url     string // last requested
	seen    watched
	reason  plat.Settled // why the wait has ended; empty: it has not
	stalled bool         // the wait for a request was given up
}

// New returns the page of a tab that shows no page so far.
func New(t *tab.Tab, o Options) *Page { return &Page{Tab: t, o: o} }

// Settled returns why the wait has ended.
func (p *Page) Settled() plat.Settled {
	if p.stalled && p.reason == plat.SettledQuiet {
		return plat.SettledStalled
	}
	return p.reason
}

// Navigate navigates the tab to a URL, and returns when the document begins to arrive. The errors
// are the guard's, [ErrDownload], [ErrUnsupported], [ErrEmpty], a [*NetError] or a
// [*TooLargeError], or those of [tab.Tab.Lost].
func (p *Page) Navigate(ctx context.Context, to string) error {
	ctx, cancel := tab.WithLimit(ctx, p.o.LoadTimeout, "the response")
	defer cancel()
	return p.navigate(to, func() (page.NavigateResult, error) {
		f := p.Session.SendFor(p.o.LoadTimeout, page.Navigate.Method, page.NavigateParams{URL: to})
		return devtools.Await(ctx, f, page.Navigate)
	})
}

// NavigateHeld is Navigate with [tab.Tab.NavigateHeld].
func (p *Page) NavigateHeld(ctx context.Context, to string, answer func(context.Context, *tab.Held) error) error {
	return p.navigate(to, func() (page.NavigateResult, error) { return p.Tab.NavigateHeld(ctx, to, p.o.LoadTimeout, answer) })
}

// navigate navigates by a command, and returns the error of the navigation.
func (p *Page) navigate(to string, command func() (page.NavigateResult, error)) error {
	p.url = to
	p.View(func(s *tab.State) { s.Asked = to })
	start := time.Now()
	var r page.NavigateResult
	var err error
	for range 2 {
		if r, err = command(); err != nil || r.ErrorText != "net::ERR_SOCKET_NOT_CONNECTED" {
			break
		}
		// No request was sent: Chrome used a connection of the previous page, which the lane has
		// cut.
	}
	p.Timing.Navigate = time.Since(start)
	switch {
	case err != nil:
		return err
	case r.IsDownload:
		return p.refusedByChrome()
	case r.ErrorText == "net::ERR_ABORTED":
		return p.refusedByChrome()
	case r.ErrorText != "":
		asked := p.url
		p.View(func(s *tab.State) { asked = cmp.Or(s.LastURL, asked) })
		return p.netError(r.ErrorText, asked)
	}
	return nil
}

// Load waits for the load event. A page that has begun but does not finish loading is captured as
// it is.
func (p *Page) Load(ctx context.Context) error {
	start := time.Now()
	limit, cancel := context.WithTimeoutCause(ctx, p.o.LoadTimeout, errLimit)
	defer cancel()
	err := p.UntilLoaded(limit)
	p.Timing.Load = p.Timing.Navigate + time.Since(start)
	if errors.Is(err, errLimit) {
		p.reason = plat.SettledLoading
		err = nil
	}
	if err != nil {
		return err
	}
	return p.arrived()
}

// errLimit is the cause of a step's end at a limit that is not a failure.
var errLimit = errors.New("the limit of a step")

// arrived returns an error if Chrome shows its own error page, because a document that the page
// navigated to failed to load.
func (p *Page) arrived() error {
	var url, text string
	p.View(func(s *tab.State) { url, text = s.Unreachable, s.NetError })
	if url != "" {
		return p.netError(text, url)
	}
	return p.Capped()
}

// Whole returns [ErrCut] if the document that is shown is incomplete, and a [NetError] if it cannot be decoded. Chrome
// reports this for https, and the guard for plain http, where Chrome reports nothing after the response.
func (p *Page) Whole() error {
	var shown, asked, reason string // the guard may know of it before Chrome shows it
	p.View(func(s *tab.State) { shown, asked, reason = s.URL, s.LastURL, s.Cut })
	if reason != "" {
		return fmt.Errorf("%w (%s)", ErrCut, reason)
	}
	for _, x := range slices.Backward(p.Lane.Exchanges()) {
		if x.Navigation && (x.URL == shown || x.URL == asked) {
			if x.Cut {
				return ErrCut
			}
			if x.Garbled {
				return &NetError{"net::ERR_CONTENT_DECODING_FAILED"}
			}
			break
		}
	}
	return nil
}

// Capped returns the error of a page that has reached its byte limit, else nil.
func (p *Page) Capped() error {
	if p.Lane.Stats().Capped {
		return &TooLargeError{"received", p.o.MaxBytes, "bytes"}
	}
	return nil
}

// Again lets the page settle again after an action on it.
func (p *Page) Again(ctx context.Context) error {
	p.reason = ""
	p.ResetLoopCount()
	return p.Settle(ctx)
}

// ResetLoopCount resets the count of navigations by the page itself, so that a navigation by a
// click does not count.
func (p *Page) ResetLoopCount() { p.View(func(s *tab.State) { s.ByPage, s.Reloads = 0, 0 }) }
