package act

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plat/steps"
)

// find looks an element up: the first that matches, below the shadow root of what
// stands before ">>>".
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

// inShadow looks for an element in the open shadow root of a node; 0 is none.
func inShadow(ctx context.Context, t *chromedp.Target, host cdp.NodeID, selector string) (cdp.NodeID, error) {
	r, err := callOn(ctx, t, host, false, `function(s) { return this.shadowRoot && this.shadowRoot.querySelector(s) }`, selector)
	if err != nil || r.ObjectID == "" {
		return 0, err
	}
	n, err := cdp.Call(ctx, t, dom.RequestNode, dom.RequestNodeParams{ObjectID: r.ObjectID})
	return n.NodeID, err
}

// callOn calls a function with a node as this.
func callOn(ctx context.Context, t *chromedp.Target, node cdp.NodeID, byValue bool, function string, args ...string) (*runtime.RemoteObject, error) {
	o, err := cdp.Call(ctx, t, dom.ResolveNode, dom.ResolveNodeParams{NodeID: node})
	if err != nil {
		return nil, err
	}
	p := runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: o.Object.ObjectID, ReturnByValue: &byValue}
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

// fill types a value into a field. Chrome loses keys that come before a document has been
// drawn for the first time, which takes its time on a busy machine: what has not arrived is
// typed once more, a little later each time. A page may also make something else of it: that
// comes out twice alike, and stays.
func fill(ctx context.Context, value string, covers func(string) bool, at, visible []chromedp.QueryOption) error {
	for last, i := "", 0; i < fillTries; i++ {
		var field *chromedp.Node
		err := chromedp.Do(ctx,
			chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
				field = nodes[0]
				return chromedp.Void{}, clearField(ctx, t, field, covers)
			}, visible...),
			chromedp.SendKeys("", value, at...))
		if err != nil {
			return err
		}
		arrived := true // also where the field is gone, as one that sends its form by itself
		lost := false
		if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			held, err := fieldText(ctx, t, field)
			arrived = err != nil || held == value || held != "" && held == last
			lost = held == ""
			last = held
			return nil
		})); err != nil || arrived {
			return err
		}
		if !lost {
			continue
		}
		select {
		case <-time.After(fillPause << i):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

const (
	fillTries = 7                     // how often a value is typed if it does not arrive
	fillPause = 20 * time.Millisecond // before the second time; then twice as long each time
)

// clearField focuses a field and selects what it holds, so that what is typed
// next takes its place. If covers is not nil, the field's page must be of a host
// that it covers.
func clearField(ctx context.Context, t *chromedp.Target, n *chromedp.Node, covers func(string) bool) error {
	if covers != nil {
		r, err := callOn(ctx, t, n.NodeID, true, `function() { return location.href }`)
		if err != nil {
			return err
		}
		var href string
		if err := jsonv2.Unmarshal(r.Value, &href); err != nil {
			return err
		}
		if u, err := url.Parse(href); err != nil || !covers(u.Hostname()) {
			return &foreignError{hostOf(href)}
		}
	}
	if _, err := cdp.Call(ctx, t, dom.Focus, dom.FocusParams{NodeID: n.NodeID}); err != nil {
		return err
	}
	_, err := callOn(ctx, t, n.NodeID, true, `function() {
		if (typeof this.type === 'string' && this.type === 'file') throw new Error('a file is not filled in');
		if (this.select) this.select(); else getSelection().selectAllChildren(this);
	}`)
	return err
}

// fieldText is what a field holds.
func fieldText(ctx context.Context, t *chromedp.Target, n *chromedp.Node) (text string, err error) {
	r, err := callOn(ctx, t, n.NodeID, true, `function() { return String(this.value ?? this.textContent) }`)
	if err == nil {
		err = jsonv2.Unmarshal(r.Value, &text)
	}
	return text, err
}

// choose selects the option of a list that has a value, or that text.
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

// foreignError is the end of a step that would have given a secret away.
type foreignError struct{ host string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("the page is now one of %s, which is not given secrets of this rule", e.host)
}
