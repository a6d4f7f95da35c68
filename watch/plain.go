package watch

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"plat/plat/calendar"
)

// maxPlain limits the text of an entry without a link, in characters: a longer one is a part of the page.
const maxPlain = 600

// mostOf is the least part of the page's content that the entries of a plain list have.
const mostOf = .5

// plain returns a copy of a list with its plain entries: short texts without a link and a date, as people write lists who
// have no pages for their entries. It returns nil if there are too few.
func (t *tree) plain(l *list, g *region) *list {
	if len(l.entries) < least[plain] || g.chosen || l.distinct(keyOf) < .8 {
		return nil
	}
	p := &list{shape: l.shape, headed: l.headed, followed: l.followed, within: l.within, class: plain, records: slices.Clone(l.records), entries: slices.Clone(l.entries)}
	p.keep(func(i int) bool {
		e := &p.entries[i]
		n := &t.nodes[p.records[i].first]
		short := e.links == 0 && e.text <= maxPlain && e.words <= 25 && !e.prose && !vague(e.Title) && len(e.lines) <= 4
		return short && g.has(e.Block) && !e.outer && !t.outside(l, e) && (l.headed || n.isText() || listTag(n.tag))
	})
	if len(p.entries) < least[plain] {
		return nil
	}
	for i := range p.entries {
		p.text += p.entries[i].text
	}
	return p
}

// listTag reports whether an element may be an entry of a plain list. A paragraph may not, nor a row: a table without
// links and dates holds facts.
func listTag(tag atom.Atom) bool {
	switch tag {
	case atom.Li, atom.Article, atom.Section, atom.Div, atom.Details, atom.Figure, atom.Blockquote:
		return true
	}
	return false
}

// composed returns the plain lists whose entries are composed of several texts in the same way, as those of feeds of
// activity, timelines and cards: they are lists wherever they are in the main part, and however small.
func (t *tree) composed(plains []*list) (all []*list) {
	for _, p := range plains {
		parts := map[int]int{} // entries, by number of lines
		for i := range p.entries {
			if n := len(p.entries[i].lines); n > 1 {
				parts[n]++
			}
		}
		most := 0
		for _, n := range parts {
			most = max(most, n)
		}
		if len(p.entries) >= leastComposed && most*5 >= len(p.entries)*4 && !p.headed && t.siblings(p) && p.byLine(t) {
			all = append(all, p)
		}
	}
	return all
}

// leastComposed is the minimum number of entries of a composed list.
const leastComposed = 5

// byLine gives the entries of a composed list the first line as a title that differs in nearly all of them by more than its
// numbers, and is not a person's initials. It reports whether there is one.
func (l *list) byLine(t *tree) bool {
	for k := range maxExtra {
		texts, initialed := map[string]bool{}, 0
		for i := range l.entries {
			if e := &l.entries[i]; k < len(e.lines) {
				texts[masked(e.lines[k])] = true
				if initials.MatchString(e.lines[k]) {
					initialed++
				}
			}
		}
		if len(texts)*10 < len(l.entries)*9 || initialed*2 > len(l.entries) {
			continue
		}
		if k == 0 {
			return true // the title that it has
		}
		l.keep(func(i int) bool { return k < len(l.entries[i].lines) })
		for i := range l.entries {
			e := &l.entries[i]
			if title := tidy(t.undated(e.lines[k])); title != "" {
				e.title(title)
				e.extra = t.extra(e)
			}
		}
		return len(l.entries) >= leastComposed
	}
	return false
}

// initials matches the text of a picture that stands for a person.
var initials = regexp.MustCompile(`^\p{Lu}{1,3}$`)

// siblings reports whether the entries of a list have one parent.
func (t *tree) siblings(l *list) bool {
	return !slices.ContainsFunc(l.records, func(r record) bool { return t.nodes[r.first].parent != t.nodes[l.records[0].first].parent })
}

