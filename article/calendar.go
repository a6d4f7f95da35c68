package article

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// day is a date without a time.
type day struct{ year, month, day int }

func (d day) ok() bool {
	if d.year < 1990 || d.year > 2100 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 {
		return false
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Day() == d.day
}

func (d day) String() string {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// monthNames are the names of the months and their abbreviations in English,
// German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian.
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

// monthOf is the month that a word names, 0 for none.
func monthOf(word string) int { return months[strings.ToLower(word)] }

// part is a number or a word of a text with the mark that follows it.
type part struct {
	word   string
	number int // -1: a word
	digits int
	after  string // what stands between it and the next
}

// maxDated bounds the text looked at for a date, in bytes: a byline is short.
const maxDated = 300

// findDate is the first date in a text; americans write the month first.
func findDate(s string, american bool) (day, bool) {
	ps := parts(cut(s, maxDated))
	for i := 0; i+2 < len(ps); i++ {
		if d, ok := dateOf(ps[i], ps[i+1], ps[i+2], american); ok {
			return d, true
		}
	}
	return day{}, false
}

// dateOf reads three parts in a row as a date.
func dateOf(a, b, c part, american bool) (day, bool) {
	year := func(p part) int {
		switch {
		case p.digits == 4:
			return p.number
		case p.digits == 2:
			return 2000 + p.number
		}
		return -1
	}
	var d day
	switch {
	case a.digits == 4 && b.number >= 0 && c.number >= 0 && c.digits <= 2 && sameMark(a, b): // 2020-01-31, 2020年1月31日
		d = day{a.number, b.number, c.number}
	case a.number >= 0 && a.digits <= 2 && b.number < 0 && c.digits == 4: // 31. Januar 2020
		d = day{c.number, monthOf(b.word), a.number}
	case a.number < 0 && b.number >= 0 && b.digits <= 2 && c.digits == 4: // January 31, 2020
		d = day{c.number, monthOf(a.word), b.number}
	case a.number >= 0 && a.digits <= 2 && b.number >= 0 && b.digits <= 2 && (c.digits == 4 || c.digits == 2) && sameMark(a, b):
		slash := strings.TrimSpace(a.after) == "/"
		if c.digits == 2 && !slash && strings.TrimSpace(a.after) != "." {
			return d, false // 10:30-45 and the like
		}
		d = day{year(c), b.number, a.number}
		if slash && (american && a.number <= 12 || b.number > 12) {
			d.month, d.day = d.day, d.month
		}
	}
	return d, d.ok()
}

// sameMark reports whether the marks after two parts are the same and those of a
// date.
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

// parts cuts a text into numbers and words. Ordinals ("31st") and what Spanish
// and Portuguese put between ("31 de enero de 2020") are left out.
func parts(s string) []part {
	var ps []part
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '0' && r <= '9':
			p := part{}
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
			ps = append(ps, p)
		case r == '年' || r == '月' || r == '日':
			if len(ps) > 0 {
				ps[len(ps)-1].after += string(r)
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
				ps = append(ps, part{word: w, number: -1})
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

// stamps are the ways in which pages write an instant for machines, most of them
// against ISO 8601.
var stamps = []string{time.RFC1123, time.RFC1123Z, time.RFC822Z, time.RFC850, time.ANSIC, time.UnixDate}

// machineDate reads a date meant for machines. The day is that of the page's own
// time zone, as written.
func machineDate(s string, american bool) string {
	s = strings.TrimSpace(s)
	if len(s) >= 8 {
		if t, err := time.Parse("20060102", s[:8]); err == nil && t.Year() >= 1990 && t.Year() <= 2100 {
			return t.Format(time.DateOnly)
		}
	}
	if d, ok := findDate(strings.Replace(s, "T", " ", 1), american); ok {
		return d.String()
	}
	for _, layout := range stamps {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}
