package watch

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"plat/plat"
)

// Further lists are all repeated structures of the main part that are not chosen: bulleted texts, rows, cards, sections below
// headings. None of them is surely a list of news, so no history of them is kept. They may nest. An entry of one is new if its
// text is new on the page, and most entries of its list were already there.

// leastFurther is the minimum number of entries of a further list.
const leastFurther = 3

// leastShare is the share of the page's content from which additions anywhere in a further list are reported. A list of a few
// words in a long text is part of the text: from a third of the share it may grow at its ends.
const leastShare = .03

// further returns a copy of a list with the entries that are in the main part and no paragraphs, or nil if there are too few.
func (t *tree) further(l *list, g *region) *list {
	least := leastFurther
	if l.known {
		least = 1
	}
	if len(l.entries) < least || g.chosen || t.feed || !furtherTag(t.nodes[l.records[0].first].tag) {
		return nil
	}
	in := func(i int) bool {
		e := &l.entries[i]
		switch {
		case e.outer || !g.has(e.Block) || !l.followed && !t.inMain(l.records[i].first, e.Block):
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
	if n < least {
		return nil
	}
	f := &list{shape: l.shape, headed: l.headed, followed: l.followed, within: l.within, known: l.known, class: further, records: make([]record, 0, n), entries: make([]Entry, 0, n)}
	for i := range l.entries {
		if in(i) {
			f.records, f.entries = append(f.records, l.records[i]), append(f.entries, l.entries[i])
		}
	}
	if f.apart(func(int) bool { return true }) < leastApart {
		return nil
	}
	return f
}

// kindOf returns what the entries of a list are, for users: those of further and plain lists by their elements.
func (t *tree) kindOf(l *list) string {
	if l.class > plain {
		return l.class.String()
	}
	composed := 0
	for i := range l.entries {
		if e := &l.entries[i]; e.heading || e.links > 0 || len(e.lines) > 1 {
			composed++
		}
	}
	switch tag := t.nodes[l.records[0].first].tag; {
	case tag == atom.Tr:
		return row.String()
	case tag == atom.Dt:
		return "terms"
	case l.headed:
		return "sections"
	case composed*2 > len(l.entries):
		return "entries"
	}
	return plain.String()
}

// furtherTag reports whether an element may be an entry of a further list: paragraphs, whole lists and tables are not.
func furtherTag(tag atom.Atom) bool { return tag != atom.P && tag != atom.Ul && tag != atom.Table }

// inMain reports whether a record is in the main part of the page. The label of its own leaf and the elements around it are
// stronger evidence than the labels of the blocks around the leaf.
func (t *tree) inMain(first, leaf int32) bool {
	if !t.boilerplate(leaf) {
		return true
	}
	return leaf >= 0 && (t.blocks[leaf].Label == plat.LabelMain || t.nodes[first].item && !boilerplateLabel(t.blocks[leaf].Label))
}

// apart returns the further lists without the entries that are entries of a chosen list, or consist mostly of such entries.
func (t *tree) apart(all, chosen []*list) (out []*list) {
	before := make([]int, len(t.nodes)+1) // characters of the chosen entries that begin before each node
	for _, l := range chosen {
		for i, r := range l.records {
			before[r.first+1] += l.entries[i].text
		}
	}
	for i := range t.nodes {
		before[i+1] += before[i]
	}
	for _, l := range all {
		l.keep(func(i int) bool {
			n := before[l.records[i].end] - before[l.records[i].first]
			return n == 0 || 2*n < l.entries[i].text
		})
		if len(l.entries) >= leastFurther || l.known && len(l.entries) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// appeared returns the entries of further lists that are new, in the order of the page. Of a new entry and new ones inside of
// it, only the outer one counts; told holds the new items of the chosen lists.
func (m *Memory) appeared(t *tree, chosen, more []*list, p *Page, told []Item) ([]found, error) {
	for _, l := range chosen {
		if l.fresh {
			more = append(more, l) // it may have been a further list before
		}
	}
	if len(more) == 0 || m.older || p.Before == nil {
		return nil, nil
	}
	before, now, err := p.texts()
	if err != nil || before == now {
		return nil, err
	}
	was := linesOf(before, now)
	if n := len(was.added); was.gone || n == 0 || n > maxAdded {
		return nil, nil
	}
	var within []record
	at := placesOf(chosen)
	for i := range told {
		within = append(within, at[told[i].at])
	}
	var fresh []found
	touched := t.touched(was.added)
	least := leastShare * float64(t.contentText())
	for _, l := range more {
		fresh = append(fresh, m.added(t, l, was, touched, least)...)
	}
	slices.SortStableFunc(fresh, func(a, b found) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.end, a.end)) })
	var out []found
	named := map[string]bool{}
	for _, f := range fresh {
		if named[f.key] || slices.ContainsFunc(within, func(r record) bool { return r.first <= f.first && f.first < r.end }) {
			continue
		}
		named[f.key] = true
		if f.contents {
			continue
		}
		out, within = append(out, f), append(within, f.record)
	}
	if len(out) == 0 || !was.onlyGrew(t.textIn(within)) {
		return nil, nil
	}
	return out, nil
}

// found is an entry with its record.
type found struct {
	record
	*Entry
	contents bool // it belongs to a table of contents: what it names is a section of a document
}

// touched counts, before each node, the texts that may be parts of new lines: a new line contains them, or is in them.
func (t *tree) touched(added []string) []int32 {
	out := make([]int32, len(t.nodes)+1)
	fresh := wordsOf(strings.Join(added, "\n"))
	left := maxSearched
	lines := make([]words, len(added))
	for i, line := range added {
		lines[i] = wordsOf(line)
	}
	for i := range t.nodes {
		out[i+1] = out[i]
		n := &t.nodes[i]
		if !n.isText() {
			continue
		}
		if left < 0 {
			out[i+1]++ // a page made to be slow
			continue
		}
		text := wordsOf(n.text)
		left -= len(fresh) + len(lines)*len(text)
		if key := strings.TrimSpace(string(text)); key != "" && (fresh.has(key) || len(key) > maxBound && strings.Contains(string(fresh), key) || slices.ContainsFunc(lines, func(l words) bool { return strings.Contains(string(text), string(l)) })) {
			out[i+1]++
		}
	}
	return out
}

// maxBound limits the texts, in bytes, that count as parts of new lines only as whole words: others may be joined to a word.
const maxBound = 12

// placesOf returns the records of the entries of lists.
func placesOf(lists []*list) map[*Entry]record {
	of := map[*Entry]record{}
	for _, l := range lists {
		for i := range l.entries {
			of[&l.entries[i]] = l.records[i]
		}
	}
	return of
}

// added returns the entries of a list that are new on the page. It returns none unless most entries were there before, the new
// ones are at one place, or at both ends, and the list has at least the least number of characters. A list of at least a third of
// them may grow at an end.
//
// touched counts the texts before each node that may be parts of new lines: entries without such a text are old.
func (m *Memory) added(t *tree, l *list, was *linesBefore, touched []int32, least float64) (out []found) {
	may := func(i int) bool { return touched[l.records[i].end] > touched[l.records[i].first] }
	if !slices.ContainsFunc(l.records, func(r record) bool { return touched[r.end] > touched[r.first] }) {
		return nil
	}
	own := l.ownLines(t, may)
	size := 0
	fresh := make([]bool, len(l.entries))
	named := map[string]int{}
	for i := range l.entries {
		named[l.entries[i].key]++
	}
	for i := range l.entries {
		e := &l.entries[i]
		if size += e.text; len(own[i]) == 0 {
			continue
		}
		known := named[e.key] == 1 && m.seen.knows(e, company{address: true}) // a repeated title identifies no entry
		if fresh[i] = !known && was.mostlyNew(own[i]); fresh[i] {
			out = append(out, found{record: l.records[i], Entry: e})
		}
	}
	stood := len(l.entries) - len(out)
	small := float64(size) < least
	if len(out) == 0 || !l.known && stood < max(leastFurther, len(out)) || float64(size) < least/3 || !t.together(l, fresh, small) {
		return nil
	}
	for i := range out {
		out[i].contents = small && out[i].own
	}
	return out
}

// together reports whether new entries of a list are siblings at one place, or at the ends: a revised page has them at several
// places. atEnd means that one place in the middle does not do.
func (t *tree) together(l *list, fresh []bool, atEnd bool) bool {
	parent := func(i int) int32 { return t.nodes[l.records[i].first].parent }
	of := parent(slices.Index(fresh, true))
	runs, inner := 0, 0
	for i := range fresh {
		switch {
		case !fresh[i]:
			continue
		case parent(i) != of:
			return false
		case i > 0 && fresh[i-1] && parent(i-1) == of:
			continue
		}
		end := i
		for end < len(fresh) && fresh[end] && parent(end) == of {
			end++
		}
		runs++
		if i > 0 && parent(i-1) == of && end < len(fresh) && parent(end) == of {
			inner++
		}
	}
	return inner == 0 || runs == 1 && !atEnd
}

// ownLines returns, for each entry that may be new, the lines that no other entry of the list has, without numbers, dates and
// texts that say nothing.
func (l *list) ownLines(t *tree, may func(i int) bool) [][]string {
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
		if !may(i) {
			continue
		}
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

// linesBefore compares the lines of the previously checked version with those of the version that is examined.
type linesBefore struct {
	text  func() words    // of the version before
	now   func() words    // of the version that is examined
	n     map[string]int  // by masked line, without lines that both versions have: how many more the version has than the one before
	lines map[string]bool // of the version before, as they are
	left  int             // bytes of texts that may still be searched
	added []string        // lines that were not there, at most one more than maxAdded; none if a line is gone
	gone  bool            // a line is gone

	notices int // of emptiness that are gone, see noticesGone
}

func linesOf(before, now string) *linesBefore {
	s := &linesBefore{
		text: sync.OnceValue(func() words { return wordsOf(before) }), now: sync.OnceValue(func() words { return wordsOf(now) }),
		n: map[string]int{}, lines: map[string]bool{}, left: maxSearched,
	}
	more := map[string]int{} // by line
	for line := range strings.SplitSeq(now, "\n") {
		more[line]++
	}
	for line := range strings.SplitSeq(before, "\n") {
		more[line]--
		s.lines[line] = true
	}
	for line, n := range more {
		if n != 0 {
			s.n[masked(line)] += n
		}
	}
	for key, n := range s.n {
		s.gone = s.gone || n < 0 && key != ""
	}
	if s.gone {
		return s
	}
	for line := range strings.SplitSeq(now, "\n") {
		if more[line] <= 0 || s.n[masked(line)] <= 0 {
			continue
		}
		if key := titleKey(line); count(key) >= minOwn && !s.text().has(key) {
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

// mostlyNew reports whether the page has some lines, of which the first and most characters are new.
func (s *linesBefore) mostlyNew(lines []string) bool {
	fresh, all := 0, 0
	for i, line := range lines {
		n := count(line)
		switch all += n; {
		case !s.shows(lines[i : i+1]):
			return false
		case !s.has(line):
			fresh += n
		case i == 0:
			return false
		}
	}
	return fresh*2 > all
}

// shows reports whether the text of the version has each of some lines; it lacks a line that is divided differently.
func (s *linesBefore) shows(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !s.now().has(titleKey(line)) })
}

// onlyGrew reports whether all new lines of a page are in a text. If they are not, the page was revised. A line may also
// consist of lines of the text and of what was there before, where a page has several entries in a line.
func (s *linesBefore) onlyGrew(text string) bool {
	in := wordsOf(text)
	var keys []string
	for line := range strings.SplitSeq(text, "\n") {
		if key := titleKey(line); count(key) >= minOwn {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	keys = slices.Compact(keys)
	return !slices.ContainsFunc(s.added, func(line string) bool {
		rest := words(" " + titleKey(line) + " ")
		if in.has(strings.TrimSpace(string(rest))) {
			return false
		}
		for _, key := range keys {
			rest = words(strings.ReplaceAll(string(rest), " "+key+" ", " \n "))
		}
		for part := range strings.SplitSeq(string(rest), "\n") {
			if part = strings.TrimSpace(part); part != "" && !s.text().has(part) {
				return true
			}
		}
		return false
	})
}

// textIn returns the text of records.
func (t *tree) textIn(all []record) string {
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
	return b.String()
}

// has reports whether the version before had a line, in the same words or with different numbers.
func (s *linesBefore) has(line string) bool {
	if s.lines[line] || s.left < 0 {
		return true
	}
	if s.left -= len(s.text()); s.text().has(titleKey(line)) {
		return true
	}
	n, here := s.n[masked(line)]
	return here && n <= 0
}

// withAppeared returns items with the entries of further lists that are new before them. New items inside of these entries
// are parts of them, and no items.
func withAppeared(items []Item, all []found, chosen []*list) []Item {
	if len(all) == 0 {
		return items
	}
	at := placesOf(chosen)
	var out []Item
	for _, f := range all {
		out = append(out, Item{Kind: plat.ItemNew, Entry: *f.Entry, at: f.Entry})
	}
	for _, it := range items {
		r, known := at[it.at]
		if known && it.Kind == plat.ItemNew && slices.ContainsFunc(all, func(f found) bool { return f.first <= r.first && r.first < f.end }) {
			continue
		}
		out = append(out, it)
	}
	return out
}
