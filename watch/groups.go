package watch

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Records that no element holds: runs of siblings that a rule, an empty line, a bold line or their period divides.

// leastGroups is the minimum number of groups among the children of a node.
const leastGroups = 3

// breaks puts the lines of a paragraph as records, which br elements divide.
func (t *tree) breaks(i int32, path uint64, put func(uint64, bool, record)) {
	for _, r := range t.between(atom.Br, i+1, t.nodes[i].end) {
		put(mix(path, "br"), false, r)
	}
}

// ruled puts the runs of children between <hr> elements as records.
func (t *tree) ruled(i int32, path uint64, put func(uint64, bool, record)) {
	for _, r := range t.between(atom.Hr, t.afterHeading(i), t.nodes[i].end) {
		put(mix(path, "hr"), true, r)
	}
}

// between returns the runs of siblings with text that elements of a tag divide, or none if there are fewer than leastGroups.
func (t *tree) between(tag atom.Atom, from, end int32) (runs []record) {
	dividers := 0
	run := func(at int32) {
		if at > from && t.totals[at].text > t.totals[from].text {
			runs = append(runs, record{from, at})
		}
		from = at + 1
	}
	for c := from; c < end; c = t.nodes[c].end {
		if t.nodes[c].tag == tag {
			dividers++
			run(c)
		}
	}
	if dividers < leastGroups-1 {
		return nil
	}
	run(end)
	return runs
}

// afterHeading returns the first child of a node after a heading that is before all of its groups, which do not have one, and
// the first of all otherwise.
func (t *tree) afterHeading(i int32) int32 {
	first := i + 1
	for c := i + 1; c < t.nodes[i].end; c = t.nodes[c].end {
		n := &t.nodes[c]
		switch {
		case n.tag == atom.Hr || n.tag == atom.Br:
			return first
		case headingLevel(n.tag) > 0:
			first = n.end
		}
	}
	return first
}

// emptied puts the runs of lines between empty lines, which two br elements in a row make, as records, if some have several.
func (t *tree) emptied(i int32, path uint64, put func(uint64, bool, record)) {
	n := &t.nodes[i]
	var all []record
	from, last, several := t.afterHeading(i), int32(-1), false
	lines := 0 // of the open run
	group := func(end int32) {
		if end > from && t.totals[end].text > t.totals[from].text {
			all = append(all, record{from, end})
			several = several || lines > 0
		}
		lines = 0
	}
	for c := from; c < n.end; c = t.nodes[c].end {
		if t.nodes[c].tag != atom.Br {
			continue
		}
		if last >= 0 && t.totals[c].text == t.totals[last].text { // nothing is between
			if lines > 0 {
				lines--
			}
			group(last)
			from, last = c+1, -1
			continue
		}
		lines++
		last = c
	}
	group(n.end)
	if len(all) < leastGroups || !several {
		return
	}
	key := mix(path, "br br")
	for _, r := range all {
		put(key, true, r)
	}
}

// bold reports whether all text of a paragraph is bold, and short: people write headings so.
func (t *tree) bold(i int32) bool {
	n := &t.nodes[i]
	if n.tag != atom.P && n.tag != atom.Div && n.tag != atom.Center {
		return false
	}
	text := t.totals[n.end].text - t.totals[i].text
	if text == 0 || text > 200 {
		return false
	}
	for c := i + 1; c < n.end; c = t.nodes[c].end {
		switch child := &t.nodes[c]; {
		case child.isText() && strings.TrimSpace(child.text) == "":
		case (child.tag == atom.B || child.tag == atom.Strong) && t.totals[child.end].text-t.totals[c].text == text:
			return true
		default:
			return false
		}
	}
	return false
}

// turns puts the entries whose cells are siblings of one shape that take turns as records: a date, a title, a text, a date, …;
// or a value of one name after that of another, "Title: …", "Until: …". It returns these cells, which are no records.
func (t *tree) turns(i int32, path uint64, put func(uint64, bool, record)) (cells map[int32]bool) {
	n := &t.nodes[i]
	var run []int32
	shape := ""
	end := func() {
		if k := t.period(run); k > 0 {
			if cells == nil {
				cells = map[int32]bool{}
			}
			for at := 0; at < len(run); at += k {
				put(mix(mix(path, shape), "turns"), true, record{run[at], t.nodes[run[at+k-1]].end})
			}
			for _, c := range run {
				cells[c] = true
			}
		}
		run, shape = run[:0], ""
	}
	for c := i + 1; c < n.end; c = t.nodes[c].end {
		child := &t.nodes[c]
		switch {
		case child.isText():
			if strings.TrimSpace(child.text) != "" {
				end()
			}
			continue
		case child.tag != atom.Div && child.tag != atom.P && child.tag != atom.Span, child.end-c > maxCell:
			end()
			continue
		}
		if s := t.shapeOf(c); s != shape {
			end()
			shape = s
		}
		run = append(run, c)
	}
	end()
	return cells
}

// maxCell limits the nodes of a cell, and maxPeriod the cells of one entry.
const maxCell, maxPeriod = 40, 6

// period returns the number of cells of one entry, and 0 for cells that do not take turns.
func (t *tree) period(run []int32) int {
	if len(run) < 2*leastGroups {
		return 0
	}
	signs := make([]string, len(run))
	for i, c := range run {
		text := strings.TrimSpace(t.textOf(c))
		switch name, _, named := strings.Cut(text, ":"); {
		case t.onlyDate(text):
			signs[i] = "date"
		case named && len(name) <= 30 && strings.ToLower(name) != name:
			signs[i] = name
		}
	}
	for k := 2; k <= maxPeriod && k*leastGroups <= len(signs); k++ {
		if len(signs)%k == 0 && tells(signs[:k]) && repeats(signs, k) {
			return k
		}
	}
	return 0
}

// repeats reports whether a list is its first k elements again and again.
func repeats(list []string, k int) bool {
	for i := k; i < len(list); i++ {
		if list[i] != list[i-k] {
			return false
		}
	}
	return true
}

// tells reports whether the signs of one period are evidence: they differ, and only one is a date or all are named.
func tells(signs []string) bool {
	dates, named, seen := 0, 0, map[string]bool{}
	for _, s := range signs {
		switch {
		case s == "date":
			dates++
		case s != "":
			named++
			seen[s] = true
		}
	}
	return dates == 1 && named == 0 || dates == 0 && named == len(signs) && len(seen) == named
}
