package noise

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"plat/diff/noise/attributes"
	"plat/plat"
	"plat/segment/markup"
)

// Order is the reason of a block that only moved. It does not prove that the page reorders its blocks
// at every visit.
const Order Reason = "order"

// Elsewhere is the reason of a part of a block whose text is in a different block of the other
// version, or varies there.
const Elsewhere Reason = "elsewhere"

// Look is one rendering of a page: its blocks and its time. Text and Content of leaves must be loaded
// as [plat/diff.Compare] needs them.
type Look struct {
	Blocks []plat.Block
	At     time.Time
	Until  time.Time // time of the last visit with the same blocks; zero if there was one visit
}

func (l *Look) seen() seen {
	if l.Until.Before(l.At) {
		return seen{l.At, l.At}
	}
	return seen{l.At, l.Until}
}

// Again is a second rendering of a page at the same visit, and its changes since the first. Its
// blocks have the lineages of the first rendering.
type Again struct {
	Look
	Changes plat.Changes
}

// Verdict is the judgment on the change of one block.
type Verdict struct {
	Why   Reason    // empty: news
	Kind  plat.Kind // kind of the part that is news, if it differs from the kind of the change
	Edits []Edit    // of the text of a block in both versions
	// Proven reports whether renderings at this visit prove the reason: each differing word replaces
	// one of the same shape, and differs in the second rendering again.
	Proven bool
	Other  bool // more than two thirds of its words are gone: a different item in the same place

	// Old and New are the ranges of its texts that are not news, if the rest is. Divided reports
	// whether blocks came or went in the same gap. The gap was then compared as one text, and the
	// ranges are text that is in a different block now, or varies.
	Old, New []plat.Range
	Divided  bool
}

// verdicts returns a verdict on each change of a block.
func (j *judge) verdicts() []Verdict {
	j.found = make([]Verdict, len(j.changes))
	for i, c := range j.changes {
		switch {
		case j.earlier == nil:
			j.found[i] = j.verdict(c, nil)
		case j.earlier.found[i].Why != "":
			if j.found[i] = j.earlier.found[i]; !j.found[i].Proven && j.runsIn(c) {
				// A rendering proves more than the texts: the time does run.
				if v := j.verdict(c, j.found[i].Edits); v.Why != "" && v.Proven {
					j.found[i] = v
				}
			}
		default:
			j.found[i] = j.verdict(c, j.earlier.found[i].Edits)
		}
	}
	j.regroup()
	return j.found
}

// newJudge returns a judge of the changes between two versions, without a second rendering. m is the
// mask of the URL; the judge refreshes the places that it uses. given may be nil.
func newJudge(old, now Look, changes []plat.Change, m *Mask, given *Given) *judge {
	return (&judge{old: old, now: now, changes: changes, mask: m, given: given}).prepare()
}

// with returns a judge of the same changes with one more second rendering. Changes that j or this
// rendering explains are not news.
func (j *judge) with(again *Again) *judge {
	return (&judge{old: j.old, now: j.now, changes: j.changes, mask: j.mask, given: j.given, again: again, earlier: j}).prepare()
}

func (j *judge) prepare() *judge {
	j.shifted, j.pages = map[int32]bool{}, map[bool]*page{}
	if again := j.again; again != nil {
		j.second = byLineage(again.Blocks)
		j.since = map[int32]plat.Kind{}
		for _, c := range again.Changes.Blocks {
			if j.since[c.Lineage] = c.Kind; c.Kind == plat.Moved {
				j.shifted[c.Lineage] = true
			}
		}
	}
	for _, c := range j.changes {
		if c.Kind == plat.Moved {
			j.shifted[c.Lineage] = true
		}
	}
	return j
}

// anyNews reports whether a change may be news: it has no reason, and is more than tokens and hidden
// text.
func anyNews(changes *plat.Changes, verdicts []Verdict, m *Mask) bool {
	for i, c := range changes.Blocks {
		if verdicts[i].Why == "" && weight(c.Kind) >= weight(plat.Format) {
			return true
		}
	}
	return weight(changes.Layout) >= weight(plat.Format) && !m.knowsLayout(weight(changes.Layout))
}

// onlyWhereThingsTurn reports whether the only news is lines and blocks at places where the
// renderings of this visit differ.
func (j *judge) onlyWhereThingsTurn() bool {
	for i, c := range j.changes {
		if j.found[i].Why == "" && weight(c.Kind) >= weight(plat.Format) && !j.turnsOver(c) {
			return false
		}
	}
	return true
}

func (j *judge) turnsOver(c plat.Change) bool {
	if c.Old >= 0 && c.New >= 0 {
		return len(j.lines(c, textOf(&j.now.Blocks[c.New], c.Folded)).looks) > 0
	}
	for k := j; k.again != nil; k = k.earlier {
		if v := k.move(); v.vary[v.gap[k.block(c)]] {
			return true
		}
	}
	return false
}

