package browser

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/memory"

	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/browser/settle"
	"plat/plat"
	"plat/segment/markup"
)

// A page with too many nodes is made coarse before it is captured: its smallest parts, mostly
// rows of tables and items of lists, become the plain text that they show, and if too many nodes
// remain, adjacent parts are merged. The text keeps its innerText form, its order and roughly its
// position, and larger parts stay as they are; links and pictures in the small parts are lost.
// The result is deterministic, and a page with one more row yields a similar one.

//go:embed coarse.js
var coarseScript string

// maxCoarse bounds the size of a page that is made coarse, as a multiple of MaxNodes.
const maxCoarse = 8

// countScript defines countNodes; see count.js.
//
//go:embed count.js
var countScript string

// coarsen makes the page coarse and returns its numbers of nodes before and after.
func (v *visit) coarsen(ctx context.Context) (had, has int64, err error) {
	// A target below the limit keeps a growing page similar from visit to visit.
	b, err := v.inWorld(ctx, fmt.Sprintf("(%s)(%d)", coarseScript, v.o.MaxNodes/2))
	if err != nil {
		return 0, 0, err
	}
	if err := jsonv2.Unmarshal(b, &had); err != nil {
		return 0, 0, fmt.Errorf("count the nodes: %w", err)
	}
	has, err = v.countNodes(ctx)
	return had, has, err
}

// checkSize makes a page with too many nodes coarse before it is captured. The renderer's own
// count is cheap but includes nodes that only scripts hold, so it only decides whether to make
// the exact count.
func (v *visit) checkSize(ctx context.Context) error {
	if held, err := v.held(ctx); err != nil || held <= int64(v.o.MaxNodes) {
		return err
	}
	count, err := v.countNodes(ctx)
	if err != nil {
		return err
	}
	most := int64(v.o.MaxNodes)
	if count > most && count <= maxCoarse*most {
		v.coarse, count, err = v.coarsen(ctx)
		if err != nil {
			return err
		}
	}
	if count > most {
		return &settle.TooLargeError{Verb: "has", Limit: maxCoarse * most, Unit: "nodes"}
	}
	return nil
}

// checkText rejects a page whose HTML would be too long. A snapshot has each text once, a page may
// repeat it a million times, and a quotation mark takes six bytes in HTML.
func checkText(s *plat.Snapshot) error {
	if markup.Size(s, capture.MaxPage) > capture.MaxPage {
		return &settle.TooLargeError{Verb: "has", Limit: capture.MaxPage, Unit: "bytes of text and attributes as HTML"}
	}
	return nil
}

// held returns the number of nodes in the renderer: the page's, and those that its scripts hold
// or have released recently.
func (v *visit) held(ctx context.Context) (int64, error) {
	n, err := devtools.Call(ctx, v.Session, memory.GetDOMCounters, cdp.Empty{})
	return n.Nodes, err
}

// countNodes counts the nodes of the page and of the frames that it can see.
func (v *visit) countNodes(ctx context.Context) (int64, error) {
	b, err := v.inWorld(ctx, countScript+"; countNodes(document)")
	if err != nil {
		return 0, err
	}
	var n int64
	if err := jsonv2.Unmarshal(b, &n); err != nil {
		return 0, fmt.Errorf("count the nodes: %w", err)
	}
	return n, nil
}
