package article

import (
	"slices"
	"strings"

	"plat/plat"
	"plat/segment/markup"
)

// Cuts returns the leaves that contain the text of a page, each with the parts of its text, for
// [markup.Walk]: for an article the parts to which its passages refer, for other kinds all of the
// content, without comments but for a forum. Passages that are in no leaf, or that refer to a part out of order or already used, are
// added to their neighbours; if no leaf has a part, alone is the text. Leaves with pictures between
// those leaves are included, without any part of their text. [Restore] does not need these, so they
// may lack their contents.
//
// k was stored for the page that was cut into the layout and the blocks, which are as [Restore] needs
// them.
func Cuts(k *plat.Article, l *plat.Layout, blocks []plat.Block) (cuts map[int][]markup.Cut, alone string) {
	cuts = map[int][]markup.Cut{}
	if !inPassages(k.Kind) {
		for i := range blocks {
			if ofText(&blocks[i], k.Kind) {
				cuts[i] = nil
			}
		}
		return cuts, ""
	}
	cuts, alone = newCutter(k, l, blocks).cuts()
	addPictures(cuts, blocks)
	return cuts, alone
}

// passageCutter makes cuts of passages.
type passageCutter struct {
	blocks []plat.Block
	all    []keptPassage
	starts []int // where the text of a block begins in the texts of all
}

// keptPassage is a passage with its text.
type keptPassage struct {
	*plat.Passage
	text     string
	from, to int  // in the concatenated texts of all blocks; equal: in no block
	part     bool // it is cut out of them
}

func newCutter(k *plat.Article, l *plat.Layout, blocks []plat.Block) *passageCutter {
	c := &passageCutter{blocks: blocks, starts: make([]int, len(blocks)+1)}
	for i := range blocks {
		c.starts[i+1] = c.starts[i] + len(blocks[i].Text)
	}
	q := newQuoter(k, l, blocks, false)
	for i := range k.Text {
		p := keptPassage{Passage: &k.Text[i]}
		var b strings.Builder
		if q.quote(&b, p.Passage) != nil {
			continue // damaged passages are not restored
		}
		p.text = b.String()
		if p.First >= 0 {
			p.from, p.to = c.starts[p.First]+p.From, c.starts[p.Last]+p.To
		}
		c.all = append(c.all, p)
	}
	return c
}

// choose finds the longest text that is in the blocks in the order of the passages.
func (c *passageCutter) choose() {
	ends := make([]int, 0, len(c.all))
	for i := range c.all {
		ends = append(ends, c.all[i].to)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	// A Fenwick tree: the best of the passages that end at one of the first ends.
	type chain struct{ length, last int }
	tree := make([]chain, len(ends)+1)
	before := make([]int, len(c.all))
	best := chain{0, -1}
	for i := range c.all {
		p := &c.all[i]
		if p.from >= p.to {
			continue
		}
		up := chain{0, -1}
		n, found := slices.BinarySearch(ends, p.from)
		if found {
			n++
		}
		for ; n > 0; n -= n & -n {
			if tree[n].length > up.length {
				up = tree[n]
			}
		}
		before[i] = up.last
		now := chain{up.length + p.to - p.from, i}
		if now.length > best.length {
			best = now
		}
		n, _ = slices.BinarySearch(ends, p.to)
		for n++; n < len(tree); n += n & -n {
			if now.length > tree[n].length {
				tree[n] = now
			}
		}
	}
	for i := best.last; i >= 0; i = before[i] {
		c.all[i].part = true
	}
}

// cuts makes cuts of the chosen passages, and adds each of the rest to the previous or the next one,
// whichever is separated by the smaller gap.
func (c *passageCutter) cuts() (cuts map[int][]markup.Cut, alone string) {
	c.choose()
	cuts = map[int][]markup.Cut{}
	last := -1              // the block of the last cut
	apart := plat.NoGap     // gap before the passages to add
	var add strings.Builder // these
	for i := range c.all {
		p := &c.all[i]
		if !p.part {
			if add.Len() == 0 {
				apart = p.Before
			}
			add.WriteString(p.Before.String())
			add.WriteString(p.text)
			continue
		}
		before := ""
		switch {
		case add.Len() == 0:
		case last >= 0 && apart <= p.Before:
			cuts[last][len(cuts[last])-1].After = add.String()
		default:
			before = add.String() + p.Before.String()
		}
		add.Reset()
		joined := p.Before <= plat.Blank
		if joined && p.Before == plat.Blank && before == "" {
			before = " "
		}
		for k := int(p.First); k <= int(p.Last); k++ {
			part := markup.Cut{To: len(c.blocks[k].Text), Run: p.Line == plat.NoGap && !p.Verbatim}
			if k == int(p.First) {
				part.From = p.From
			}
			if k == int(p.Last) {
				part.To = p.To
			}
			if part.From < part.To && c.blocks[k].Leaf() {
				part.Before, before = before, ""
				if last >= 0 {
					cuts[last][len(cuts[last])-1].Leads = joined
				}
				cuts[k] = append(cuts[k], part)
				last, joined = k, part.Run
			}
		}
		if before != "" { // no leaf: the blocks are damaged
			add.WriteString(before)
		}
	}
	if last < 0 {
		return cuts, strings.Trim(add.String(), " \n")
	}
	cuts[last][len(cuts[last])-1].After += add.String()
	return cuts, ""
}

// addPictures adds leaves between those that have parts of a text.
func addPictures(cuts map[int][]markup.Cut, blocks []plat.Block) {
	first, last := len(blocks), -1
	for i := range cuts {
		first, last = min(first, i), max(last, i)
	}
	for i := first; i < last; i++ {
		if _, in := cuts[i]; !in && ofContent(&blocks[i]) && blocks[i].ImageShare > 0 {
			cuts[i] = []markup.Cut{}
		}
	}
}
