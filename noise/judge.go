package noise

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"plat"
	"plat/markup"
)

// Order is the reason of a block that only stands elsewhere among the others. By itself it
// is no proof that the page orders them anew at every visit.
const Order Reason = "order"

// Look is the blocks that a look at a page has seen, and when. Text and Content of leaves
// must be loaded as [plat/diff.Compare] needs them.
type Look struct {
	Blocks []plat.Block
	At     time.Time
}

// Again is a second look at a page, and what has changed since the first. Its blocks have
// the lineages of the first look's.
type Again struct {
	Look
	Changes plat.Changes
}

// Verdict says why the change of a block is no news.
type Verdict struct {
	Why   Reason    // empty: it is news
	Kind  plat.Kind // what is news of it, if that is another kind than the change's
	Edits []Edit    // of the text of a block that is in both versions
}

// Judge returns a verdict on each change of a block between two versions, old and now.
// again is nil if there was no second look. m is what is known of the URL; what it explains
// is noted there.
func Judge(old, now Look, changes []plat.Change, again *Again, m *Mask) []Verdict {
	j := judge{old: old, now: now, again: again, mask: m}
	if again != nil {
		j.second = byLineage(again.Blocks)
		j.since = map[int32]plat.Kind{}
		for _, c := range again.Changes.Blocks {
			j.since[c.Lineage] = c.Kind
		}
	}
	all := make([]Verdict, len(changes))
	for i, c := range changes {
		all[i] = j.verdict(c)
	}
	return all
}

// News reports whether one of the changes may be news: nothing explains it, and it is more
// than tokens and text that is not shown.
func News(changes *plat.Changes, verdicts []Verdict, m *Mask) bool {
	for i, c := range changes.Blocks {
		if verdicts[i].Why == "" && weight(c.Kind) >= weight(plat.Format) {
			return true
		}
	}
	return weight(changes.Layout) >= weight(plat.Format) && !m.knowsLayout(changes.Layout)
}

// ByItself reports whether the looks at one visit prove that all that is different from the
// version before has come about by itself. What is only learned, or shown by texts, is no
// proof.
func ByItself(changes plat.Changes, verdicts []Verdict, looks []*Again) bool {
	for _, v := range verdicts {
		if v.Why != TwoLook || slices.ContainsFunc(v.Edits, func(e Edit) bool { return e.Why != TwoLook }) {
			return false
		}
	}
	return changes.Layout == plat.Same || layoutVaries(changes.Layout, looks)
}

// layoutVaries reports whether the layout of a second look differs as much.
func layoutVaries(k plat.Kind, looks []*Again) bool {
	return slices.ContainsFunc(looks, func(a *Again) bool { return a.Changes.Layout != plat.Same && weight(a.Changes.Layout) >= weight(k) })
}

// same reports whether a second look has found nothing that the first has not.
func (a *Again) same() bool { return len(a.Changes.Blocks) == 0 && a.Changes.Layout == plat.Same }

// Either joins the verdicts of two second looks: what one of them explains is no news.
func Either(a, b []Verdict) []Verdict {
	for i := range a {
		if a[i].Why == "" {
			a[i] = b[i]
		}
	}
	return a
}

// mostSearched is how many blocks that the second look divides otherwise are looked for in
// the whole page. The others are news.
const mostSearched = 20

type judge struct {
	old, now Look
	again    *Again
	mask     *Mask
	second   map[int32]*plat.Block // leaves of again, by lineage
	since    map[int32]plat.Kind   // changes of again, by lineage

	// Made when they are needed: leaves of old and now in reading order; the place of those
	// of now, from 1, by lineage; after which of these something comes in the second look, 0
	// for the beginning.
	was, is  []*plat.Block
	place    map[int32]int
	comes    map[int32]bool
	pages    [2]*words // text of again: shown, folded
	flat     [2]string
	searched int // blocks whose words were looked for there
	// Blocks that only one version has, with the block before.
	came, went map[*plat.Block]int32
}

