package noise

import (
	"cmp"
	"slices"
	"strings"

	"plat/diff/noise/attributes"
	"plat/plat"
)

// least is the number of equal words in a row that count as the same text in two blocks. Shorter
// runs, as "the", occur in any two.
const least = 3

// divide compares the text of a gap as a whole where blocks came or went beside blocks that changed.
// There the page may be divided into blocks differently: one word that an author adds can make a
// block of all the text around it. The verdicts get the ranges of that text that are not news.
func (j *judge) divide(verdicts []Verdict) {
	for gap, in := range j.byGap() {
		t := j.move().leaves[gap]
		if !slices.ContainsFunc(in, func(i int) bool { return cameOrWent(j.changes[i]) }) || t == nil || len(t[isOld]) == 0 || len(t[isNow]) == 0 {
			continue
		}
		in = slices.DeleteFunc(in, func(i int) bool { return verdicts[i].nothingNew() })
		if len(in) == 0 {
			continue
		}
		old, now := j.whole(gap)
		for _, i := range in {
			c, x := j.changes[i], &verdicts[i]
			if !x.Divided {
				x.Divided, x.Old, x.New = true, nil, nil
			}
			if c.Old >= 0 {
				x.Old = both(x.Old, old.in(&j.old.Blocks[c.Old]))
			}
			if c.New >= 0 {
				x.New = both(x.New, now.in(&j.now.Blocks[c.New]))
			}
		}
	}
}

// regroup judges the gaps where the page may only be divided into blocks differently: a longer quote
// of the day can merge three blocks. The gap must have the same tags and attributes, and its lines
// must come and go, or its texts must not differ in anything that is news.
func (j *judge) regroup() {
	for gap, in := range j.byGap() {
		j.dividedOnly(gap, in)
		j.standOtherwise(in)
		j.retargeted(gap, in)
	}
}

// dividedOnly gives the changes of a gap a reason if the gap is only divided differently.
func (j *judge) dividedOnly(gap int32, in []int) {
	open := slices.ContainsFunc(in, func(i int) bool { return j.found[i].Why == "" })
	if t := j.move().leaves[gap]; !open || t == nil || len(t[isOld]) == len(t[isNow]) || !j.sameTags(gap) {
		return
	}
	why := j.part(gap)
	if why == "" && j.again != nil {
		if _, _, all := j.asOne(gap); !anyOpen(all) {
			why = TwoLook
		}
	}
	j.because(why, in)
}

// standOtherwise gives blocks whose content is unchanged, but which are nested differently, the
// reason of the blocks beside them that come and go.
func (j *judge) standOtherwise(in []int) {
	known := slices.IndexFunc(in, func(i int) bool { return j.found[i].Why != "" })
	news := slices.ContainsFunc(in, func(i int) bool {
		c := j.changes[i]
		return j.found[i].Why == "" && (c.Kind != plat.Format || cameOrWent(c) || j.old.Blocks[c.Old].Hash != j.now.Blocks[c.New].Hash)
	})
	if known >= 0 && !news {
		j.because(j.found[in[known]].Why, in)
	}
}

// retargeted makes it news if a link with the same text leads elsewhere in a gap whose blocks come
// and go: their attributes are not compared otherwise. Without a second rendering, or the budget for
// one, it cannot tell and does nothing. Ignored changes stay ignored.
func (j *judge) retargeted(gap int32, in []int) {
	t := j.move().leaves[gap]
	if t == nil || !slices.ContainsFunc(in, func(i int) bool { return cameOrWent(j.changes[i]) }) {
		return
	}
	var looks [][]byte
	for k := j; k.again != nil; k = k.earlier {
		if t := k.move().leaves[gap]; t != nil {
			looks = append(looks, contentOf(t[isAgain]))
		}
	}
	if len(looks) == 0 && !j.mask.mayLook() {
		return
	}
	texts := attributes.Retargeted(contentOf(t[isOld]), contentOf(t[isNow]), looks...)
	if len(texts) == 0 {
		return
	}
	for _, i := range in {
		if j.changes[i].New < 0 || j.found[i].Why == Ignored {
			continue
		}
		links := attributes.Links(j.block(j.changes[i]).Content)
		if slices.ContainsFunc(texts, func(text string) bool { return links[text] != "" }) {
			j.found[i].reopen()
		}
	}
}

// contentOf returns the HTML of some blocks.
func contentOf(blocks []*plat.Block) (all []byte) {
	for _, b := range blocks {
		all = append(all, b.Content...)
	}
	return all
}

// because gives a reason to the changes that have no reason yet.
func (j *judge) because(why Reason, in []int) {
	for _, i := range in {
		if j.found[i].Why == "" && !j.given.watched(j.changes[i]) {
			j.found[i] = Verdict{Why: why}
		}
	}
}