// most returns the plain list that has most of the text of the page's main part, if one has.
func (t *tree) most(plains []*list) []*list {
	var best *list
	for _, p := range plains {
		if best == nil || p.text > best.text {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	if float64(best.text) < mostOf*float64(t.contentText()) {
		return nil
	}
	return []*list{best}
}

// contentText returns the number of characters of the page's content: of all visible text outside of boilerplate, without the
// exceptions that inMain makes for records.
func (t *tree) contentText() int {
	all := 0
	for i := range t.nodes {
		if n := &t.nodes[i]; n.isText() && !n.outer && !n.hidden && !t.boilerplate(n.block) {
			all += int(n.chars)
		}
	}
	return all
}

// columns gives the rows of a table the title of a better cell, if their first one has numbers or dates, or repeats: the
// first column of texts that differ, before all one of links or of row headers.
func (t *tree) columns(l *list) {
	if len(l.entries) < 3 || t.nodes[l.records[0].first].tag != atom.Tr {
		return
	}
	rows := make([][]int32, len(l.records)) // cells
	width := 0
	for i, r := range l.records {
		rows[i] = t.cells(r)
		width = max(width, len(rows[i]))
	}
	width = min(width, maxColumns)
	best, most := 0, 0.0
	for k := range width {
		c := t.column(rows, k)
		if k == 0 && c.fit() > .7 {
			return // the first cell will do
		}
		if score := c.fit() + c.linked + c.header - .05*float64(k); score > most {
			best, most = k, score
		}
	}
	if best == 0 || most < .5 {
		return
	}
	for i := range l.entries {
		e := &l.entries[i]
		if best >= len(rows[i]) {
			continue
		}
		title := tidy(t.undated(t.textOf(rows[i][best])))
		if title == "" || title == e.Title {
			continue
		}
		e.title(title)
		e.linked, e.opens, e.heading = false, false, false
		for c := rows[i][best]; c < t.nodes[rows[i][best]].end; c++ {
			if n := &t.nodes[c]; n.tag == atom.A && n.href != "" {
				if to := t.linkAt(c); to.url != "" && to.text != "" {
					e.URL, e.own, e.linked = to.url, to.own, count(to.text)*2 >= count(title)
					break
				}
			}
		}
		e.extra = t.extra(e)
	}
}

// maxColumns limits the columns of a table that are examined.
const maxColumns = 12

// cells returns the cells of a row.
func (t *tree) cells(r record) (all []int32) {
	for c := r.first + 1; c < r.end; c = t.nodes[c].end {
		if tag := t.nodes[c].tag; tag == atom.Td || tag == atom.Th {
			all = append(all, c)
		}
	}
	return all
}

// A column has the parts of its cells that have a property.
type column struct{ distinct, number, date, linked, header, long float64 }

// fit returns how well the texts of a column serve as titles: 1 if all differ and none is a number, a date or long.
func (c *column) fit() float64 { return c.distinct - c.number - c.date - c.long }

func (t *tree) column(rows [][]int32, k int) (out column) {
	texts := map[string]bool{}
	n := 0.0
	for _, cells := range rows {
		if k >= len(cells) {
			continue
		}
		n++
		cell := &t.nodes[cells[k]]
		text := t.textOf(cells[k])
		key := titleKey(text)
		if key != "" {
			texts[key] = true
		}
		switch {
		case strings.Trim(masked(text), "0 ") == "", measure(text):
			out.number++
		case t.onlyDate(text):
			out.date++
		case count(text) > 150:
			out.long++
		}
		from, to := t.totals[cells[k]], t.totals[cell.end]
		if to.text > from.text && (to.linked-from.linked)*2 > to.text-from.text {
			out.linked++
		}
		if cell.tag == atom.Th {
			out.header++
		}
	}
	if n == 0 {
		return column{}
	}
	out.distinct = float64(len(texts))
	for _, part := range []*float64{&out.distinct, &out.number, &out.date, &out.linked, &out.header, &out.long} {
		*part /= n
	}
	return out
}

// measure reports whether a text is a number with a unit or a short name, as "250 g", "10 Uhr" or "HS 1".
func measure(text string) bool {
	digits, letters := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= maxUnit
}

// maxUnit limits a unit, in letters.
const maxUnit = 3

// monthFirst reports whether the month comes first in the page's dates such as 11/05/2026. Those with a number above 12 show
// it, else the language of the page does.
func (t *tree) monthFirst() bool {
	months := 0
	for i := range t.nodes {
		if n := &t.nodes[i]; n.isText() {
			months += calendar.Orders(cut(n.text, maxLine))
		}
	}
	if months != 0 {
		return months > 0
	}
	return calendar.MonthFirst(t.style.Language) && !strings.EqualFold(t.style.Language, "en") // which many pages have by default
}

// maxExtra limits the lines of an entry that distinguish it from those of the same title.
const maxExtra = 4

// extra returns the hash of the first lines of an entry, without its title, dates and numbers.
func (t *tree) extra(e *Entry) uint64 {
	var b strings.Builder
	title := masked(e.Title)
	for _, line := range e.lines[:min(len(e.lines), maxExtra)] {
		for _, d := range slices.Backward(t.dates(line)) {
			line = line[:d.From] + " " + line[d.To:]
		}
		if key := masked(line); key != title && strings.Trim(key, "0 ") != "" {
			b.WriteString(key)
			b.WriteByte('\n')
		}
	}
	return sum(b.String())
}
