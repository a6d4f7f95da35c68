package schedule

import (
	"cmp"
	"math"
	"slices"

	"plat/plat"
)

// Part is a leaf block of a page as a visit has found it.
type Part struct {
	Lineage int32
	Weight  float64 // its share for a reader: see [Weight]
	Change  PartChange
}

// PartChange is the kind of change of a block since the previous visit.
type PartChange uint8

const (
	PartSame  PartChange = iota // unchanged text
	PartOther                   // other words
	PartNew                     // a new block
)

// Weight returns the importance of a leaf for a reader: the characters of its text. Page frames
// and advertisements weigh 0.
func Weight(b *plat.Block) float64 {
	switch b.Label {
	case plat.LabelAdvertisement, plat.LabelNavigation, plat.LabelHeader, plat.LabelFooter, plat.LabelForm, plat.LabelOverlay:
		return 0
	}
	return float64(max(0, b.TextLen))
}

// Parts returns the leaves of a page that was visited before; nil if it was not.
func Parts(v *Visit) []Part {
	if len(v.Old) == 0 {
		return nil
	}
	change := map[int32]PartChange{} // by index
	for i := range v.Changes.Blocks {
		switch c := &v.Changes.Blocks[i]; c.Kind {
		case plat.Added:
			change[c.New] = PartNew
		case plat.Content:
			change[c.New] = PartOther
		}
	}
	var all []Part
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() {
			all = append(all, Part{b.Lineage, Weight(b), change[int32(i)]})
		}
	}
	return all
}

// Blocks estimates how fast the lasting content of a page changes: the part of it that changes a
// day. A block that changes at most changes of its page, and lasts for less than a day, is
// volatile and does not count: an archive can hardly keep up with it, and a copy of it is soon out
// of date (Olston and Pandey, "Recrawl Scheduling Based on Information Longevity", WWW 2008,
// sections 1 and 3). The zero value knows nothing.
type Blocks struct {
	Usual *Turning // nil: no data of blocks

	turned float64 // sum of the parts of the lasting content that had changed at visits
	days   float64 // between these visits
	weight float64 // of these visits: old ones count less

	visits   int       // that have shown blocks
	changes  int       // of the page, that these have shown
	first    int32     // the greatest lineage at the first of them
	lineages []lineage // that have changed, by number
}

// lineage is a block that has changed. Counts are halved together before they are too great for
// a byte, so old visits fade.
type lineage struct {
	id      int32
	visits  uint8 // that have found it
	page    uint8 // changes of the page that they have found
	changes uint8 // changes of the block
}

// Turning holds the combined result of the visits of all pages: the rate at which the content of
// an unknown page changes.
type Turning struct {
	Turned float64 // sum of the parts that had changed at visits
	Days   float64 // between these visits
	Times  float64 // number of changes of a part
}

// lasts is the least average lifetime of a block's state, in days, for the block not to be
// volatile: content that lasts for a day has readers, and can be archived.
const lasts = 1

// Limits of the data kept of lineages.
const (
	mostLineages = 64
	mostCounted  = 60 // visits
)

// suspected is the number of changes of its page after which a block may be volatile.
const suspected = 3

// Visit records the blocks of a visit so many days after the previous one.
func (b *Blocks) Visit(days float64, parts []Part) {
	if !(days > 0) || math.IsInf(days, 1) || parts == nil {
		return
	}
	if b.first == 0 { // of the first visit that has shown blocks
		for i := range parts {
			if parts[i].Change != PartNew {
				b.first = max(b.first, parts[i].Lineage)
			}
		}
	}
	var all, turned float64
	for i := range parts {
		p := &parts[i]
		if !(p.Weight > 0) || b.Volatile(p.Lineage) {
			continue
		}
		w := min(p.Weight, math.MaxInt32) // so that sums are finite
		if all += w; p.Change != PartSame {
			turned += w
		}
	}
	b.count(parts)
	part := 0.0
	if all > 0 {
		part = turned / all
	}
	b.turned, b.days = turnFading*b.turned+part, turnFading*b.days+days
	b.weight = turnFading*b.weight + 1
	if b.Usual != nil {
		b.Usual.add(part, days)
	}
}

func (p *Turning) add(part, days float64) {
	p.Turned, p.Days = p.Turned+part, p.Days+days
	if part > 0 {
		p.Times++
	}
	if p.Times >= mostTurned {
		p.Turned, p.Days, p.Times = p.Turned/2, p.Days/2, p.Times/2
	}
}

