// Package times parses clocks, ages, dates and weekdays in many languages, and reports whether two of
// them, seen at different times, denote the same thing.
//
// The package is pure: no I/O, no clock.
package times

import (
	"iter"
	"regexp"
	"strings"
	"time"

	"plat/plat/calendar"
)

// Token is a word of a text, or several words that form a time: text[From:To], in bytes.
type Token struct {
	From, To int
	Value
}

// Value is the time that a token denotes. The zero value is a plain word.
type Value struct {
	Kind Kind
	n    time.Duration // clock: since midnight, or remaining; age: elapsed
	unit time.Duration // precision of n
	day  calendar.Day  // date, weekday (as its Day, 0 for Sunday)
	half bool          // clock: possibly a 12-hour one
}

// Kind is the kind of a value. Only values of one kind can denote the same thing.
type Kind byte

// The kinds.
const (
	Word    Kind = iota
	Clock        // 14:05:09
	Instant      // 5 minutes ago, in 5 minutes, 24 November 2026: an age, or a date if n has no unit
	Weekday
)

// scanner parses values from the words of a text.
type scanner struct {
	text  string
	words [][2]int
	lower []string
	dates []calendar.Dated
}

// Scan yields the words of a text and its values, in order. words is the result of [plat/diff.Split].
func Scan(text string, words [][2]int) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		s := scanner{text: text, words: words, dates: calendar.All(text, calendar.Style{})}
		s.lower = make([]string, len(words))
		for i, w := range words {
			s.lower[i] = plain(text[w[0]:w[1]])
		}
		for i := 0; i < len(words); {
			v, n := s.value(i)
			n = max(n, 1)
			if !yield(Token{From: words[i][0], To: words[i+n-1][1], Value: v}) {
				return
			}
			i += n
		}
	}
}

// value returns the value that begins at a word, and its length in words; 0 if there is no value.
func (s *scanner) value(i int) (Value, int) {
	for _, read := range [...]func(int) (Value, int){s.date, s.clock, s.age, s.weekday} {
		if v, n := read(i); n > 0 {
			return v, n
		}
	}
	return Value{}, 0
}

// at returns a word as the tables have it, empty beyond the end.
func (s *scanner) at(i int) string {
	if i < 0 || i >= len(s.lower) {
		return ""
	}
	return s.lower[i]
}

// joined reports whether no white space is between a word and the next one.
func (s *scanner) joined(i int) bool {
	return i >= 0 && i+1 < len(s.words) && s.words[i][1] == s.words[i+1][0]
}

func (s *scanner) date(i int) (Value, int) {
	for len(s.dates) > 0 && s.dates[0].From < s.words[i][0] {
		s.dates = s.dates[1:]
	}
	if len(s.dates) == 0 || s.dates[0].From != s.words[i][0] {
		return Value{}, 0
	}
	d := s.dates[0]
	for n := 1; i+n <= len(s.words); n++ {
		if s.words[i+n-1][1] == d.To {
			return Value{Kind: Instant, day: d.Day}, n
		}
	}
	return Value{}, 0 // ends within a word
}

// clock parses 14:05, 14:05:09, 2:05 pm, 14h05, 14 Uhr 05, 14時05分, 14시 05분.
func (s *scanner) clock(i int) (Value, int) {
	if s.joined(i-1) && strings.ContainsAny(s.at(i-1), ":./-") {
		return Value{}, 0
	}
	hour, ok := number(s.at(i), 3)
	if !ok {
		if v, n := s.korean(i); n > 0 {
			return v, n
		}
		h, m, cut := strings.Cut(s.at(i), "h")
		hour, ok := number(h, 2)
		minute, fine := number(m, 2)
		if !cut || !ok || !fine || len(m) != 2 || minute > 59 || hour > 23 {
			return Value{}, 0
		}
		return Value{Kind: Clock, n: hours(hour, minute, 0), unit: time.Minute}, 1
	}
	v, n, parts := Value{Kind: Clock, n: hours(hour, 0, 0), half: hour <= 12}, 1, []time.Duration{time.Minute, time.Second}
	for len(parts) > 0 && separates(s.at(i+n)) {
		x, ok := number(s.at(i+n+1), 2)
		if !ok || x > 59 || len(s.at(i+n+1)) != 2 && s.at(i+n) == ":" || s.at(i+n) == ":" && !(s.joined(i+n-1) && s.joined(i+n)) {
			break
		}
		v.n, v.unit = v.n+time.Duration(x)*parts[0], parts[0]
		parts, n = parts[1:], n+2
	}
	if v.unit == 0 || s.joined(i+n-1) && s.at(i+n) == ":" {
		return Value{}, 0
	}
	if s.joined(i+n-1) && strings.Contains("分秒분초", s.at(i+n)) && s.at(i+n) != "" {
		n++
	}
	switch half := strings.ReplaceAll(s.at(i+n), ".", ""); {
	case half == "am" || half == "pm":
		v.half = false
		if v.n %= 12 * time.Hour; half == "pm" {
			v.n += 12 * time.Hour
		}
		if n++; s.at(i+n) == "." && s.joined(i+n-1) && strings.Contains(s.at(i+n-1), ".") {
			n++
		}
	}
	return v, n
}

