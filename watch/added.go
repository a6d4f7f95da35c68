package watch

import (
	"cmp"
	"strings"

	"plat/plat"
	"plat/plat/calendar"
)

// textLine is a line of text of a region.
type textLine struct {
	text  string
	leaf  int32
	key   uint64       // see [region.key]
	dated uint64       // hash of the line as it is if it has a date, else 0
	day   calendar.Day // its last date
	known bool         // a line with this key was there at the previous check
}

// text returns the lines of a region that were not there at the previous check, as one item, or
// nil. Lines are equal if their [region.key] is, but for their dates: a line that is there beside
// an equal one of a different date is new, and so is one in a chosen block that names a day to come.
// The stamp of a page's last change names none.
func (m *Memory) text(t *tree, g *region) *Item {
	was, first := m.lines, len(m.lines) == 0
	all := t.textLines(g, set(was))
	told := map[uint64]bool{}
	more := map[uint64]int{} // by key: how many lines more than at the previous check
	m.lines = make([]uint64, 0, len(all))
	for i := range all {
		m.lines = append(m.lines, all[i].key)
		more[all[i].key]++
	}
	for _, k := range was {
		more[k]--
	}
	dates := set(m.dates)
	m.dates = m.dates[:0]
	var added []string
	at := int32(-1)
	for i := range all {
		l := &all[i]
		fresh := false
		switch is := cmp.Or(l.dated, l.key); {
		case !l.known:
			fresh = !told[is]
			told[is] = true
		case l.dated != 0 && len(dates) > 0 && len(m.dates) < maxDates && !dates[l.dated] && !told[l.dated]:
			fresh = more[l.key] > 0 || g.comes(l.day)
			more[l.key]--
			told[l.dated] = true
		}
		if l.dated != 0 && len(m.dates) < maxDates {
			m.dates = append(m.dates, l.dated)
		}
		if !fresh {
			continue
		}
		if at < 0 {
			at = l.leaf
		}
		added = append(added, l.text)
	}
	if first || len(added) == 0 {
		return nil
	}
	return &Item{Kind: plat.ItemText, Entry: Entry{Title: cut(added[0], 1000), Excerpt: cut(strings.Join(added, "\n"), maxText), Block: at}}
}

// textLines returns the lines of text of a region, at most as many as the memory stores: others would be new at every check.
func (t *tree) textLines(g *region, was map[uint64]bool) (all []textLine) {
	for i := range t.blocks {
		if !t.blocks[i].Leaf() || !g.has(int32(i)) || !g.chosen && t.boilerplate(int32(i)) {
			continue
		}
		earlier, n := earlierLines(&t.blocks[i]), -1
		for line := range strings.SplitSeq(t.blocks[i].Text, "\n") {
			n++
			l := textLine{text: line, leaf: int32(i), key: g.key(line)}
			if l.key == 0 {
				continue
			}
			if len(all) == maxMarks {
				return all
			}
			l.known = g.knows(was, line, earlier, n)
			if days := t.dates(line); len(days) > 0 {
				l.day, l.dated = days[len(days)-1].Day, sum(titleKey(line))
			}
			all = append(all, l)
		}
	}
	return all
}

// comes reports whether a day in a chosen block is after the visit: an appointment or a deadline.
func (g *region) comes(day calendar.Day) bool {
	return g.chosen && g.today.OK() && after(day, g.today)
}

// after reports whether a day is after an earlier one.
func after(day, earlier calendar.Day) bool { return day.String() > earlier.String() }

// maxDates limits the lines with dates in a memory.
const maxDates = 10_000

// maxText limits the added text of an item, in bytes.
const maxText = 8000
