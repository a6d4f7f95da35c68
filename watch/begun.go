package watch

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// A list begins with one entry, which is too few for a list. It is told if the page has only grown by it, or by it in the place
// of a notice that there is nothing. Its shape is known from then on, so that the following entries are told however few there are.

// begun returns the first entries of lists that the page did not have at the previous check, in the order of the page.
func (m *Memory) begun(t *tree, g *region, chosen []*list, p *Page) ([]found, error) {
	if m.looks < 2 || m.older || g.chosen || t.feed || p.Before == nil {
		return nil, nil
	}
	before, now, err := p.texts()
	if err != nil || before == now {
		return nil, err
	}
	notices := noticesGone(before, now)
	if len(chosen) > 0 && len(notices) == 0 {
		return nil, nil
	}
	if len(notices) > 0 {
		before = without(before, notices)
	}
	was := linesOf(before, now)
	was.notices = len(notices)
	if n := len(was.added); was.gone || n == 0 || n > maxAdded {
		return nil, nil
	}
	touched := t.touched(was.added)
	inside := placesOf(chosen)
	var all []beginning
	for _, l := range t.lists() {
		if len(l.records) > maxBegun || !slices.ContainsFunc(l.records, func(r record) bool { return touched[r.end] > touched[r.first] }) {
			continue
		}
		t.fill(l)
		all = append(all, m.beginnings(t, l, g, was, touched)...)
	}
	slices.SortStableFunc(all, func(a, b beginning) int {
		return cmp.Or(cmp.Compare(b.class, a.class), cmp.Compare(b.end-b.first, a.end-a.first))
	})
	var out []found
	var within []record
	shapes := map[uint64]bool{}
	for _, b := range all {
		meets := func(r record) bool { return r.first < b.end && b.first < r.end }
		if slices.ContainsFunc(within, meets) {
			continue
		}
		taken := false
		for _, r := range inside {
			taken = taken || meets(r)
		}
		if taken {
			continue
		}
		out, within = append(out, b.found), append(within, b.record)
		shapes[b.shape] = true
	}
	if len(out) == 0 || len(out) > maxFirst || !was.onlyGrew(t.textIn(within)) {
		return nil, nil
	}
	for shape := range shapes {
		m.lists[shape] = &track{last: m.looks}
	}
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Compare(a.first, b.first) })
	return out, nil
}

// maxBegun limits the entries of a list that has begun since the previous check, with those before.
const maxBegun = maxFirst

// beginning is an entry that may be the first of a list.
type beginning struct {
	found
	shape uint64
	class class
}

// beginnings returns the entries of a list that are new with all of their text. Without a notice before, they have to be articles
// or dated entries, or links or rows of a list or table.
func (m *Memory) beginnings(t *tree, l *list, g *region, was *linesBefore, touched []int32) (out []beginning) {
	m.follows(t, l, g)
	for i := range l.entries {
		e, r := &l.entries[i], l.records[i]
		n := &t.nodes[r.first]
		if touched[r.end] == touched[r.first] || !g.has(e.Block) || e.outer || t.outside(l, e) || t.beside(r.first) || vague(e.Title) || count(e.Title) < minOwn || t.onlyDate(e.Title) {
			continue
		}
		c := t.classOf(l, i, false)
		item := n.tag == atom.Li || n.tag == atom.Tr
		switch {
		case n.tag == atom.Ul || n.tag == atom.Table || n.tag == atom.Tbody:
			continue
		case c >= dated && (l.headed || n.tag != atom.P || e.links > 0):
		case (c == linking || c == row && len(l.entries) == 1) && item:
		case was.notices == 0 || e.text > maxPlain || e.own:
			continue
		case item, e.heading, c > none:
			c = further
		default:
			continue
		}
		if m.seen.knows(e, company{address: true}) || !was.allNew(e.lines) {
			continue
		}
		out = append(out, beginning{found{record: r, Entry: e}, l.shape, c})
	}
	return out
}

// beside reports whether a node is in a menu, a side column or a footer, also of the main part.
func (t *tree) beside(i int32) bool {
	for ; i >= 0; i = t.nodes[i].parent {
		if tag := t.nodes[i].tag; tag == atom.Nav || tag == atom.Aside || tag == atom.Footer {
			return true
		}
	}
	return false
}

