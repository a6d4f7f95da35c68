package article

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
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
		"publishdate", "publish-date", "publish_date", "publicationdate", "publication_date", "pubdate", "pub_date", "originalpublicationdate", "dc.date.issued", "dcterms.issued",
		"dcterms.created", "dc.date.created", "dc.created", "citation_publication_date", "citation_online_date", "citation_date", "prism.publicationdate", "bepress_citation_online_date",
		"eprints.date", "article.published", "article:published", "article:post_date", "cxenseparse:recs:publishtime", "rnews:datepublished", "bt:pubdate", "date", "dc.date",
		"dcterms.date", "datecreated", "created",
	}
	changedNames = []string{
		"article:modified_time", "og:article:modified_time", "og:updated_time", "datemodified", "last-modified", "last_modified", "dcterms.modified", "dc.date.modified", "revised", "modified",
	}
)

// date returns the date of publication, as YYYY-MM-DD: the declared one, else
// one shown around the title or below the text, else the one in the URL, else
// any other that is marked as a date, else the date of the last change.
func (t *text) date(d *declared, title, begin, end int) string {
	style := t.dates()
	shown := sync.OnceValues(func() (string, int) { return t.shownDate(title, begin, end, style) })
	if day := t.originalDate(begin, end, style); day != "" {
		return day
	}
	for _, s := range append([]string{d.published}, d.all(publishedNames)...) {
		if day := calendar.Machine(s, style); day != "" {
			return t.corrected(day, s, d, shown)
		}
	}
	day, score := shown()
	if day != "" && score >= dateTrusted {
		return day
	}
	for _, u := range []string{d.canonical, d.first("og:url"), t.URL} {
		if day := calendar.InPath(u); day != "" {
			return day
		}
	}
	if day != "" {
		return day
	}
	for _, far := range []string{t.markedDate(begin, end, style), t.firstPost(title, style)} {
		if far != "" {
			t.farDay = true
			return far
		}
	}
	for _, s := range append(d.all(changedNames), d.changed) {
		if day := calendar.Machine(s, style); day != "" {
			return day
		}
	}
	t.farDay = true
	if day := t.scripted(publishedKeys, func(s string) string { return calendar.Machine(s, style) }); day != "" {
		return day
	}
	return t.lastChange(end, style)
}

// corrected returns the day of publication that a page declares, or the one that it shows if the declared one is that of
// a different time zone, or is after the last change: then it is the day on which the text was put into its system.
func (t *text) corrected(day, said string, d *declared, shown func() (string, int)) string {
	if inUTC(said) {
		if visible, score := shown(); score >= dateShown && otherZone(day, said, visible) {
			return visible
		}
	}
	for _, s := range append([]string{d.changed}, d.all(changedNames)...) {
		if s == "" {
			continue
		}
		if later(said, s, t.dates()) {
			if visible, score := shown(); visible != "" && score >= dateShown {
				return visible
			}
		}
		break
	}
	return day
}

// later reports whether an instant is after a different one, or its day if they are not written as in ISO 8601.
func later(a, b string, style calendar.Style) bool {
	x, err := time.Parse(time.RFC3339, a)
	y, other := time.Parse(time.RFC3339, b)
	if err == nil && other == nil {
		return x.After(y)
	}
	first, second := calendar.Machine(a, style), calendar.Machine(b, style)
	return second != "" && first > second
}

// inUTC reports whether a text is an instant in UTC, with a time of day.
func inUTC(s string) bool {
	return strings.Contains(s, ":") && (strings.HasSuffix(s, "Z") || strings.HasSuffix(s, "+00:00") || strings.HasSuffix(s, "+0000")) && !strings.Contains(s, "00:00:00")
}

// otherZone reports whether a visible day is that of an instant in UTC in a different time zone: its neighbour, at an hour at
// which the day is that in some zone.
func otherZone(day, instant, visible string) bool {
	if visible == "" || visible == day {
		return false
	}
	x, err := time.Parse(time.DateOnly, day)
	y, other := time.Parse(time.DateOnly, visible)
	_, clock, ok := strings.Cut(strings.Replace(instant, " ", "T", 1), "T")
	if err != nil || other != nil || !ok || len(clock) < 2 {
		return false
	}
	hour, err := strconv.Atoi(clock[:2])
	const east, west = 14, 12 // hours between UTC and the zones farthest from it
	return err == nil && (y.Sub(x) == 24*time.Hour && hour >= 24-east || x.Sub(y) == 24*time.Hour && hour < west)
}

