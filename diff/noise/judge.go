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

// Order is the reason of a block that only stands elsewhere among the others. By itself it
// is no proof that the page orders them anew at every visit.
const Order Reason = "order"

// Elsewhere is the reason of a part of a block that stands in another block of the other
// version, or varies there.
const Elsewhere Reason = "elsewhere"

// Look is the blocks that a look at a page has seen, and when. Text and Content of leaves
// must be loaded as [plat/diff.Compare] needs them.
type Look struct {
	Blocks []plat.Block
	At     time.Time
	Until  time.Time // when the same was seen last; zero if only once
}

func (l *Look) seen() seen {
	if l.Until.Before(l.At) {
		return seen{l.At, l.At}
	}
	return seen{l.At, l.Until}
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
	// Proven says that looks at this visit prove it: each word that differs stands for one of
	// its kind, and is another one in the second look.
	Proven bool
	Other  bool // more than two thirds of its words are gone: it is another thing in its place

	// Old and New are what of its texts is no news, where something else is. Divided says that
	// blocks came or went where it stands; then all that stands there was compared as one text,
	// and they are what is in another block now, and what varies.
	Old, New []plat.Range
	Divided  bool
}

// verdicts returns one on each change of a block between the two versions.
func (j *judge) verdicts() []Verdict {
	j.found = make([]Verdict, len(j.changes))
	for i, c := range j.changes {
		switch {
		case j.earlier == nil:
			j.found[i] = j.verdict(c, nil)
		case j.earlier.found[i].Why != "":
			j.found[i] = j.earlier.found[i]
		default:
			j.found[i] = j.verdict(c, j.earlier.found[i].Edits)
		}
	}
	j.regroup()
	return j.found
}

// newJudge makes a judge of the changes between two versions, without a second look. m is
// what is known of the URL; what it explains is noted there. given may be nil.
func newJudge(old, now Look, changes []plat.Change, m *Mask, given *Given) *judge {
	return (&judge{old: old, now: now, changes: changes, mask: m, given: given}).prepare()
}

// with returns a judge of the same changes who has a second look, or another one. What j has
// explained, and what the look explains, is no news.
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

// anyNews reports whether one of the changes may be news: nothing explains it, and it is more
// than tokens and text that is not shown.
func anyNews(changes *plat.Changes, verdicts []Verdict, m *Mask) bool {
	for i, c := range changes.Blocks {
		if verdicts[i].Why == "" && weight(c.Kind) >= weight(plat.Format) {
			return true
		}
	}
	return weight(changes.Layout) >= weight(plat.Format) && !m.knowsLayout(weight(changes.Layout))
}

// onlyWhereThingsTurn reports whether nothing is news but lines of blocks, and blocks, where
// looks at this visit show others.
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

// byThemselves reports whether the looks at one visit prove that all that is different from the
// version before has come about by itself. What is only learned, or shown by texts, is no
// proof; nor is that whole things came or went, for the server of a second look may be a
// little behind.
func byThemselves(changes plat.Changes, verdicts []Verdict, looks []*Again) bool {
	for _, v := range verdicts {
		if !v.Proven {
			return false
		}
	}
	return changes.Layout == plat.Same || weight(changes.Layout) <= weight(plat.Volatile) && layoutVaries(changes.Layout, looks)
}

// proven reports whether each edit is words in place of as many of the same shapes, that are
// others in the second look.
func proven(was, is *words, edits []Edit) bool {
	return inStep(was, is, edits) && !slices.ContainsFunc(edits, func(e Edit) bool { return e.Why != TwoLook })
}

// inStep reports whether there are edits, and all are words in place of as many of the same
// shapes.
func inStep(was, is *words, edits []Edit) bool {
	for _, e := range edits {
		a, b := was.in(e.Old), is.in(e.New)
		if !slices.EqualFunc(a, b, func(x, y token) bool { return x.shape() == y.shape() }) {
			return false
		}
	}
	return len(edits) > 0
}