// byThemselves reports whether the renderings at one visit prove that all differences from the
// previous version are self-changes. Reasons from the mask or from the texts are not a proof, nor are
// blocks that came or went: the server of the second rendering may be slightly behind.
func byThemselves(changes plat.Changes, verdicts []Verdict, looks []*Again) bool {
	for _, v := range verdicts {
		if !v.Proven {
			return false
		}
	}
	return changes.Layout == plat.Same || weight(changes.Layout) <= weight(plat.Volatile) && layoutVaries(changes.Layout, looks)
}

// proven reports whether each edit is of a time that runs, or replaces words by as many of the same
// shapes, and the second rendering has different ones.
func proven(was, is *words, edits []Edit) bool {
	// The time that a page took, beside a time that runs, is of this rendering alone.
	ran := slices.ContainsFunc(edits, func(e Edit) bool { return e.ran })
	others := slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return e.ran || ran && e.Why == MadeIn })
	if ran && len(others) == 0 {
		return true
	}
	return inStep(was, is, others) && !slices.ContainsFunc(others, func(e Edit) bool { return e.Why != TwoLook })
}

// inStep reports whether there are edits, and each replaces words by as many of the same shapes.
func inStep(was, is *words, edits []Edit) bool {
	for _, e := range edits {
		a, b := was.in(e.Old), is.in(e.New)
		if !slices.EqualFunc(a, b, func(x, y token) bool { return x.shape() == y.shape() }) {
			return false
		}
	}
	return len(edits) > 0
}

// layoutVaries reports whether the layout of a second rendering differs as much.
func layoutVaries(k plat.Kind, looks []*Again) bool {
	return slices.ContainsFunc(looks, func(a *Again) bool { return a.Changes.Layout != plat.Same && weight(a.Changes.Layout) >= weight(k) })
}

// same reports whether a second rendering equals the first.
func (a *Again) same() bool { return len(a.Changes.Blocks) == 0 && a.Changes.Layout == plat.Same }

// mostSearched is the maximum number of blocks, divided differently in the second rendering, whose
// words are searched in the whole page. Further ones are news.
const mostSearched = 20

// A judge decides which changes between two versions are news, by the user's rules, the mask and a
// second rendering.
type judge struct {
	old, now Look
	changes  []plat.Change
	mask     *Mask
	given    *Given
	again    *Again                // nil: no second rendering
	earlier  *judge                // the judge without this rendering; nil if again is nil
	found    []Verdict             // verdicts, once it has judged
	second   map[int32]*plat.Block // leaves of again, by lineage
	since    map[int32]plat.Kind   // changes of again, by lineage
	shifted  map[int32]bool        // blocks that moved between the versions, or between the renderings

	pages    map[bool]*page // text of again, visible and folded; built on demand
	searched int            // blocks whose words were searched in pages
	joined   int            // blocks whose lines were searched in different blocks
	moves    *moves         // built on demand
	texts    map[string]int // per text, the number of blocks in again minus that in now; built on demand
	before   string         // words of the old version; built on demand
	others   []string       // lines that again has and now lacks; built on demand
}

// verdict judges one change; earlier are its edits as an earlier second rendering explained them.
func (j *judge) verdict(c plat.Change, earlier []Edit) Verdict {
	if j.given.watched(c) {
		return Verdict{}
	}
	if all, _, _ := j.given.ignored(c); all {
		return Verdict{Why: Ignored}
	}
	switch {
	case c.Kind == plat.Moved:
		if j.again != nil && j.since[c.Lineage] == plat.Moved {
			return Verdict{Why: TwoLook}
		}
		return Verdict{Why: Order}
	case c.Old >= 0 && c.New >= 0 && (c.Kind == plat.Content || c.Kind == plat.Advertisement):
		return j.content(c, earlier)
	case c.New >= 0 && c.Old >= 0: // markup or hidden text
		a, b := &j.old.Blocks[c.Old], &j.now.Blocks[c.New]
		second := j.second[c.Lineage]
		differ, vary, run := j.attributes(a, b, second)
		switch {
		case !vary || otherTags(a, b, second) || unshown(a) != unshown(b) && (second == nil || unshown(second) == unshown(b)):
		case second != nil && j.since[c.Lineage] != "":
			return Verdict{Why: TwoLook, Proven: run}
		case differ:
			return Verdict{Why: Learned, Proven: run}
		}
	case c.New >= 0:
		return Verdict{Why: j.came(&j.now.Blocks[c.New])}
	default:
		return Verdict{Why: j.went(&j.old.Blocks[c.Old])}
	}
	return Verdict{}
}

// content judges a block whose words changed.
func (j *judge) content(c plat.Change, earlier []Edit) Verdict {
	a, b := &j.old.Blocks[c.Old], &j.now.Blocks[c.New]
	old, new := textOf(a, c.Folded), textOf(b, c.Folded)
	was, is := parse(old), parse(new)
	v := j.words(c, was, is, earlier)
	v.mark(was, is)
	if v.Why == TwoLook && !c.Folded && j.saidElsewhere(b, was, is) {
		v.reopen()
	}
	if v.Why == "" {
		return v
	}
	// The visible words are explained. All other differences must be, too.
	second := j.second[c.Lineage]
	differ, vary, run := j.attributes(a, b, second)
	switch {
	case !c.Folded && unshown(a) != unshown(b) && (second == nil || unshown(second) == unshown(b)):
		v.Kind, v.Why = plat.Content, ""
		return v
	case !vary, inStep(was, is, v.Edits) && otherTags(a, b, second):
		v.Kind, v.Why = attributes.Kind(a.Content, b.Content), ""
		return v
	}
	v.Proven = proven(was, is, v.Edits) && (!differ || run)
	return v
}

