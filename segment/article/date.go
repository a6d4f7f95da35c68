package article

import (
	"strings"

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
	style := calendar.Style{Language: t.Language, MonthFirst: strings.EqualFold(t.Language, "en") || strings.EqualFold(t.Language, "en-US")}
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
	dateAbove = 1  // − per passage between it and the title, if above
	dateBelow = 12 // − after the beginning of the text: dates there concern something else, unless at its end
)

// shownDate returns a date shown from some lines above the title to some below
// the text, but not inside the text.
func (t *text) shownDate(title, begin, end int, style calendar.Style) string {
	if title < 0 || title > begin {
		title = begin
	}
	best, at := 0, ""
	for i := max(title-12, 0); i < min(end+6, len(t.all)); i++ {
		q := &t.all[i]
		near := t.near(q)
		if t.at[q.first].all&(hintComments|hintRelated|hintNavigation) != 0 || q.prose() && near&hintDate == 0 {
			continue
		}
		day := calendar.Machine(t.stamp(q), style)
		if day == "" && len(q.text) < calendar.MaxText/2 {
			if d, ok := calendar.Find(q.text, style); ok {
				day = d.String()
			}
		}
		if day == "" {
			continue
		}
		score := dateShown
		if near&hintDate != 0 {
			score += dateNamed
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

// stamp returns the datetime of an element, or the content of one named for a
// date.
func stamp(n *plat.Node, own hints) string {
	for i := range n.Attrs {
		if a := &n.Attrs[i]; a.Value != "" && (a.Name == "datetime" || a.Name == "content" && own&hintDate != 0) {
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
