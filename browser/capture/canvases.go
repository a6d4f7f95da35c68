package capture

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"

	"plat/plat"
)

// Canvas is a <canvas> of the capture.
type Canvas struct {
	Node    int32             // of the snapshot
	Backend cdp.BackendNodeID // Chrome's id
	Frame   cdp.FrameID       // that contains it
}

// listCanvases lists the canvases that have a box. at is as in [Capture.place].
func (s *Capture) listCanvases(out *plat.Snapshot, at [][]int32) (all []Canvas) {
	name := s.indexOf("CANVAS")
	if name < 0 {
		return nil
	}
	for i := range s.docs {
		d := &s.docs[i]
		if at[i] == nil {
			continue
		}
		for node, n := range d.name {
			if self := at[i][node]; n == name && self >= 0 && out.Nodes[self].Kind == plat.ElementNode && out.Nodes[self].HasBox {
				all = append(all, Canvas{self, cdp.BackendNodeID(d.backend[node]), cdp.FrameID(s.str(d.frameID))})
			}
		}
	}
	slices.SortFunc(all, func(a, b Canvas) int { return int(a.Node) - int(b.Node) })
	return all
}
