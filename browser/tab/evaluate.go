package tab

import (
	"context"
	"iter"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/capture"
	"plat/browser/devtools"
)

// World makes an isolated world in the page's main frame: its scripts see the
// DOM, and the page's scripts neither see nor change them.
func (t *Tab) World(ctx context.Context) (runtime.ExecutionContextID, error) {
	return t.WorldOf(ctx, t.MainFrame())
}

// WorldOf is World for any frame.
func (t *Tab) WorldOf(ctx context.Context, frame cdp.FrameID) (runtime.ExecutionContextID, error) {
	r, err := devtools.Call(ctx, t.Session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame})
	return r.ExecutionContextID, err
}

// Evaluate runs an expression in a world, 0 for the page's own, and returns its
// value, JSON.
func (t *Tab) Evaluate(ctx context.Context, world runtime.ExecutionContextID, expression string) ([]byte, error) {
	return t.evaluated(ctx, runtime.EvaluateParams{Expression: expression, ContextID: world})
}

// EvaluatePromise is Evaluate, and awaits the value: only where time passes.
func (t *Tab) EvaluatePromise(ctx context.Context, world runtime.ExecutionContextID, expression string) ([]byte, error) {
	return t.evaluated(ctx, runtime.EvaluateParams{Expression: expression, ContextID: world, AwaitPromise: new(true)})
}

// Hook calls a function of hooks.js, as "look()", in the page's own world, and returns its
// value as JSON. The page cannot reach it.
func (t *Tab) Hook(ctx context.Context, call string) ([]byte, error) {
	return t.Evaluate(ctx, 0, t.hooks+"."+call)
}

func (t *Tab) evaluated(ctx context.Context, p runtime.EvaluateParams) ([]byte, error) {
	p.ReturnByValue = new(true)
	r, err := devtools.Call(ctx, t.Session, runtime.Evaluate, p)
	if err != nil {
		return nil, err
	}
	return valueOf(runtime.Evaluate.Method, r.Result, r.ExceptionDetails)
}

// EvaluateOn calls a function on a node in a world, 0 for the page's own, and returns its
// value, JSON.
func (t *Tab) EvaluateOn(ctx context.Context, world runtime.ExecutionContextID, node cdp.BackendNodeID, function string, args ...*runtime.CallArgument) ([]byte, error) {
	found, err := devtools.Call(ctx, t.Session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: world})
	if err != nil {
		return nil, err
	}
	if found.Object == nil {
		return nil, capture.ErrMalformed
	}
	r, err := devtools.Call(ctx, t.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: found.Object.ObjectID, FunctionDeclaration: function, ReturnByValue: new(true), Arguments: args,
	})
	if err != nil {
		return nil, err
	}
	return valueOf(runtime.CallFunctionOn.Method, r.Result, r.ExceptionDetails)
}

// valueOf is the value that a script has returned, JSON.
func valueOf(method string, r *runtime.RemoteObject, thrown *runtime.ExceptionDetails) ([]byte, error) {
	switch {
	case thrown != nil:
		return nil, &devtools.ProtocolError{Method: method, Message: thrown.Text}
	case r == nil:
		return nil, capture.ErrMalformed
	}
	return r.Value, nil
}

// Frames yields a page's frames, itself first.
func Frames(main *page.FrameResourceTree) iter.Seq[*page.FrameResourceTree] {
	return func(yield func(*page.FrameResourceTree) bool) {
		todo := []*page.FrameResourceTree{main}
		for len(todo) > 0 {
			f := todo[0]
			if !yield(f) {
				return
			}
			todo = append(todo[1:], f.ChildFrames...)
		}
	}
}
