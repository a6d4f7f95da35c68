package simulate

import (
	"cmp"
	"slices"

	"plat/queue/schedule"
)

// Block is a leaf block of a state of a page.
type Block struct {
	Lineage int32   // the same block of the same page, in whatever state
	State   uint64  // equal states of a lineage read the same
	Weight  float64 // its importance to a reader, such as the characters of its text: see [schedule.Weight]
}

// lasting is the number of changes of its page after which a block may be judged volatile.
const lasting = 4

// blocks measures the block staleness of a trace. A block is volatile, and does not count, if it
// changed at most changes of its page during its life, at least four, and each of its states
// lasted for less than a day on average. This uses hindsight, from the whole life of the block: no
// policy's estimate is part of the measure.
type blocks struct {
	pages []blockPage
}

type blockPage struct {
	lasting [][]Block // by change of the page, then by lineage; weights are parts of one
	states  [][]Block // all blocks, likewise
	stale   float64   // days times the part that is old in the copy
	now     int       // the changes for which part was computed
	seen    int
	part    float64
}

// newBlocks returns nil if no page has blocks.
func newBlocks(t *Trace) *blocks {
	m, some := &blocks{pages: make([]blockPage, len(t.Pages))}, false
	for i := range t.Pages {
		changes := t.Pages[i].Changes
		p, volatile := &m.pages[i], volatile(changes)
		for _, c := range changes {
			all := slices.SortedStableFunc(slices.Values(c.Blocks), byLineage)
			var lasting []Block
			sum := 0.0
			for _, b := range all {
				if !volatile[b.Lineage] && b.Weight > 0 {
					lasting, sum = append(lasting, b), sum+b.Weight
				}
			}
			for k := range lasting {
				lasting[k].Weight /= sum
			}
			p.lasting, p.states = append(p.lasting, lasting), append(p.states, all)
			some = some || len(all) > 0
		}
	}
	if !some {
		return nil
	}
	return m
}

func byLineage(a, b Block) int { return cmp.Compare(a.Lineage, b.Lineage) }

// volatile returns the volatile lineages of a page.
func volatile(changes []Change) map[int32]bool {
	type life struct {
		days          float64
		there, others int // changes of the page, and of the block
	}
	lives := map[int32]*life{}
	last := map[int32]uint64{}
	for i, c := range changes {
		now := make(map[int32]uint64, len(c.Blocks))
		for _, b := range c.Blocks {
			now[b.Lineage] = b.State
			was, known := last[b.Lineage]
			if !known {
				continue
			}
			l := lives[b.Lineage]
			if l == nil {
				l = &life{}
				lives[b.Lineage] = l
			}
			l.days += c.At - changes[i-1].At
			if l.there++; was != b.State {
				l.others++
			}
		}
		last = now
	}
	all := map[int32]bool{}
	for lineage, l := range lives {
		if l.there >= lasting && 2*l.others > l.there && l.days < float64(l.others) {
			all[lineage] = true
		}
	}
	return all
}

// count counts so many days in which a page and its copy are at these changes.
func (m *blocks) count(page, now, seen int, days float64) {
	if m == nil || now == seen {
		return
	}
	p := &m.pages[page]
	if p.now != now || p.seen != seen {
		p.now, p.seen, p.part = now, seen, 0
		for _, b := range p.lasting[now] {
			k, known := slices.BinarySearchFunc(p.states[seen], b, byLineage)
			if !known || p.states[seen][k].State != b.State {
				p.part += b.Weight
			}
		}
	}
	p.stale += days * p.part
}

// parts returns the blocks that a visit finds, with their changes since the copy was made.
func parts(copied, found *Change) []schedule.Part {
	if copied.Blocks == nil && found.Blocks == nil {
		return nil
	}
	was := make(map[int32]uint64, len(copied.Blocks))
	for _, b := range copied.Blocks {
		was[b.Lineage] = b.State
	}
	all := make([]schedule.Part, 0, len(found.Blocks))
	for _, b := range found.Blocks {
		p := schedule.Part{Lineage: b.Lineage, Weight: b.Weight}
		if state, known := was[b.Lineage]; !known {
			p.Change = schedule.PartNew
		} else if state != b.State {
			p.Change = schedule.PartOther
		}
		all = append(all, p)
	}
	return all
}
