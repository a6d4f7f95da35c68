// Package calendar parses dates in texts, as people and machines write them in the languages of the
// world. The names of months and the forms of dates are those of the Unicode CLDR; see scripts/months.
// Beside the Gregorian calendar it knows the years of Thailand, Japan and Taiwan, and the calendar of Iran and Afghanistan.
package calendar

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Day is a date without a time.
type Day struct{ Year, Month, Day int }

// OK reports whether the day exists, between 1990 and 2100.
func (d Day) OK() bool {
	if d.Year < 1990 || d.Year > 2100 || d.Month < 1 || d.Month > 12 || d.Day < 1 || d.Day > 31 {
		return false
	}
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() == d.Day
}

// normal returns the day in its month, if Day is beyond its end.
func (d Day) normal() Day {
	t := time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC)
	return Day{t.Year(), int(t.Month()), t.Day()}
}

// String returns the day as in ISO 8601: 2026-01-31.
func (d Day) String() string {
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// A Style describes the dates of a page. The zero Style describes a page of unknown language.
type Style struct {
	// Language is the tag of the page's language, as in "en-US". A few names of months mean different months in
	// different languages.
	Language string

	// MonthFirst reports that the month is first in dates such as 11/05/2026 and 11-05-2026. Orders counts the dates of a
	// page that show it.
	MonthFirst bool
}

// part is a number or a word of a text with the mark that follows it.
type part struct {
	word     string
	number   int // -1: a word
	digits   int
	month    int // of a word that names it by a number
	thai     bool
	from, to int    // in the text
	after    string // text between it and the next part
}

// MaxText is the maximum length of text searched for a date, in bytes: a byline is short.
const MaxText = 300

// Find returns the first date in a text.
func Find(s string, in Style) (Day, bool) {
	if all := All(s[:min(len(s), MaxText)], in); len(all) > 0 {
		return all[0].Day, true
	}
	return Day{}, false
}

// Dated is a date in a text: text[From:To].
type Dated struct {
	Day
	From, To int
}

// All returns the dates in a text, in order.
func All(s string, in Style) (all []Dated) {
	if !hasNumbers(s) {
		return nil
	}
	f := formOf(in.Language)
	in.Language = languageOf(in.Language)
	ps := known().joined(parts(s, f), in.Language)
	for i := 0; i+2 < len(ps); i++ {
		if d, ok := in.dateOf(f, ps[i], ps[i+1], ps[i+2]); ok && !ofLonger(ps, i, f) {
			all = append(all, Dated{d, ps[i].from, ps[i+2].to})
			i += 2
		}
	}
	return all
}

// ofLonger reports whether three parts that may be a date of numbers are of something longer: 192.12.1.26, v2026.12.1, or a day without
// its year before a time, 24.12. 10:30.
func ofLonger(ps []part, i int, f *form) bool {
	a, b, c := ps[i], ps[i+1], ps[i+2]
	if a.number < 0 || b.number < 0 || c.number < 0 || !sameMark(a, b) {
		return false
	}
	if i > 0 {
		before := ps[i-1]
		if before.number >= 0 && before.after == a.after || len(before.word) == 1 && before.after == "" && !f.eras {
			return true
		}
	}
	last := i+3 == len(ps)
	if m := mark(a); c.digits <= 2 && (m == "." || m == "/") && c.after == m && !last && ps[i+3].number >= 0 {
		return true
	}
	if mark(a) != "." || f.yearFirst || a.digits == 4 || c.digits != 2 {
		return false
	}
	switch near, far := a.after == ".", b.after == "."; {
	case strings.HasPrefix(c.after, ":"):
		return true
	case far:
		return false
	case near:
		return true // 24.12. 10
	}
	end := mark(c) // of 5. 12. 26, which may be a day and 26 degrees
	return end == "" && !last || end != "" && !strings.ContainsAny(end[:1], ",;)|.")
}

// hasNumbers reports whether a text has the numbers of a date: two, one of which is a year of four
// digits or is followed by a dash, or three of at most two digits. Most texts do not.
func hasNumbers(s string) bool {
	all, years, short, dashed := 0, 0, 0, false
	var before rune // beyond ASCII
	for i := 0; i < len(s); i++ {
		from := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		switch digits := i - from; digits {
		case 0:
			if s[i] >= 0x80 {
				r, size := utf8.DecodeRuneInString(s[i:])
				if i += size - 1; otherDigit(r) >= 0 || r == '年' && numeral(before) >= 0 {
					return true // few texts have them
				}
				before = r
			}
			continue
		case 1, 2:
			short++
		case 3:
			if strings.HasPrefix(s[i:], "年") {
				return true
			}
			if i < len(s) && (s[i] == '/' || s[i] == '.') {
				short++
			}
		case 4:
			years++
		}
		dashed = dashed || i < len(s) && s[i] == '-'
		i-- // what follows may be a letter of several bytes
		if all++; all >= 2 && (years > 0 || dashed) || short >= 3 {
			return true
		}
	}
	return false
}

// otherDigit returns the value of a decimal digit beyond ASCII, such as ٣, and -1 for other characters.
func otherDigit(r rune) int {
	if r < 0x660 || r >= 0x4e00 && r <= 0x9fff || !unicode.IsDigit(r) { // most are letters of Europe and East Asia
		return -1
	}
	for _, digits := range unicode.Nd.R16 {
		if r <= rune(digits.Hi) {
			return int(r-rune(digits.Lo)) % 10
		}
	}
	for _, digits := range unicode.Nd.R32 {
		if r <= rune(digits.Hi) {
			return int(r-rune(digits.Lo)) % 10
		}
	}
	return -1
}

// numeric matches dates of which the first or the second number may be the month.
var numeric = regexp.MustCompile(`\b(\d{1,2})([/-])(\d{1,2})([/-])(\d{4}|\d{2})\b`)

// maxOrders limits the number of dates of a text that Orders examines.
const maxOrders = 50

// Orders returns the number of dates in a text that have the month first, such as 11/25/2026, minus the number of those that
// have the day first, such as 25/11/2026.
func Orders(s string) (months int) {
	if !strings.ContainsAny(s, "/-") || !hasNumbers(s) {
		return 0
	}
	for _, m := range numeric.FindAllStringSubmatch(s, maxOrders) {
		if m[2] != m[4] || m[2] == "-" && len(m[5]) == 2 {
			continue
		}
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[3])
		switch {
		case a > 12 && a <= 31 && b >= 1 && b <= 12:
			months--
		case b > 12 && b <= 31 && a >= 1 && a <= 12:
			months++
		}
	}
	return months
}

