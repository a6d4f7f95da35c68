package tab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

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

// Begin sets the page that the tab is for: only its site receives secret headers and passwords.
// Chrome pauses requests that may receive them; tabs without secrets have no such pauses.
func (t *Tab) Begin(ctx context.Context, page *url.URL) error {
	t.mu.Lock()
	again := t.page != nil && t.page.Scheme == page.Scheme && t.page.Host == page.Host
	t.page = page
	t.mu.Unlock()
	patterns := t.o.patterns(page)
	if again || len(patterns) == 0 {
		return nil
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
		case !ok:
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