func (j *judge) verdict(c plat.Change) Verdict {
	switch {
	case c.Kind == plat.Moved:
		if j.again != nil && j.since[c.Lineage] == plat.Moved {
			return Verdict{Why: TwoLook}
		}
		return Verdict{Why: Order}
	case c.Old >= 0 && c.New >= 0 && (c.Kind == plat.Content || c.Kind == plat.Advertisement):
		return j.content(c)
	case c.New >= 0 && c.Old >= 0: // other markup, or text that is not shown
		a, b := &j.old.Blocks[c.Old], &j.now.Blocks[c.New]
		second := j.second[c.Lineage]
		switch {
		case !j.varies(a, b, second) || unshown(a) != unshown(b) && (second == nil || unshown(second) == unshown(b)):
		case second != nil && j.since[c.Lineage] != "":
			return Verdict{Why: TwoLook}
		case len(differing(attributes(a.Content), attributes(b.Content))) > 0:
			return Verdict{Why: Learned}
		}
	case c.New >= 0:
		b := &j.now.Blocks[c.New]
		switch {
		case j.again != nil && j.cameByItself(b):
			return Verdict{Why: TwoLook}
		case j.mask.knowsItem(j.before(b, &j.came), b), j.exchanged(b):
			return Verdict{Why: Learned}
		}
	default:
		b := &j.old.Blocks[c.Old]
		switch {
		case j.again != nil && j.wentByItself(b):
			return Verdict{Why: TwoLook}
		case j.mask.knowsGap(j.before(b, &j.went)):
			return Verdict{Why: Learned}
		}
	}
	return Verdict{}
}

// content judges a block whose words are others.
func (j *judge) content(c plat.Change) Verdict {
	a, b := &j.old.Blocks[c.Old], &j.now.Blocks[c.New]
	old, new := textOf(a, c.Folded), textOf(b, c.Folded)
	was, is := parse(old), parse(new)
	v := Verdict{Edits: edits(was, j.old.At, is, j.now.At)}
	if j.again != nil {
		// Where the block is divided otherwise, its words are looked for in the whole page.
		if b := j.second[c.Lineage]; b != nil {
			v.Edits = confirmed(v.Edits, was, is, parse(textOf(b, c.Folded)))
		} else if j.searched++; j.searched <= mostSearched {
			v.Edits = confirmed(v.Edits, was, is, j.page(c.Folded))
		}
	}
	j.mask.explain(c.Lineage, was, is, v.Edits)
	for _, e := range v.Edits {
		if v.Why = e.Why; v.Why == "" {
			return v
		}
	}
	if v.Why == "" {
		return v
	}
	// The words that are shown are explained. So must be what else differs.
	second := j.second[c.Lineage]
	switch {
	case !c.Folded && unshown(a) != unshown(b) && (second == nil || unshown(second) == unshown(b)):
		return Verdict{Kind: plat.Content, Edits: v.Edits}
	case !j.varies(a, b, second):
		return Verdict{Kind: plat.Format, Edits: v.Edits}
	}
	return v
}

// unshown is the text of a block that is folded or hidden.
func unshown(b *plat.Block) string {
	folded, hidden := markup.Unshown(b.Content, b.Hidden, b.Folded)
	return folded + "\x00" + hidden
}

// varies reports whether all attributes in which two versions of a block differ vary between
// two looks too, or are known to; second is nil if there was none, or it does not have the
// block.
func (j *judge) varies(old, now, second *plat.Block) bool {
	is := attributes(now.Content)
	all := differing(attributes(old.Content), is)
	if len(all) == 0 {
		return true
	}
	two := map[attribute]bool{}
	if second != nil {
		for _, k := range differing(is, attributes(second.Content)) {
			two[k] = true
		}
	}
	for _, k := range all {
		if !two[k] && !j.mask.knowsAttribute(now.Lineage, k) {
			return false
		}
	}
	return true
}

// page is the text of the second look.
func (j *judge) page(folded bool) *words {
	which := 0
	if folded {
		which = 1
	}
	if j.pages[which] == nil {
		var all []string
		for _, b := range leaves(j.again.Blocks) {
			all = append(all, textOf(b, folded))
		}
		j.pages[which] = parse(strings.Join(all, "\n"))
		j.flat[which] = flat(j.pages[which].text)
	}
	return j.pages[which]
}

