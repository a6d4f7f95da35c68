package sitemap

import (
	"strings"
	"time"
)

// date parses an instant in any form of W3C's "Date and Time Formats"
// (NOTE-datetime), used by sitemaps and Atom, or of RFC 822 section 5, used by
// RSS. Anything else is the zero time. Without a zone it is in UTC.
func date(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) < 4 || len(s) > 64 {
		return time.Time{}
	}
	var t time.Time
	if strings.Trim(s[:4], "0123456789") == "" {
		t = w3c(s)
	} else {
		t = rfc822(s)
	}
	if y := t.Year(); y < 1 || y > 9999 {
		return time.Time{} // no encoding of times has it
	}
	return t
}

func w3c(s string) time.Time {
	switch len(s) {
	case 4:
		return parse(s, "2006")
	case 7:
		return parse(s, "2006-01")
	case 10:
		return parse(s, time.DateOnly)
	}
	if len(s) < 16 {
		return time.Time{}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC()
	}
	// Seconds are optional, with or without fraction. Blanks, lower case and
	// shorter zones deviate from the note but occur in real files.
	day, clock := s[:10], strings.ToUpper(strings.TrimSpace(s[11:]))
	if s[10] != 'T' && s[10] != 't' && s[10] != ' ' {
		return time.Time{}
	}
	s = day + "T" + clock
	return parse(s,
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00",
		"2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700",
		"2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07",
		"2006-01-02T15:04:05 Z07:00", "2006-01-02T15:04:05 Z0700", "2006-01-02T15:04:05 UTC")
}

// rfc822 parses an RFC 822 date, also with four-digit years.
func rfc822(s string) time.Time {
	if _, rest, ok := strings.Cut(s, ","); ok {
		s = rest // the day of the week
	}
	words := strings.Fields(s)
	if len(words) == 4 {
		words = append(words, "GMT")
	}
	if len(words) != 5 {
		return time.Time{}
	}
	words[4] = zone(words[4])
	return parse(strings.Join(words, " "),
		"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700",
		"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04 -0700",
		"2 January 2006 15:04:05 -0700")
}

// zone converts the zone names of RFC 822 section 5.1 to offsets: package time
// treats names of zones other than the local one as UTC.
func zone(name string) string {
	switch strings.ToUpper(name) {
	case "UT", "UTC", "GMT", "Z":
		return "+0000"
	case "EST", "CDT":
		return "-0500"
	case "EDT":
		return "-0400"
	case "CST", "MDT":
		return "-0600"
	case "MST", "PDT":
		return "-0700"
	case "PST":
		return "-0800"
	}
	return strings.ReplaceAll(name, ":", "")
}

// parse returns the time by the first layout that fits.
func parse(s string, layouts ...string) time.Time {
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
