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

// A page of too many nodes is made coarse before it is taken: its smallest parts, which are
// mostly rows of tables and items of lists, are written as the plain text that they show, and
// where there are still too many, neighbours of them become one. So its text is kept as
// innerText gives it, in the order and about in the places that it has, and its larger parts
// as they are; links and pictures in the small ones are not. The same page becomes the same
// every time, and one with a row more nearly the same.

//go:embed coarse.js
var coarseScript string

// maxCoarse is how many times the limit a page may have that is made coarse.
const maxCoarse = 8

// countScript defines countNodes; see count.js.
//
//go:embed count.js
var countScript string

// coarsen makes the page coarse and returns how many nodes it had and has.
func (v *visit) coarsen(ctx context.Context) (had, has int64, err error) {
	world, err := v.World(ctx)
	if err != nil {
		return 0, 0, err
	}
	// With less than what may be, a page that grows does not change much at every visit.
	b, err := v.Evaluate(ctx, world, fmt.Sprintf("(%s)(%d)", coarseScript, v.o.MaxNodes/2))
	if err != nil {
		return 0, 0, err
	}
	if err := jsonv2.Unmarshal(b, &had); err != nil {
		return 0, 0, fmt.Errorf("count the nodes: %w", err)
	}
	has, err = v.countNodes(ctx)
	return had, has, err
}

// checkSize makes a page with too many nodes coarse before they are sent over. The
// renderer's own count is cheap, but counts what scripts hold on to as well, so
// that only says whether the real count is worth taking.
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

// checkText refuses a page that is too long as HTML, which is what it costs: a snapshot has each text
// once, a page may have it a million times, and a quotation mark becomes six.
func checkText(s *plat.Snapshot) error {
	if markup.Size(s, capture.MaxPage) > capture.MaxPage {
		return &settle.TooLargeError{Verb: "has", Limit: capture.MaxPage, Unit: "bytes of text and attributes as HTML"}
	}
	return nil
}

// held is how many nodes the renderer holds: the page's, and those that its
// scripts hold on to or have thrown away lately.
func (v *visit) held(ctx context.Context) (int64, error) {
	n, err := devtools.Call(ctx, v.Session, memory.GetDOMCounters, cdp.Empty{})
	return n.Nodes, err
}

// countNodes counts the nodes of the page and of the frames that it can see.
func (v *visit) countNodes(ctx context.Context) (int64, error) {
	world, err := v.World(ctx)
	if err != nil {
		return 0, err
	}
	b, err := v.Evaluate(ctx, world, countScript+"; countNodes(document)")
	if err != nil {
		return 0, err
	}
	var n int64
	if err := jsonv2.Unmarshal(b, &n); err != nil {
		return 0, fmt.Errorf("count the nodes: %w", err)
	}
	return n, nil
}