// dates is the style of the dates of the page.
func (t *text) dates() calendar.Style {
	if t.dating != nil {
		return *t.dating
	}
	months := 0
	for i := range t.all {
		if q := &t.all[i]; len(q.text) <= calendar.MaxText {
			months += calendar.Orders(q.text)
		}
	}
	t.dating = &calendar.Style{Language: t.locale, MonthFirst: months > 0 || months == 0 && calendar.MonthFirst(t.locale)}
	return *t.dating
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
	dateShown  = 20
	dateNamed  = 10 // class, itemprop or <time> call it a date
	dateBy     = 4  // class or id call it a byline
	datePosted = 13 // it is behind "published" or "posted"
	dateAbove  = 1  // − per passage between it and the title, if above
	dateLine   = 5  // − at the begin of the text: "LONDON, 31 January 2026 –"
	dateOld    = 15 // − "updated on"
	dateBelow  = 12 // − after the beginning of the text: dates there concern something else, unless at its end
	dateTitle  = 16 // − in the title: that of an event

	dateWords   = 4 // maximum number of words of a date
	dateTrusted = 9 // a visible date with less is less probable than the one in the URL
)

// shownDate returns a date shown from some lines above the title to some below
// the text, but not inside the text, and its weight.
func (t *text) shownDate(title, begin, end int, style calendar.Style) (found string, best int) {
	best = math.MinInt
	skip := hintComments | hintRelated | hintNavigation
	if title >= 0 && title < len(t.all) {
		skip &^= t.at[t.all[title].first].all & hintComments // a page of comments
	}
	if title < 0 || title > begin {
		title = begin
	}
	for i := max(title-12, 0); i < min(end+6, len(t.all)); i++ {
		q := &t.all[i]
		if beside := t.at[q.first].all & skip; beside != 0 && !(beside == hintNavigation && i > title && i < begin && (t.near(q)&hintDate != 0 || t.stampIn(q) != "")) {
			continue
		}
		day, score := t.dayOf(q, style)
		if day == "" && i >= title && i <= begin+2 && i < max(end, begin+1) {
			day, score = dateline(q.text, style), dateShown-dateLine
		}
		if day == "" || t.toCome(day) {
			continue
		}
		switch {
		case i == title && title != begin && q.weight() > dateWords:
			score -= dateTitle
		case i < title:
			score -= dateAbove * (title - i)
		case i > begin:
			score -= dateBelow
		}
		if score > best {
			best, found = score, day
		}
	}
	return found, best
}

// toCome reports whether a day was still to come when the page was captured, in every time zone: that of an event.
func (t *text) toCome(day string) bool {
	d, err := time.Parse(time.DateOnly, day)
	return err == nil && !t.Taken.IsZero() && d.Sub(t.Taken) > 24*time.Hour
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
	s := t.spaced(q)
	if found = t.instant(t.stamp(q), s, style); found != "" && (named || !q.prose()) {
		return found, score
	}
	if t.stampIn(q) == "" && len(calendar.All(cut(s, calendar.MaxText), style)) == 0 {
		return "", 0
	}
	l, about := readLine(s, style)
	about = about && (t.heading(q) == 0 || !q.prose() || posted(s))
	if !about && q.weight() <= maxLine && strings.Contains(s, "\n") && !t.at[q.first].pre {
		l, about = readLines(s, q.prose(), style)
	}
	if !about && (q.prose() && !named || len(s) >= calendar.MaxText/2) {
		return "", 0
	}
	if by := t.near(q)&(hintByline|hintAuthor) != 0; about || q.weight() < minProse || by && q.weight() <= maxLine {
		if found = t.instant(t.stampIn(q), s, style); found != "" {
			return found, score + dateNamed
		}
	}
	for _, d := range l.dates {
		if !d.changed {
			if d.posted {
				score += datePosted
			}
			return d.String(), score
		}
	}
	if len(l.dates) > 0 {
		return l.dates[0].String(), score - dateOld
	}
	return "", 0
}

// instant returns the day of a machine-readable date, in the time zone of the text that shows it.
func (t *text) instant(stamp, shown string, style calendar.Style) string {
	day := calendar.Machine(stamp, style)
	if day == "" || !inUTC(stamp) {
		return day
	}
	if d, ok := calendar.Find(shown, style); ok && otherZone(day, stamp, d.String()) {
		return d.String()
	}
	return day
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

// stamps are the attributes with which elements that are named for a date write it for machines.
var stamps = map[string]bool{"content": true, "title": true, "data-datetime": true, "data-date": true, "data-time": true, "data-timestamp": true, "data-published": true}

// stamp returns the datetime of an element, or the date in another attribute of
// one named for a date.
func stamp(n *plat.Node, own hints) string {
	found := ""
	for i := range n.Attrs {
		switch a := &n.Attrs[i]; {
		case a.Value == "":
		case a.Name == "datetime":
			return cut(a.Value, calendar.MaxText)
		case found == "" && own&hintDate != 0 && stamps[a.Name] && strings.ContainsAny(a.Value, "0123456789"):
			found = cut(a.Value, calendar.MaxText)
		}
	}
	return found
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
