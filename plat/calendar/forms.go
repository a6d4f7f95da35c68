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

// usual has words in dates that the patterns lack.
const usual = `gd . dhen
hy . թվական թվականի
kk d жыл жылы жылғы
ky d жыл жылы жылдын
mn . сар сарын р өдөр өдрийн
rm . da
th . ค.ศ พ.ศ
ug d
uz d yil yili йил йили`

// A form says how pages of a language or region write dates other than day, month, year.
type form struct {
	monthFirst     bool // 1/31/26
	yearFirst      bool // 26/1/31
	dashes         bool // 31-1-26 is a date
	dayBeforeMonth bool // 2026 31 January
	words          map[string]bool
}

var formsByTag = sync.OnceValue(func() map[string]*form {
	all := map[string]*form{}
	for line := range strings.Lines(patterns + usual) {
		tags, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || tags == "#" {
			continue
		}
		flags, rest, _ := strings.Cut(rest, " ")
		for tag := range strings.SplitSeq(strings.ToLower(tags), ",") {
			f := all[tag]
			if f == nil {
				f = &form{words: map[string]bool{}}
				all[tag] = f
			}
			f.monthFirst = f.monthFirst || strings.Contains(flags, "m")
			f.yearFirst = f.yearFirst || strings.Contains(flags, "y")
			f.dashes = f.dashes || strings.Contains(flags, "-")
			f.dayBeforeMonth = f.dayBeforeMonth || strings.Contains(flags, "d")
			for w := range strings.FieldsSeq(rest) {
				f.words[w] = true
			}
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
