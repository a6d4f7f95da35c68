package tab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"plat/browser/devtools"
	"plat/browser/egress"
	"plat/browser/requests"
	"plat/browser/stealth"
)

// Tab is one browser context with one page in it. It is used for one page, or
// for several of one origin, and cleared in between; see [Tab.Clear]. Except for State,
// it is for one goroutine at a time.
type Tab struct {
	Browser *Browser
	Lane    *egress.Lane // the only way out of the context
	Context cdp.BrowserContextID
	Session *devtools.Session // the page's
	Origin  string            // of the pages it was used for; empty: not used so far
	Uses    int               // number of these pages, including the current one

	// Cache models the contents of its HTTP cache.
	Cache requests.Cache

	o     *Options
	early []devtools.Future // commands of prepare whose results are checked later
	clock clock
	hooks string // the name under which the result of hooks.js is stored

	// changed gets a token when something below has changed.
	changed chan struct{}

	mu     sync.Mutex // guards the fields below
	target target.ID
	state  State
	page   *url.URL // the requested page; see Begin
	holds  bool     // responses for its document are held; see NavigateHeld
	given  *given   // its document; nil: the server's

	rationed map[string]bool // origins whose storage is limited
}

// Open creates a browser context with one blank page. The lane must be stopped
// or fresh; it is the context's only network access. [Tab.Close] must follow.
func (b *Browser) Open(ctx context.Context, lane *egress.Lane) (_ *Tab, err error) {
	o := b.o
	t := &Tab{Browser: b, o: o, Lane: lane, changed: make(chan struct{}, 1), state: newState(), hooks: newName()}
	made, err := devtools.Call(ctx, b.Root, target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: new(true),
		ProxyServer:     "http://" + lane.Addr(),
		ProxyBypassList: "<-loopback>",
	})
	if err != nil {
		return nil, err
	}
	t.Context = made.BrowserContextID
	b.mu.Lock()
	b.contexts[t.Context] = t
	b.mu.Unlock()
	defer func() {
		if err != nil {
			t.drop()
		}
	}()
	// The download behaviour is set before there is a page that could download.
	t.early = append(t.early, b.Root.Send(browser.SetDownloadBehavior.Method, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: t.Context,
	}))
	if !o.NoStealth {
		for _, p := range stealth.Permissions(t.Context) {
			t.early = append(t.early, b.Root.Send(browser.SetPermission.Method, p))
		}
	}
	t.giveCookies()
	blank := target.CreateTargetParams{URL: "about:blank", BrowserContextID: t.Context, Width: int64(o.Width), Height: int64(o.Height)}
	if b.Shell {
		// The pointer, which never moves, is at the screen's corner, and an element under it would
		// enter its hover state sooner or later.
		blank.Left, blank.Top = new(int64(16)), new(int64(16))
	}
	if b.Framed {
		blank.EnableBeginFrameControl = new(true)
	}
	created, err := devtools.Call(ctx, b.Root, target.CreateTarget, blank)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.target = created.TargetID
	t.mu.Unlock()
	attached, err := devtools.Call(ctx, b.Root, target.AttachToTarget, target.AttachToTargetParams{TargetID: created.TargetID, Flatten: new(true)})
	if err != nil {
		return nil, err
	}
	t.Session = b.Attach(string(attached.SessionID), t.event)
	t.prepare()
	if err := t.settleEarly(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// settleEarly checks the results of commands sent before.
func (t *Tab) settleEarly(ctx context.Context) error {
	for _, f := range t.early {
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	t.early = nil
	return nil
}

// maxUses bounds the pages of a tab: pages leave garbage in the renderer's memory.
const maxUses = 50

// Reusable reports whether the tab may be cleared for a further page.
func (t *Tab) Reusable() bool {
	return t.Uses < maxUses && t.clock.ahead(time.Now()) < maxAhead && t.Browser.Running()
}

// UseUp makes this the tab's last page.
func (t *Tab) UseUp() { t.Uses = max(t.Uses, maxUses) }

// MainFrame is the id of the page's own frame, which is that of its target.
func (t *Tab) MainFrame() cdp.FrameID { return cdp.FrameID(t.target) }

// Clear resets the tab for the next page of the same origin: nothing that a page can write is left
// for the next to read (cookies, storage of all kinds and origins, history, window.name). Only the
// HTTP cache stays: style sheets and scripts of a site are fetched once for consecutive pages, as
// the site intends. Documents are always fetched.
//
// Opening a context costs 60 ms of CPU time, most of which is the start of a renderer, and a
// different origin needs a new renderer anyway. Over 48 pages of one origin, clearing takes 0.89 of
// the time of new contexts; with the cache cleared as well 0.96.
func (t *Tab) Clear(ctx context.Context) error {
	t.Lane.Stop()
	if _, err := devtools.Call(ctx, t.Session, page.Navigate, page.NavigateParams{URL: "about:blank"}); err != nil {
		return err
	}
	for blank := func(s *State) bool { return s.URL == "about:blank" && s.Loaded }; !t.Is(blank); {
		if err := t.Advance(ctx, emulation.VirtualTimePolicyAdvance, time.Millisecond); err != nil {
			return err
		}
	}
	send := func(s *devtools.Session, method string, params any) {
		t.early = append(t.early, s.Send(method, params))
	}
	send(t.Session, runtime.Evaluate.Method, runtime.EvaluateParams{Expression: "window.name = ''"})
	// The origin "*" covers all origins, and is the only way to clear session storage.
	send(t.Session, storage.ClearDataForOrigin.Method, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: "all"})
	send(t.Session, page.ResetNavigationHistory.Method, nil)
	if err := t.settleEarly(ctx); err != nil {
		return err
	}
	t.giveCookies()
	return t.Forget(ctx)
}

// Forget drops the state from events before a new document is tracked from its beginning.
func (t *Tab) Forget(ctx context.Context) error {
	t.View(func(s *State) {
		crashed := s.crashed
		t.leaveWorkers()
		*s = newState()
		s.crashed = crashed
	})
	t.watch()
	return t.settleEarly(ctx)
}

// prepare sends the commands that a page needs before it begins, without waiting.
func (t *Tab) prepare() {
	s, o := t.Session, t.o
	send := func(method string, params any) { t.early = append(t.early, s.Send(method, params)) }
	send(page.Enable.Method, nil)
	send(inspector.Enable.Method, nil)
	// With stealth, workers wait until their overrides are set.
	send(target.SetAutoAttach.Method, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: !o.NoStealth, Flatten: new(true), Filter: target.Filter{{Type: "worker"}},
	})
	t.watch()
	send(emulation.SetUserAgentOverride.Method, t.Browser.userAgent)
	send(page.AddScriptToEvaluateOnNewDocument.Method, page.AddScriptToEvaluateOnNewDocumentParams{Source: o.firstScript(t.hooks)})
	if !t.Browser.Shell {
		// Full Chromium's window has a frame; the shell's is the viewport.
		send(emulation.SetDeviceMetricsOverride.Method, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(o.Width), Height: int64(o.Height), DeviceScaleFactor: 1,
		})
	}
	if o.TimeZone != "" {
		send(emulation.SetTimezoneOverride.Method, emulation.SetTimezoneOverrideParams{TimezoneID: o.TimeZone})
	}
}

