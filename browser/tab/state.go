package tab

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/network"

	"plat/browser/devtools"
	"plat/browser/requests"
	"plat/plat"
)

// State is the state of the page as reported by events.
type State struct {
	URL         string            // of the document that is shown
	Asked       string            // URL that the tab was navigated to
	LastURL     string            // of the last request for a document
	MIME        string            // of the document that is shown
	Unreachable string            // URL of a document that Chrome replaced with its error page; empty: the document is shown
	NetError    string            // error of the last request for the document, "net::ERR_…", if the Network domain reported it
	Documents   int               // begun
	Loaded      bool              // the document's load event has fired
	Leaving     bool              // the page has requested a different document
	Left        time.Time         // when it last did so
	Hops        []plat.Redirect   // on the way to the document
	ByPage      int               // navigations by the page itself
	Reloads     int               // by the page itself
	Response    *network.Response // the document's; nil if absent
	Cut         string            // Chrome's reason for not having all of the document; empty: it has, or may get it
	Watching    bool              // the Network domain is on
	Workers     int               // begun by the page
	Streams     int               // sockets and event streams reported by the Network domain
	Requests    int               // reported by the Network domain
	Log         requests.Log

	crashed    bool
	dialogs    int
	documentID network.RequestID   // of the document's request
	answered   bool                // that request has a response
	answers    map[string]bool     // origins with realms that received a password
	expired    int                 // slices of virtual time that have passed
	inFlight   map[request]bool    // while watching; true: it has a response
	workers    map[string]struct{} // sessions of workers whose requests are tracked
	held       *Held               // the response of the document, if it is held
	navigated  bool                // the navigation of [Tab.NavigateHeld] has ended

	refusals []Refusal // see [Tab.Refusals]
}

// A request is a request of the page, or of one of its workers, by session.
type request struct {
	worker string
	id     network.RequestID
}

func newState() State {
	return State{Watching: true, inFlight: map[request]bool{}, answers: map[string]bool{}, workers: map[string]struct{}{}}
}

// Status returns the document's HTTP status, 0 without a response.
func (s *State) Status() int {
	if s.Response == nil {
		return 0
	}
	return int(s.Response.Status)
}

// InFlight reports whether the Network domain has reported a request that has not ended.
func (s *State) InFlight() bool { return len(s.inFlight) > 0 }

// Unanswered reports whether the Network domain has reported a request without a response so far.
func (s *State) Unanswered() bool {
	for _, answered := range s.inFlight {
		if !answered {
			return true
		}
	}
	return false
}

// asks notes a request, except event streams and pings, whose end is not awaited.
func (s *State) asks(r request, url string, as network.ResourceType) {
	if strings.HasPrefix(url, "http") && as != network.ResourceTypeEventSource && as != network.ResourceTypePing {
		s.inFlight[r] = false
	}
}

// isAnswered notes that a request has a response.
func (s *State) isAnswered(r request) {
	if _, is := s.inFlight[r]; is {
		s.inFlight[r] = true
	}
}

// startedWorker notes a worker that several pages may share.
func (s *State) startedWorker() {
	s.Log.Live = true
	s.Workers++
}

// Is reports whether something holds now.
func (t *Tab) Is(what func(*State) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return what(&t.state)
}

// View shows the state to f, which may change it and must return at once.
func (t *Tab) View(f func(*State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.state)
}

// maxByPage bounds the navigations that a page makes itself, by script or meta refresh.
// Chrome's own limit for redirects by the server is 20.
const maxByPage = 5

// wait returns nil once is holds. It is called with mu held, and again after
// every change.
func (t *Tab) wait(ctx context.Context, is func(*State) bool) error {
	for {
		t.mu.Lock()
		s := &t.state
		ok, crashed, looping := is(s), s.crashed, s.ByPage > maxByPage || s.Reloads > maxByPage
		t.mu.Unlock()
		switch {
		case crashed:
			return ErrCrashed
		case looping:
			return ErrLooping
		case ok:
			return nil
		}
		select {
		case <-t.changed:
		case <-t.Session.Detached():
			return t.Lost()
		case <-t.Browser.Closed():
			return devtools.ErrGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Lost returns why the page is gone: [ErrCrashed], [devtools.ErrGone] or [ErrSelfClosed].
func (t *Tab) Lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.state.crashed:
		return ErrCrashed
	case !t.Browser.Running():
		return devtools.ErrGone
	}
	return ErrSelfClosed
}

// Crashed reports whether the page's process has died.
func (t *Tab) Crashed() bool { return t.Is(func(s *State) bool { return s.crashed }) }
