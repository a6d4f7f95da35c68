package segment

import "sync/atomic"

// descendApart does the work of [cutter.descend] for the blocks of level 1, in two goroutines.
func (c *cutter) descendApart(kids []span) {
	groups := c.apart(kids)
	if c.Trace || c.teach != nil || len(groups) < 2 {
		c.descend(0, kids, 1)
		return
	}
	if c.other == nil {
		c.other = &cutter{}
	}
	o := c.other
	o.view, o.Params, o.adjust = c.view, c.Params, c.adjust
	tree := c.tree // the root, so that no other block has index 0
	c.tree, o.tree = append(c.aside[:0], tree...), append(o.tree[:0], tree...)

	type subtree struct {
		by       *cutter
		from, to int
	}
	done := make([]subtree, len(groups))
	var next atomic.Int32
	work := func(by *cutter) {
		for {
			k := int(next.Add(1)) - 1
			if k >= len(groups) {
				return
			}
			from := len(by.tree)
			by.descend(0, groups[k], 1)
			done[k] = subtree{by, from, len(by.tree)}
		}
	}
	wait := meanwhile(func() { work(o) })
	defer wait()
	work(c)
	wait()
	for _, d := range done {
		shift := int32(len(tree) - d.from)
		for _, b := range d.by.tree[d.from:d.to] {
			if b.parent > 0 {
				b.parent += shift
			}
			tree = append(tree, b)
		}
	}
	c.aside, c.tree = c.tree[:0], tree
}

// apart lists the blocks of level 1 in groups that can be divided independently. Only rule 10 depends
// on a block's surroundings: on whether the sibling before a node became a block. In a run of
// siblings, the first visible node may have that sibling in the previous run; only runs have
// top-level nodes that can become blocks.
func (c *cutter) apart(kids []span) (groups [][]span) {
	run := func(s span) bool { return c.Nodes[s.first].End != s.end }
	from := make([]int, 0, len(kids)) // where groups begin
	for k, kid := range kids {
		from = append(from, k)
		if !run(kid) {
			continue
		}
		before := int32(-1)
		for i := kid.first; i < kid.end && before < 0; i = c.Nodes[i].End {
			before = c.info[i].prev
		}
		j := k - 1
		for j >= 0 && kids[j].first > before {
			j--
		}
		if j >= 0 && before < kids[j].end && run(kids[j]) {
			for from[len(from)-1] > j {
				from = from[:len(from)-1]
			}
		}
	}
	for g, k := range from {
		end := len(kids)
		if g+1 < len(from) {
			end = from[g+1]
		}
		groups = append(groups, kids[k:end])
	}
	return groups
}
