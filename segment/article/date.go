package article

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat"
	"plat/plat/calendar"
)

// publishedNames are the meta elements with the date of publication, and
// changedNames those with the date of the last change.
var (
	publishedNames = []string{
		"article:published_time", "og:article:published_time", "og:published_time", "datepublished", "sailthru.date", "parsely-pub-date",
		"publishdate", "publish-date", "publish_date", "pubdate", "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date.created", "citation_publication_date",
		"article.published", "cxenseparse:recs:publishtime", "date", "dc.date", "dcterms.date", "datecreated",
	}
	changedNames = []string{"article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified"}
)

// date returns the date of publication, as YYYY-MM-DD: the declared one, else
// one shown around the title or below the text, else the one in the URL, else
// the date of the last change.
func (t *text) date(d *declared, title, begin, end int) string {
	style := t.dates()
	for _, s := range append([]string{d.published}, d.all(publishedNames)...) {
		if day := calendar.Machine(s, style); day != "" {
			return day
		}
	}
	if day := t.shownDate(title, begin, end, style); day != "" {
		return day
	}
	for _, u := range []string{d.canonical, d.first("og:url"), t.URL} {
		if day := calendar.InPath(u); day != "" {
			return day
		}
	}
	for _, s := range d.all(changedNames) {
		if day := calendar.Machine(s, style); day != "" {
			return day
		}
	}
	return ""
}

// dates is the style of the dates of the page.
func (t *text) dates() calendar.Style {
	return calendar.Style{Language: t.Language, MonthFirst: strings.EqualFold(t.Language, "en") || strings.EqualFold(t.Language, "en-US")}
}

// all returns the values of the named meta elements.
func (d *declared) all(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, d.meta[name]...)
	}
	return all
}

// The weights of a visible date: the highest wins, at a tie the first.
const (
	dateShown = 20
	dateNamed = 10 // class, itemprop or <time> call it a date
	dateBy    = 4  // class or id call it a byline
	dateAbove = 1  // − per passage between it and the title, if above
	dateLine  = 5  // − at the begin of the text: "LONDON, 31 January 2026 –"
	dateOld   = 15 // − "updated on"
	dateBelow = 12 // − after the beginning of the text: dates there concern something else, unless at its end
)

// shownDate returns a date shown from some lines above the title to some below
// the text, but not inside the text.
func (t *text) shownDate(title, begin, end int, style calendar.Style) string {
	if title < 0 || title > begin {
		title = begin
	}
	best, at := math.MinInt, ""
	for i := max(title-12, 0); i < min(end+6, len(t.all)); i++ {
		q := &t.all[i]
		if t.at[q.first].all&(hintComments|hintRelated|hintNavigation) != 0 {
			continue
		}
		day, score := t.dayOf(q, style)
		if day == "" && i == begin {
			day, score = dateline(q.text, style), dateShown-dateLine
		}
		if day == "" {
			continue
		}
		if i < title {
			score -= dateAbove * (title - i)
		} else if i > begin {
			score -= dateBelow
		}
		if score > best {
			best, at = score, day
		}
	}
	return at
}

// dayOf returns the day of publication in a passage, and its weight; empty if the passage is a text.
func (t *text) dayOf(q *passage, style calendar.Style) (found string, score int) {
	named := t.near(q)&hintDate != 0
	score = dateShown
	if named {
		score += dateNamed
	} else if t.near(q)&(hintByline|hintAuthor) != 0 {
		score += dateBy
	}
	if found = calendar.Machine(t.stamp(q), style); found != "" && (named || !q.prose()) {
		return found, score
	}
	l, about := readLine(q.text, style)
	about = about && (t.heading(q) == 0 || !q.prose())
	if !about && (q.prose() && !named || len(q.text) >= calendar.MaxText/2) {
		return "", 0
	}
	if by := t.near(q)&(hintByline|hintAuthor) != 0; about || q.weight() < minProse || by && q.weight() <= maxLine {
		if found = calendar.Machine(t.stampIn(q), style); found != "" {
			return found, score + dateNamed
		}
	}
	for _, d := range l.dates {
		if !d.changed {
			return d.String(), score
		}
	}
	if len(l.dates) > 0 {
		return l.dates[0].String(), score - dateOld
	}
	return "", 0
}

// maxDateline is the maximum length of what comes before the date in a dateline, in bytes.
const maxDateline = 60

// dateline returns the date at the begin of a text: "LONDON, 31 January 2026 (Harbour Press) –".
func dateline(s string, style calendar.Style) string {
	all := calendar.All(cut(s, 2*maxDateline), style)
	if len(all) == 0 || all[0].From > maxDateline {
		return ""
	}
	before, after := s[:all[0].From], strings.TrimLeft(s[all[0].To:], " .")
	for w := range strings.FieldsFuncSeq(before, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if r, size := utf8.DecodeRuneInString(w); unicode.IsLower(r) && len(w) > size && !particles[w] {
			return ""
		}
	}
	if strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") {
		return all[0].String()
	}
	if source, rest, ok := strings.Cut(after, ")"); ok && strings.HasPrefix(source, "(") && len(source) < maxDateline {
		after = strings.TrimLeft(rest, " ")
	}
	for _, mark := range []string{"/", "–", "—", "--", "- "} {
		if strings.HasPrefix(after, mark) {
			return all[0].String()
		}
	}
	return ""
}

// stamp returns the datetime of an element, or the content of one named for a
// date.
func stamp(n *plat.Node, own hints) string {
	for i := range n.Attrs {
		if a := &n.Attrs[i]; a.Value != "" && (a.Name == "datetime" || a.Name == "content" && own&hintDate != 0 || n.Name == "abbr" && a.Name == "title" && own&hintDate != 0) {
			return cut(a.Value, calendar.MaxText)
		}
	}
	return ""
}

// stamp returns the machine-readable date of the elements close around a
// passage.
func (t *text) stamp(q *passage) string {
	for i, k := t.at[q.first].parent, 0; i >= 0 && k < 3; i, k = t.at[i].parent, k+1 {
		if s := t.at[i].stamp; s != "" {
			return s
		}
	}
	return ""
}

// stampIn returns the machine-readable date of an element inside of a passage.
func (t *text) stampIn(q *passage) string {
	for i := q.first; i <= q.last; i++ {
		up := t.at[i].parent
		if t.Nodes[i].Kind != plat.TextNode || up < 0 || t.at[up].stamp == "" {
			continue
		}
		return t.at[up].stamp
	}
	return ""
}
