package act

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/browser/steps"
	"plat/browser/tab"
)

// fillScript sets the value of a field; see fill.js.
//
//go:embed fill.js
var fillScript string

// fill sets the value of a field, in place of what it holds. Keys would go to the frame that
// has the focus when they arrive, which any frame of the page can take; so no key is sent, and
// the value is set through the field's own node. A page may reject or change the value: the same
// result twice in a row is accepted. A field that the page replaces meanwhile is located again.
func (a *Actor) fill(ctx context.Context, s *steps.Step, covers func(string) bool) error {
	value, secrets, err := s.Resolve(a.o.Secret)
	if err != nil {
		return err
	}
	a.Typed(secrets...)
	if len(secrets) == 0 {
		covers = nil
	}
	before := ""
	for last, i := "", 0; ; i++ {
		was, held, err := a.set(ctx, s, value, covers)
		if i == 0 {
			before = was
		}
		var gone *goneError
		switch {
		case errors.As(err, &gone) && i+1 < fillTries:
		case err != nil:
			return err
		case held == value, held != "" && held == last, i+1 == fillTries:
			if len(secrets) > 0 && held != before && isOf(held, value) {
				a.Typed(held) // as shown by the page, for instance truncated to the field's length
			}
			return nil
		}
		last = held
		if err := a.Sleep(ctx, fillPause<<i); err != nil {
			return err
		}
	}
}

const (
	fillTries = 7                     // attempts to set a value that does not persist
	fillPause = 20 * time.Millisecond // before the second time; then twice as long each time
)

// set finds the step's field and sets its value once. If covers is not nil, the field's frame
// and the page must be of hosts that it covers, and no frame of a different site may have the
// focus until [watchTime] after it. It returns the values of the field before and after.
func (a *Actor) set(ctx context.Context, s *steps.Step, value string, covers func(string) bool) (before, held string, err error) {
	ctx, at, frame, release, err := a.place(ctx, s)
	if err != nil {
		return "", "", err
	}
	defer release()
	err = chromedp.Do(ctx, chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (v chromedp.Void, err error) {
		before, held, err = a.setNode(ctx, t, nodes[0], frame, value, covers)
		return v, err
	}, append(at, chromedp.NodeVisible)...))
	var refused *cdproto.Error
	if errors.As(err, &refused) {
		err = &goneError{err}
	}
	return before, held, err
}

// isOf reports whether a field's content derives from a value: the value as the page has truncated
// or formatted it, and no text of the page's own.
func isOf(held, value string) bool {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	h, v := plain(held), plain(value)
	return held != "" && (strings.Contains(value, held) || h != "" && strings.Contains(v, h))
}

// setNode sets the value of a field that was found. The world of its script ends with the
// document of the field's frame, and that with the documents around it: so origins queried after
// the world's creation are still valid when the value is set.
func (a *Actor) setNode(ctx context.Context, t *chromedp.Target, n *chromedp.Node, frame cdp.FrameID, value string, covers func(string) bool) (before, held string, err error) {
	world, err := cdp.Call(ctx, t, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame})
	if err != nil {
		return "", "", err
	}
	field, err := cdp.Call(ctx, t, dom.ResolveNode, dom.ResolveNodeParams{NodeID: n.NodeID, ExecutionContextID: world.ExecutionContextID})
	if err != nil {
		return "", "", err
	}
	origin := "" // any
	if covers != nil {
		if origin, err = a.coveredOrigin(ctx, t, field.Object.ObjectID, covers); err != nil {
			return "", "", err
		}
	}
	var is struct {
		Gone    bool   `json:"gone"`
		Focused bool   `json:"focused"`
		Before  string `json:"before"`
		Held    string `json:"held"`
	}
	if err := await(ctx, t, field.Object.ObjectID, &is, fillScript, value, origin); err != nil {
		return "", "", err
	}
	if is.Gone {
		return "", "", &goneError{errors.New("the field was replaced")}
	}
	if covers == nil {
		return is.Before, is.Held, nil
	}
	return is.Before, is.Held, a.watchFocus(ctx, t, field.Object.ObjectID, frame, is.Focused, covers)
}

