package segment

import (
	"fmt"

	"plat/plat"
)

// rule is one line of IsBlock (BWAP section 2.1). The first rule that applies
// to a node decides.
type rule struct {
	number  plat.Rule
	name    string
	applies func(v *view, i int32) bool
	block   bool // the verdict
}

// rules are the paper's eleven, in its order, to ease comparison. Children are
// the visible ones. RuleOverlay is our addition: a node that contains an
// overlay must be divided, since the overlay is not part of it.
var rules = []rule{
	{1, "no child, or all children of size 0", func(v *view, i int32) bool { return v.info[i].kids == 0 }, false},
	{2, "a Function node", func(v *view, i int32) bool { return v.info[i].kind == function }, false},
	{3, "a Format node", func(v *view, i int32) bool { return v.info[i].kind == format }, false},
	{4, "exactly one child", func(v *view, i int32) bool { return v.info[i].kids == 1 }, false},
	{5, "smaller than the least size for its tag", (*view).tooSmall, false},
	{plat.RuleOverlay, "an overlay is inside", func(v *view, i int32) bool { return v.info[i].over }, false},
	{6, "another colour than a child", func(v *view, i int32) bool { return v.info[i].mixed }, false},
	{7, "Schema without a Format or Function child", func(v *view, i int32) bool { return v.info[i].schema == v.info[i].kids }, false},
	{8, "Schema with Format and Function children only", func(v *view, i int32) bool { return v.info[i].schema == 0 }, true},
	{9, "Schema whose Schema children satisfy rule 8 or 9", func(v *view, i int32) bool { return v.info[i].passes }, true},
	{10, "the sibling before is a block", func(v *view, i int32) bool { p := v.info[i].prev; return p >= 0 && v.info[p].block }, true},
	{11, "no rule made it a block", func(*view, int32) bool { return true }, false},
}

// isBlock returns the rule that decides for node i.
func (v *view) isBlock(i int32) *rule {
	for r := range rules {
		if rules[r].applies(v, i) {
			return &rules[r]
		}
	}
	panic("unreachable: the last rule applies to every node")
}

// leastSize returns the size of the smallest box that can be a block, in CSS px: a line of text is
// about 16 high, and a word does not fit into a narrower box. The paper requires such sizes by tag
// without giving numbers. A table smaller than a button is one of the frames or rounded corners that
// pages of its time built with tables.
func leastSize(tag string) (w, h float32) {
	switch tag {
	case "table", "tbody", "tr":
		return 40, 16
	default:
		return 24, 12
	}
}

func (v *view) tooSmall(i int32) bool {
	n := &v.Nodes[i]
	if !n.HasBox {
		return false // its children have the boxes: display: contents, shadow roots
	}
	w, h := leastSize(n.Name)
	return n.Box.W < w || n.Box.H < h
}

// why describes the decision for node i, including the numbers compared.
func (v *view) why(i int32, r *rule) string {
	n, f := &v.Nodes[i], &v.info[i]
	switch r.number {
	case 5:
		w, h := leastSize(n.Name)
		return fmt.Sprintf("%s: %.0f×%.0f, least %.0f×%.0f", r.name, n.Box.W, n.Box.H, w, h)
	case 6:
		return fmt.Sprintf("%s: own %v", r.name, f.paint.color)
	case 7, 8, 9, 10, 11:
		return fmt.Sprintf("%s: %d children, %d Schema", r.name, f.kids, f.schema)
	}
	return r.name
}
