package tab

import (
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"plat/browser/devtools"
	"plat/plat"
)

// maxDialogs bounds the dialogs that a page may open before its scripts are stopped. Each is
// dismissed as it opens.
const maxDialogs = 50

// popup reports whether a target is a second page of this tab's context.
func (t *Tab) popup(id target.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.target != "" && t.target != id
}

// poke wakes the waiter for a change.
func (t *Tab) poke() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// event is called for each event of the page, in order; see [devtools.Pipe.Attach].
func (t *Tab) event(method string, params []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.poke()
	switch domain, _, _ := strings.Cut(method, "."); domain {
	case "Network":
		t.networkEvent(&t.state, method, params)
	case "Audits":
		t.state.auditsEvent(method, params)
	case "Fetch":
		t.fetchEvent(method, params)
	default:
		t.pageEvent(&t.state, method, params)
	}
}

// storageQuota is the number of bytes that an origin may store in a tab: a page lives for seconds,
// and Chrome's own limit is a share of the disk or of memory.
const storageQuota = 64 << 20

// maxOrigins bounds the origins of a page with a quota; the searched frames have no room for more.
const maxOrigins = 1000

// ration limits the storage of an origin. mu is held.
func (t *Tab) ration(origin string) {
	if !strings.HasPrefix(origin, "http") || t.rationed[origin] || len(t.rationed) >= maxOrigins {
		return
	}
	if t.rationed == nil {
		t.rationed = map[string]bool{}
	}
	t.rationed[origin] = true
	t.Session.Send(storage.OverrideQuotaForOrigin.Method, storage.OverrideQuotaForOriginParams{Origin: origin, QuotaSize: new(float64(storageQuota))}).Forget()
}

// pageEvent tracks documents, dialogs, workers and virtual time. mu is held.
func (t *Tab) pageEvent(s *State, method string, params []byte) {
	main := t.MainFrame()
	switch method {
	case page.FrameNavigated.Method:
		e, ok := decode(page.FrameNavigated, params)
		if !ok || e.Frame == nil {
			return
		}
		t.ration(e.Frame.SecurityOrigin)
		if e.Frame.ID != main {
			return
		}
		switch {
		case s.Documents == 0 || s.URL == "" || s.URL == "about:blank":
		case s.URL == e.Frame.URL:
			s.Reloads++
		default:
			s.Hops = append(s.Hops, plat.Redirect{URL: s.URL})
			s.ByPage++
		}
		s.Documents++
		s.Workers, s.Streams = 0, 0
		s.URL, s.MIME, s.Unreachable = e.Frame.URL, e.Frame.MimeType, e.Frame.UnreachableURL
		s.Loaded, s.Leaving = false, false
	case page.LoadEventFired.Method:
		s.Loaded = s.Documents > 0
	case page.FrameStoppedLoading.Method:
		// A script has called window.stop, if no load event came before.
		if e, ok := decode(page.FrameStoppedLoading, params); ok && e.FrameID == main && s.Documents > 0 && !s.Leaving {
			s.Loaded = true
		}
	case page.FrameRequestedNavigation.Method:
		e, ok := decode(page.FrameRequestedNavigation, params)
		if !ok || e.FrameID != main || e.Disposition != page.ClientNavigationDispositionCurrentTab || t.given.leftFor(e.URL) {
			return
		}
		s.Leaving, s.Left = true, time.Now()
		if !s.Watching {
			s.Watching = true
			t.Session.Send(network.Enable.Method, noBuffers()).Forget()
		}
	case emulation.VirtualTimeBudgetExpired.Method:
		s.expired++
	case target.AttachedToTarget.Method:
		s.Workers++
		s.Log.Live = true
		if e, ok := decode(target.AttachedToTarget, params); ok && e.TargetInfo != nil {
			t.Browser.enterWorker(t, &e)
		}
	case target.DetachedFromTarget.Method:
		if e, ok := decode(target.DetachedFromTarget, params); ok {
			t.leaveWorker(string(e.SessionID))
		}
	case page.JavascriptDialogOpening.Method:
		if s.dialogs++; s.dialogs == maxDialogs {
			t.Session.Send(runtime.TerminateExecution.Method, nil).Forget()
		}
		t.Session.Send(page.HandleJavaScriptDialog.Method, page.HandleJavaScriptDialogParams{Accept: false}).Forget()
	case inspector.TargetCrashed.Method:
		s.crashed = true
		t.Browser.Detach(t.Session.ID) // it will not answer any more
	}
}

// networkEvent tracks requests: always the document's, and while watching all of them. mu is
// held.
func (t *Tab) networkEvent(s *State, method string, params []byte) {
	switch method {
	case network.WebSocketCreated.Method:
		s.Streams++
		s.Log.Live = true
	case network.RequestWillBeSent.Method:
		e, ok := decode(network.RequestWillBeSent, params)
		if !ok {
			return
		}
		if e.FrameID == t.MainFrame() && e.Type == network.ResourceTypeDocument {
			if e.RedirectResponse != nil {
				s.Hops = append(s.Hops, plat.Redirect{URL: e.RedirectResponse.URL, Status: int(e.RedirectResponse.Status)})
			}
			s.documentID, s.LastURL = e.RequestID, e.Request.URL
			s.answered, s.Cut, s.NetError = false, "", ""
		} else {
			s.Log.Sent(&e)
		}
		if e.RedirectResponse == nil {
			s.Requests++
		}
		if e.Type == network.ResourceTypeEventSource {
			s.Streams++
		}
		if s.Watching {
			s.asks(request{id: e.RequestID}, e.Request.URL, e.Type)
		}
	case network.ResponseReceived.Method:
		e, ok := decode(network.ResponseReceived, params)
		if !ok {
			return
		}
		s.Log.Received(e.RequestID, e.Response)
		s.isAnswered(request{id: e.RequestID})
		if e.RequestID == s.documentID && e.Response != nil {
			s.Response, s.answered = e.Response, true
			s.Watching = strings.HasPrefix(e.Response.URL, "https:")
			switch {
			case !s.Watching && len(t.o.everywhere()) == 0:
				t.Session.Send(network.Disable.Method, nil).Forget()
				clear(s.inFlight)
			case t.Uses > 1:
				t.Session.Send(network.SetExtraHTTPHeaders.Method, network.SetExtraHTTPHeadersParams{Headers: extra(t.o.everywhere(), false)}).Forget()
			}
		}
	case network.LoadingFinished.Method, network.LoadingFailed.Method:
		var e struct {
			RequestID network.RequestID `json:"requestId"`
			Error     string            `json:"errorText"`
			Canceled  bool              `json:"canceled"`
		}
		if devtools.Unmarshal(params, &e) == nil {
			if e.RequestID == s.documentID && !e.Canceled {
				if s.answered {
					s.Cut = e.Error
				} else {
					s.NetError = e.Error
				}
			}
			delete(s.inFlight, request{id: e.RequestID})
			if e.Canceled {
				e.Error = ""
			}
			s.Log.Ended(e.RequestID, e.Error)
		}
	case network.RequestServedFromCache.Method:
		if e, ok := decode(network.RequestServedFromCache, params); ok {
			s.Log.Cached(e.RequestID)
		}
	}
}
