package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"plat"
	"plat/browser/egress"
	"plat/browser/loads"
	"plat/browser/stealth"
	"plat/browser/wire"
)

// tab is one browser context with one page in it. It is used for one page, or
// for several of one origin, and cleared in between; see [tab.clear].
type tab struct {
	c       *chrome
	o       *Options
	lane    *egress.Lane
	context cdp.BrowserContextID
	session *wire.Session
	early   []wire.Future // commands of prepare whose results are looked at later
	origin  string        // of the pages it was used for; empty: none yet
	uses    int
	clock   clock
	hooks   string // the name of what hooks.js returns
	cache   loads.Cache

	// changed gets a token when something below has changed.
	changed chan struct{}

	mu      sync.Mutex // guards what follows
	target  target.ID
	crashed bool
	pageState
}

// pageState is what events have told of the page.
type pageState struct {
	url        string // of the document that is shown
	lastURL    string // asked for last as the document
	mime       string
	loads      int // documents begun
	loaded     bool
	leaving    bool      // the page has asked for another document
	left       time.Time // when it has done so last
	dialogs    int
	hops       []plat.Redirect
	byPage     int // hops that the page made itself
	reloads    int // of itself, by the page
	response   *network.Response
	documentID network.RequestID // of the document's request
	watching   bool              // the Network domain is on, so inFlight holds
	expired    int               // slices of virtual time that have passed
	workers    int               // begun by the page
	streams    int               // sockets and event streams that the Network domain told of
	inFlight   map[network.RequestID]struct{}
	requests   int
	log        loads.Log
}

func newPageState() pageState {
	return pageState{watching: true, inFlight: map[network.RequestID]struct{}{}}
}

// maxDialogs is how many dialogs a page may open before its scripts are
// stopped. Each is dismissed as it opens.
const maxDialogs = 50

// decode reads an event's parameters.
func decode[E any](_ cdp.Event[E], params []byte) (E, bool) {
	var e E
	return e, wire.Unmarshal(params, &e) == nil
}

// openTab makes a browser context with one blank page. The lane must be stopped
// or fresh; it is the only way out of the context.
func openTab(ctx context.Context, c *chrome, o *Options, lane *egress.Lane) (_ *tab, err error) {
	t := &tab{c: c, o: o, lane: lane, changed: make(chan struct{}, 1), pageState: newPageState(), hooks: newName()}
	made, err := wire.Call(ctx, c.Root, target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: new(true),
		ProxyServer:     "http://" + lane.Addr(),
		ProxyBypassList: "<-loopback>",
	})
	if err != nil {
		return nil, err
	}
	t.context = made.BrowserContextID
	c.mu.Lock()
	c.contexts[t.context] = t
	c.mu.Unlock()
	defer func() {
		if err != nil {
			t.drop()
		}
	}()
	// The download behaviour is set before there is a page that could download.
	t.early = append(t.early, c.Root.Send(browser.SetDownloadBehavior.Method, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: t.context,
	}))
	if !o.NoStealth {
		for _, p := range stealth.Permissions(t.context) {
			t.early = append(t.early, c.Root.Send(browser.SetPermission.Method, p))
		}
	}
	if len(o.Cookies) > 0 {
		t.early = append(t.early, c.Root.Send(storage.SetCookies.Method, storage.SetCookiesParams{
			Cookies: cookies(o.Cookies), BrowserContextID: t.context,
		}))
	}
	blank := target.CreateTargetParams{URL: "about:blank", BrowserContextID: t.context, Width: int64(o.Width), Height: int64(o.Height)}
	if c.Shell {
		// The pointer that nobody moves is at the screen's corner, and what lies
		// under it would be hovered over, sooner or later.
		blank.Left, blank.Top = new(int64(16)), new(int64(16))
	}
	if c.Framed {
		blank.EnableBeginFrameControl = new(true)
	}
	created, err := wire.Call(ctx, c.Root, target.CreateTarget, blank)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.target = created.TargetID
	t.mu.Unlock()
	attached, err := wire.Call(ctx, c.Root, target.AttachToTarget, target.AttachToTargetParams{TargetID: created.TargetID, Flatten: new(true)})
	if err != nil {
		return nil, err
	}
	t.session = c.Attach(string(attached.SessionID), t.event)
	t.prepare()
	return t, t.settleEarly(ctx)
}