// InPath returns the date in a path such as /2020/01/31/, /2020-01-31-title or /2020/1/3/title; empty without a date.
func InPath(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	ps := parts(strings.ReplaceAll(url[:min(len(url), 2000)], "/", " / "), plainForm)
	for i := 0; i+2 < len(ps); i++ {
		a, b, c := ps[i], ps[i+1], ps[i+2]
		if a.digits == 4 && b.digits == 2 && c.digits == 2 && sameMark(a, b) || inFolders(a, b, c) && i+3 < len(ps) && ps[i+3].number < 0 {
			if d := (Day{a.number, b.number, c.number}); d.OK() {
				return d.String()
			}
		}
	}
	return ""
}

// inFolders reports whether three parts are folders of a path that may be a year, a month and a day.
func inFolders(a, b, c part) bool {
	return a.digits == 4 && b.digits > 0 && b.digits <= 2 && c.digits > 0 && c.digits <= 2 && mark(a) == "/" && mark(b) == "/" && mark(c) == "/"
}

// dateOf parses three parts in a row as a date.
func (in Style) dateOf(f *form, a, b, c part) (Day, bool) {
	if iranian[in.Language] {
		if d, ok := iranianDate(a, b, c); ok {
			return d, true
		}
	}
	month := func(p part) int {
		if p.number >= 0 {
			return 0
		}
		if p.month > 0 {
			return p.month
		}
		if m := monthIn(p.word, in.Language, f); m > 0 || !f.roman {
			return m
		}
		return slices.Index(roman, p.word) + 1
	}
	var d Day
	switch {
	case a.digits == 4 && b.number >= 0 && c.number >= 0 && c.digits <= 2 && (sameMark(a, b) || in.Language == "mn" && mark(a) == "" && (mark(b) == "" || mark(b) == "-")): // 2020-01-31, 2020年1月31日, 2020 оны 1-р сарын 31
		d = Day{a.number, b.number, c.number}
	case a.digits == 3 && b.number >= 0 && c.number >= 0 && c.digits <= 2 && sameMark(a, b) && f.republic: // 115-01-31
		d = Day{a.number + beforeRepublic, b.number, c.number}
	case f.slashed && mark(a) == "/" && mark(b) == "" && b.number >= 0 && a.digits <= 2 && b.digits <= 2 && c.digits == 4: // 31/1 2020
		d = Day{c.number, b.number, a.number}
	case a.digits == 4 && b.number < 0 && c.number >= 0 && c.digits <= 2: // 2020. január 31.
		d = Day{a.number, month(b), c.number}
	case f.dayBeforeMonth && a.digits == 4 && b.number >= 0 && b.digits <= 2 && c.number < 0: // 2020. gada 31. janvāris
		d = Day{a.number, month(c), b.number}
	case a.number >= 0 && a.digits <= 2 && b.number < 0 && c.digits == 4: // 31. Januar 2020
		d = Day{c.number, month(b), a.number}
	case a.number >= 0 && a.digits <= 2 && b.number < 0 && c.digits == 2 && mark(a) == "-" && mark(b) == "-": // 31-Jan-20
		d = Day{2000 + c.number, month(b), a.number}
	case a.number < 0 && b.number >= 0 && b.digits <= 2 && c.digits == 4: // January 31, 2020
		d = Day{c.number, month(a), b.number}
	case a.number >= 0 && a.digits <= 2 && b.number >= 0 && b.digits <= 2 && (c.digits == 4 || c.digits == 2 || c.digits == 1 && a.digits == 2 && f.yearFirst) && sameMark(a, b):
		slash := mark(a) == "/"
		either := slash || mark(a) == "-" && c.digits == 4
		short := slash || f.yearFirst || f.dashes && mark(a) == "-" || mark(a) == "." && a.digits+b.digits >= 3 && c.number < 50
		if c.digits == 2 && !short {
			return d, false // 10:30-45 and similar, or a version, 2.4.54
		}
		d = Day{c.number, b.number, a.number}
		switch {
		case c.digits == 4:
		case in.Language == "th" && c.number >= 33: // 3/1/68, of the year 2568
			d.Year += 1957
		default:
			d.Year += 2000
		}
		if first := (Day{2000 + a.number, b.number, c.number}); f.yearFirst && a.digits == 2 && c.digits <= 2 && first.OK() {
			return first, true
		}
		if either && (in.MonthFirst && a.number <= 12 || b.number > 12) {
			d.Month, d.Day = d.Day, d.Month
		}
	}
	if thai := a.thai || b.thai || c.thai || in.Language == "th"; thai && d.Year >= 2533 {
		d.Year -= 543 // years since Buddha
	}
	return d, d.OK()
}