// watch enables the Network domain, for the document's response and, with https, for requests in
// flight. Keeping it on costs 5 to 15 % of the total time. Its buffers are not used.
//
// While it is on, requests also carry "no-cache": the document must not come from the previous
// page's cache. (Network.setCacheDisabled would also drop the renderer's cache in memory.)
func (t *Tab) watch() {
	t.early = append(t.early,
		t.Session.Send(network.Enable.Method, noBuffers()),
		t.Session.Send(network.SetExtraHTTPHeaders.Method, network.SetExtraHTTPHeadersParams{Headers: extra(t.o.everywhere(), t.Uses > 0)}))
}

// extra are the headers sent with every request.
func extra(header http.Header, noCache bool) network.Headers {
	h := network.Headers{}
	for name := range header {
		h[name] = strings.Join(header.Values(name), ", ")
	}
	if noCache {
		h["Cache-Control"], h["Pragma"] = "no-cache", "no-cache"
	}
	return h
}

func noBuffers() network.EnableParams {
	return network.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))}
}

// drop discards the context with everything in it, without waiting.
func (t *Tab) drop() devtools.Future {
	t.Lane.Stop()
	t.Browser.mu.Lock()
	delete(t.Browser.contexts, t.Context)
	t.Browser.mu.Unlock()
	return t.Browser.Root.Send(target.DisposeBrowserContext.Method, target.DisposeBrowserContextParams{BrowserContextID: t.Context})
}

// Close discards the context. A process that does not end is killed; if that fails too, the
// browser must be replaced, and the error says so.
func (t *Tab) Close(ctx context.Context) error {
	if !t.Browser.Running() {
		t.Lane.Stop()
		return devtools.ErrGone
	}
	_, err := t.drop().Wait(ctx)
	if t.Session != nil {
		t.Browser.Detach(t.Session.ID)
	}
	t.View(func(*State) { t.leaveWorkers() })
	if err != nil {
		return fmt.Errorf("close the tab: %w", err)
	}
	return nil
}
