package segment

import "plat/plat"

// span is a run of consecutive sibling nodes that is, or may become, a block.
type span struct {
	first, end int32 // Nodes[first:end], whole subtrees
	rule       plat.Rule
}

// extract runs Algorithm 1 over the nodes [first, end): it collects blocks and descends into all
// other nodes. Because nodes are in pre-order, the recursion is a loop: it skips the subtree of a
// block and continues with the children of any other node.
func (c *cutter) extract(first, end, level int32) []span {
	var found []span
	for i := first; i < end; {
		n, f := &c.Nodes[i], &c.info[i]
		switch {
		case !f.visible:
			i = n.End
			continue
		case f.overlay:
			f.block = true
			c.trace(i, level, plat.RuleOverlay, true, "stays in place over the page")
			found = append(found, span{i, n.End, plat.RuleOverlay})
			i = n.End
			continue
		case f.depth > int32(c.MaxDepth):
			i = n.End
			continue
		}
		r := c.isBlock(i)
		if c.Trace {
			c.trace(i, level, r.number, r.block, c.why(i, r))
		}
		if r.block {
			f.block = true
			found = append(found, span{i, n.End, r.number})
			i = n.End
		} else {
			i++
		}
	}
	return found
}

func (c *cutter) trace(i, level int32, r plat.Rule, block bool, why string) {
	if c.Trace && (c.Nodes[i].Kind == plat.ElementNode || block) {
		c.decisions = append(c.decisions, plat.Decision{Node: i, Level: level, Depth: c.info[i].depth, Rule: r, Block: block, Why: why})
	}
}