// mark records the ranges of the explained edits in both texts.
func (v *Verdict) mark(was, is *words) {
	v.Old = both(v.Old, quiet(v.Edits, was, func(e *Edit) Span { return e.Old }))
	v.New = both(v.New, quiet(v.Edits, is, func(e *Edit) Span { return e.New }))
}

// leaves reports whether the old text of a replaced block is an item that the page shows at times:
// the mask has it, the second rendering has it, or both versions and that rendering have as many
// blocks there.
func (j *judge) leaves(c plat.Change) bool {
	b := &j.old.Blocks[c.Old]
	v := j.move()
	return j.mask.met(itemOf(b.Text)) || j.shows(textOf(b, c.Folded), c.Folded) || v.slots(v.gap[&j.now.Blocks[c.New]])
}

// balanced reports whether the gap of a block has as many blocks as in the old version.
func (j *judge) balanced(b *plat.Block) bool {
	v := j.move()
	return v.balanced(v.gap[b])
}

// gone reports whether a text has lost more than two thirds of its words.
func gone(was *words, edits []Edit) bool {
	n := 0
	for _, e := range edits {
		if !e.ran {
			n += len(was.in(e.Old))
		}
	}
	return 3*n > 2*len(was.all)
}

// exchanged returns the reason of a block whose text was replaced, if the old and the new text are
// items that the page shows at times; otherwise it is empty.
func (j *judge) exchanged(c plat.Change, was, is *words, other bool) Reason {
	now := &j.now.Blocks[c.New]
	switch {
	case !other:
	case j.mask.met(itemOf(was.text)) && (j.mask.met(itemOf(is.text)) || j.mask.gap(j.move().gap[now]).anything() && j.balanced(now)):
		return Learned
	case j.again != nil && j.second[c.Lineage] == nil && !j.shows(is.text, c.Folded) && j.leaves(c):
		return TwoLook
	}
	return ""
}

// unshown returns the folded and the hidden text of a block.
func unshown(b *plat.Block) string {
	folded, hidden := markup.Unshown(b.Content, b.Hidden, b.Folded)
	return folded + "\x00" + hidden
}

// attributes reports whether two versions of a block differ in attributes, and whether all of these
// vary: between two renderings, or by the mask; run reports whether all that differs is times that run.
// second is nil if there is no second rendering, or it lacks the block.
func (j *judge) attributes(old, now, second *plat.Block) (differ, vary, run bool) {
	was, is := attributes.Of(old.Content), attributes.Of(now.Content)
	all := attributes.Differing(was, is)
	if len(all) == 0 {
		return false, true, false
	}
	run = true
	two, third := map[attributes.Attribute]bool{}, map[attributes.Attribute]string{}
	if second != nil {
		third = attributes.Of(second.Content)
		for _, k := range attributes.Differing(is, third) {
			two[k] = true
		}
	}
	for _, k := range all {
		runs := onlyRan(was[k], j.old.At, is[k], j.now.At)
		switch {
		case two[k] && runs && j.again != nil && onlyRan(is[k], j.now.At, third[k], j.again.At):
		case two[k] && (!k.Read() || variesWithin(was[k], is[k], third[k])):
			run = false
		case j.mask.knowsAttribute(now.Lineage, k, is[k]) && (runs || !k.Read() || numbersDiffer(was[k], is[k]) || attributes.Tokens(was[k], is[k])):
			run = run && runs
		default:
			return true, false, false
		}
	}
	return true, true, run
}

// A page is the text of a second rendering.
type page struct {
	*words
	flat string
}

func (j *judge) page(folded bool) *page {
	if j.pages[folded] == nil {
		var all []string
		for _, b := range leaves(j.again.Blocks) {
			all = append(all, textOf(b, folded))
		}
		text := strings.Join(all, "\n")
		j.pages[folded] = &page{parse(text), flat(text)}
	}
	return j.pages[folded]
}

// shows reports whether the second rendering contains a text.
func (j *judge) shows(text string, folded bool) bool {
	return strings.Contains(j.page(folded).flat, flat(text))
}

// flat returns a text with one space around each word.
func flat(s string) string { return " " + strings.Join(strings.Fields(s), " ") + " " }

// weight ranks the kinds of change by their importance.
func weight(k plat.Kind) int {
	switch k {
	case plat.Same, "":
		return 0
	case plat.Volatile:
		return 1
	case plat.Invisible:
		return 2
	case plat.Format, plat.Link, plat.Image:
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

// leaves returns the leaves in reading order.
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

// textOf returns the visible text of a block, or its folded text.
func textOf(b *plat.Block, folded bool) string {
	if !folded {
		return b.Text
	}
	text, _ := markup.Unshown(b.Content, b.Hidden, b.Folded)
	return text
}
