package dial

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a text and its numbers.
type Text struct {
	text    string
	numbers []number
	shapes  []string // before each number, and after the last; see shapeOf
	keys    []string // what must be equal around two numbers that are compared: the nearest words and marks
}

// A number is a run of decimal digits of any script, or a part of one that has a date or a time without
// marks between: 20261124150405.
type number struct {
	from, to int
	value    int64
	digits   int
}

// mostDigits is the maximum length of a number; longer ones are cut, and are not times.
const mostDigits = 18

// Parse returns the numbers of a text.
func Parse(text string) *Text {
	t := &Text{text: text}
	for i := 0; i < len(text); {
		n := number{from: i, to: i}
		for n.to < len(text) && n.digits < mostDigits {
			d, size := digit(text[n.to:])
			if d < 0 {
				break
			}
			n.value, n.digits, n.to = 10*n.value+int64(d), n.digits+1, n.to+size
		}
		if n.digits == 0 {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		t.numbers = append(t.numbers, t.parts(n)...)
		i = n.to
	}
	for i := range len(t.numbers) + 1 {
		t.shapes = append(t.shapes, shapeOf(t.gap(i)))
	}
	for i := range t.numbers {
		before, after := []rune(t.shapes[i]), []rune(t.shapes[i+1])
		t.keys = append(t.keys, string(before[max(0, len(before)-2):])+"0"+string(after[:min(2, len(after))]))
	}
	return t
}

// digit returns the value of the decimal digit with which a text begins, -1 if there is none.
func digit(s string) (value, size int) {
	if s[0] < utf8.RuneSelf {
		if s[0] < '0' || s[0] > '9' {
			return -1, 1
		}
		return int(s[0] - '0'), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if !unicode.Is(unicode.Nd, r) {
		return -1, size
	}
	for _, t := range unicode.Nd.R16 { // each range has one or several sets of ten
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10, size
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10, size
		}
	}
	return -1, size
}

// packed are the lengths of the parts of a date and a time without marks, by their digits.
var packed = map[int][]int{8: {4, 2, 2}, 12: {4, 2, 2, 2, 2}, 14: {4, 2, 2, 2, 2, 2}, 17: {4, 2, 2, 2, 2, 2, 3}}

// parts divides a number into those of a date and a time without marks. Six digits are a time only
// after a date.
func (t *Text) parts(n number) []number {
	lengths := packed[n.digits]
	if last := len(t.numbers) - 1; n.digits == 6 && last >= 2 && t.numbers[last].to-t.numbers[last-2].from == 8 && n.from-t.numbers[last].to <= 1 {
		lengths = []int{2, 2, 2}
	}
	if n.to-n.from != n.digits || lengths == nil {
		return []number{n}
	}
	var all []number
	at := n.from
	for _, k := range lengths {
		p := number{from: at, to: at + k, digits: k}
		for _, c := range t.text[at : at+k] {
			p.value = 10*p.value + int64(c-'0')
		}
		all, at = append(all, p), at+k
	}
	if len(lengths) > 3 || n.digits == 8 {
		if y, m, d := all[0].value, all[1].value, all[2].value; y < 1970 || y > 2100 || m < 1 || m > 12 || d < 1 || d > 31 {
			return []number{n}
		}
	}
	return all
}

// gap returns the text before a number, or after the last one.
func (t *Text) gap(i int) string {
	from, to := 0, len(t.text)
	if i > 0 {
		from = t.numbers[i-1].to
	}
	if i < len(t.numbers) {
		to = t.numbers[i].from
	}
	return t.text[from:to]
}

// Numbers with more than this between them do not show one time.
const (
	mostBetween = 48 // bytes
	mostWords   = 3
)

// apart is the shape of a gap that is longer.
const apart = "\x00"

// shapeOf returns a gap with each word replaced by one letter, and without white space: names of months
// and of days have one shape.
func shapeOf(gap string) string {
	if len(gap) > mostBetween {
		return apart
	}
	var b strings.Builder
	words, letter := 0, false
	for _, r := range gap {
		is := isLetter(r)
		switch {
		case is && !letter:
			words++
			b.WriteByte('a')
		case !is && !unicode.IsSpace(r):
			b.WriteRune(r)
		}
		letter = is
	}
	if words > mostWords {
		return apart
	}
	return b.String()
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// A span is a part of a text, in bytes: [from, to).
type span struct{ from, to int }

// wordsOf returns the words of letters between two positions.
func (t *Text) wordsOf(from, to int) (all []span) {
	begin := -1
	for i, r := range t.text[from:to] {
		switch is := isLetter(r); {
		case is && begin < 0:
			begin = from + i
		case !is && begin >= 0:
			all, begin = append(all, span{begin, from + i}), -1
		}
	}
	if begin >= 0 {
		all = append(all, span{begin, to})
	}
	return all
}

func (t *Text) in(s span) string { return t.text[s.from:s.to] }
