package driver

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"plat/browser/devtools"
	"plat/browser/tab"
)

// transport is chromedp's way to the browser ([chromedp.Transport]) and its allocator. chromedp's
// JSON goes through the browser's pipe as CBOR, on a separate session, which ends with all its
// enabled domains when close returns. The page's other session is not affected.
//
// Only commands in [passed] get to Chrome. chromedp enables nine domains on each
// target that it attaches; those in [answered] would only cost time and memory.
type transport struct {
	tab *tab.Tab

	mu       sync.Mutex
	queue    []inbound                    // guarded by mu: not yet read
	bytes    int                          // guarded by mu: of queue
	sessions map[string]*devtools.Session // guarded by mu: attached
	targets  map[target.ID]string         // guarded by mu: names of the targets that may be attached
	err      error                        // guarded by mu: why no more can be read
	ready    chan struct{}                // gets a token when something above has changed
}

// inbound is a message for chromedp, its parts still CBOR.
type inbound struct {
	id                      int64
	session, method         string
	params, result, failure []byte
	refused                 string
}

// maxInbound bounds the queued messages, in bytes: a page can change faster than chromedp reads.
const maxInbound = 64 << 20

// passed are the commands that reach Chrome: those by which actions find, see, click and type. A
// domain covers all its commands.
var passed = []string{
	"DOM.enable", "DOM.getDocument", "DOM.querySelector", "DOM.querySelectorAll", "DOM.requestChildNodes", "DOM.requestNode",
	"DOM.resolveNode", "DOM.describeNode", "DOM.getBoxModel", "DOM.getContentQuads", "DOM.scrollIntoViewIfNeeded", "DOM.focus",
	"Input.dispatchKeyEvent", "Input.dispatchMouseEvent",
	"Page.createIsolatedWorld", "Page.enable", "Page.getFrameTree",
	"Runtime.enable", "Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.getProperties", "Runtime.releaseObject",
}

// answered are commands of chromedp's that are acknowledged here, without Chrome.
var answered = []string{
	"CSS.enable", "Inspector.enable", "Log.enable", "Network.enable", "Page.setLifecycleEventsEnabled",
	"Target.setAutoAttach", "Target.setDiscoverTargets",
}

// heard reports whether chromedp needs an event to track the page.
func heard(method string) bool {
	return strings.HasPrefix(method, "DOM.") || strings.HasPrefix(method, "Page.frame") || strings.HasPrefix(method, "Runtime.executionContext")
}

// Attach attaches chromedp to a tab's page. The returned context is for chromedp's actions; close
// detaches, and must be called.
func Attach(ctx context.Context, t *tab.Tab) (_ context.Context, close func(), err error) {
	page := target.ID(t.MainFrame())
	d := &transport{tab: t, sessions: map[string]*devtools.Session{}, targets: map[target.ID]string{page: "page"}, ready: make(chan struct{}, 1)}
	ctx, leave := chromedp.NewAllocatorContext(ctx, d)
	silent := func(string, ...any) {} // it would print text of pages
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithTargetID(page), chromedp.WithDetachOnCancel(),
		chromedp.WithLogf(silent), chromedp.WithErrorf(silent))
	ctx = context.WithValue(ctx, driverKey{}, d)
	close = func() {
		cancel()
		leave()
		d.detach()
	}
	if err := t.InRealTime(ctx, func(ctx context.Context) error { return chromedp.Do(ctx) }); err != nil {
		close()
		return nil, nil, err
	}
	return ctx, close, nil
}

type driverKey struct{}

// AttachFrame is Attach for a frame with a separate process; ctx is a context of Attach.
func AttachFrame(ctx context.Context, frame cdp.FrameID) (_ context.Context, close func(), err error) {
	d := ctx.Value(driverKey{}).(*transport)
	d.mu.Lock()
	d.targets[target.ID(frame)] = "frame"
	d.mu.Unlock()
	ctx, cancel := chromedp.NewContext(ctx, chromedp.WithTargetID(target.ID(frame)), chromedp.WithDetachOnCancel())
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, nil, err
	}
	return ctx, cancel, nil
}

// Allocate is that of [chromedp.Allocator].
func (d *transport) Allocate(ctx context.Context, opts ...chromedp.BrowserOption) (*chromedp.Browser, error) {
	return chromedp.NewBrowserTransport(ctx, d, opts...)
}

// Wait is that of [chromedp.Allocator].
func (d *transport) Wait() {}

// Attaches reports that chromedp does not own the browser; see [chromedp.Attacher].
func (d *transport) Attaches() bool { return true }