// layoutVaries reports whether the layout of a second look differs as much.
func layoutVaries(k plat.Kind, looks []*Again) bool {
	return slices.ContainsFunc(looks, func(a *Again) bool { return a.Changes.Layout != plat.Same && weight(a.Changes.Layout) >= weight(k) })
}

// same reports whether a second look has found nothing that the first has not.
func (a *Again) same() bool { return len(a.Changes.Blocks) == 0 && a.Changes.Layout == plat.Same }

// mostSearched is how many blocks that the second look divides otherwise are looked for in
// the whole page. The others are news.
const mostSearched = 20

// A judge knows two versions of a page, what somebody has said of it, what earlier visits have
// taught, and a second look.
type judge struct {
	old, now Look
	changes  []plat.Change
	mask     *Mask
	given    *Given
	again    *Again                // nil: there was none
	earlier  *judge                // who has not had this look; nil: there was none
	found    []Verdict             // once it has judged
	second   map[int32]*plat.Block // leaves of again, by lineage
	since    map[int32]plat.Kind   // changes of again, by lineage
	shifted  map[int32]bool        // blocks that stand elsewhere, in the second look too

	pages    map[bool]*page // of again, shown and folded; made when they are needed
	searched int            // blocks whose words were looked for there
	joined   int            // blocks of which lines were looked for in others
	moves    *moves         // made when it is needed
	texts    map[string]int // of how many blocks more in again than in now; likewise
	before   string         // words of the old version; likewise
	others   []string       // lines of the second look that the first does not have; likewise
}

// verdict judges one change; earlier are the edits as another second look has explained them.
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
	case c.New >= 0 && c.Old >= 0: // other markup, or text that is not shown
		a, b := &j.old.Blocks[c.Old], &j.now.Blocks[c.New]
		second := j.second[c.Lineage]
		differ, vary := j.attributes(a, b, second)
		switch {
		case !vary || otherTags(a, b, second) || unshown(a) != unshown(b) && (second == nil || unshown(second) == unshown(b)):
		case second != nil && j.since[c.Lineage] != "":
			return Verdict{Why: TwoLook}
		case differ:
			return Verdict{Why: Learned}
		}
	case c.New >= 0:
		return Verdict{Why: j.came(&j.now.Blocks[c.New])}
	default:
		return Verdict{Why: j.went(&j.old.Blocks[c.Old])}
	}
	return Verdict{}
}

// content judges a block whose words are others.
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
	// The words that are shown are explained. So must be what else differs.
	second := j.second[c.Lineage]
	differ, vary := j.attributes(a, b, second)
	switch {
	case !c.Folded && unshown(a) != unshown(b) && (second == nil || unshown(second) == unshown(b)):
		v.Kind, v.Why = plat.Content, ""
		return v
	case !vary, inStep(was, is, v.Edits) && otherTags(a, b, second):
		v.Kind, v.Why = attributes.Kind(a.Content, b.Content), ""
		return v
	}
	v.Proven = proven(was, is, v.Edits) && !differ
	return v
}

// mark notes where the edits that are no news are in the two texts.
func (v *Verdict) mark(was, is *words) {
	v.Old = both(v.Old, quiet(v.Edits, was, func(e *Edit) Span { return e.Old }))
	v.New = both(v.New, quiet(v.Edits, is, func(e *Edit) Span { return e.New }))
}