// mostTurned is the number of changes at which the sums are halved: the pages of an archive change
// over time.
const mostTurned = 10_000

// count counts visits and changes of the lineages that have changed.
func (b *Blocks) count(parts []Part) {
	changed := uint8(0) // the page
	if slices.ContainsFunc(parts, func(p Part) bool { return p.Change != PartSame }) {
		changed = 1
	}
	b.visits, b.changes = b.visits+1, b.changes+int(changed)
	if b.visits >= mostCounted {
		b.visits, b.changes = b.visits/2, b.changes/2
	}
	if len(parts) == 0 { // without changes, all of them are still there
		for i := range b.lineages {
			b.lineages[i].seen(0)
		}
	}
	for i := range parts {
		p := &parts[i]
		if p.Lineage <= 0 {
			continue
		}
		k, known := b.find(p.Lineage)
		switch {
		case known:
			l := &b.lineages[k]
			if p.Change != PartSame {
				l.changes++
			}
			l.seen(changed)
		case p.Change == PartOther:
			l := lineage{p.Lineage, 1, 1, 1}
			if p.Lineage <= b.first { // it has been there all the time
				l.visits, l.page = uint8(max(1, b.visits)), uint8(max(1, b.changes))
			}
			b.lineages = slices.Insert(b.lineages, k, l)
			b.forget()
		}
	}
}

// seen records a visit with the block, and whether its page had changed.
func (l *lineage) seen(changed uint8) {
	l.visits, l.page = l.visits+1, l.page+changed
	if l.visits >= mostCounted {
		l.visits, l.page, l.changes = l.visits/2, l.page/2, l.changes/2
	}
}

// forget makes room: it drops the lineage with the fewest changes, of several the oldest.
func (b *Blocks) forget() {
	if len(b.lineages) <= mostLineages {
		return
	}
	least := 0
	for i, l := range b.lineages {
		if l.changes < b.lineages[least].changes {
			least = i
		}
	}
	b.lineages = slices.Delete(b.lineages, least, least+1)
}

func (b *Blocks) find(id int32) (int, bool) {
	return slices.BinarySearchFunc(b.lineages, id, func(l lineage, id int32) int { return cmp.Compare(l.id, id) })
}

// Volatile reports whether a block changes at most changes of its page, and lasts for less than a
// day. Visits may have missed some of these changes, so the function compares rates; but it needs
// more than one observed change a day, because rare visits cannot tell.
func (b *Blocks) Volatile(lineage int32) bool {
	k, known := b.find(lineage)
	if !known || b.lineages[k].page < suspected {
		return false
	}
	l := b.lineages[k]
	seen := float64(l.changes) / float64(l.visits) // changes from one visit to the next
	return seen*lasts > b.days/b.weight && 2*RegularRate(int(l.visits), int(l.changes)) > RegularRate(int(l.visits), int(l.page))
}

// Rate returns the part of the page's lasting content that changes a day, at first. Until some
// changes of this page are known, it is the rate of all pages.
func (b *Blocks) Rate() float64 {
	p := b.Usual
	if p == nil {
		p = &Turning{}
	}
	typical := (p.Turned + imaginedPart) / (p.Times + 1) // part at a change
	usual := (p.Turned + imaginedPart) / (p.Days + imaginedDays)
	own := usualChanges * typical
	return min(max((b.turned+own)/(b.days+own/usual), minRate), maxRate)
}

// Worth returns the worth of a visit so many days after the last one: t·D(t) − ∫₀ᵗ D, where the
// part D = 1−e^{−μt} of the copy is old; like [HarmonicWorth] it is unbounded, so that no page is
// abandoned because of a guessed rate. A sum over blocks, each with a rate of its own, was not
// better: see docs/schedule.md.
func (b *Blocks) Worth(days float64) float64 { return HarmonicWorth(b.Rate(), days) }

// Constants of blocks; docs/schedule.md says how they were chosen.
const (
	turnFading   = 0.98 // factor on the weight of earlier visits, per visit
	imaginedPart = 1.0  // changed part at the imagined first change of all
	imaginedDays = 3.0  // after so many days
	usualChanges = 0.5  // changes of the page that weigh as much as the average of all pages
)
