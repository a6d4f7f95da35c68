package noise

import (
	"slices"
	"strings"

	"plat/plat"
)

// moves holds the blocks that only one of two versions has.
type moves struct {
	gap        map[*plat.Block]int32       // of each leaf, the block after which it comes and which all versions have
	came, went map[int32]int               // number of blocks that came to a gap, and went from it
	leaves     map[int32]*[3][]*plat.Block // of a gap, by version or rendering
	vary       map[int32]bool              // gaps where the renderings of this visit have different blocks
	parts      map[int32]Reason            // results of part
}

// The leaves of a gap.
const (
	isOld = iota
	isNow
	isAgain
)

func (j *judge) move() *moves {
	if j.moves != nil {
		return j.moves
	}
	v := &moves{gap: map[*plat.Block]int32{}, came: map[int32]int{}, went: map[int32]int{}, leaves: map[int32]*[3][]*plat.Block{}, vary: map[int32]bool{}, parts: map[int32]Reason{}}
	j.moves = v
	older, newer := byLineage(j.old.Blocks), byLineage(j.now.Blocks)
	stays := func(b *plat.Block) bool {
		is := func(other map[int32]*plat.Block) bool {
			return other[b.Lineage] != nil && other[b.Lineage].Text == b.Text
		}
		return !j.shifted[b.Lineage] && is(older) && is(newer) && (j.again == nil || is(j.second))
	}
	for b, gap := range j.mask.leaves(j.now.Blocks, stays) {
		v.add(gap, isNow, b)
		v.gap[b] = gap
		if older[b.Lineage] == nil {
			v.came[gap]++
		}
		if j.again != nil && j.second[b.Lineage] == nil {
			v.vary[gap] = true
		}
	}
	for b, gap := range j.mask.leaves(j.old.Blocks, stays) {
		v.add(gap, isOld, b)
		v.gap[b] = gap
		if newer[b.Lineage] == nil {
			v.went[gap]++
		}
	}
	if j.again == nil {
		return v
	}
	for b, gap := range j.mask.leaves(j.again.Blocks, stays) {
		v.add(gap, isAgain, b)
		if newer[b.Lineage] == nil {
			v.vary[gap] = true
		}
	}
	return v
}

func (v *moves) add(gap int32, which int, b *plat.Block) {
	if v.leaves[gap] == nil {
		v.leaves[gap] = &[3][]*plat.Block{}
	}
	v.leaves[gap][which] = append(v.leaves[gap][which], b)
}

// text returns the text of all leaves in a gap.
func (v *moves) text(gap int32, which int) string {
	return v.each(gap, which, func(b *plat.Block) string { return b.Text }, "\n")
}

func (v *moves) each(gap int32, which int, of func(*plat.Block) string, sep string) string {
	var all []string
	for _, b := range v.leaves[gap][which] {
		all = append(all, of(b))
	}
	return strings.Join(all, sep)
}

// balanced reports whether a gap has as many leaves as in the old version.
func (v *moves) balanced(gap int32) bool {
	t := v.leaves[gap]
	return t == nil || len(t[isOld]) == len(t[isNow])
}

// slots reports whether the second rendering has as many, too.
func (v *moves) slots(gap int32) bool {
	t := v.leaves[gap]
	return t != nil && v.balanced(gap) && len(t[isNow]) == len(t[isAgain])
}

// short is the maximum length, in words, of an item too common to recognize anywhere: "new", "sold
// out".
const short = 3

// met reports whether the mask has a block as one that comes and goes.
func (j *judge) met(b *plat.Block, gap int32) bool {
	return j.mask.met(itemOf(b.Text)) && (j.mask.gap(gap) != nil || len(parse(b.Text).all) > short)
}

// came returns the reason why a new block is not news, empty if it is.
func (j *judge) came(b *plat.Block) Reason {
	if j.again != nil && j.comes(b) {
		return TwoLook
	}
	v := j.move()
	gap := v.gap[b]
	p := j.mask.gap(gap)
	switch {
	case j.met(b, gap):
		return Learned
	case p.anything() && v.came[gap] <= v.went[gap]:
		return Learned // as many have gone
	}
	return j.part(gap)
}

