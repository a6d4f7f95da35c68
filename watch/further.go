package watch

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"plat/plat"
)

// Further lists are all repeated structures of the main part that are not chosen: bulleted texts, rows, cards, sections below
// headings. None of them is surely a list of news, so no history of them is kept. They may nest. An entry of one is new if its
// text is new on the page, and most entries of its list were already there.

// leastFurther is the minimum number of entries of a further list.
const leastFurther = 3

// leastShare is the share of the main part's text from which additions to a further list are reported: a list of a few words in
// a long text is part of the text.
const leastShare = .03

// further returns a copy of a list with the entries that are in the main part and no paragraphs, or nil if there are too few.
func (t *tree) further(l *list, g *region) *list {
	if len(l.entries) < leastFurther || g.chosen || t.feed || !furtherTag(t.nodes[l.records[0].first].tag) {
		return nil
	}
	in := func(i int) bool {
		e := &l.entries[i]
		switch {
		case e.outer || !g.has(e.Block) || !t.main(l.records[i].first, e.Block):
			return false
		case e.prose && len(e.lines) == 1 && t.nodes[l.records[i].first].tag != atom.Li:
			return false
		}
		return true
	}
	n := 0
	for i := range l.entries {
		if in(i) {
			n++
		}
	}
	if n < leastFurther {
		return nil
	}
	f := &list{shape: l.shape, headed: l.headed, class: further, records: make([]record, 0, n), entries: make([]Entry, 0, n)}
	for i := range l.entries {
		if in(i) {
			f.records, f.entries = append(f.records, l.records[i]), append(f.entries, l.entries[i])
		}
	}
	if f.distinct(keyOf) < .5 {
		return nil
	}
	return f
}

// furtherTag reports whether an element may be an entry of a further list: paragraphs, whole lists and tables are not.
func furtherTag(tag atom.Atom) bool { return tag != atom.P && tag != atom.Ul && tag != atom.Table }

// main reports whether a record is in the main part of the page. The label of its own leaf and the elements around it are
// stronger evidence than the labels of the blocks around the leaf.
func (t *tree) main(first, leaf int32) bool {
	if !t.boilerplate(leaf) {
		return true
	}
	return leaf >= 0 && (t.blocks[leaf].Label == plat.LabelMain || t.nodes[first].item && !furniture(t.blocks[leaf].Label))
}

// apart returns the further lists without the entries that are entries of a chosen list, or around one. around holds the first
// nodes of these, and their ancestors.
func apart(all []*list, around []bool) (out []*list) {
	for _, l := range all {
		l.keep(func(i int) bool { r := l.records[i]; return !slices.Contains(around[r.first:r.end], true) })
		if len(l.entries) >= leastFurther {
			out = append(out, l)
		}
	}
	return out
}

// appeared returns the entries of further lists that are new, in the order of the page. Of a new entry and new ones inside of
// it, only the outer one counts; told holds the new items of the chosen lists.
func (m *Memory) appeared(t *tree, chosen, more []*list, p *Page, told []Item) ([]*Entry, error) {
	if len(more) == 0 || m.older || p.Before == nil {
		return nil, nil
	}
	before, err := p.Before()
	if err != nil {
		return nil, err
	}
	now := Text(p.Blocks)
	if before == now {
		return nil, nil
	}
	was := linesOf(before, now)
	if n := len(was.added); was.gone || n == 0 || n > maxAdded {
		return nil, nil
	}
	within := t.recordsOf(chosen, told)
	var fresh []found
	least := leastShare * float64(t.mainText())
	for _, l := range more {
		fresh = append(fresh, m.added(t, l, was, least)...)
	}
	slices.SortStableFunc(fresh, func(a, b found) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.end, a.end)) })
	var out []*Entry
	named := map[string]bool{}
	for _, f := range fresh {
		if named[f.key] || slices.ContainsFunc(within, func(r record) bool { return r.first <= f.first && f.first < r.end }) {
			continue
		}
		named[f.key] = true
		out, within = append(out, f.Entry), append(within, f.record)
	}
	if len(out) == 0 || !was.onlyGrew(t.wordsIn(within)) {
		return nil, nil
	}
	return out, nil
}

// found is an entry with its record.
type found struct {
	record
	*Entry
}

// recordsOf returns the records of items.
func (t *tree) recordsOf(lists []*list, items []Item) (out []record) {
	of := map[*Entry]bool{}
	for i := range items {
		of[items[i].at] = true
	}
	for _, l := range lists {
		for i := range l.entries {
			if of[&l.entries[i]] {
				out = append(out, l.records[i])
			}
		}
	}
	return out
}

