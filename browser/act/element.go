package act

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plat/browser/steps"
)

// find returns the first element that matches; ">>>" in the selector enters the shadow root of the
// element to its left.
func find(selector string) func(context.Context, *chromedp.Target, *chromedp.Node) ([]cdp.NodeID, error) {
	parts := steps.SplitSelector(selector)
	return func(ctx context.Context, t *chromedp.Target, from *chromedp.Node) ([]cdp.NodeID, error) {
		r, err := cdp.Call(ctx, t, dom.QuerySelector, dom.QuerySelectorParams{NodeID: from.NodeID, Selector: parts[0]})
		for _, part := range parts[1:] {
			if err != nil || r.NodeID == 0 {
				break
			}
			r.NodeID, err = inShadow(ctx, t, r.NodeID, part)
		}
		if err != nil || r.NodeID == 0 {
			return nil, err
		}
		return []cdp.NodeID{r.NodeID}, nil
	}
}

// inShadow finds an element in the open shadow root of a node; 0 if absent.
func inShadow(ctx context.Context, t *chromedp.Target, host cdp.NodeID, selector string) (cdp.NodeID, error) {
	r, err := callOn(ctx, t, host, false, `function(s) { return this.shadowRoot && this.shadowRoot.querySelector(s) }`, selector)
	if err != nil || r.ObjectID == "" {
		return 0, err
	}
	n, err := cdp.Call(ctx, t, dom.RequestNode, dom.RequestNodeParams{ObjectID: r.ObjectID})
	return n.NodeID, err
}

// callOn calls a function with a node as this.
func callOn(ctx context.Context, t *chromedp.Target, node cdp.NodeID, byValue bool, function string, args ...any) (*runtime.RemoteObject, error) {
	o, err := cdp.Call(ctx, t, dom.ResolveNode, dom.ResolveNodeParams{NodeID: node})
	if err != nil {
		return nil, err
	}
	return call(ctx, t, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: o.Object.ObjectID, ReturnByValue: &byValue}, args)
}

// call calls a function with arguments that have JSON.
func call(ctx context.Context, t *chromedp.Target, p runtime.CallFunctionOnParams, args []any) (*runtime.RemoteObject, error) {
	for _, a := range args {
		text, err := jsonv2.Marshal(a)
		if err != nil {
			return nil, err
		}
		p.Arguments = append(p.Arguments, &runtime.CallArgument{Value: text})
	}
	r, err := cdp.Call(ctx, t, runtime.CallFunctionOn, p)
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, &chromedp.ExceptionError{ExceptionDetails: r.ExceptionDetails}
	}
	return r.Result, nil
}

// choose selects the option of a list that has this value, or this text.
func choose(ctx context.Context, t *chromedp.Target, n *chromedp.Node, value string) error {
	r, err := callOn(ctx, t, n.NodeID, true, `function(value) {
		const all = [...(this.options ?? [])];
		const one = all.find((o) => o.value === value) ?? all.find((o) => o.label.trim() === value);
		if (!one) return false;
		one.selected = true;
		this.dispatchEvent(new Event('input', { bubbles: true }));
		this.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	}`, value)
	if err == nil && string(r.Value) != "true" {
		err = fmt.Errorf("there is no option %q", value)
	}
	return err
}
