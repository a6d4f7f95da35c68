package calendar

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// table has the names of months: see scripts/months.
//
//go:embed months.txt
var table string

// more has names that the table lacks: older ones, and such as people write without the marks of their language.
const more = `de januar|feber|maerz mrz||||||sept|||
fr ||||||||sept|||
es ||||||||setiembre|||
en ||||||||sept|||
nl ||mrt|||||||||
pl stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia`

// preferred are the languages whose meaning a name has that means different months, in texts of unknown language.
var preferred = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru"}

// names are the months by name: of all languages, and by language those that differ.
type names struct {
	all map[string]int
	of  map[string]map[string]int // by language without its region
}

var known = sync.OnceValue(func() *names {
	n := &names{map[string]int{}, map[string]map[string]int{}}
	meant := map[string]map[string]int{} // by name and language
	for line := range strings.Lines(table + more) {
		tag, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		language := languageOf(tag)
		for i, month := range strings.Split(rest, "|") {
			for name := range strings.FieldsSeq(month) {
				if meant[name] == nil {
					meant[name] = map[string]int{}
				}
				if meant[name][language] == 0 {
					meant[name][language] = i + 1
				}
			}
		}
	}
	for name, by := range meant {
		month, agreed := 0, true
		for _, m := range by {
			agreed = agreed && (month == 0 || m == month)
			month = m
		}
		if agreed {
			n.all[name] = month
			continue
		}
		for _, l := range preferred {
			if by[l] > 0 {
				n.all[name] = by[l]
				break
			}
		}
		for l, m := range by {
			if n.of[l] == nil {
				n.of[l] = map[string]int{}
			}
			n.of[l][name] = m
		}
	}
	return n
})

// languageOf returns the language of a tag such as de-AT, in lower case. Norwegian and Serbian have one each.
func languageOf(tag string) string {
	language, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	switch language {
	case "nb", "nn":
		return "no"
	case "iw":
		return "he"
	case "in":
		return "id"
	}
	return language
}

// MonthOf returns the month that a word names, 1 to 12, 0 if it is not a month.
func MonthOf(word string) int { return monthOf(word, "") }

// monthOf returns the month that a word names in a language; an unknown language is empty.
func monthOf(word, language string) int {
	word = strings.ToLower(norm.NFC.String(word))
	k := known()
	if m := k.of[language][word]; m > 0 {
		return m
	}
	if m := k.all[word]; m > 0 {
		return m
	}
	if rest, ok := strings.CutPrefix(word, "ב"); ok { // "in March", in Hebrew
		return k.all[rest]
	}
	return 0
}
