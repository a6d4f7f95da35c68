package act

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plat/browser/steps"
)

// press sends a key to the step's element, or to the element that has the focus. Chrome sends
// keys to the frame that has the focus, so that must not be a frame of a different site.
func (a *Actor) press(ctx context.Context, s *steps.Step, frame cdp.FrameID, covers func(string) bool, visible []chromedp.QueryOption) error {
	send := func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		if err := a.checkFocus(ctx, frame, covers); err != nil {
			return v, err
		}
		return chromedp.KeyEvent(keys[s.Key]+single(s.Key))(ctx, t)
	}
	if s.Selector == "" {
		return chromedp.Do(ctx, send)
	}
	return chromedp.Do(ctx, chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (v chromedp.Void, err error) {
		if _, err := cdp.Call(ctx, t, dom.Focus, dom.FocusParams{NodeID: nodes[0].NodeID}); err != nil {
			return v, err
		}
		return send(ctx, t)
	}, visible...))
}

// keys maps the names of keys to the characters that chromedp sends for them.
var keys = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete, "Space": " ",
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"PageUp": kb.PageUp, "PageDown": kb.PageDown, "Home": kb.Home, "End": kb.End,
}

func single(key string) string {
	if keys[key] == "" {
		return key
	}
	return ""
}