// allNew reports whether none of some lines, beside numbers and the shortest ones, was on the page before.
func (s *linesBefore) allNew(lines []string) bool {
	fresh := 0
	for _, line := range lines {
		switch {
		case count(line) < minOwn || strings.Trim(masked(line), "0 ") == "":
		case s.has(line) || !s.shows([]string{line}):
			return false
		default:
			fresh++
		}
	}
	return fresh > 0
}

// noticesGone returns the notices of emptiness that are gone from a page.
func noticesGone(before, now string) map[string]bool {
	here := map[string]bool{}
	for line := range strings.SplitSeq(now, "\n") {
		here[line] = true
	}
	gone := map[string]bool{}
	for line := range strings.SplitSeq(before, "\n") {
		if !here[line] && saysNothing(line) {
			gone[line] = true
		}
	}
	return gone
}

// without returns a text without some of its lines.
func without(text string, lines map[string]bool) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return lines[line] }), "\n")
}

// maxNotice limits a notice that a list is empty, in characters.
const maxNotice = 100

// saysNothing reports whether a line says that there is nothing: "No open positions at present."
func saysNothing(line string) bool {
	if len(line) > 4*maxNotice || count(line) > maxNotice {
		return false
	}
	key := wordsOf(line)
	return slices.ContainsFunc(nothing, func(w string) bool { return strings.Contains(string(key), " "+w+" ") }) ||
		slices.ContainsFunc(nothingParts, func(w string) bool { return strings.Contains(string(key), w) })
}

// blank drops entries that only say, as earlier ones of their list, that there is nothing: the days without an incident of a status page.
func (t *tree) blank(l *list, unknown []*Entry) []*Entry {
	rest := func(e *Entry) string {
		text := e.Excerpt
		for _, d := range slices.Backward(t.dates(text)) {
			text = text[:d.From] + " " + text[d.To:]
		}
		return titleKey(text)
	}
	return slices.DeleteFunc(unknown, func(e *Entry) bool {
		if e.URL != "" || !saysNothing(e.lines[len(e.lines)-1]) {
			return false
		}
		is := rest(e)
		if words := strings.Fields(is); len(words) == 0 || len(words) > maxBlank || !slices.Contains(nothing, words[0]) || !slices.ContainsFunc(troubles, func(w string) bool { return strings.Contains(is, w) }) {
			return false // "No water" is news
		}
		return slices.ContainsFunc(l.entries, func(other Entry) bool { return other.Dated != e.Dated && rest(&other) == is })
	})
}

// maxBlank limits what such an entry says, in words, and troubles are parts of words for what there is none of.
const maxBlank = 5

var troubles = strings.Fields(`incident incidencia incidente outage disruption problem issue störung vorfall vorfälle ausfall ausfälle panne perturbation avería guasti guasto storing driftstör incydent zdarze ` +
	`výpad porucha poruch инцидент сбоев arıza event entr report meldung termin result résultat`)

// nothing are words of such notices, and nothingParts those of languages that are written without blanks, or have them as endings.
var nothing = func() (all []string) {
	for w := range strings.SplitSeq(`no|none|nothing|not|0|empty|keine|keinen|keiner|kein|nichts|nicht|aucun|aucune|pas|rien|ningún|ninguna|ninguno|no hay|nada|sin|nessun|nessuna|nessuno|non|`+
		`nenhum|nenhuma|não|sem|geen|niets|niet|ingen|inga|inget|ikke|ingenting|ei|yhtään|brak|nie|żadnych|żadne|žádné|žádný|není|nejsou|žiadne|nie sú|nincs|nincsenek|nu|niciun|nicio|`+
		`nema|nije|nisu|ni|няма|нет|не|немає|нема|δεν|κανένα|καμία|yok|bulunamadı|yoktur|không|chưa|tidak|belum|tiada|nav|nėra|puudub|níl|لا|לא|אין|नहीं|ไม่มี`, "|") {
		all = append(all, titleKey(w))
	}
	return all
}()

var nothingParts = []string{"ありません", "ございません", "なし", "没有", "沒有", "暂无", "暫無", "无", "없습니다", "없음", "ไม่มี", "ไม่พบ"}
