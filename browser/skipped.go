package browser

import (
	"context"
	"errors"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// What is far from the window is not laid out where a page says so by
// content-visibility: auto (CSS Containment 2, section 4). A reader who scrolls has it
// laid out on the way; a capture would not see it. So where a capture shows that such
// content was skipped, it is made visible by a style sheet, and the page is captured
// again.

// contentVisibility is asked for behind the other styles; see [capture.skippedIn].
const contentVisibility = "content-visibility"

// maxSkipRounds is how often a page is captured again for what was skipped: content can
// be skipped inside of what was.
const maxSkipRounds = 4

// maxSkipped is of how many elements a round makes the contents visible, unless they
// share a document or a shadow root, as all others do.
const maxSkipped = 256

// skipped is an element whose contents have not been laid out.
type skipped struct {
	frame   cdp.FrameID
	element cdp.BackendNodeID
}

// skippedIn lists the elements whose contents are not laid out because they are far from
// the window, at least one of each document and shadow root, but for those in asked,
// which has them from then on.
func (s *capture) skippedIn(asked map[cdp.BackendNodeID]bool) (all []skipped) {
	auto := int32(slices.Index(s.strings, "auto"))
	if auto < 0 {
		return nil
	}
	for doc := range s.docs {
		d := &s.docs[doc]
		var laidOut []bool // of nodes: one of its children is
		for i, node := range d.box {
			if d.styles[(i+1)*numAsked-1] != auto {
				continue
			}
			if laidOut == nil {
				laidOut = make([]bool, len(d.parent))
				for _, n := range d.box {
					if p := d.parent[n]; p >= 0 {
						laidOut[p] = true
					}
				}
			}
			id := cdp.BackendNodeID(d.backend[node])
			if !laidOut[node] && !asked[id] && d.hasContent(node) && len(all) < maxSkipped {
				asked[id] = true
				all = append(all, skipped{cdp.FrameID(s.str(d.frameID)), id})
			}
		}
	}
	return all
}

// hasContent reports whether a node has children other than comments.
func (d *document) hasContent(node int32) bool {
	for i := node + 1; int(i) < len(d.parent) && d.parent[i] >= node; i++ {
		if d.parent[i] == node && d.kind[i] != commentType {
			return true
		}
	}
	return false
}

// hiddenIn lists the elements whose contents a page has hidden by content-visibility:
// hidden, which stay hidden; but not those inside of what is skipped, of which a capture
// tells nothing.
func (s *capture) hiddenIn() map[int32]bool {
	hidden := int32(slices.Index(s.strings, "hidden"))
	all := map[int32]bool{}
	for doc := range s.docs {
		d := &s.docs[doc]
		for i, node := range d.box {
			if hidden >= 0 && d.styles[(i+1)*numAsked-1] == hidden {
				all[d.backend[node]] = true
			}
		}
	}
	return all
}

// conceal takes the boxes from what is inside of the given elements.
func (s *capture) conceal(elements map[int32]bool) {
	if len(elements) == 0 {
		return
	}
	for doc := range s.docs {
		d := &s.docs[doc]
		d.concealed = make([]bool, len(d.parent))
		for node, p := range d.parent { // parents come first
			d.concealed[node] = p >= 0 && (d.concealed[p] || elements[d.backend[p]])
		}
	}
}

// showScript makes visible what is skipped in the document or shadow root of an element.
// It runs in a world of its own. What waits to be found by a search stays as it is.
const showScript = `function() {
  const root = this.getRootNode();
  const shown = globalThis.shown ??= new WeakSet();
  if (shown.has(root)) return;
  shown.add(root);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*:not([hidden=until-found i]) { content-visibility: visible !important }');
  root.adoptedStyleSheets.push(sheet);
}`

// show has the contents of elements laid out, and of all others that they share a
// document or a shadow root with.
func (v *visit) show(ctx context.Context, elements []skipped) error {
	worlds := map[cdp.FrameID]runtime.ExecutionContextID{}
	var refused *protocolError
	for _, e := range elements {
		world, ok := worlds[e.frame]
		if !ok {
			var err error
			if world, err = v.worldOf(ctx, e.frame); err != nil && !errors.As(err, &refused) {
				return err
			}
			worlds[e.frame] = world
		}
		if world == 0 {
			continue // its frame is gone
		}
		r, err := call(ctx, v.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: e.element, ExecutionContextID: world})
		if err == nil {
			_, err = call(ctx, v.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: r.Object.ObjectID, FunctionDeclaration: showScript})
		}
		if err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}
