package watch

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"plat/diff/noise/times"
	"plat/plat"
	"plat/plat/calendar"
	"plat/segment/markup"
)

// region is the examined part of a page, by block.
type region struct {
	leaves []bool       // by index of the block; nil: the whole page
	chosen bool         // the user chose it: entries there are accepted in any place
	today  calendar.Day // of the visit; zero: unknown
}

// has reports whether a leaf is in the region.
func (g *region) has(leaf int32) bool {
	return g.leaves == nil || leaf >= 0 && g.leaves[leaf]
}

// key returns the hash of a line's words, with all numbers and all relative times made equal: "2 hours ago" becomes
// "yesterday". In a chosen block numbers count, because they may be prices or lead times ("in 3 days"), except dates, times of
// day and ages.
func (g *region) key(line string) uint64 {
	for _, at := range slices.Backward(times.Ages(cut(line, calendar.MaxText))) {
		if !at.Lead || !g.chosen {
			line = line[:at.From] + "date" + line[at.To:]
		}
	}
	return g.earlierKey(line)
}

// earlierKey returns the key of a line in memories from before 2026-11-29, in which relative times differ.
func (g *region) earlierKey(line string) uint64 {
	if !g.chosen {
		return sum(masked(line))
	}
	for _, d := range slices.Backward(calendar.All(cut(line, calendar.MaxText), calendar.Style{})) {
		line = line[:d.From] + "date" + line[d.To:]
	}
	return sum(titleKey(clock.ReplaceAllString(line, "time")))
}

// knows reports whether a line of a block has one of the keys; n is its number.
func (g *region) knows(keys map[uint64]bool, line string, earlier []string, n int) bool {
	return keys[g.key(line)] || keys[g.earlierKey(line)] || n < len(earlier) && keys[g.earlierKey(earlier[n])]
}

// earlierLines returns the lines of a block as memories from before 2026-11-29 have them, if it has readings of ruby annotations, which
// stood among their words.
func earlierLines(b *plat.Block) []string {
	if !bytes.Contains(b.Content, []byte("<rt")) {
		return nil
	}
	return strings.Split(markup.EarlierText(b.Content, b.Hidden), "\n")
}

// clock matches times of day.
var clock = regexp.MustCompile(`\b\d{1,2}:\d{2}(:\d{2})?\b`)

// chosenLeaves returns the indexes of the leaves of chosen blocks.
func (g *region) chosenLeaves() (out []int32) {
	for i, in := range g.leaves {
		if in && g.chosen {
			out = append(out, int32(i))
		}
	}
	return out
}

// region returns the examined part of a page, or false if chosen blocks are no longer on it.
// Blocks are identified by their lineage, which follows them through changes of text, place and
// style. A redesign may end a lineage, or leave it with only a part of the block. The block is
// then the one around the known lines of text, or around most of the known leaves.
func (m *Memory) region(blocks []plat.Block, opt *Options) (g region, ok bool) {
	if len(opt.Blocks)+len(opt.Muted)+len(opt.Labels) == 0 {
		return g, true
	}
	g = region{leaves: make([]bool, len(blocks)), chosen: len(opt.Blocks) > 0}
	muted, labelled, in := make([]bool, len(blocks)), make([]bool, len(blocks)), make([]bool, len(blocks))
	for i := range blocks {
		b := &blocks[i]
		muted[i] = slices.Contains(opt.Muted, b.Lineage)
		labelled[i] = len(opt.Labels) == 0 || slices.Contains(opt.Labels, b.Label)
		in[i] = !g.chosen || slices.Contains(opt.Blocks, b.Lineage)
		if up := b.Parent; up >= 0 {
			muted[i], labelled[i], in[i] = muted[i] || muted[up], labelled[i] || labelled[up], in[i] || in[up]
		}
		ok = ok || in[i] && b.Leaf()
	}
	if g.chosen {
		if found := m.moved(&g, blocks, in); found != nil {
			in, ok = found, true
		}
	}
	if !ok {
		in, ok = m.lost(blocks)
	}
	m.leaves = m.leaves[:0]
	for i := range blocks {
		if !blocks[i].Leaf() || !in[i] {
			continue
		}
		g.leaves[i] = labelled[i] && !muted[i]
		if g.chosen && len(m.leaves) < maxLeaves {
			m.leaves = append(m.leaves, blocks[i].Lineage)
		}
	}
	return g, ok
}

// moved finds a region again that its lineages have lost: they lead to less than half of the
// region's lines that are still on the page. It returns the smallest block with four fifths of
// these lines, and all blocks in it. It returns nil if no block qualifies, or if the lineages
// are right.
func (m *Memory) moved(g *region, blocks []plat.Block, in []bool) []bool {
	was := set(m.lines)
	if len(was) == 0 || len(blocks) == 0 {
		return nil
	}
	here := 0
	held, all := held(blocks, func(i int) (held, all int) {
		earlier := earlierLines(&blocks[i])
		for line := range strings.SplitSeq(blocks[i].Text, "\n") {
			if g.knows(was, line, earlier, all) {
				held++
			}
			all++
		}
		if in[i] {
			here += held
		}
		return held, all
	})
	if held[0] < minStanding || 2*here >= held[0] {
		return nil
	}
	best := 0
	for i := range blocks {
		if 5*held[i] >= 4*held[0] && all[i] <= all[best] {
			best = i
		}
	}
	if all[best] > 3*len(m.lines)+20 {
		return nil // the lines are all over the page
	}
	out := make([]bool, len(blocks))
	out[best] = true
	spread(blocks, out)
	return out
}

// held counts, for each block, the elements of a region in its leaves and all elements in its
// leaves. of counts them for one leaf.
func held(blocks []plat.Block, of func(leaf int) (held, all int)) (held, all []int) {
	held, all = make([]int, len(blocks)), make([]int, len(blocks))
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		if b.Leaf() {
			held[i], all[i] = of(i)
		}
		if b.Parent >= 0 {
			held[b.Parent] += held[i]
			all[b.Parent] += all[i]
		}
	}
	return held, all
}

// spread adds all blocks that are inside of a selected one.
func spread(blocks []plat.Block, in []bool) {
	for i := range blocks {
		in[i] = in[i] || blocks[i].Parent >= 0 && in[blocks[i].Parent]
	}
}

func set(all []uint64) map[uint64]bool {
	out := make(map[uint64]bool, len(all))
	for _, x := range all {
		out[x] = true
	}
	return out
}

// minStanding is the minimum number of a region's lines that have to be on the page to locate
// it.
const minStanding = 3

// maxLeaves limits the leaves of chosen blocks in a memory.
const maxLeaves = 10_000

// lost finds a region by its leaves of the previous check: the smallest block around the
// remaining ones, or only these leaves if that block is much larger.
func (m *Memory) lost(blocks []plat.Block) (in []bool, ok bool) {
	in = make([]bool, len(blocks))
	left := 0
	held, all := held(blocks, func(i int) (held, all int) {
		if slices.Contains(m.leaves, blocks[i].Lineage) {
			in[i], held = true, 1
			left++
		}
		return held, 1
	})
	if left == 0 {
		return in, false
	}
	around := -1
	for i := range blocks { // parents come before their children, so the last is the smallest
		if held[i] == left {
			around = i
		}
	}
	if all[around] > 2*len(m.leaves)+2 {
		return in, true
	}
	in[around] = true
	spread(blocks, in)
	return in, true
}
