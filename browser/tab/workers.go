package tab

import (
	"maps"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"plat/browser/devtools"
	"plat/browser/stealth"
)

// maxWorkers bounds the workers of a page whose requests are tracked.
const maxWorkers = 50

// enterWorker sets a waiting worker's overrides, runs the stealth script in it, and lets it begin:
// otherwise worker and page would present two different machines. t is its tab, whose mu is held;
// nil if unknown.
func (b *Browser) enterWorker(t *Tab, e *target.EventAttachedToTarget) {
	id := string(e.SessionID)
	hears := t != nil && t.state.Watching && len(t.state.workers) < maxWorkers // with https the Network domain reports its requests
	event := func(string, []byte) {}
	if hears {
		event = func(method string, params []byte) { t.workerEvent(id, method, params) }
		t.state.workers[id] = struct{}{}
	}
	s := b.Attach(id, event)
	if hears {
		s.Send(network.Enable.Method, noBuffers()).Forget()
	}
	if e.WaitingForDebugger {
		if e.TargetInfo.Type != "worker" { // a page's own worker has it from the page
			s.Send(emulation.SetUserAgentOverride.Method, b.userAgent).Forget()
		}
		s.Send(runtime.Evaluate.Method, runtime.EvaluateParams{Expression: stealth.Worker()}).Forget()
		s.Send(runtime.RunIfWaitingForDebugger.Method, nil).Forget()
	}
	if !hears {
		b.Detach(id)
	}
}

// workerEvent tracks a worker's requests.
func (t *Tab) workerEvent(session, method string, params []byte) {
	switch method {
	case network.RequestWillBeSent.Method, network.ResponseReceived.Method, network.LoadingFinished.Method, network.LoadingFailed.Method:
	default:
		return // much of the rest is large, and the page's own
	}
	var e struct {
		ID      network.RequestID    `json:"requestId"`
		Type    network.ResourceType `json:"type"`
		Request struct {
			URL string `json:"url"`
		} `json:"request"`
	}
	if devtools.Unmarshal(params, &e) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.poke()
	s := &t.state
	if _, is := s.workers[session]; !is {
		return // of the page before
	}
	switch r := (request{session, e.ID}); method {
	case network.RequestWillBeSent.Method:
		if s.Watching {
			s.asks(r, e.Request.URL, e.Type)
		}
	case network.ResponseReceived.Method:
		s.isAnswered(r)
	case network.LoadingFinished.Method, network.LoadingFailed.Method:
		delete(s.inFlight, r)
	}
}

// leaveWorkers forgets all workers. mu is held.
func (t *Tab) leaveWorkers() {
	for session := range t.state.workers {
		t.leaveWorker(session)
	}
}

// leaveWorker forgets a worker that has ended. mu is held.
func (t *Tab) leaveWorker(session string) {
	if _, is := t.state.workers[session]; !is {
		return
	}
	t.Browser.Detach(session)
	delete(t.state.workers, session)
	maps.DeleteFunc(t.state.inFlight, func(r request, _ bool) bool { return r.worker == session })
}

// Unanswered reports whether a request of the page or of one of its workers has no answer. With
// https the Network domain reports requests of the page and of tracked workers; otherwise, and for
// messages over sockets, the guard does: see [egress.Activity].
func (t *Tab) Unanswered() bool {
	return t.Is((*State).Unanswered) || t.Lane.Idle().Waiting > 0
}