// Write sends a command of chromedp's.
func (d *transport) Write(_ context.Context, m *cdproto.Message) error {
	id, method, on := m.ID, string(m.Method), string(m.SessionID)
	answer := func(r devtools.Reply) {
		in := inbound{id: id, session: on, result: r.Result, failure: r.Failure}
		if r.Err != nil {
			in.refused = r.Err.Error()
		}
		d.push(in)
	}
	var params any
	if len(m.Params) > 0 {
		params = m.Params
	}
	d.mu.Lock()
	s := d.sessions[on]
	d.mu.Unlock()
	switch {
	case method == target.AttachToTarget.Method && on == "":
		var p target.AttachToTargetParams
		if err := jsonv2.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		d.mu.Lock()
		kind := d.targets[p.TargetID]
		d.mu.Unlock()
		if kind == "" {
			answer(devtools.Reply{Err: errors.New("this target is not to be attached")})
			return nil
		}
		d.tab.Browser.Root.SendThen(method, params, func(r devtools.Reply) {
			d.attached(r)
			answer(r)
		})
	case method == target.DetachFromTarget.Method && on == "":
		d.tab.Browser.Root.SendThen(method, params, answer)
	case s != nil && slices.Contains(passed, method):
		s.SendThen(method, params, answer)
	case slices.Contains(answered, method):
		answer(devtools.Reply{})
	default:
		answer(devtools.Reply{Err: errors.New(method + " is not among the commands that steps need")})
	}
	return nil
}

// attached records a session that Chrome has opened for chromedp.
func (d *transport) attached(r devtools.Reply) {
	var a target.AttachToTargetResult
	if r.Err != nil || r.Failure != nil || devtools.Unmarshal(r.Result, &a) != nil {
		return
	}
	id := string(a.SessionID)
	s := d.tab.Browser.Attach(id, func(method string, params []byte) {
		if heard(method) {
			d.push(inbound{session: id, method: method, params: slices.Clone(params)})
		}
	})
	d.mu.Lock()
	d.sessions[id] = s
	d.mu.Unlock()
	d.poke()
}

func (d *transport) poke() {
	select {
	case d.ready <- struct{}{}:
	default:
	}
}

func (d *transport) push(in inbound) {
	d.mu.Lock()
	d.queue = append(d.queue, in)
	d.bytes += len(in.params) + len(in.result) + len(in.failure)
	if d.bytes > maxInbound && d.err == nil {
		d.err = errors.New("the page changes faster than its steps can follow")
	}
	d.mu.Unlock()
	d.poke()
}

// Read waits for the next message.
func (d *transport) Read(ctx context.Context, m *cdproto.Message) error {
	for {
		d.mu.Lock()
		if err := d.err; err != nil {
			d.mu.Unlock()
			return err
		}
		if len(d.queue) > 0 {
			in := d.queue[0]
			d.queue[0] = inbound{}
			d.queue = d.queue[1:]
			d.bytes -= len(in.params) + len(in.result) + len(in.failure)
			d.mu.Unlock()
			return in.decode(m)
		}
		d.mu.Unlock()
		select {
		case <-d.ready:
		case <-d.tab.Session.Detached():
			return d.tab.Lost()
		case <-d.tab.Browser.Closed():
			return devtools.ErrGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// decode makes it a message of chromedp's.
func (in *inbound) decode(m *cdproto.Message) error {
	*m = cdproto.Message{ID: in.id, SessionID: target.SessionID(in.session), Method: cdproto.MethodType(in.method)}
	text := func(b []byte) (jsonv2.Value, error) {
		if len(b) == 0 {
			return jsonv2.Value("{}"), nil
		}
		c := devtools.NewCursor(b)
		out := c.AppendJSON(make([]byte, 0, 2*len(b)))
		if err := c.Err(); err != nil {
			return nil, err
		}
		return out, nil
	}
	var err error
	switch {
	case in.method != "":
		m.Params, err = text(in.params)
	case in.refused != "":
		m.Error = &cdproto.Error{Message: in.refused}
	case in.failure != nil:
		m.Error = &cdproto.Error{}
		err = devtools.Unmarshal(in.failure, m.Error)
	default:
		m.Result, err = text(in.result)
	}
	return err
}

// Close ends reading.
func (d *transport) Close() error {
	d.mu.Lock()
	if d.err == nil {
		d.err = io.EOF
	}
	d.mu.Unlock()
	d.poke()
	return nil
}

// detach ends the sessions, and with them all that was enabled on them.
func (d *transport) detach() {
	_ = d.Close()
	d.mu.Lock()
	ids := slices.Collect(maps.Keys(d.sessions))
	clear(d.sessions)
	d.mu.Unlock() // events that arrive meanwhile wait for the answer
	ctx, cancel := context.WithTimeout(context.Background(), detachTimeout)
	defer cancel()
	for _, id := range ids {
		// The sessions of a closed page are gone with it.
		_, _ = devtools.Call(ctx, d.tab.Browser.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: target.SessionID(id)})
		d.tab.Browser.Detach(id)
	}
}

// detachTimeout limits the end of the sessions of steps; if the browser does not answer, the next
// call fails.
const detachTimeout = 5 * time.Second
