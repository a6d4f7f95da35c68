package segment

import "plat/plat"

// gather makes blocks of the content in [first, end) outside the found ones:
// each run of siblings, as high in the DOM as possible without containing a
// found block, that holds visible text or media. The paper leaves such content
// in the layout, where a changed word would change the layout of the page.
//
// found is in document order. So is the result, which includes found.
func (c *cutter) gather(first, end, level int32, found []span) []span {
	all := make([]span, 0, len(found)+4)
	run := span{-1, -1, plat.RuleGather}
	flush := func() {
		if run.first >= 0 {
			c.trace(run.first, level, plat.RuleGather, true, "left over by the rules")
			all = append(all, run)
		}
		run.first = -1
	}
	parent := int32(-1)
	for i := first; i < end; {
		n := &c.Nodes[i]
		if n.Parent != parent {
			flush()
			parent = n.Parent
		}
		switch {
		case len(found) > 0 && found[0].first == i:
			flush()
			all = append(all, found[0])
			i, found = found[0].end, found[1:]
		case len(found) > 0 && found[0].first < n.End:
			flush()
			i++
		default:
			if c.keeps(i, n.End) {
				if run.first < 0 {
					run.first = i
				}
				run.end = n.End
			}
			i = n.End
		}
	}
	flush()
	return all
}

// keeps reports whether Nodes[first:end] holds content that belongs in a block:
// shown or folded.
func (v *view) keeps(first, end int32) bool {
	return v.sums[end].folds > v.sums[first].folds || v.holds(first, end)
}

// holds reports whether anything in Nodes[first:end] is visible.
func (v *view) holds(first, end int32) bool {
	return v.sums[end].chars > v.sums[first].chars || v.sums[end].media > v.sums[first].media || v.sums[end].decor > v.sums[first].decor
}
