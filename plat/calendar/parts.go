package calendar

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// skipped are words inside of dates: prepositions ("31 de enero de 2020", "3 tháng 3 năm 2020"), and "year" in Baltic
// languages ("2020 m. kovo 3 d.").
var skipped = map[string]bool{"de": true, "del": true, "of": true, "d": true, "di": true, "m": true, "gada": true, "năm": true, "на": true}

// parts splits a text into numbers and words. It omits ordinal suffixes ("31st") and words inside of dates.
func parts(s string, f *form) []part {
	var ps []part
	era, counted := 0, false // the year before the era that the last word ends in; the last word is "month" in Vietnamese
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		last := len(ps) - 1
		switch {
		case r >= '0' && r <= '9' || otherDigit(r) >= 0:
			p := number(s, i, f)
			i = p.to
			if last >= 0 && f.eras && p.digits <= 2 && ps[last].to == p.from && letters[ps[last].word] > 0 {
				p.number, p.digits = p.number+letters[ps[last].word], 4
			}
			switch year := strings.HasPrefix(s[i:], "年"); {
			case year && era > 0 && p.digits <= 2:
				p.number, p.digits = p.number+era, 4
			case year && era == 0 && p.digits == 3:
				p.number, p.digits = p.number+beforeRepublic, 4
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
		case unicode.IsLetter(r) || r == '〇':
			from := i
			i = wordEnd(s, i)
			w := visible(s[from:i])
			before, n, digits := 0, 0, 0
			if next, _ := utf8.DecodeRuneInString(s[i:]); next == '年' || next == '月' || next == '日' {
				before, n, digits = numerals(s[from:i])
			}
			if digits > 0 {
				if era = eraOf(s[from : from+before]); era > 0 && digits <= 2 {
					n, digits = n+era, 4
				}
				if before > 0 {
					ps = append(ps, part{word: s[from : from+before], number: -1, from: from, to: from + before})
				}
				ps = append(ps, part{number: n, digits: digits, from: from + before, to: i})
				era, counted = 0, false
				continue
			}
			lower := strings.ToLower(w)
			if counted = lower == "tháng" || lower == "thg" || lower == "th" && i < len(s) && s[i]-'0' <= 9; counted || (skipped[lower] || f.words[lower]) && last >= 0 {
				continue
			}
			era = eraOf(w)
			ps = append(ps, part{word: w, number: -1, from: from, to: i, thai: unicode.Is(unicode.Thai, r)})
		default:
			if last >= 0 && (r < 0x80 || !unicode.Is(unicode.Cf, r)) {
				ps[last].after += plainMark(r, s[i:i+size])
			}
			i += size
		}
	}
	return ps
}

// plainMark returns a mark as dates have it in ASCII, for hyphens that do not break a line, and marks as wide as Chinese characters.
func plainMark(r rune, s string) string {
	switch r {
	case '\u2010', '\u2011', '－':
		return "-"
	case '／':
		return "/"
	case '．':
		return "."
	}
	return s
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
		case unicode.IsLetter(x) || x == '〇':
			dots = x >= 0xe00 && x < 0xf00 // their blocks
		case x < 0x80 || !unicode.IsMark(x) && !unicode.Is(unicode.Cf, x):
			return i
		}
		i += n
	}
	return len(s)
}

// visible returns a word without its invisible characters: soft hyphens, joiners, marks of direction; and without the line that
// lengthens Arabic words.
func visible(w string) string {
	hidden := func(r rune) bool { return r >= 0x80 && (r == 'ـ' || unicode.Is(unicode.Cf, r)) }
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
func number(s string, i int, f *form) part {
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
	p.to = i
	if p.digits <= 2 {
		p.to += suffixOf(s[i:], f)
	}
	return p
}

// suffixOf returns the length of the suffix with which a text begins, or 0: 1st, 1-ші.
func suffixOf(s string, f *form) int {
	whole := func(n int) bool {
		r, _ := utf8.DecodeRuneInString(s[n:])
		return n == len(s) || !unicode.IsLetter(r) && !unicode.IsMark(r)
	}
	for _, suffix := range ordinals {
		if strings.HasPrefix(s, suffix) && whole(len(suffix)) {
			return len(suffix)
		}
	}
	if len(f.suffixes) == 0 {
		return 0
	}
	hyphen := 0
	if r, size := utf8.DecodeRuneInString(s); strings.ContainsRune("-'’\u2011", r) {
		hyphen = size
	}
	for _, suffix := range f.suffixes {
		if n := hyphen + len(suffix); strings.HasPrefix(s[hyphen:], suffix) && whole(n) {
			return n
		}
	}
	return 0
}