// flat is a text with blanks around its words.
func flat(s string) string { return " " + strings.Join(strings.Fields(s), " ") + " " }

// cameByItself reports whether a new block is not in the second look, or hardly.
func (j *judge) cameByItself(b *plat.Block) bool {
	second := j.second[b.Lineage]
	if second == nil {
		j.page(false)
		return !strings.Contains(j.flat[0], flat(b.Text))
	}
	first := parse(b.Text)
	kept := len(first.all)
	for _, v := range variations(first, parse(second.Text)) {
		kept -= len(first.in(v.first))
	}
	return 2*kept < len(first.all)
}

// wentByItself reports whether a block that is gone is back in the second look, or has
// stood where the two looks differ.
func (j *judge) wentByItself(b *plat.Block) bool {
	for _, c := range j.again.Changes.Blocks {
		if c.Old < 0 && j.again.Blocks[c.New].Text == b.Text {
			return true
		}
	}
	j.order()
	from, to := 0, len(j.is)
	at := slices.Index(j.was, b)
	for i := at - 1; i >= 0 && from == 0; i-- {
		from = j.place[j.was[i].Lineage]
	}
	for i := at + 1; i < len(j.was); i++ {
		if p := j.place[j.was[i].Lineage]; p > 0 {
			to = p - 1
			break
		}
	}
	for i := from; i < to; i++ {
		if k, ok := j.since[j.is[i].Lineage]; ok && weight(k) >= weight(plat.Content) {
			return true
		}
	}
	// Has something come there in the second look?
	before := int32(0)
	if from > 0 {
		before = j.is[from-1].Lineage
	}
	return j.comes[before]
}

// exchanged reports whether a block has come where a pool is shown, and no more have come
// than have gone.
func (j *judge) exchanged(b *plat.Block) bool {
	gap := j.before(b, &j.came)
	if !j.mask.knowsPool(gap) {
		return false
	}
	j.before(b, &j.went)
	more := 0
	for _, g := range j.came {
		if g == gap {
			more++
		}
	}
	for _, g := range j.went {
		if g == gap {
			more--
		}
	}
	return more <= 0
}

// before is the lineage of the leaf that both versions have before a leaf that only one has.
func (j *judge) before(b *plat.Block, all *map[*plat.Block]int32) int32 {
	if *all == nil {
		here, there := j.now.Blocks, j.old.Blocks
		if all == &j.went {
			here, there = there, here
		}
		*all = map[*plat.Block]int32{}
		for b, before := range gaps(here, byLineage(there)) {
			(*all)[b] = before
		}
	}
	return (*all)[b]
}

// order makes what tells where blocks stand.
func (j *judge) order() {
	if j.place != nil {
		return
	}
	j.was, j.is = leaves(j.old.Blocks), leaves(j.now.Blocks)
	j.place, j.comes = map[int32]int{}, map[int32]bool{}
	for i, b := range j.is {
		j.place[b.Lineage] = i + 1
	}
	last := int32(0)
	for _, b := range leaves(j.again.Blocks) {
		if j.place[b.Lineage] > 0 {
			last = b.Lineage
		} else {
			j.comes[last] = true
		}
	}
}

// weight orders kinds by how much of a page they concern.
func weight(k plat.Kind) int {
	switch k {
	case plat.Same, "":
		return 0
	case plat.Volatile:
		return 1
	case plat.Invisible:
		return 2
	case plat.Format:
		return 3
	}
	return 4
}

func byLineage(blocks []plat.Block) map[int32]*plat.Block {
	all := map[int32]*plat.Block{}
	for i := range blocks {
		if b := &blocks[i]; b.Leaf() {
			all[b.Lineage] = b
		}
	}
	return all
}

// leaves are the leaves in reading order.
func leaves(blocks []plat.Block) []*plat.Block {
	var all []*plat.Block
	for i := range blocks {
		if b := &blocks[i]; b.Leaf() {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b *plat.Block) int { return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Pos, b.Pos)) })
	return all
}

// textOf is a block's text that is shown, or that is folded.
func textOf(b *plat.Block, folded bool) string {
	if !folded {
		return b.Text
	}
	text, _ := markup.Unshown(b.Content, b.Hidden, b.Folded)
	return text
}
