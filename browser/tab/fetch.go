package tab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"plat/browser/cookies"
	"plat/browser/devtools"
	"plat/browser/origin"
	"plat/plat"
)

// everywhere are the headers sent with every request.
func (o *Options) everywhere() http.Header {
	if o.Everywhere {
		return o.Header
	}
	return nil
}

// ours are the headers sent with the requests of a page's own site.
func (o *Options) ours() http.Header {
	if o.Everywhere {
		return nil
	}
	return o.Header
}

// Document is the document of a page, given in place of its server's response.
type Document struct {
	Type string // as in the header Content-Type
	Body []byte
}

// given is a document of a page, and the URL at which Chrome has requested it.
type given struct {
	*Document
	url string // without scheme, which Chrome may change; empty: it has not
}

// stays cancels navigations of a page to different documents before they begin: one that fails later ends the
// parsing of the document, without a load event. A form that is sent by a script does so even if it is cancelled.
const stays = `(() => {
'use strict';
if (self !== top) return;
navigation.addEventListener('navigate', (e) => {
  if (!e.destination.sameDocument && e.navigationType !== 'reload') e.preventDefault();
});
// A form may have a field named target.
const get = Element.prototype.getAttribute, named = (element, name) => element && get.call(element, name) || '';
const own = (target) => ['', '_self', '_top', '_parent'].includes(target.toLowerCase());
const form = HTMLFormElement.prototype, submit = form.submit;
form.submit = { submit() { if (!own(named(this, 'target'))) submit.call(this); } }.submit;
addEventListener('submit', (e) => {
  if (own(named(e.submitter, 'formtarget') || named(e.target, 'target'))) e.preventDefault();
});
})();`

// Begin sets the page that the tab is for: only its site receives secret headers and passwords.
// Chrome pauses requests that may receive them; tabs without secrets have no such pauses.
//
// With a document, the page gets that, its frames and resources come from the network, and the page
// does not leave the document. Such a tab is for one page.
func (t *Tab) Begin(ctx context.Context, at *url.URL, document *Document) error {
	t.mu.Lock()
	again := t.page != nil && t.page.Scheme == at.Scheme && t.page.Host == at.Host
	t.page = at
	if document != nil {
		t.given = &given{Document: document}
	}
	t.mu.Unlock()
	patterns := t.o.patterns(at)
	if document != nil {
		again = false
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: "*", ResourceType: network.ResourceTypeDocument})
	}
	if again || len(patterns) == 0 {
		return nil
	}
	if document != nil {
		t.early = append(t.early, t.Session.Send(page.AddScriptToEvaluateOnNewDocument.Method, page.AddScriptToEvaluateOnNewDocumentParams{Source: stays}))
		if err := t.settleEarly(ctx); err != nil {
			return err
		}
	}
	return t.intercept(ctx, patterns)
}

// intercept makes Chrome pause what the patterns match.
func (t *Tab) intercept(ctx context.Context, patterns []*fetch.RequestPattern) error {
	_, err := devtools.Call(ctx, t.Session, fetch.Enable, fetch.EnableParams{Patterns: patterns, HandleAuthRequests: new(len(t.o.Auth) > 0)})
	return err
}

// patterns match all requests that may receive a secret, and some more: the decision is made when
// a request is paused.
func (o *Options) patterns(page *url.URL) []*fetch.RequestPattern {
	var all []*fetch.RequestPattern
	if len(o.ours()) > 0 {
		for _, end := range [...]string{"/*", ":*"} {
			all = append(all, &fetch.RequestPattern{URLPattern: "http*://*" + plat.DomainOf(page.Hostname()) + end})
		}
	}
	for server := range o.Auth {
		name := server.Host
		if strings.Contains(name, ":") {
			name = "[" + name + "]"
		}
		for _, end := range [...]string{"/*", ":*"} {
			all = append(all, &fetch.RequestPattern{URLPattern: "http*://" + name + end, ResourceType: network.ResourceTypeDocument})
		}
	}
	return all
}