// settleEarly looks at the results of commands sent before.
func (t *tab) settleEarly(ctx context.Context) error {
	for _, f := range t.early {
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	t.early = nil
	return nil
}

// maxUses is how many pages a tab may have: what pages leave in a renderer's
// memory adds up.
const maxUses = 50

// clear makes the tab ready for another page of the same origin, as if it were
// new: nothing that a page can write is left for the next to read (cookies,
// storage of all kinds and origins, history, window.name). What stays is the
// HTTP cache: style sheets and scripts of a site are fetched once for all of its
// pages that come in a row, as the site meant it. Documents are fetched anew.
//
// Opening a context costs 60 ms of CPU time, most of which is the start of a
// renderer, and another origin needs another renderer anyway. Over 48 pages of
// one origin, everything takes 0.89 of the time with clearing; with the cache
// cleared as well 0.96.
func (t *tab) clear(ctx context.Context) error {
	t.lane.Stop()
	if _, err := wire.Call(ctx, t.session, page.Navigate, page.NavigateParams{URL: "about:blank"}); err != nil {
		return err
	}
	for blank := func() bool { return t.url == "about:blank" && t.loaded }; !t.is(blank); {
		if err := t.advance(ctx, emulation.VirtualTimePolicyAdvance, time.Millisecond); err != nil {
			return err
		}
	}
	send := func(s *wire.Session, method string, params any) { t.early = append(t.early, s.Send(method, params)) }
	send(t.session, runtime.Evaluate.Method, runtime.EvaluateParams{Expression: "window.name = ''"})
	// An origin that is none stands for all; only then session storage goes too.
	send(t.session, storage.ClearDataForOrigin.Method, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: "all"})
	send(t.session, page.ResetNavigationHistory.Method, nil)
	if len(t.o.Cookies) > 0 {
		send(t.c.Root, storage.SetCookies.Method, storage.SetCookiesParams{Cookies: cookies(t.o.Cookies), BrowserContextID: t.context})
	}
	if err := t.settleEarly(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	t.pageState = newPageState()
	t.mu.Unlock()
	t.watch()
	return t.settleEarly(ctx)
}

// prepare sends what a page needs before it begins, without waiting.
func (t *tab) prepare() {
	s, o := t.session, t.o
	send := func(method string, params any) { t.early = append(t.early, s.Send(method, params)) }
	send(page.Enable.Method, nil)
	send(inspector.Enable.Method, nil)
	// With stealth, workers wait until they are told what their page is told.
	send(target.SetAutoAttach.Method, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: !o.NoStealth, Flatten: new(true), Filter: target.Filter{{Type: "worker"}},
	})
	t.watch()
	send(emulation.SetUserAgentOverride.Method, t.c.userAgent)
	send(page.AddScriptToEvaluateOnNewDocument.Method, page.AddScriptToEvaluateOnNewDocumentParams{Source: o.firstScript(t.hooks)})
	if !t.c.Shell {
		// Full Chromium's window has a frame; the shell's is the viewport.
		send(emulation.SetDeviceMetricsOverride.Method, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(o.Width), Height: int64(o.Height), DeviceScaleFactor: 1,
		})
	}
	if o.TimeZone != "" {
		send(emulation.SetTimezoneOverride.Method, emulation.SetTimezoneOverrideParams{TimezoneID: o.TimeZone})
	}
	if len(o.Auth) > 0 {
		var patterns []*fetch.RequestPattern
		for host := range o.Auth {
			patterns = append(patterns, &fetch.RequestPattern{URLPattern: "http*://" + host + "/*"}, &fetch.RequestPattern{URLPattern: "http*://" + host + ":*/*"})
		}
		send(fetch.Enable.Method, fetch.EnableParams{Patterns: patterns, HandleAuthRequests: new(true)})
	}
}