// words judges the words of a block that are shown.
func (j *judge) words(c plat.Change, was, is *words, earlier []Edit) (v Verdict) {
	var second *words
	if j.again != nil {
		// Where the block is divided otherwise, its words are looked for in the whole page.
		if b := j.second[c.Lineage]; b != nil {
			second = parse(j.inLook(is, b, c.Folded))
		} else if j.searched++; j.searched <= mostSearched {
			second = j.page(c.Folded).words
		}
	}
	order := Reason("")
	switch {
	case second != nil && reordered(is, second) && !j.earlier.hadOthers(c, is):
		order = TwoLook
	case j.mask.knowsOrder(c.Lineage, hashOf(is.text)):
		order = Learned
	}
	if order != "" {
		v.Edits, v.Why = shuffled(was, is, second), order
	} else {
		old, new := j.ignored(c)
		if len(old) == len(new) && len(old) > 0 {
			v.Edits = j.between(c, was, is, old, new)
		} else {
			v.Edits = j.edits(c.Lineage, was, is)
			within(v.Edits, old, new)
		}
		v.Edits = j.explained(c.Lineage, was, is, v.Edits, second, earlier)
		if numbers, ok := byPlace(was, is); ok && anyOpen(v.Edits) {
			if numbers = j.explained(c.Lineage, was, is, numbers, second, earlier); !anyOpen(numbers) {
				v.Edits = numbers
			}
		}
	}
	v.Edits = datesOf(v.Edits)
	v.Other = gone(was, v.Edits) && !sharedLine(was.text, is.text)
	for _, e := range v.Edits {
		if e.Why == "" {
			v.Why = ""
			if j.mask.reframed(c.Lineage, was, is) {
				return v
			}
			lines := j.lines(c, is.text)
			if v.Why = cmp.Or(lines.why(was.text, is.text), j.exchanged(c, was, is, v.Other)); v.Why == "" {
				v.Old, v.New = lines.marks(was.text, is.text)
			}
			if v.Why == "" && !c.Folded {
				v.Why = j.part(j.move().gap[&j.now.Blocks[c.New]])
			}
			for i := 0; i < len(v.Edits) && v.Why != ""; i++ {
				v.Edits[i].Why = v.Why
			}
			return v
		}
		v.Why = e.Why
	}
	if !v.Other || !slices.ContainsFunc(v.Edits, func(e Edit) bool { return e.Why != Ignored }) {
		return v
	}
	// It is another thing in place of one.
	if j.again != nil && !j.leaves(c) || v.Why == Learned && !j.mask.met(itemOf(is.text)) && !j.balanced(&j.now.Blocks[c.New]) {
		v.reopen()
	}
	return v
}

// reopen takes back all that was found.
func (v *Verdict) reopen() {
	v.Why, v.Old, v.New = "", nil, nil
	for i := range v.Edits {
		v.Edits[i].Why = ""
	}
}

// edits are those of a block. What stands where anything may come counts as unexplained if
// only a part of it is known and a look can tell.
func (j *judge) edits(lineage int32, was, is *words) []Edit {
	return j.mask.edits(lineage, was, j.old.seen(), is, j.now.At, j.again != nil || j.mask.mayLook())
}

