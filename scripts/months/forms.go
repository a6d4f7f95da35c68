package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// forms writes how languages and regions write dates, where that is not day, month, year.
func forms(dir string) error {
	fmt.Println("# Tags, letters, and the words in dates beside the name of the month. m: the month is first in 1/31/26;")
	fmt.Println("# y: the year is first in 26/1/31; -: 31-1-26 is a date; d: the day is before the month in 2026 31 January; .: none of these.")
	for _, l := range slices.Concat(languages, rare, []string{"ko"}) {
		all, err := locales(dir, l)
		if err != nil {
			return err
		}
		whole, lines, of := ".", []string{}, map[string][]string{}
		for _, locale := range all {
			c, err := calendarOf(dir, locale)
			if err != nil {
				return err
			}
			line := strings.TrimSpace(c.flags() + " " + strings.Join(c.words(), " "))
			if line != whole && of[line] == nil {
				lines = append(lines, line)
			}
			if line != whole {
				of[line] = append(of[line], locale)
			}
			if locale == l {
				whole = line
			}
		}
		for _, line := range lines {
			fmt.Println(strings.Join(of[line], ","), line)
		}
	}
	return nil
}

// flags returns the letters of a locale's dates.
func (c *gregorian) flags() (flags string) {
	short, long := order(c.pattern("short")), order(c.pattern("long"))
	switch {
	case strings.HasPrefix(short, "M"):
		flags += "m"
	case strings.HasPrefix(short, "yy"):
		flags += "y"
	}
	if strings.HasSuffix(short, "yy") && strings.Count(c.pattern("short"), "-") == 2 {
		flags += "-"
	}
	if strings.HasPrefix(long, "yd") {
		flags += "d"
	}
	if flags == "" {
		return "."
	}
	return flags
}

// pattern returns the pattern of a date of some length.
func (c *gregorian) pattern(length string) string { return text(c.DateFormats[length]) }

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return text(v["_value"])
	}
	return ""
}

// order returns the letters of a pattern for day, month and year, each once, but two for a year of two digits.
func order(pattern string) string {
	var b strings.Builder
	for i, part := range strings.Split(pattern, "'") {
		if i%2 > 0 {
			continue
		}
		for _, r := range part {
			if strings.ContainsRune("dMLy", r) && (r == 'y' || !strings.HasSuffix(b.String(), string(r))) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// words returns the words in dates of days, beside the names of months.
func (c *gregorian) words() (words []string) {
	patterns := []string{c.pattern("full"), c.pattern("long"), c.pattern("medium")}
	for _, k := range []string{"yMMMd", "yMMMMd"} {
		patterns = append(patterns, text(c.DateTimeFormats.AvailableFormats[k]))
	}
	for _, p := range patterns {
		for i, part := range strings.Split(p, "'") {
			quoted := i%2 > 0
			for _, w := range strings.FieldsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) || !quoted && r < 0x80 }) {
				if w = strings.ToLower(w); !slices.Contains(words, w) {
					words = append(words, w)
				}
			}
		}
	}
	slices.Sort(words)
	return words
}
