package calendar

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
)

// patterns has the forms of dates by language and region: see scripts/months.
//
//go:embed forms.txt
var patterns string

// usual has what the patterns lack: words in dates, and forms that people write. e: R8.12.1 is a date of a Japanese era; o: months are
// written as Roman numerals, too; r: years are also counted from 1912, the first of the Republic of China; s: 31/1 2026 is a date.
const usual = `bg,bs,cs,hr,hu,it,lv,pl,ro,ru,sk,sl,sr,uk o
da,fi,fo,is,no,sv s
eo . an
gd . dhen
hy . թվական թվականի
kk d жыл жылы жылғы
ja e
ky d жыл жылы жылдын
mn . сар сарын р өдөр өдрийн
rm . da
th . ค.ศ พ.ศ
ug d
uz d yil yili йил йили
zh-hant,zh-hant-tw,zh-tw r`

// A form says how pages of a language or region write dates other than day, month, year.
type form struct {
	monthFirst     bool // 1/31/26
	yearFirst      bool // 26/1/31
	dashes         bool // 31-1-26 is a date
	dayBeforeMonth bool // 2026 31 January
	eras           bool // R8.1.31
	roman          bool // 31 I 2026
	republic       bool // 115-01-31
	slashed        bool // 31/1 2026
	words          map[string]bool
	suffixes       []string // of ordinal numbers
}

var formsByTag = sync.OnceValue(func() map[string]*form {
	all := map[string]*form{}
	of := func(tag string) *form {
		if all[tag] == nil {
			all[tag] = &form{words: map[string]bool{}}
		}
		return all[tag]
	}
	for line := range strings.Lines(patterns + usual) {
		tags, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || tags == "#" {
			continue
		}
		flags, rest, _ := strings.Cut(rest, " ")
		for tag := range strings.SplitSeq(strings.ToLower(tags), ",") {
			f := of(tag)
			for letter, has := range map[string]*bool{"m": &f.monthFirst, "y": &f.yearFirst, "-": &f.dashes, "d": &f.dayBeforeMonth, "e": &f.eras, "o": &f.roman, "r": &f.republic, "s": &f.slashed} {
				*has = *has || strings.Contains(flags, letter)
			}
			for w := range strings.FieldsSeq(rest) {
				f.words[w] = true
			}
		}
	}
	for line := range strings.Lines(libraries) {
		if tag, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && tag != "#" {
			of(tag[1:]).suffixes = strings.Fields(rest[strings.LastIndexByte(rest, '|')+1:])
		}
	}
	return all
})

// plainForm is that of languages without one.
var plainForm = &form{}

// formOf returns the form of dates of a tag such as en-GB.
func formOf(tag string) *form {
	all := formsByTag()
	if f := all[lowerTag(tag)]; f != nil {
		return f
	}
	return cmp.Or(all[languageOf(tag)], plainForm)
}

// MonthFirst reports whether pages of a language, or of its use in a region, such as en-US, write the month first, as in 1/31/26.
func MonthFirst(tag string) bool { return formOf(tag).monthFirst }
