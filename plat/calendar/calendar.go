// Package calendar parses dates in texts, as people and machines write them in the languages of the
// world. The names of months and the forms of dates are those of the Unicode CLDR; see scripts/months.
// Beside the Gregorian calendar it knows the years of Thailand and Japan, and the calendar of Iran and Afghanistan.
package calendar

import (
	"regexp"
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
		if d, ok := in.dateOf(f, ps[i], ps[i+1], ps[i+2]); ok {
			all = append(all, Dated{d, ps[i].from, ps[i+2].to})
			i += 2
		}
	}
	return all
}

// hasNumbers reports whether a text has the numbers of a date: two, one of which is a year of four
// digits or is followed by a dash, or three of at most two digits. Most texts do not.
func hasNumbers(s string) bool {
	all, years, short, dashed := 0, 0, 0, false
	for i := 0; i < len(s); i++ {
		from := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		switch digits := i - from; digits {
		case 0:
			if s[i] >= 0x80 {
				r, size := utf8.DecodeRuneInString(s[i:])
				if i += size - 1; otherDigit(r) >= 0 {
					return true // few texts have them
				}
			}
			continue
		case 1, 2:
			short++
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

// InPath returns the date in a path such as /2020/01/31/ or /2020-01-31-title; empty without a date.
func InPath(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	ps := parts(strings.ReplaceAll(url[:min(len(url), 2000)], "/", " / "), plainForm)
	for i := 0; i+2 < len(ps); i++ {
		a, b, c := ps[i], ps[i+1], ps[i+2]
		if a.digits == 4 && b.digits == 2 && c.digits == 2 && sameMark(a, b) {
			if d := (Day{a.number, b.number, c.number}); d.OK() {
				return d.String()
			}
		}
	}
	return ""
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
		return monthIn(p.word, in.Language, f)
	}
	var d Day
	switch {
	case a.digits == 4 && b.number >= 0 && c.number >= 0 && c.digits <= 2 && (sameMark(a, b) || in.Language == "mn" && mark(a) == "" && (mark(b) == "" || mark(b) == "-")): // 2020-01-31, 2020年1月31日, 2020 оны 1-р сарын 31
		d = Day{a.number, b.number, c.number}
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

// skipped are words inside of dates: prepositions ("31 de enero de 2020", "3 tháng 3 năm 2020"), and "year" in Baltic
// languages ("2020 m. kovo 3 d.").
var skipped = map[string]bool{"de": true, "del": true, "of": true, "d": true, "di": true, "m": true, "gada": true, "năm": true, "на": true}

// eras are the Japanese eras since 1989, and the year before each.
var eras = map[string]int{"令和": 2018, "平成": 1988}

// parts splits a text into numbers and words. It omits ordinal suffixes ("31st") and words inside of dates.
func parts(s string, f *form) []part {
	var ps []part
	era, counted := 0, false // the year before the era that the last word ends in; the last word is "month" in Vietnamese
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		last := len(ps) - 1
		switch {
		case r >= '0' && r <= '9' || otherDigit(r) >= 0:
			p := number(s, i)
			if i = p.to; era > 0 && p.digits <= 2 && strings.HasPrefix(s[i:], "年") {
				p.number, p.digits = p.number+era, 4
			}
			if counted && p.number >= 1 && p.number <= 12 {
				p = part{number: -1, month: p.number, from: p.from, to: p.to}
			}
			ps = append(ps, p)
			era, counted = 0, false
		case strings.ContainsRune("年月日년월일", r) && last >= 0 && ps[last].number >= 0 && strings.TrimSpace(s[ps[last].to:i]) == "":
			ps[last].after += string(r)
			if i += size; r == '日' || r == '일' {
				ps[last].to = i
			}
		case unicode.IsLetter(r):
			from := i
			i = wordEnd(s, i)
			w := visible(s[from:i])
			lower := strings.ToLower(w)
			if counted = lower == "tháng" || lower == "thg"; counted || (skipped[lower] || f.words[lower]) && last >= 0 {
				continue
			}
			era = 0
			for name, before := range eras {
				if strings.HasSuffix(w, name) {
					era = before
				}
			}
			ps = append(ps, part{word: w, number: -1, from: from, to: i, thai: unicode.Is(unicode.Thai, r)})
		default:
			if last >= 0 && (r < 0x80 || !unicode.Is(unicode.Cf, r)) {
				ps[last].after += s[i : i+size]
			}
			i += size
		}
	}
	return ps
}

// wordEnd returns the end of the word that begins at a place of a text.
func wordEnd(s string, from int) int {
	dots := false // in abbreviations of Thai and Lao, such as ม.ค.
	for i := from; i < len(s); {
		x, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case x == '年' || x == '月' || x == '日':
			if i > from {
				return i
			}
		case x == '.' && dots:
			if next, _ := utf8.DecodeRuneInString(s[i+1:]); !unicode.In(next, unicode.Thai, unicode.Lao) || unicode.IsDigit(next) {
				return i
			}
		case unicode.IsLetter(x):
			dots = x >= 0xe00 && x < 0xf00 // their blocks
		case x < 0x80 || !unicode.IsMark(x) && !unicode.Is(unicode.Cf, x):
			return i
		}
		i += n
	}
	return len(s)
}

// visible returns a word without its invisible characters: soft hyphens, joiners, marks of direction.
func visible(w string) string {
	hidden := func(r rune) bool { return r >= 0x80 && unicode.Is(unicode.Cf, r) }
	if strings.IndexFunc(w, hidden) < 0 {
		return w
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, w)
}

// ordinals follow the numbers of days.
var ordinals = []string{"st", "nd", "rd", "th", "er", "º", "ª"}

// number parses the number at a place of a text, with the suffix of an ordinal.
func number(s string, i int) part {
	p := part{from: i}
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		digit := int(r - '0')
		if r < '0' || r > '9' {
			digit = otherDigit(r)
		}
		if digit < 0 {
			break
		}
		if p.digits++; p.digits < 9 {
			p.number = p.number*10 + digit
		}
		i += size
	}
	for _, suffix := range ordinals {
		if rest := s[i:]; strings.HasPrefix(rest, suffix) && (len(rest) == len(suffix) || !isLetter(rest[len(suffix)])) {
			i += len(suffix)
			break
		}
	}
	p.to = i
	return p
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

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
