package browser

import (
	"context"
	"encoding/json"
	"strings"

	"plat/browser/capture"
	"plat/plat"
)

// instructions adds the text of the processing instructions of XML documents (XML 1.0, section 2.6), which name their
// style sheets, in frames too: a capture has only their targets.
func (v *visit) instructions(ctx context.Context, s *plat.Snapshot) error {
	var all []capture.Element
	for _, in := range v.xml {
		all = append(all, in.Element)
	}
	return v.valuesOf(ctx, all, `function() { return "?" + this.target + " " + this.data + "?" }`, func(i int, value []byte) {
		var text string
		n := &s.Nodes[v.xml[i].Node]
		if json.Unmarshal(value, &text) == nil && strings.HasPrefix(text, strings.TrimSuffix(n.Value, "?")) {
			n.Value = text
		}
	})
}