// added returns the entries of a list that are new on the page. It returns none unless most entries were there before, the list
// has at least the least number of characters, and the new ones are together, or at the ends of siblings: an entry is added at one place,
// and several places are revised. A section below a heading is added at an end, and a document is revised in its middle.
func (m *Memory) added(t *tree, l *list, was *linesBefore, least float64) (out []found) {
	own := l.ownLines(t)
	size := 0
	fresh := make([]bool, len(l.entries))
	for i := range l.entries {
		e := &l.entries[i]
		size += e.text
		fresh[i] = len(own[i]) > 0 && !m.seen.knows(e, true, false) && !slices.ContainsFunc(own[i], was.has) && was.shows(own[i])
		if fresh[i] {
			out = append(out, found{l.records[i], e})
		}
	}
	stood := len(l.entries) - len(out)
	if len(out) == 0 || stood < max(leastFurther, len(out)) || float64(size) < least {
		return nil
	}
	parent := func(i int) int32 { return t.nodes[l.records[i].first].parent }
	runs, inner := 0, 0
	for i := range fresh {
		if !fresh[i] || i > 0 && fresh[i-1] && parent(i-1) == parent(i) {
			continue
		}
		end := i
		for end < len(fresh) && fresh[end] && parent(end) == parent(i) {
			end++
		}
		runs++
		if i > 0 && parent(i-1) == parent(i) && end < len(fresh) && parent(end) == parent(i) {
			inner++
		}
	}
	if inner > 0 && (runs > 1 || l.sections(t)) || slices.ContainsFunc(out, func(f found) bool { return t.nodes[f.first].parent != t.nodes[out[0].first].parent }) {
		return nil
	}
	return out
}

// sections reports whether the entries begin with headings.
func (l *list) sections(t *tree) bool {
	return l.headed && t.nodes[l.records[0].first].tag != atom.Dt
}

// ownLines returns, for each entry, the lines that no other entry of the list has, without numbers, dates and texts that say nothing.
func (l *list) ownLines(t *tree) [][]string {
	n := map[string]int{}
	for i := range l.entries {
		lines := l.entries[i].firstLines()
		for k, line := range lines {
			if !slices.Contains(lines[:k], line) {
				n[line]++
			}
		}
	}
	out := make([][]string, len(l.entries))
	for i := range l.entries {
		for _, line := range l.entries[i].firstLines() {
			if n[line] == 1 && count(line) >= minOwn && strings.Trim(masked(line), "0 ") != "" && !vague(line) && !t.onlyDate(line) {
				out[i] = append(out[i], line)
			}
		}
	}
	return out
}

// firstLines returns the lines of an entry that can identify it.
func (e *Entry) firstLines() []string { return e.lines[:min(len(e.lines), maxOwn)] }

// maxOwn limits the lines of an entry that identify it.
const maxOwn = 12

// minOwn is the minimum number of characters of a line that identifies an entry.
const minOwn = 4

// linesBefore holds the lines of the previously checked version.
type linesBefore struct {
	text  words
	now   words           // of the version that is examined
	n     map[string]int  // by masked line: how many more the version has than the one before
	lines map[string]bool // keys of its lines
	left  int             // bytes of texts that may still be searched
	added []string        // lines that were not there, at most one more than maxAdded; none if a line is gone
	gone  bool            // a line is gone
}

func linesOf(before, now string) *linesBefore {
	s := &linesBefore{text: wordsOf(before), now: wordsOf(now), n: map[string]int{}, lines: map[string]bool{}, left: maxSearched}
	for line := range strings.SplitSeq(now, "\n") {
		s.n[masked(line)]++
	}
	for line := range strings.SplitSeq(before, "\n") {
		s.n[masked(line)]--
		s.lines[titleKey(line)] = true
	}
	for key, n := range s.n {
		s.gone = s.gone || n < 0 && key != ""
	}
	if s.gone {
		return s
	}
	for line := range strings.SplitSeq(now, "\n") {
		if key := titleKey(line); count(key) >= minOwn && s.n[masked(line)] > 0 && !s.text.has(key) {
			if s.added = append(s.added, line); len(s.added) > maxAdded {
				break
			}
		}
	}
	return s
}

// maxSearched limits the search for lines in the text of the version before, in bytes: beyond, all lines count as there.
const maxSearched = 64 << 20

// maxAdded limits the lines that an addition to lists has: a page with more is revised.
const maxAdded = 200

// shows reports whether the text of the version has each of some lines; it lacks a line that is divided differently.
func (s *linesBefore) shows(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !s.now.has(titleKey(line)) })
}

// onlyGrew reports whether all new lines of a page are in a text. If they are not, the page was revised.
func (s *linesBefore) onlyGrew(in words) bool {
	return !slices.ContainsFunc(s.added, func(line string) bool { return !in.has(titleKey(line)) })
}

// wordsIn returns the words of records.
func (t *tree) wordsIn(all []record) words {
	var b strings.Builder
	for _, r := range all {
		for i := r.first; i < r.end; i++ {
			n := &t.nodes[i]
			switch {
			case n.isText():
				n.put(&b)
			case !inline(n.tag):
				b.WriteByte('\n')
			}
		}
		b.WriteByte('\n')
	}
	return wordsOf(b.String())
}

// has reports whether the version before had a line, in the same words or with different numbers.
func (s *linesBefore) has(line string) bool {
	key := titleKey(line)
	if s.lines[key] || s.left < 0 {
		return true
	}
	if s.left -= len(s.text); s.text.has(key) {
		return true
	}
	n, here := s.n[masked(line)]
	return here && n <= 0
}

// itemsOf returns entries as new items.
func itemsOf(all []*Entry) (out []Item) {
	for _, e := range all {
		out = append(out, Item{Kind: plat.ItemNew, Entry: *e, at: e})
	}
	return out
}
