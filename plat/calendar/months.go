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

// libraries has the names that the locales of date libraries add, each read in pages of its language only, and the suffixes of its
// ordinal numbers: see scripts/months/libraries.mjs.
//
//go:embed libraries.txt
var libraries string

// more has names that the table lacks: older ones, such as people write without the marks of their language, and their cases
// in dates.
const more = `de januar|feber|maerz mrz||||||sept|||
fr ||||||||sept|||
es ||||||||setiembre|||
en ||||||||sept|||
nl ||mrt|||||||||
pl stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia
=sl januarja|februarja|marca|aprila|maja|junija|julija|avgusta|septembra|oktobra|novembra|decembra
=sr januara јануара|februara фебруара|marta марта|aprila априла|maja маја|juna јуна|jula јула|avgusta августа|septembra септембра|oktobra октобра|novembra новембра|decembra децембра
=bs januara|februara|marta|aprila|maja|juna|jula|augusta avgusta|septembra|oktobra|novembra|decembra
=lv janvārī|februārī|martā|aprīlī|maijā|jūnijā|jūlijā|augustā|septembrī|oktobrī|novembrī|decembrī
=et jaanuaril|veebruaril|märtsil|aprillil|mail|juunil|juulil|augustil|septembril|oktoobril|novembril|detsembril
=ka იანვარს|თებერვალს|მარტს|აპრილს|მაისს|ივნისს|ივლისს|აგვისტოს|სექტემბერს|ოქტომბერს|ნოემბერს|დეკემბერს`

// preferred are the languages whose meaning a name has that means different months, in texts of unknown language.
var preferred = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru"}

// names are the months by name: of all languages, and by language those that differ, and those of rare languages.
type names struct {
	all  map[string]int
	of   map[string]map[string]int  // by language without its region
	long map[string]map[string]bool // by language the first words of names of several, divided by _
}

var known = sync.OnceValue(func() *names {
	n := &names{map[string]int{}, map[string]map[string]int{}, map[string]map[string]bool{}}
	meant := map[string]map[string]int{} // by name and language
	for line := range strings.Lines(table + libraries + more) {
		tag, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		tag, rare := strings.CutPrefix(tag, "=")
		rest = oneWord.Replace(rest)
		language, f := languageOf(tag), formOf(tag)
		for name := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == ' ' || r == '|' }) {
			if first, _, several := strings.Cut(name, "_"); several {
				if n.long[language] == nil {
					n.long[language] = map[string]bool{}
				}
				n.long[language][first] = true
			}
		}
		if rare {
			if n.of[language] == nil {
				n.of[language] = map[string]int{}
			}
			addMonths(n.of[language], rest, f)
			continue
		}
		for i, month := range strings.Split(rest, "|") {
			for name := range strings.FieldsSeq(month) {
				name = bare(name, f)
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

// oneWord divides names into the words that parts returns.
var oneWord = strings.NewReplacer("-", "_", "'", "_", "’", "_")

// addMonths adds the months by name of a line of the table.
func addMonths(all map[string]int, line string, f *form) {
	for i, month := range strings.SplitN(line, "|", 13) { // and suffixes
		if i == 12 {
			break
		}
		for name := range strings.FieldsSeq(month) {
			if name = bare(name, f); all[name] == 0 {
				all[name] = i + 1
			}
		}
	}
}

// bare returns a name without its last word if that is one of the form's, as parts leaves it out: "month" in Mongolian.
func bare(name string, f *form) string {
	if i := strings.LastIndexByte(name, '_'); i > 0 && f.words[name[i+1:]] {
		return name[:i]
	}
	return name
}

// maxWords limits the words of the name of a month.
const maxWords = 4

// joined makes the words of a name one: 28 Meán Fómhair.
func (n *names) joined(ps []part, language string) []part {
	first := n.long[language]
	if first == nil {
		return ps
	}
	for i := 0; i < len(ps); i++ {
		if ps[i].number >= 0 || !first[strings.ToLower(norm.NFC.String(ps[i].word))] {
			continue
		}
		name, end, month := "", 0, 0
		for k := i; k < len(ps) && k < i+maxWords && ps[k].number < 0; k++ {
			name += strings.ToLower(norm.NFC.String(ps[k].word))
			if m := n.month(name, language); k > i && m > 0 {
				end, month = k, m
			}
			if strings.Trim(ps[k].after, " \u00a0-'’") != "" {
				break
			}
			name += "_"
		}
		if end > 0 {
			ps[i] = part{number: -1, month: month, from: ps[i].from, to: ps[end].to, after: ps[end].after}
			ps = append(ps[:i+1], ps[end+1:]...)
		}
	}
	return ps
}

// month returns the month of a name in lower case.
func (n *names) month(name, language string) int {
	if m := n.of[language][name]; m > 0 {
		return m
	}
	return n.all[name]
}

// languageOf returns the language of a tag such as de-AT, in lower case. Norwegian and Serbian have one each.
func languageOf(tag string) string {
	language, _, _ := strings.Cut(lowerTag(tag), "-")
	switch language {
	case "nb", "nn":
		return "no"
	case "iw":
		return "he"
	case "in":
		return "id"
	case "tl":
		return "fil"
	}
	return language
}

// lowerTag returns a tag such as de_AT as de-at.
func lowerTag(tag string) string { return strings.ToLower(strings.ReplaceAll(tag, "_", "-")) }

// MonthOf returns the month that a word names, 1 to 12, 0 if it is not a month.
func MonthOf(word string) int { return monthOf(word, "") }

// monthOf returns the month that a word names in a language; an unknown language is empty.
func monthOf(word, language string) int {
	word = strings.ToLower(norm.NFC.String(word))
	k := known()
	if m := k.month(word, language); m > 0 {
		return m
	}
	if rest, ok := strings.CutPrefix(word, "ב"); ok { // "in March", in Hebrew
		return k.all[rest]
	}
	return 0
}

// monthIn returns the month that a word names in a date of a language, in which words of the form may be joined to it:
// urtarrilaren, "of January".
func monthIn(word, language string, f *form) int {
	m := monthOf(word, language)
	for w := range f.words {
		if m > 0 {
			break
		}
		lower := strings.ToLower(word)
		if rest, ok := strings.CutSuffix(lower, w); ok {
			m = monthOf(rest, language)
		} else if rest, ok := strings.CutPrefix(lower, w); ok {
			m = monthOf(rest, language)
		}
	}
	return m
}