// fetchEvent handles paused requests, and servers that require a password. mu is held.
func (t *Tab) fetchEvent(method string, params []byte) {
	switch method {
	case fetch.RequestPaused.Method:
		e, ok := decode(fetch.RequestPaused, params)
		switch {
		case !ok, t.giveDocument(&e):
		case e.ResponseStatusCode != 0 || e.ResponseErrorReason != "":
			t.responsePaused(&e)
		default:
			t.Session.Send(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID, Headers: t.headersFor(e.Request)}).Forget()
		}
	case fetch.AuthRequired.Method:
		if e, ok := decode(fetch.AuthRequired, params); ok {
			t.Session.Send(fetch.ContinueWithAuth.Method, fetch.ContinueWithAuthParams{RequestID: e.RequestID, AuthChallengeResponse: t.login(e)}).Forget()
		}
	}
}

// leftFor reports whether a URL is that of a different document. g may be nil: then no document is given.
func (g *given) leftFor(url string) bool {
	_, at, _ := strings.Cut(url, ":")
	return g != nil && g.url != "" && at != g.url
}

// giveDocument answers a request for the document of a page that is given, and reports whether it has.
// A request for a different document is cancelled: the page stays. mu is held.
func (t *Tab) giveDocument(e *fetch.EventRequestPaused) bool {
	if t.given == nil || e.Request == nil || e.ResourceType != network.ResourceTypeDocument || e.FrameID != t.MainFrame() {
		return false
	}
	if t.given.url == "" {
		_, t.given.url, _ = strings.Cut(e.Request.URL, ":")
	}
	if t.given.leftFor(e.Request.URL) || e.Request.Method != http.MethodGet {
		t.state.Leaving = false
		t.Session.Send(fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted}).Forget()
		return true
	}
	// Encoding and writing megabytes must not hold up the events of other tabs.
	answer := fetch.FulfillRequestParams{
		RequestID: e.RequestID, ResponseCode: http.StatusOK, Body: t.given.Body,
		ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: t.given.Type}},
	}
	t.Browser.late.Go(func() { t.Session.Send(fetch.FulfillRequest.Method, answer).Forget() })
	return true
}

// headersFor returns the headers of a request together with ours, if it belongs to the page's site, or
// nil to leave them unchanged. Every hop of a redirect is a separate request, without the headers
// added to the previous hop.
func (t *Tab) headersFor(r *network.Request) []*fetch.HeaderEntry {
	ours := t.o.ours()
	if len(ours) == 0 || r == nil || t.page == nil {
		return nil
	}
	u, err := origin.Parse(r.URL)
	if err != nil || !origin.SameSite(t.page, u) {
		return nil
	}
	var all []*fetch.HeaderEntry
	own := "" // the page's cookies
	for name, value := range r.Headers {
		if canonical := http.CanonicalHeaderKey(name); canonical == "Cookie" {
			own = fmt.Sprint(value)
		} else if _, replaced := ours[canonical]; !replaced {
			all = append(all, &fetch.HeaderEntry{Name: name, Value: fmt.Sprint(value)})
		}
	}
	for name, values := range ours {
		if name != "Cookie" {
			all = append(all, &fetch.HeaderEntry{Name: name, Value: strings.Join(values, ", ")})
		}
	}
	if together := cookies.Join(own, strings.Join(ours["Cookie"], "; ")); together != "" {
		all = append(all, &fetch.HeaderEntry{Name: "Cookie", Value: together})
	}
	return all
}

// login answers a server's demand for a password only for the page's own document, not for frames
// and resources, which any page may load. It answers once, since sites lock accounts.
func (t *Tab) login(e fetch.EventAuthRequired) *fetch.AuthChallengeResponse {
	cancel := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	c := e.AuthChallenge
	if c == nil || c.Source == fetch.AuthChallengeSourceProxy || e.ResourceType != network.ResourceTypeDocument || e.FrameID != t.MainFrame() {
		return cancel
	}
	asked, err := origin.Parse(t.state.Asked)
	if err != nil {
		return cancel
	}
	at, err := origin.Parse(c.Origin)
	if err != nil {
		return cancel
	}
	login, ok := origin.Find(t.o.Auth, asked, at)
	who := c.Origin + " " + c.Realm
	if !ok || t.state.answers[who] {
		return cancel
	}
	t.state.answers[who] = true
	return &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: login.User, Password: login.Password}
}
