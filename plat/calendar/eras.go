package calendar

import (
	"strings"
	"unicode/utf8"
)

// eras are the Japanese eras since 1989, and the year before each.
var eras = map[string]int{"令和": 2018, "平成": 1988}

// letters are those of the eras before numbers, as in R8.1.31.
var letters = map[string]int{"R": 2018, "H": 1988}

// beforeRepublic is the year before the first of the Republic of China, by which Taiwan counts.
const beforeRepublic = 1911

// roman are months as numerals.
var roman = strings.Fields("I II III IV V VI VII VIII IX X XI XII")

// numeral returns the value of a Chinese numeral, also of 元, the first year of an era, and -1 for other characters.
func numeral(r rune) int {
	switch r {
	case '〇', '零':
		return 0
	case '元', '一':
		return 1
	case '二':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	case '十':
		return 10
	}
	return -1
}

// numerals parses the Chinese numerals at the end of a word: a year digit by digit, 二〇二六, or a number below 100, 二十一. It returns
// the length of the word before them, and no digits if there are none.
func numerals(w string) (before, number, digits int) {
	before = len(w)
	for before > 0 {
		r, size := utf8.DecodeLastRuneInString(w[:before])
		if numeral(r) < 0 {
			break
		}
		before -= size
	}
	tens := false
	for _, r := range w[before:] {
		v := numeral(r)
		switch {
		case v == 10 && tens:
			return len(w), 0, 0
		case v == 10:
			number, tens = max(number, 1)*10, true
		case tens:
			number += v
		default:
			number = number*10 + v
		}
		digits++
	}
	if digits > 4 || number > 9999 {
		return len(w), 0, 0
	}
	if tens {
		digits = 2
	}
	return before, number, digits
}

// eraOf returns the year before the era that a word ends in, or 0.
func eraOf(w string) int {
	for name, before := range eras {
		if strings.HasSuffix(w, name) {
			return before
		}
	}
	return 0
}