// inLook is the text of a block in the second look, with that of blocks that only the second
// look has if they have its new lines, by the words at a line's beginning or end.
func (j *judge) inLook(is *words, second *plat.Block, folded bool) string {
	text := textOf(second, folded)
	here := strings.Split(text, "\n")
	missing := scanned(withoutLines(strings.Split(is.text, "\n"), append(linesIn(j.old.Blocks), here...)))
	if folded || len(missing) == 0 || len(missing) > mostLines {
		return text
	}
	if j.joined++; j.joined > mostSearched {
		return text
	}
	has := byLineage(j.now.Blocks)
	var all []string
	for _, b := range leaves(j.again.Blocks) {
		if b == second {
			all = append(all, text)
			continue
		}
		shared := has[b.Lineage] == nil && slices.ContainsFunc(scanned(strings.Split(b.Text, "\n")), func(line []token) bool {
			return slices.ContainsFunc(missing, func(s []token) bool {
				from, to := edges(line, s)
				return max(from, to) >= between
			})
		})
		if shared {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

// hadOthers reports whether an earlier second look has shown other words in a block than the
// first, or has divided it otherwise: then it is chance that one shows the same words in
// another order.
func (j *judge) hadOthers(c plat.Change, is *words) bool {
	for ; j.again != nil; j = j.earlier {
		b := j.second[c.Lineage]
		if b == nil {
			return true
		}
		if again := parse(textOf(b, c.Folded)); again.text != is.text && !reordered(is, again) {
			return true
		}
	}
	return false
}

// explained are the edits of a block as the second look, nil if there was none, an earlier one
// and the mask explain them.
func (j *judge) explained(lineage int32, was, is *words, edits []Edit, second *words, earlier []Edit) []Edit {
	if second != nil {
		edits = joined(confirmed(edits, was, is, second), earlier, was, is)
		edits = j.mask.written(lineage, was, is, edits)
	}
	j.mask.explain(lineage, was, is, edits)
	return j.mask.known(edits, was, is)
}

// anyOpen reports whether nothing explains some of the edits.
func anyOpen(edits []Edit) bool {
	return slices.ContainsFunc(edits, func(e Edit) bool { return e.Why == "" })
}

// datesOf says that dates are somebody's that stand beside other words of somebody, and not
// beside a clock: those of a release, not of the visit.
func datesOf(edits []Edit) []Edit {
	if !anyOpen(edits) || slices.ContainsFunc(edits, func(e Edit) bool { return e.Why == Clock }) {
		return edits
	}
	for i := range edits {
		if e := &edits[i]; e.Why == Date {
			e.Why = ""
		}
	}
	return edits
}

// leaves reports whether the old text of a block, in whose place another stands, is one
// that the page shows at times: the second look has it, or shows others there.
func (j *judge) leaves(c plat.Change) bool {
	b := &j.old.Blocks[c.Old]
	v := j.move()
	return j.mask.met(itemOf(b.Text)) || j.shows(textOf(b, c.Folded), c.Folded) || v.slots(v.gap[&j.now.Blocks[c.New]])
}

// balanced reports whether there are as many blocks as there were where a block is.
func (j *judge) balanced(b *plat.Block) bool {
	v := j.move()
	return v.balanced(v.gap[b])
}

// gone reports whether a text has lost more than two thirds of its words.
func gone(was *words, edits []Edit) bool {
	n := 0
	for _, e := range edits {
		n += len(was.in(e.Old))
	}
	return 3*n > 2*len(was.all)
}

// exchanged says why it is no news that one text of a block stands in place of another, if
// they are two things that the page shows at times.
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

// unshown is the text of a block that is folded or hidden.
func unshown(b *plat.Block) string {
	folded, hidden := markup.Unshown(b.Content, b.Hidden, b.Folded)
	return folded + "\x00" + hidden
}

// attributes reports whether two versions of a block differ in attributes, and whether all
// these vary between two looks too, or are known to; second is nil if there was none, or it
// does not have the block.
func (j *judge) attributes(old, now, second *plat.Block) (differ, vary bool) {
	was, is := attributes.Of(old.Content), attributes.Of(now.Content)
	all := attributes.Differing(was, is)
	if len(all) == 0 {
		return false, true
	}
	two, third := map[attributes.Attribute]bool{}, map[attributes.Attribute]string{}
	if second != nil {
		third = attributes.Of(second.Content)
		for _, k := range attributes.Differing(is, third) {
			two[k] = true
		}
	}
	for _, k := range all {
		switch {
		case two[k] && (!k.Read() || variesWithin(was[k], is[k], third[k])):
		case j.mask.knowsAttribute(now.Lineage, k, is[k]) && (!k.Read() || numbersDiffer(was[k], is[k]) || attributes.Tokens(was[k], is[k])):
		default:
			return true, false
		}
	}
	return true, true
}

// A page is the text of a second look.
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

// shows reports whether a text is on the page in the second look.
func (j *judge) shows(text string, folded bool) bool {
	return strings.Contains(j.page(folded).flat, flat(text))
}

// flat is a text with blanks around its words.
func flat(s string) string { return " " + strings.Join(strings.Fields(s), " ") + " " }

// weight orders kinds by how much of a page they concern.
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
