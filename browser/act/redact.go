package act

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/browser/redact"
	"plat/browser/tab"
	"plat/plat"
)

// Typed notes secrets that were typed into the page.
func (a *Actor) Typed(secrets ...string) {
	a.secrets = append(a.secrets, secrets...)
	a.redactor = redact.New(a.secrets...)
}

// redacted returns a text without the secrets.
func (a *Actor) redacted(text string) string { return a.redactor.Text(text) }

// RedactError returns an error without the secrets, or the same error if it contains none.
func (a *Actor) RedactError(err *plat.VisitError) *plat.VisitError {
	if text := err.Err.Error(); a.redacted(text) != text {
		err.Err = errors.New(a.redacted(text))
	}
	return err
}

// Redact records the performed plan in the snapshot, and removes the secrets from it. Text that a
// page derives from a secret is not recognised.
func (a *Actor) Redact(s *plat.Snapshot) {
	if a.ran {
		s.Steps = a.plan.Hash()
	}
	a.redactor.Snapshot(s)
}

// RedactResources removes the secrets from the resources of a snapshot.
func (a *Actor) RedactResources(s *plat.Snapshot) { s.Resources = a.redactor.Resources(s.Resources) }

// concealScript collects the texts of a document; see conceal.js.
//
//go:embed conceal.js
var concealScript string

// Conceal replaces the secrets in the page itself, so that neither its picture
// nor a later capture of it shows them. Attributes that load a file stay unchanged: they are not
// visible, and the file would be loaded again.
func (a *Actor) Conceal(ctx context.Context) error {
	if a.redactor == nil {
		return nil
	}
	closed, err := a.closedRoots(ctx)
	if err != nil {
		return err
	}
	return a.inEveryFrame(ctx, func(frame cdp.FrameID, world runtime.ExecutionContextID) error {
		b, err := a.callIn(ctx, world, concealScript, closed[frame])
		if err != nil {
			return err
		}
		edits, err := a.concealed(b)
		if err != nil || edits == "" {
			return err
		}
		_, err = a.Evaluate(ctx, world, fmt.Sprintf("for (const [i, text] of %s) replaceText[i](text)", edits))
		return err
	})
}

// closedRoots returns the closed shadow roots of each frame, which scripts cannot find; empty if
// the tree is too deep to be read.
func (a *Actor) closedRoots(ctx context.Context) (map[cdp.FrameID][]cdp.BackendNodeID, error) {
	a.Session.Send(dom.Enable.Method, nil).Forget()
	defer func() { a.Session.Send(dom.Disable.Method, nil).Forget() }()
	b, err := a.Session.Send(dom.GetDocument.Method, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)}).Wait(ctx)
	if errors.As(err, new(*devtools.ProtocolError)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &capture.Tree{}
	if _, err := t.Add(b); errors.Is(err, capture.ErrTooDeep) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return t.ClosedRoots(a.MainFrame()), nil
}

// callIn calls a function with nodes in a world, and returns its value as JSON. It omits nodes that
// are gone.
func (a *Actor) callIn(ctx context.Context, world runtime.ExecutionContextID, function string, nodes []cdp.BackendNodeID) ([]byte, error) {
	p := runtime.CallFunctionOnParams{FunctionDeclaration: function, ExecutionContextID: world, ReturnByValue: new(true)}
	for _, n := range nodes {
		o, err := devtools.Call(ctx, a.Session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n, ExecutionContextID: world})
		switch {
		case errors.As(err, new(*devtools.ProtocolError)):
		case err != nil:
			return nil, err
		case o.Object != nil:
			p.Arguments = append(p.Arguments, &runtime.CallArgument{ObjectID: o.Object.ObjectID})
		}
	}
	r, err := devtools.Call(ctx, a.Session, runtime.CallFunctionOn, p)
	switch {
	case err != nil:
		return nil, err
	case r.ExceptionDetails != nil:
		return nil, &devtools.ProtocolError{Method: runtime.CallFunctionOn.Method, Message: r.ExceptionDetails.Text}
	case r.Result == nil:
		return nil, capture.ErrMalformed
	}
	return r.Result.Value, nil
}

// concealed returns the replacements for the texts that conceal.js has collected: a list of
// indices and texts as JSON, empty if no text contains a secret.
func (a *Actor) concealed(b []byte) (string, error) {
	var all struct {
		Kinds []int    `json:"kinds"`
		Texts []string `json:"texts"`
	}
	if err := jsonv2.Unmarshal(b, &all, jsonv2.AllowInvalidUTF8(true)); err != nil {
		return "", err
	}
	if len(all.Kinds) != len(all.Texts) {
		return "", capture.ErrMalformed
	}
	now := slices.Clone(all.Texts)
	var parts []redact.Part
	for i, kind := range all.Kinds {
		if kind == textAlone {
			now[i] = a.redacted(now[i])
		} else {
			parts = append(parts, redact.Part{Text: &now[i], Shown: kind == textShown})
		}
	}
	a.redactor.Parts(parts)
	var edits [][2]any // index and text
	for i := range now {
		if now[i] != all.Texts[i] {
			edits = append(edits, [2]any{i, now[i]})
		}
	}
	if len(edits) == 0 {
		return "", nil
	}
	list, err := jsonv2.Marshal(edits, jsonv2.AllowInvalidUTF8(true))
	return string(list), err
}

// Kinds of the texts that conceal.js collects.
const (
	textShown = 1
	textAlone = 3
)

// inEveryFrame calls do with an isolated world of every frame, of any origin; its page cannot
// see scripts in it.
func (a *Actor) inEveryFrame(ctx context.Context, do func(frame cdp.FrameID, world runtime.ExecutionContextID) error) error {
	all, err := a.frames(ctx)
	if err != nil {
		return err
	}
	if len(all) > maxConcealed {
		return fmt.Errorf("the page has more than %d frames", maxConcealed)
	}
	for _, f := range all {
		world, err := a.WorldOf(ctx, f.ID)
		if errors.As(err, new(*devtools.ProtocolError)) {
			continue // the frame is gone
		}
		if err == nil {
			err = do(f.ID, world)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxConcealed is the greatest number of frames in which secrets are searched for. A page with
// more of them is not captured.
const maxConcealed = 256

// lastPicture returns a picture of the page at the end of a failed visit, nil without one. Every
// field's text is hidden.
func (a *Actor) lastPicture(ctx context.Context) *plat.Picture {
	ctx, cancel := context.WithTimeout(ctx, lastPictureTimeout)
	defer cancel()
	if err := a.Conceal(ctx); err != nil {
		return nil // better no picture than one that shows too much
	}
	err := a.inEveryFrame(ctx, func(_ cdp.FrameID, world runtime.ExecutionContextID) error {
		_, err := a.Evaluate(ctx, world, `(() => {
			const hide = new CSSStyleSheet();
			hide.replaceSync('input, textarea { -webkit-text-security: disc !important; }');
			document.adoptedStyleSheets = [...document.adoptedStyleSheets, hide];
		})()`)
		return err
	})
	if err != nil {
		return nil
	}
	data, err := a.Screenshot(ctx, lastPictureTimeout, tab.PNG, page.CaptureScreenshotParams{})
	if err != nil {
		return nil
	}
	return &plat.Picture{Type: "image/png", Data: data}
}

// lastPictureTimeout limits the capture of that picture.
const lastPictureTimeout = 5 * time.Second