// watch turns the Network domain on, for the document's response and, by https,
// for what is in flight. On all the time it costs 5 to 15 % of everything. Its
// buffers are of no use.
//
// While it is on, requests also say "no-cache": the document must not come from
// the cache of the page before. (Network.setCacheDisabled would throw out what
// the renderer has in memory as well.)
func (t *tab) watch() {
	t.early = append(t.early,
		t.session.Send(network.Enable.Method, noBuffers()),
		t.session.Send(network.SetExtraHTTPHeaders.Method, network.SetExtraHTTPHeadersParams{Headers: extra(t.o.Header, t.uses > 0)}))
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

func cookies(list []Cookie) []*network.CookieParam {
	var all []*network.CookieParam
	for _, c := range list {
		path := c.Path
		if path == "" {
			path = "/"
		}
		all = append(all, &network.CookieParam{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: path, Secure: c.Secure, HTTPOnly: c.HTTPOnly})
	}
	return all
}

// popup reports whether a page of this tab's context is one too many.
func (t *tab) popup(id target.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.target != "" && t.target != id
}

// poke tells whoever waits that something has changed.
func (t *tab) poke() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// event is called for each event of the page, in order; see [session.event].
func (t *tab) event(method string, params []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.poke()
	main := cdp.FrameID(t.target)
	switch method {
	case page.FrameNavigated.Method:
		e, ok := decode(page.FrameNavigated, params)
		if !ok || e.Frame == nil || e.Frame.ID != main {
			return
		}
		switch {
		case t.loads == 0 || t.url == "" || t.url == "about:blank":
		case t.url == e.Frame.URL:
			t.reloads++
		default:
			t.hops = append(t.hops, plat.Redirect{URL: t.url})
			t.byPage++
		}
		t.loads++
		t.workers, t.streams = 0, 0
		t.url, t.mime = e.Frame.URL, e.Frame.MimeType
		t.loaded, t.leaving = false, false
	case page.LoadEventFired.Method:
		t.loaded = t.loads > 0
	case page.FrameRequestedNavigation.Method:
		e, ok := decode(page.FrameRequestedNavigation, params)
		if !ok || e.FrameID != main || e.Disposition != page.ClientNavigationDispositionCurrentTab {
			return
		}
		t.leaving, t.left = true, time.Now()
		if !t.watching {
			t.watching = true
			t.session.Send(network.Enable.Method, noBuffers()).Forget()
		}
	case emulation.VirtualTimeBudgetExpired.Method:
		t.expired++
	case target.AttachedToTarget.Method:
		t.workers++
		t.log.Live = true
		if !t.o.NoStealth {
			t.c.enterWorker(params)
		}
	case network.WebSocketCreated.Method:
		t.streams++
		t.log.Live = true
	case page.JavascriptDialogOpening.Method:
		if t.dialogs++; t.dialogs == maxDialogs {
			t.session.Send(runtime.TerminateExecution.Method, nil).Forget()
		}
		t.session.Send(page.HandleJavaScriptDialog.Method, page.HandleJavaScriptDialogParams{Accept: false}).Forget()
	case inspector.TargetCrashed.Method:
		t.crashed = true
		t.c.Detach(t.session.ID) // nothing will answer any more
	case network.RequestWillBeSent.Method:
		e, ok := decode(network.RequestWillBeSent, params)
		if !ok {
			return
		}
		if e.FrameID == main && e.Type == network.ResourceTypeDocument {
			if e.RedirectResponse != nil {
				t.hops = append(t.hops, plat.Redirect{URL: e.RedirectResponse.URL, Status: int(e.RedirectResponse.Status)})
			}
			t.documentID, t.lastURL = e.RequestID, e.Request.URL
		} else {
			t.log.Sent(&e)
		}
		if e.RedirectResponse == nil {
			t.requests++
		}
		if e.Type == network.ResourceTypeEventSource {
			t.streams++
		}
		if t.watching && strings.HasPrefix(e.Request.URL, "http") && e.Type != network.ResourceTypeEventSource && e.Type != network.ResourceTypePing {
			t.inFlight[e.RequestID] = struct{}{}
		}
	case network.ResponseReceived.Method:
		e, ok := decode(network.ResponseReceived, params)
		if !ok {
			return
		}
		t.log.Received(e.RequestID, e.Response)
		if e.RequestID == t.documentID && e.Response != nil {
			t.response = e.Response
			t.watching = strings.HasPrefix(e.Response.URL, "https:")
			switch {
			case !t.watching && len(t.o.Header) == 0:
				t.session.Send(network.Disable.Method, nil).Forget()
				clear(t.inFlight)
			case t.uses > 1:
				t.session.Send(network.SetExtraHTTPHeaders.Method, network.SetExtraHTTPHeadersParams{Headers: extra(t.o.Header, false)}).Forget()
			}
		}
	case network.LoadingFinished.Method, network.LoadingFailed.Method:
		var e struct {
			RequestID network.RequestID `json:"requestId"`
		}
		if wire.Unmarshal(params, &e) == nil {
			delete(t.inFlight, e.RequestID)
			t.log.Ended(e.RequestID)
		}
	case network.RequestServedFromCache.Method:
		if e, ok := decode(network.RequestServedFromCache, params); ok {
			t.log.Cached(e.RequestID)
		}
	case fetch.RequestPaused.Method:
		if e, ok := decode(fetch.RequestPaused, params); ok {
			t.session.Send(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}).Forget()
		}
	case fetch.AuthRequired.Method:
		if e, ok := decode(fetch.AuthRequired, params); ok {
			t.session.Send(fetch.ContinueWithAuth.Method, fetch.ContinueWithAuthParams{RequestID: e.RequestID, AuthChallengeResponse: t.login(e)}).Forget()
		}
	}
}