// coveredOrigin returns the origin of a field's document. It returns an error if the host of that
// origin, or of the page around the frame of the step, is not covered, or if the requested URL is
// https and one of the two is not.
func (a *Actor) coveredOrigin(ctx context.Context, t *chromedp.Target, field runtime.RemoteObjectID, covers func(string) bool) (origin string, err error) {
	if err := await(ctx, t, field, &origin, `function() { return self.origin }`); err != nil {
		return "", err
	}
	all, err := a.frames(ctx)
	if err != nil {
		return "", err
	}
	secure := a.Is(func(s *tab.State) bool { return strings.HasPrefix(s.Asked, "https:") })
	for _, o := range []string{origin, all[0].SecurityOrigin} {
		u, err := url.Parse(o)
		switch {
		case err != nil || !covers(u.Hostname()):
			return "", &foreignError{hostOf(o)}
		case secure && u.Scheme != "https":
			return "", &foreignError{o}
		}
	}
	return origin, nil
}

// watchTime is the time for which a field with a secret is watched for a loss of the focus.
const watchTime = 50 * time.Millisecond

// watchFocus waits for watchTime, and returns an error if a frame of a different site takes the
// focus from a field.
func (a *Actor) watchFocus(ctx context.Context, t *chromedp.Target, field runtime.RemoteObjectID, frame cdp.FrameID, focused bool, covers func(string) bool) error {
	if focused {
		err := await(ctx, t, field, &focused, `function(limit) {
			const root = Node.prototype.getRootNode.call(this), owner = root === document ? Document : ShadowRoot;
			const focused = () => this.isConnected && Object.getOwnPropertyDescriptor(owner.prototype, 'activeElement').get.call(root) === this;
			return focused() && new Promise((done) => {
				EventTarget.prototype.addEventListener.call(this, 'blur', () => done(false), { once: true });
				setTimeout(() => done(focused()), limit);
			});
		}`, watchTime.Milliseconds())
		if errors.As(err, new(*cdproto.Error)) {
			return nil // the form was submitted
		}
		if err != nil || focused {
			return err
		}
	}
	return a.checkFocus(ctx, frame, covers)
}

// checkFocus returns a [*focusError] if a frame of a foreign host has the focus: neither the page's
// host, nor a covered one, nor within a frame that a step names. It queries Chrome for each frame,
// because a page could lie.
func (a *Actor) checkFocus(ctx context.Context, frame cdp.FrameID, covers func(string) bool) error {
	all, err := a.frames(ctx)
	if err != nil {
		return err
	}
	own := map[cdp.FrameID]bool{frame: true}
	page := hostOf(all[0].SecurityOrigin)
	for _, f := range all { // a document that its page has written, as that of srcdoc, has no host
		host := hostOf(f.SecurityOrigin)
		if host == noHost {
			host = hostOf(f.URL) // of a frame in a sandbox
		}
		if own[f.ID] || a.entered[f.ID] || host == page || covers(host) || host == noHost && own[f.ParentID] {
			own[f.ID] = true
			continue
		}
		world, err := a.WorldOf(ctx, f.ID)
		var b []byte
		if err == nil {
			b, err = a.Evaluate(ctx, world, "Document.prototype.hasFocus.call(document)")
		}
		var refused *devtools.ProtocolError
		if err != nil && !errors.As(err, &refused) { // refused: the frame is gone
			return err
		}
		if string(b) == "true" {
			return &focusError{host}
		}
	}
	return nil
}

// frames returns the frames of the page, parents before their children. Frames with a process
// of their own are not among them.
func (a *Actor) frames(ctx context.Context) (all []*cdp.Frame, err error) {
	tree, err := devtools.Call(ctx, a.Session, page.GetResourceTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if tree.FrameTree == nil {
		return nil, capture.ErrMalformed
	}
	for f := range tab.Frames(tree.FrameTree) {
		all = append(all, f.Frame)
	}
	return all, nil
}

// await calls a function with an object as this, awaits its value and decodes it.
func await(ctx context.Context, t *chromedp.Target, on runtime.RemoteObjectID, into any, function string, args ...any) error {
	r, err := call(ctx, t, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: on, ReturnByValue: new(true), AwaitPromise: new(true)}, args)
	if err != nil {
		return err
	}
	return jsonv2.Unmarshal(r.Value, into, jsonv2.AllowInvalidUTF8(true))
}

// goneError ends an attempt on a field that is no longer at its place.
type goneError struct{ err error }

func (e *goneError) Error() string { return e.err.Error() }
func (e *goneError) Unwrap() error { return e.err }

// foreignError is the end of a step that would have revealed a secret.
type foreignError struct{ host string } // or its origin

func (e *foreignError) Error() string {
	return fmt.Sprintf("the page is now one of %s, which does not receive secrets of this rule", e.host)
}

// focusError is the end of a step during which a frame of a different site took the focus.
type focusError struct{ host string }

func (e *focusError) Error() string {
	return fmt.Sprintf("a frame of %s took the focus from the page, which ends the step", e.host)
}