// went returns the reason why a removed block is not news, empty if it is.
func (j *judge) went(b *plat.Block) Reason {
	if j.again != nil && j.returns(b) {
		return TwoLook
	}
	v := j.move()
	gap := v.gap[b]
	p := j.mask.gap(gap)
	// A block that was always beside those that come and go is not one of them: it counts only if as
	// many came as went.
	switch {
	case v.vary[gap] && v.slots(gap):
		return TwoLook
	case j.met(b, gap), p.anything() && v.went[gap] <= v.came[gap]:
		return Learned
	}
	return j.part(gap)
}

// comes reports whether the second rendering lacks a new block, or has different words in its place.
// Words that both share must be words that the page lost; if the block replaces one, a few may be
// chance.
func (j *judge) comes(b *plat.Block) bool {
	few := between
	if v := j.move(); v.went[v.gap[b]] == 0 {
		few = 0
	}
	if second := j.second[b.Lineage]; second != nil {
		return j.sharesOld(b.Text, second.Text, few)
	}
	if j.shows(b.Text, false) {
		return false
	}
	for line := range strings.SplitSeq(b.Text, "\n") {
		if other := j.counterpart(line); other != "" && !j.sharesOld(line, other, few) {
			return false
		}
	}
	return true
}

// saidElsewhere reports whether a line that came to a block is in a different place of the second
// rendering, with different words, and the words that both share are new. It is one of two variants
// of a page, of which one makes it a block of its own, and an author changed a price in both.
func (j *judge) saidElsewhere(b *plat.Block, was, is *words) bool {
	for k := j; k.again != nil; k = k.earlier {
		var here []string // lines of the block in the second rendering
		if second := k.second[b.Lineage]; second != nil {
			here = strings.Split(second.Text, "\n")
		}
		for _, line := range withoutLines(strings.Split(is.text, "\n"), append(strings.Split(was.text, "\n"), here...)) {
			if other := k.counterpart(line); other != "" && !slices.Contains(here, other) && !k.sharesOld(line, other, between) {
				return true
			}
		}
	}
	return false
}

// sharesOld reports whether two renderings differ, and all words that they share, except for a few in
// a row, are gone from their place in the old version.
func (j *judge) sharesOld(a, b string, few int) bool {
	first := parse(a)
	at := 0
	had := func(to int) bool {
		run := first.all[at:max(at, to)]
		number := first.hasNumber(run)
		said := number || slices.ContainsFunc(run, func(t token) bool { return t.shape() == 'a' })
		return !said || len(run) <= few && !number || strings.Contains(j.oldWords(), spaced(run))
	}
	vary := variations(first, parse(b))
	for _, v := range vary {
		if !had(first.at(v.first.From)) {
			return false
		}
		at = first.at(v.first.To)
	}
	return len(vary) > 0 && had(len(first.all))
}

// oldWords returns the words of lines that the page lost, with a space before and after each.
func (j *judge) oldWords() string {
	if j.before == "" {
		var all strings.Builder
		for _, s := range withoutLines(linesIn(j.old.Blocks), linesIn(j.now.Blocks)) {
			all.WriteString(spaced(parse(s).all))
		}
		j.before = " " + all.String()
	}
	return j.before
}

// linesIn returns the lines of all leaves, in reading order.
func linesIn(blocks []plat.Block) (all []string) {
	for _, b := range leaves(blocks) {
		all = append(all, strings.Split(b.Text, "\n")...)
	}
	return all
}

func spaced(ws []token) string { return " " + strings.Join(texts(ws), " ") + " " }

// counterpart returns the line of the second rendering that replaces a line of the first: of the
// lines that the first lacks, the one with the most words in common, at least a third of them; empty
// if there is no such line.
func (j *judge) counterpart(line string) (best string) {
	if j.others == nil {
		j.others = append([]string{}, withoutLines(linesIn(j.again.Blocks), linesIn(j.now.Blocks))...)
		j.others = j.others[:min(len(j.others), mostLines)]
	}
	words := parse(line).all
	most := (len(words) + 2) / 3
	for _, s := range j.others {
		if n := common(words, count(parse(s).all)); n >= most {
			most, best = n+1, s
		}
	}
	return best
}

// returns reports whether a removed block is back in the second rendering.
func (j *judge) returns(b *plat.Block) bool {
	if j.texts == nil {
		j.texts = map[string]int{}
		for _, b := range j.second {
			j.texts[b.Text]++
		}
		for _, b := range byLineage(j.now.Blocks) {
			j.texts[b.Text]--
		}
	}
	return j.texts[b.Text] > 0
}
