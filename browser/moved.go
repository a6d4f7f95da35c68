package browser

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/page"
)

// movedScript defines moveClock and moveChance; see moved.js.
//
//go:embed moved.js
var movedScript string

// moves reports whether a page gets another clock or other random numbers.
func (r *Request) moves() bool { return !r.Clock.IsZero() || r.Seed != 0 }

// move gives the page to come the clock and the random numbers that are asked for. It
// is done in the page: its workers keep their own, and who renders so to see whether
// they matter has to count workers as if they did.
func (v *visit) move(ctx context.Context) error {
	if !v.request.moves() {
		return nil
	}
	script := ""
	if at := v.request.Clock; !at.IsZero() {
		script += fmt.Sprintf("moveClock(%d);\n", time.Until(at).Milliseconds())
	}
	if seed := v.request.Seed; seed != 0 {
		script += fmt.Sprintf("moveChance(%d);\n", uint32(seed^seed>>32))
	}
	_, err := call(ctx, v.session, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "(() => {\n'use strict';\n" + movedScript + script + "})();",
	})
	return err
}
