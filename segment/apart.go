package segment

import "sync/atomic"

// descendApart is [cutter.descend] for the blocks of level 1, by two goroutines.
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

// apart lists the blocks of level 1 in groups, each of which is divided without a look at the others.
// Only rule 10 looks outside: it asks whether the sibling before a node was taken as a block. In a
// run of siblings, the first that is visible may have that sibling in a run before; runs alone have
// nodes of their own that can be taken.
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