// mark returns the text after a part, without white space and invisible characters.
func mark(p part) string { return strings.TrimSpace(p.after) }

// sameMark reports whether the marks after two parts are equal, and occur in dates.
func sameMark(a, b part) bool {
	x, y := mark(a), mark(b)
	switch x {
	case ".", "/", "-", "–":
		return x == y
	case "|":
		return x == y && a.digits == 2 && b.digits == 2 // 31 | 01 | 2026
	case "年":
		return y == "月"
	case "년":
		return y == "월"
	}
	return false
}

// stamps are the formats in which pages write an instant for machines, most of them against ISO 8601.
var stamps = []string{time.RFC1123, time.RFC1123Z, time.RFC822Z, time.RFC850, time.ANSIC, time.UnixDate}

// Machine returns a date meant for machines as 2026-01-31; empty if it cannot parse it. The day is
// that of the page's own time zone, as written.
func Machine(s string, in Style) string {
	s = strings.TrimSpace(s)
	if len(s) >= 8 {
		if t, err := time.Parse("20060102", s[:8]); err == nil && t.Year() >= 1990 && t.Year() <= 2100 {
			return t.Format(time.DateOnly)
		}
	}
	if d, ok := Find(strings.Replace(s, "T", " ", 1), in); ok {
		return d.String()
	}
	for _, layout := range stamps {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return unix(s)
}

// unix returns the date of a number of seconds or milliseconds since 1970, in UTC; empty for other texts.
func unix(s string) string {
	if len(s) != len("1583020800") && len(s) != len("1583020800000") {
		return ""
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return ""
	}
	if len(s) > len("1583020800") {
		n /= 1000
	}
	t := time.Unix(n, 0).UTC()
	if d := (Day{t.Year(), int(t.Month()), t.Day()}); d.OK() {
		return d.String()
	}
	return ""
}
