// Package calendar parses dates in texts, as people and machines write them in the languages of
// Europe and East Asia.
package calendar

import (
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

// String returns the day as in ISO 8601: 2026-01-31.
func (d Day) String() string {
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// monthNames lists the names of the months and their abbreviations in English, German, French,
// Spanish, Italian, Portuguese, Dutch, Polish and Russian.
var monthNames = [12]string{
	"january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari stycznia sty января янв",
	"february feb februar feber février fevrier févr fév febrero febbraio fevereiro fev februari lutego lut февраля фев",
	"march mar märz maerz mrz mär mars marzo março maart mrt marca марта мар",
	"april apr avril avr abril abr aprile kwietnia kwi апреля апр",
	"may mai mayo maggio mag maio mei maja мая май",
	"june jun juni juin junio giugno giu junho czerwca cze июня июн",
	"july jul juli juillet juil julio luglio lug julho lipca lip июля июл",
	"august aug août aoû agosto ago augustus sierpnia sie августа авг",
	"september sept sep septembre septiembre setiembre settembre set setembro września wrz сентября сен",
	"october oct oktober okt octobre octubre ottobre ott outubro out października paź октября окт",
	"november nov novembre noviembre novembro listopada lis ноября ноя",
	"december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro grudnia gru декабря дек",
}

var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range monthNames {
		for n := range strings.FieldsSeq(names) {
			m[n] = i + 1
		}
	}
	return m
}()

// MonthOf returns the month that a word names, 1 to 12, 0 if it is not a month.
func MonthOf(word string) int { return months[strings.ToLower(word)] }

// part is a number or a word of a text with the mark that follows it.
type part struct {
	word     string
	number   int // -1: a word
	digits   int
	from, to int    // in the text
	after    string // text between it and the next part
}

// MaxText is the maximum length of text searched for a date, in bytes: a byline is short.
const MaxText = 300

// Find returns the first date in a text; if american is true, the month comes first.
func Find(s string, american bool) (Day, bool) {
	if all := All(s[:min(len(s), MaxText)], american); len(all) > 0 {
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
func All(s string, american bool) (all []Dated) {
	if !hasNumbers(s) {
		return nil
	}
	ps := parts(s)
	for i := 0; i+2 < len(ps); i++ {
		if d, ok := dateOf(ps[i], ps[i+1], ps[i+2], american); ok {
			all = append(all, Dated{d, ps[i].from, ps[i+2].to})
			i += 2
		}
	}
	return all
}

// hasNumbers reports whether a text has the numbers of a date: two, one of which is a year of four
// digits, or three of at most two digits. Most texts do not.
func hasNumbers(s string) bool {
	all, years, short := 0, 0, 0
	for i := 0; i < len(s); i++ {
		from := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		switch digits := i - from; digits {
		case 0:
			continue
		case 1, 2:
			short++
		case 4:
			years++
		}
		if all++; all >= 2 && years > 0 || short >= 3 {
			return true
		}
	}
	return false
}

// InPath returns the date in a path such as /2020/01/31/ or /2020-01-31-title; empty without a date.
func InPath(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	ps := parts(strings.ReplaceAll(url[:min(len(url), 2000)], "/", " / "))
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
func dateOf(a, b, c part, american bool) (Day, bool) {
	year := func(p part) int {
		switch {
		case p.digits == 4:
			return p.number
		case p.digits == 2:
			return 2000 + p.number
		}
		return -1
	}
	var d Day
	switch {
	case a.digits == 4 && b.number >= 0 && c.number >= 0 && c.digits <= 2 && sameMark(a, b): // 2020-01-31, 2020年1月31日
		d = Day{a.number, b.number, c.number}
	case a.number >= 0 && a.digits <= 2 && b.number < 0 && c.digits == 4: // 31. Januar 2020
		d = Day{c.number, MonthOf(b.word), a.number}
	case a.number < 0 && b.number >= 0 && b.digits <= 2 && c.digits == 4: // January 31, 2020
		d = Day{c.number, MonthOf(a.word), b.number}
	case a.number >= 0 && a.digits <= 2 && b.number >= 0 && b.digits <= 2 && (c.digits == 4 || c.digits == 2) && sameMark(a, b):
		slash := strings.TrimSpace(a.after) == "/"
		if c.digits == 2 && !slash && (strings.TrimSpace(a.after) != "." || a.digits+b.digits < 3 || c.number >= 50) {
			return d, false // 10:30-45 and similar, or a version, 2.4.54
		}
		d = Day{year(c), b.number, a.number}
		if slash && (american && a.number <= 12 || b.number > 12) {
			d.Month, d.Day = d.Day, d.Month
		}
	}
	return d, d.OK()
}

// sameMark reports whether the marks after two parts are equal, and occur in dates.
func sameMark(a, b part) bool {
	x, y := strings.TrimSpace(a.after), strings.TrimSpace(b.after)
	switch x {
	case ".", "/", "-", "–":
		return x == y
	case "年":
		return y == "月"
	}
	return false
}

// parts splits a text into numbers and words. It omits ordinal suffixes ("31st") and the prepositions
// of Spanish and Portuguese ("31 de enero de 2020").
func parts(s string) []part {
	var ps []part
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '0' && r <= '9':
			p := part{from: i}
			for i < len(s) && s[i] >= '0' && s[i] <= '9' {
				if p.digits++; p.digits < 9 {
					p.number = p.number*10 + int(s[i]-'0')
				}
				i++
			}
			for _, suffix := range []string{"st", "nd", "rd", "th", "er", "º", "ª"} {
				if rest := s[i:]; strings.HasPrefix(rest, suffix) && (len(rest) == len(suffix) || !isLetter(rest[len(suffix)])) {
					i += len(suffix)
				}
			}
			p.to = i
			ps = append(ps, p)
		case r == '年' || r == '月' || r == '日':
			if len(ps) > 0 {
				ps[len(ps)-1].after += string(r)
				if r == '日' {
					ps[len(ps)-1].to = i + size
				}
			}
			i += size
		case unicode.IsLetter(r):
			from := i
			for i < len(s) {
				x, n := utf8.DecodeRuneInString(s[i:])
				if !unicode.IsLetter(x) {
					break
				}
				i += n
			}
			if w := s[from:i]; w != "de" && w != "del" && w != "of" {
				ps = append(ps, part{word: w, number: -1, from: from, to: i})
			}
		default:
			if len(ps) > 0 {
				ps[len(ps)-1].after += s[i : i+size]
			}
			i += size
		}
	}
	return ps
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

// stamps are the formats in which pages write an instant for machines, most of them against ISO 8601.
var stamps = []string{time.RFC1123, time.RFC1123Z, time.RFC822Z, time.RFC850, time.ANSIC, time.UnixDate}

// Machine returns a date meant for machines as 2026-01-31; empty if it cannot parse it. The day is
// that of the page's own time zone, as written.
func Machine(s string, american bool) string {
	s = strings.TrimSpace(s)
	if len(s) >= 8 {
		if t, err := time.Parse("20060102", s[:8]); err == nil && t.Year() >= 1990 && t.Year() <= 2100 {
			return t.Format(time.DateOnly)
		}
	}
	if d, ok := Find(strings.Replace(s, "T", " ", 1), american); ok {
		return d.String()
	}
	for _, layout := range stamps {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}
