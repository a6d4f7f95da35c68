package noise

import "plat"

// moves are the blocks that only one of two versions has.
type moves struct {
	gap        map[*plat.Block]int32  // after which block each stands, and all others too
	came, went map[int32]int          // how many came to a gap, and went from it
	texts      map[int32]*[3][]string // of the leaves in a gap, by version or look
	vary       map[int32]bool         // gaps where the two looks show different blocks
}

// The texts of a gap.
const (
	isOld = iota
	isNow
	isAgain
)

func (j *judge) move() *moves {
	if j.moves != nil {
		return j.moves
	}
	v := &moves{gap: map[*plat.Block]int32{}, came: map[int32]int{}, went: map[int32]int{}, texts: map[int32]*[3][]string{}, vary: map[int32]bool{}}
	j.moves = v
	older, newer := byLineage(j.old.Blocks), byLineage(j.now.Blocks)
	stays := func(b *plat.Block) bool {
		is := func(other map[int32]*plat.Block) bool {
			return other[b.Lineage] != nil && other[b.Lineage].Text == b.Text
		}
		return !j.shifted[b.Lineage] && is(older) && is(newer) && (j.again == nil || is(j.second))
	}
	for b, gap := range j.mask.leaves(j.now.Blocks, stays) {
		v.add(gap, isNow, b.Text)
		v.gap[b] = gap
		if older[b.Lineage] == nil {
			v.came[gap]++
		}
		if j.again != nil && j.second[b.Lineage] == nil {
			v.vary[gap] = true
		}
	}
	for b, gap := range j.mask.leaves(j.old.Blocks, stays) {
		v.add(gap, isOld, b.Text)
		v.gap[b] = gap
		if newer[b.Lineage] == nil {
			v.went[gap]++
		}
	}
	if j.again == nil {
		return v
	}
	for b, gap := range j.mask.leaves(j.again.Blocks, stays) {
		v.add(gap, isAgain, b.Text)
		if newer[b.Lineage] == nil {
			v.vary[gap] = true
		}
	}
	return v
}

func (v *moves) add(gap int32, which int, text string) {
	if v.texts[gap] == nil {
		v.texts[gap] = &[3][]string{}
	}
	v.texts[gap][which] = append(v.texts[gap][which], text)
}

// balanced reports whether a gap has as many leaves as in the old version.
func (v *moves) balanced(gap int32) bool {
	t := v.texts[gap]
	return t == nil || len(t[isOld]) == len(t[isNow])
}

// slots reports whether the second look has as many too.
func (v *moves) slots(gap int32) bool {
	t := v.texts[gap]
	return t != nil && v.balanced(gap) && len(t[isNow]) == len(t[isAgain])
}

// short is how many words an item has at most that says little: "new", "sold out".
const short = 3

// met reports whether a block is one that comes and goes.
func (j *judge) met(b *plat.Block, gap int32) bool {
	return j.mask.met(itemOf(b.Text)) && (j.mask.gap(gap) != nil || len(parse(b.Text).all) > short)
}

// came says why a block that is new is no news.
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

// went says why a block that is gone is no news.
func (j *judge) went(b *plat.Block) Reason {
	if j.again != nil && j.returns(b) {
		return TwoLook
	}
	v := j.move()
	gap := v.gap[b]
	p := j.mask.gap(gap)
	// A block that always stood beside those that come and go is not one of them: as many as
	// have gone have come.
	switch {
	case v.vary[gap] && v.slots(gap):
		return TwoLook
	case j.met(b, gap), p.anything() && v.went[gap] <= v.came[gap]:
		return Learned
	}
	return j.part(gap)
}

// comes reports whether a new block is not in the second look, or has no more than chance in
// common with what is there, or with a block that is gone.
func (j *judge) comes(b *plat.Block) bool {
	second := j.second[b.Lineage]
	if second == nil {
		return !j.shows(b.Text, false)
	}
	first := parse(b.Text)
	vary := variations(first, parse(second.Text))
	if kept(first, vary) <= between {
		return true
	}
	// What both looks show must have been there before, in a block that is gone.
	if j.gone == nil {
		j.gone = map[string]int{}
		has := byLineage(j.now.Blocks)
		for _, b := range leaves(j.old.Blocks) {
			if has[b.Lineage] == nil {
				for _, w := range parse(b.Text).all {
					j.gone[w.text]++
				}
			}
		}
	}
	var stays []token
	at := 0
	for _, v := range vary {
		stays = append(stays, first.all[at:max(at, first.at(v.first.From))]...)
		at = first.at(v.first.To)
	}
	return common(append(stays, first.all[at:]...), j.gone) >= kept(first, vary)-between
}

// returns reports whether a block that is gone is back in the second look.
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
