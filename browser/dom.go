package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"

	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/plat"
)

// trueTree fetches the DOM. Chrome reports every change of the DOM while its domain is enabled,
// so that time is kept short.
func (v *visit) trueTree(ctx context.Context) (*capture.Tree, error) {
	v.Session.Send(dom.Enable.Method, dom.EnableParams{IncludeWhitespace: dom.EnableIncludeWhitespaceAll}).Forget()
	defer func() { v.Session.Send(dom.Disable.Method, nil).Forget() }()
	b, err := v.Session.SendFor(v.o.RenderTimeout, dom.GetDocument.Method, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)}).Wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("take the DOM: %w", err)
	}
	t := &capture.Tree{}
	root, err := t.Add(b)
	if err != nil {
		return nil, err
	}
	if !t.IsDocument(root) {
		return nil, capture.ErrMalformed
	}
	// Contents of templates come without children, regardless of the requested depth. Nested
	// templates need one round per level.
	for from := 0; from < t.Size(); {
		to := t.Size()
		var asked []devtools.Future
		hollow := t.Hollow(from)
		for _, h := range hollow {
			asked = append(asked, v.Session.Send(dom.DescribeNode.Method, dom.DescribeNodeParams{
				BackendNodeID: h.ID, Depth: new(int64(-1)), Pierce: new(true),
			}))
		}
		for i, f := range asked {
			b, err := f.Wait(ctx)
			if err != nil {
				return nil, fmt.Errorf("take the contents of a template: %w", err)
			}
			full, err := t.Add(b)
			if err != nil {
				return nil, err
			}
			t.Fill(hollow[i], full)
		}
		if from = to; len(asked) == 0 {
			break
		}
	}
	return t, nil
}

// whole fetches the texts that Chrome has truncated and that are not in the capture: long ones in
// templates.
func (v *visit) whole(ctx context.Context, s *plat.Snapshot, t *capture.Tree, byID map[int32]int32, known map[int32]bool) error {
	for _, c := range t.CutShort(byID, known) {
		got, err := v.EvaluateOn(ctx, 0, c.ID, "function() { return this.nodeValue }")
		if err != nil {
			return fmt.Errorf("take a long text: %w", err)
		}
		if err := jsonv2.Unmarshal(got, &s.Nodes[c.Node].Value, jsonv2.AllowInvalidUTF8(true)); err != nil {
			return fmt.Errorf("take a long text: %w", err)
		}
	}
	return nil
}