// byGap returns the indexes of changes by the gap of their blocks, nil if no block came or went.
func (j *judge) byGap() map[int32][]int {
	if !slices.ContainsFunc(j.changes, cameOrWent) {
		return nil
	}
	v := j.move()
	at := map[int32][]int{}
	for i, c := range j.changes {
		if c.Folded || c.Kind == plat.Moved {
			continue
		}
		gap := v.gap[j.block(c)]
		at[gap] = append(at[gap], i)
	}
	return at
}

func cameOrWent(c plat.Change) bool { return c.Old < 0 || c.New < 0 }

// sameTags reports whether a gap has the same tags, attributes and hidden text as in the old version.
func (j *judge) sameTags(gap int32) bool {
	v := j.move()
	t := v.leaves[gap]
	hidden := func(which int) string { return strings.ReplaceAll(v.each(gap, which, unshown, ""), "\x00", "") }
	return len(attributes.Differing(attributes.Of(contentOf(t[isOld])), attributes.Of(contentOf(t[isNow])))) == 0 && hidden(isOld) == hidden(isNow)
}

// block returns the block of a change, the old one if it was removed.
func (j *judge) block(c plat.Change) *plat.Block {
	if c.New >= 0 {
		return &j.now.Blocks[c.New]
	}
	return &j.old.Blocks[c.Old]
}

// A joint is the text of all blocks of a gap, and the ranges of it that are not news.
type joint struct {
	text  string
	quiet []plat.Range
}

// whole compares the blocks of a gap as one text.
func (j *judge) whole(gap int32) (old, now joint) {
	was, is, all := j.asOne(gap)
	old.text, now.text = was.text, is.text
	// Text between edits that are news is quiet if it is longer than chance, or than these edits.
	a, b, last := 0, 0, 0
	quiet := func(toA, toB, next int) {
		enough := min(least, max(last, next)+1)
		old.add(was.all[a:max(a, toA)], enough)
		now.add(is.all[b:max(b, toB)], enough)
		last = next
	}
	for _, e := range all {
		if e.Why == "" {
			quiet(was.at(e.Old.From), is.at(e.New.From), max(len(was.in(e.Old)), len(is.in(e.New))))
			a, b = was.at(e.Old.To), is.at(e.New.To)
		}
	}
	quiet(len(was.all), len(is.all), 0)
	return old, now
}

// asOne returns the texts of a gap in both versions, and the edits between them.
func (j *judge) asOne(gap int32) (was, is *words, all []Edit) {
	v := j.move()
	was, is = parse(v.text(gap, isOld)), parse(v.text(gap, isNow))
	all = edits(was, j.old.seen(), is, j.now.At)
	if j.again != nil {
		all = confirmed(all, was, is, parse(v.text(gap, isAgain)))
	}
	return was, is, all
}

// add marks words as quiet if there are enough of them.
func (x *joint) add(ws []token, enough int) {
	if len(ws) >= enough {
		x.quiet = append(x.quiet, plat.Range{From: ws[0].From, To: ws[len(ws)-1].To})
	}
}

// in returns the quiet parts of the text of a block of the gap.
func (x *joint) in(b *plat.Block) (all []plat.Range) {
	from := strings.Index(x.text, b.Text)
	if from < 0 {
		return nil
	}
	for _, r := range x.quiet {
		if r.From, r.To = max(r.From-from, 0), min(r.To-from, len(b.Text)); r.From < r.To {
			all = append(all, r)
		}
	}
	return all
}

// maxRanges is the maximum number of ranges listed per block. Further ones are shown as news.
const maxRanges = 64

// quiet returns the ranges of edits that are not news, in one of the two texts. Ranges separated only
// by a few words, which may be equal by chance, are merged.
func quiet(edits []Edit, text *words, span func(*Edit) Span) (all []plat.Range) {
	near := false // the last edit was not news
	for i := range edits {
		e := &edits[i]
		s := span(e)
		if s.Empty() {
			continue
		}
		if e.Why == "" {
			near = false
			continue
		}
		n := len(all)
		switch {
		case near && s.From >= all[n-1].To && chance(text.in(Span{all[n-1].To, s.From})):
			all[n-1].To = s.To
		case n < maxRanges:
			all = append(all, plat.Range(s))
		}
		near = len(all) > 0
	}
	return all
}

// chance reports whether words are so few that two texts may share them by chance.
func chance(ws []token) bool {
	return len(ws) <= between && !slices.ContainsFunc(ws, func(t token) bool { return t.shape() == '0' })
}

// both returns the union of two lists of ranges, in order, with overlapping ranges merged.
func both(a, b []plat.Range) (all []plat.Range) {
	for _, r := range slices.SortedFunc(slices.Values(slices.Concat(a, b)), func(x, y plat.Range) int { return cmp.Compare(x.From, y.From) }) {
		if n := len(all); n > 0 && r.From <= all[n-1].To {
			all[n-1].To = max(all[n-1].To, r.To)
			continue
		}
		all = append(all, r)
	}
	return all
}
