package article

import (
	"strings"

	"plat/plat/calendar"
)

// originals are words before the day on which a text was published for the first time, in lower case.
var originals = []string{
	"originally published", "originally published on", "first published", "first published on", "originally posted", "originally posted on", "ursprünglich veröffentlicht am",
	"erstmals veröffentlicht am", "zuerst veröffentlicht am", "publié initialement le", "publié pour la première fois le", "publicado originalmente el", "publicado originalmente em", "pubblicato originariamente il",
}

// originalDate returns the day on which the text was published for the first time, if a sentence at its beginning or its end
// names it.
func (t *text) originalDate(begin, end int, style calendar.Style) string {
	for i := max(begin-3, 0); i < min(end+6, len(t.all)); i++ {
		q := &t.all[i]
		if i > begin+2 && i < end-2 || len(q.text) > calendar.MaxText || t.at[q.first].all&(hintComments|hintRelated|hintNavigation) != 0 {
			continue
		}
		for _, d := range calendar.All(q.text, style) {
			before := strings.TrimRight(strings.ToLower(q.text[:d.From]), " :,\n")
			for _, words := range originals {
				if strings.HasSuffix(before, words) {
					return d.String()
				}
			}
		}
	}
	return ""
}

// markedDate returns the day that the elements named for dates around the text agree on, however far they are from its title:
// above the text, else below it.
func (t *text) markedDate(begin, end int, style calendar.Style) string {
	only := func(all []passage) (found string) {
		for i := range all {
			q := &all[i]
			if t.at[q.first].all&(hintComments|hintRelated|hintNavigation|hintAside|hintFooter|hintCaption) != 0 {
				continue
			}
			day := calendar.Machine(t.stampIn(q), style)
			if day == "" && t.near(q)&hintDate != 0 {
				day, _ = t.dayOf(q, style)
			}
			switch {
			case day == "" || day == found:
			case found != "":
				return ""
			default:
				found = day
			}
		}
		return found
	}
	if day := only(t.all[:min(begin, len(t.all))]); day != "" {
		return day
	}
	return only(t.all[min(end, len(t.all)):])
}

// firstPost returns the day of the first text of a page of comments.
func (t *text) firstPost(title int, style calendar.Style) string {
	if !t.discussed() {
		return ""
	}
	for i := max(title, 0); i < len(t.all); i++ {
		q := &t.all[i]
		if all := t.at[q.first].all; all&hintComments == 0 || all&(hintRelated|hintNavigation|hintAside|hintForm) != 0 {
			continue
		}
		if day, _ := t.dayOf(q, style); day != "" {
			return day
		}
		if q.prose() {
			return ""
		}
	}
	return ""
}

// discussed reports whether comments are most of the prose of the page.
func (t *text) discussed() bool {
	all, comments := int32(0), int32(0)
	for i := range t.all {
		w := t.all[i].proseWeight()
		if all += w; t.at[t.all[i].first].all&hintComments != 0 {
			comments += w
		}
	}
	return comments > all/2
}

// lastChange returns the day of the last change in a line below the text, however far.
func (t *text) lastChange(end int, style calendar.Style) string {
	for i := min(end, len(t.all)); i < len(t.all); i++ {
		q := &t.all[i]
		if t.at[q.first].all&(hintComments|hintRelated) != 0 || q.weight() > maxLine {
			continue
		}
		s := t.spaced(q)
		if len(calendar.All(cut(s, calendar.MaxText), style)) == 0 {
			continue
		}
		if l, about := readLine(s, style); about && len(l.dates) > 0 && l.dates[0].changed {
			return l.dates[0].String()
		}
	}
	return ""
}
