package trapsite

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// calendarURL is that of a month, or of a day if day is not 0.
func (s *Site) calendarURL(year, month, day int) string {
	m := &s.names
	switch {
	case m.dateQuery && day == 0:
		return fmt.Sprintf("/%s/?%s=%d&%s=%d", m.calendar, m.year, year, m.month, month)
	case m.dateQuery:
		return fmt.Sprintf("/%s/?%s=%d&%s=%d&%s=%d", m.calendar, m.year, year, m.month, month, m.day, day)
	case day == 0:
		return fmt.Sprintf("/%s/%d/%02d/", m.calendar, year, month)
	}
	return fmt.Sprintf("/%s/%d/%02d/%02d/", m.calendar, year, month, day)
}

// event returns the event of a day, empty for most; only a few years have events.
func (s *Site) event(t time.Time) (title, text string) {
	r := s.random(t.Format("event 2006-01-02"))
	if t.Year() < 2025 || t.Year() > 2026 || t.Month()%3 == 0 || r.IntN(12) > 0 {
		return "", ""
	}
	return s.title(r), s.paragraph(r, 2)
}

func (s *Site) calendar(d *document, r *http.Request, rest string) {
	year, month, day := s.dateOf(r.URL.Query(), rest)
	t := time.Date(year, time.Month(month), max(1, day), 0, 0, 0, 0, time.UTC)
	at := func(t time.Time, text string) string {
		return link(s.calendarURL(t.Year(), int(t.Month()), t.Day()), text)
	}
	monthAt := func(t time.Time, text string) string { return link(s.calendarURL(t.Year(), int(t.Month()), 0), text) }
	if day > 0 {
		d.begin(t.Format("Monday, 2 January 2006"), "")
		d.add("<h1>%s</h1>", t.Format("Monday, 2 January 2006"))
		if title, text := s.event(t); title != "" {
			d.add("<h2>%s</h2><p>%s</p>", title, text)
			n := s.some(s.random(title))
			d.add("<p>%s</p>", link(s.address(n, 0), s.Pages[n].Title))
		} else {
			d.add("<p>Nothing is on at this day.</p>")
		}
		d.add("<p>%s %s %s</p>", at(t.AddDate(0, 0, -1), "The day before"), at(t.AddDate(0, 0, 1), "The day after"), monthAt(t, "The month"))
		d.end()
		return
	}
	d.begin(t.Format("January 2006"), "")
	d.add("<h1>%s</h1><table><tr>", t.Format("January 2006"))
	for x := t; x.Month() == t.Month(); x = x.AddDate(0, 0, 1) {
		d.add("<td>%s</td>", at(x, fmt.Sprint(x.Day())))
		if x.Weekday() == time.Sunday {
			d.add("</tr><tr>")
		}
	}
	d.add("</tr></table><ul>")
	for x := t; x.Month() == t.Month(); x = x.AddDate(0, 0, 1) {
		if title, _ := s.event(x); title != "" {
			d.add("<li>%s</li>", at(x, title))
		}
	}
	d.add("</ul><p>%s %s %s %s</p>", monthAt(t.AddDate(0, -1, 0), "«"), monthAt(t.AddDate(0, 1, 0), "»"), monthAt(t.AddDate(-1, 0, 0), "A year back"), monthAt(t.AddDate(1, 0, 0), "A year on"))
	d.end()
}

// dateOf reads a date from the query or the path; day is 0 for a month.
func (s *Site) dateOf(q url.Values, rest string) (year, month, day int) {
	parts := strings.Split(rest, "/")
	if s.names.dateQuery {
		parts = []string{q.Get(s.names.year), q.Get(s.names.month), q.Get(s.names.day)}
	}
	date := [3]int{2026, 11, 0}
	for i, p := range parts[:min(3, len(parts))] {
		if n, err := strconv.Atoi(p); err == nil {
			date[i] = n
		}
	}
	return date[0], date[1], date[2]
}
