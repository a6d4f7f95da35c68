package capture

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"

	"plat/plat"
)

// Instruction is a processing instruction before the outermost element of a document. Its text is missing in the capture.
type Instruction struct {
	Element
	Node int32 // of the snapshot, a comment
}

// maxInstructions limits the instructions that are listed.
const maxInstructions = 100

// listInstructions lists the instructions of the page and of the documents in its frames. at is as in [Capture.place].
func (s *Capture) listInstructions(out *plat.Snapshot, at [][]int32) (all []Instruction) {
	for i := range s.docs {
		d := &s.docs[i]
		if at[i] == nil {
			continue
		}
		for node := 1; node < len(d.kind) && d.kind[node] != elementType && len(all) < maxInstructions; node++ {
			if self := at[i][node]; d.kind[node] == instructionType && self >= 0 && out.Nodes[self].Kind == plat.CommentNode {
				all = append(all, Instruction{Element{cdp.FrameID(s.str(d.frameID)), cdp.BackendNodeID(d.backend[node])}, self})
			}
		}
	}
	slices.SortFunc(all, func(a, b Instruction) int { return int(a.Node) - int(b.Node) })
	return all
}
