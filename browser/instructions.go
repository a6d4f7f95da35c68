package browser

import (
	"context"
	"encoding/json"
	"strings"

	"plat/plat"
)

// instructions adds the text of the processing instructions of an XML document (XML 1.0, section 2.6), which name its
// style sheets: a capture has only their targets.
func (v *visit) instructions(ctx context.Context, s *plat.Snapshot) error {
	var at []int
	for i := 1; !isHTML(s) && i < len(s.Nodes) && s.Nodes[i].Kind != plat.ElementNode; i++ {
		if n := &s.Nodes[i]; n.Kind == plat.CommentNode && strings.HasPrefix(n.Value, "?") {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	world, err := v.World(ctx)
	if err != nil {
		return err
	}
	b, err := v.Evaluate(ctx, world, instructionsBefore)
	if err != nil {
		return err
	}
	var all []string
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for k, i := range at {
		if target := s.Nodes[i].Value; k < len(all) && strings.HasPrefix(all[k], strings.TrimSuffix(target, "?")) {
			s.Nodes[i].Value = all[k]
		}
	}
	return nil
}

// instructionsBefore returns the instructions before the first element of the document.
const instructionsBefore = `(() => {
	const all = [];
	for (let n = document.firstChild; n && n.nodeType !== Node.ELEMENT_NODE; n = n.nextSibling) {
		if (n.nodeType === Node.PROCESSING_INSTRUCTION_NODE) all.push("?" + n.target + " " + n.data + "?");
		else if (n.nodeType === Node.COMMENT_NODE && n.data.startsWith("?")) all.push(n.data);
	}
	return all;
})()`