// login answers a host's demand for a password, once.
func (t *tab) login(e fetch.EventAuthRequired) *fetch.AuthChallengeResponse {
	cancel := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	if e.AuthChallenge == nil || e.AuthChallenge.Source == fetch.AuthChallengeSourceProxy {
		return cancel
	}
	_, host, _ := strings.Cut(e.AuthChallenge.Origin, "://")
	login, ok := t.o.Auth[host]
	if !ok {
		name, _, _ := strings.Cut(host, ":")
		login, ok = t.o.Auth[name]
	}
	if !ok {
		return cancel
	}
	return &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: login.User, Password: login.Password}
}

// errCrashed is the end of a page whose process died.
var errCrashed = errors.New("the tab has crashed")

// errClosedItself is the end of a page that has found a way to close its tab.
var errClosedItself = errors.New("the page has closed itself")

// errLooping is the end of a page that sends itself on and on.
var errLooping = errors.New("the page sends itself on and on")

// maxByPage is how often a page may send itself elsewhere, by script or by meta
// refresh. Chrome's own limit for redirects by the server is 20.
const maxByPage = 5

// wait returns nil once is holds. It is called with mu held, and again after
// every change.
func (t *tab) wait(ctx context.Context, is func() bool) error {
	for {
		t.mu.Lock()
		ok, crashed, looping := is(), t.crashed, t.byPage > maxByPage || t.reloads > maxByPage
		t.mu.Unlock()
		switch {
		case crashed:
			return errCrashed
		case looping:
			return errLooping
		case ok:
			return nil
		}
		select {
		case <-t.changed:
		case <-t.session.Detached():
			return t.lost()
		case <-t.c.Closed():
			return wire.ErrGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// is reports whether something holds now.
func (t *tab) is(what func() bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return what()
}

// lost is why the page is not there any more.
func (t *tab) lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.crashed:
		return errCrashed
	case !t.c.Running():
		return wire.ErrGone
	}
	return errClosedItself
}

// drop throws the context away with everything in it, without waiting for it.
func (t *tab) drop() wire.Future {
	t.lane.Stop()
	t.c.mu.Lock()
	delete(t.c.contexts, t.context)
	t.c.mu.Unlock()
	return t.c.Root.Send(target.DisposeBrowserContext.Method, target.DisposeBrowserContextParams{BrowserContextID: t.context})
}

// close throws the context away. A process that does not go is killed; if that
// does not help either, the browser has to go, which the error says.
func (t *tab) close(ctx context.Context) error {
	if !t.c.Running() {
		t.lane.Stop()
		return wire.ErrGone
	}
	_, err := t.drop().Wait(ctx)
	if t.session != nil {
		t.c.Detach(t.session.ID)
	}
	if err != nil {
		return fmt.Errorf("close the tab: %w", err)
	}
	return nil
}