// korean parses 14시05분09초, with or without blanks: numbers and letters of Hangul are one word.
func (s *scanner) korean(i int) (v Value, length int) {
	if w := s.at(i); w == "" || w[0] < '0' || w[0] > '9' {
		return v, 0
	}
	text := ""
	for n := 1; n <= 3 && i+n <= len(s.words); n++ {
		text += s.at(i + n - 1)
		m := koreanClock.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		hour, _ := number(m[1], 2)
		minute, _ := number(m[2], 2)
		second, precise := number(m[3], 2)
		if hour > 23 || minute > 59 || second > 59 {
			continue
		}
		v, length = Value{Kind: Clock, n: hours(hour, minute, second), unit: time.Minute, half: hour <= 12}, n
		if precise {
			v.unit = time.Second
		}
	}
	return v, length
}

var koreanClock = regexp.MustCompile(`^(\d{1,2})시(\d{1,2})분(?:(\d{1,2})초)?$`)

func separates(w string) bool {
	return w == ":" || w == "uhr" || w == "時" || w == "时" || w == "点" || w == "點" || w == "시" || w == "分" || w == "분"
}

func hours(h, m, s int) time.Duration {
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second
}

// number parses a whole number with a limited number of digits.
func number(s string, figures int) (n int, ok bool) {
	if s == "" || len(s) > figures {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// age parses the longest age that begins at a word, by the words of this package or else by the table.
func (s *scanner) age(i int) (Value, int) {
	v, n := s.ago(i)
	if more, length := s.relative(i); length > n {
		return more, length
	}
	return v, n
}

// ago parses an age, or the time until an event: "5 minutes ago", "vor einer Stunde", "in 5 minutes",
// "just now", "yesterday", "5分钟前", "5m ago".
func (s *scanner) ago(i int) (Value, int) {
	begins := firstWords[s.at(i)]
	for n := 3; n > 0 && begins; n-- {
		if i+n <= len(s.lower) {
			if d, ok := phrases[strings.Join(s.lower[i:i+n], " ")]; ok {
				return Value{Kind: Instant, n: d.Age, unit: d.Unit}, n
			}
		}
	}
	from, sign := i, time.Duration(0)
	for n := 3; n > 0 && begins && sign == 0; n-- {
		if i+n <= len(s.lower) {
			if sign = before[strings.Join(s.lower[i:i+n], " ")]; sign != 0 {
				i += n
			}
		}
	}
	v := Value{Kind: Instant}
	for {
		d, unit, n := s.amount(i)
		if n == 0 || v.unit != 0 && unit >= v.unit {
			break
		}
		v.n, v.unit = v.n+d, unit
		i += n
		if _, _, more := s.amount(i + 1); more > 0 && (s.at(i) == "," || ands[s.at(i)]) {
			i++
		}
	}
	if v.unit == 0 {
		return Value{}, 0
	}
	if after := afters[s.at(i)]; after != 0 {
		sign = after
		i++
	}
	if sign == 0 {
		return Value{}, 0
	}
	v.n *= sign
	return v, i - from
}

// amount parses a number and a unit: "5 minutes", "an hour", "5m", "5分钟".
func (s *scanner) amount(i int) (d, unit time.Duration, n int) {
	w := s.at(i)
	count, ok := number(w, 4)
	if !ok {
		count, ok = counts[w]
	}
	if ok {
		for n := 2; n > 0; n-- {
			if i+1+n <= len(s.lower) {
				if u, ok := units[strings.Join(s.lower[i+1:i+1+n], "")]; ok {
					return time.Duration(count) * u, u, 1 + n
				}
			}
		}
		return 0, 0, 0
	}
	k := 0
	for k < len(w) && w[k] >= '0' && w[k] <= '9' {
		k++
	}
	if count, ok = number(w[:k], 4); ok {
		if u, ok := units[w[k:]]; ok {
			return time.Duration(count) * u, u, 1
		}
	}
	return 0, 0, 0
}

// weekday parses a name of a day, of one word or of several without white space: "segunda-feira". "s at"
// is not Saturday.
func (s *scanner) weekday(i int) (Value, int) {
	most := 1
	for most < 3 && s.joined(i+most-1) {
		most++
	}
	for n := most; n > 0; n-- {
		if i+n <= len(s.lower) {
			if d, ok := weekdays[strings.Join(s.lower[i:i+n], "")]; ok {
				return Value{Kind: Weekday, day: calendar.Day{Day: d}}, n
			}
		}
	}
	return Value{}, 0
}
