package browser

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/devtools"
	"plat/plat"
)

// instructions adds the text of the processing instructions of XML documents (XML 1.0, section 2.6), which name their
// style sheets, in frames too: a capture has only their targets.
func (v *visit) instructions(ctx context.Context, s *plat.Snapshot) error {
	worlds := map[cdp.FrameID]runtime.ExecutionContextID{}
	var refused *devtools.ProtocolError
	for _, in := range v.xml {
		world, ok := worlds[in.Frame]
		if !ok {
			var err error
			if world, err = v.WorldOf(ctx, in.Frame); err != nil && !errors.As(err, &refused) {
				return err
			}
			worlds[in.Frame] = world
		}
		if world == 0 {
			continue // its frame is gone
		}
		b, err := v.EvaluateOn(ctx, world, in.ID, `function() { return "?" + this.target + " " + this.data + "?" }`)
		if errors.As(err, &refused) {
			continue // it is gone
		}
		if err != nil {
			return err
		}
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		if n := &s.Nodes[in.Node]; strings.HasPrefix(text, strings.TrimSuffix(n.Value, "?")) {
			n.Value = text
		}
	}
	return nil
}
