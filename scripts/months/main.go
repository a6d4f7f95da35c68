// Months writes the names of the months and the forms of dates in the languages of plat/calendar, and the relative times
// ("2 hours ago", "yesterday") of diff/noise/times, from the Unicode Common Locale Data Repository.
//
//	npm pack cldr-dates-full && tar xzf cldr-dates-full-*.tgz
//	go run ./scripts/months package > plat/calendar/months.txt
//	go run ./scripts/months package forms > plat/calendar/forms.txt
//	go run ./scripts/months package ages > diff/noise/times/ages.txt
//
// It takes the wide and the abbreviated names, as they are in a date and by themselves, of a language and of its regions.
// Names with a digit are left out.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// languages are those whose names are written, by their folder in the repository.
var languages = strings.Fields(`af ar az be bg bn br bs ca cs cy da de el en es et eu fa fi fo fr fy ga gd gl gu he hi hr hu hy id is it ka kk
	kn ky lb lt lv mk ml mn mr ms mt nb ne nl nn pa pl pt rm ro ru si sk sl sq sr sv sw ta te tg th tr uk ur uz`)

// rare are the other languages of at least basic coverage, or that browsers have, whose months have names. These are read in pages of the
// language only: among those of all languages, too many words are a month somewhere.
var rare = strings.Fields(`ak am as ast ba bgc bho blo brx bua ceb chr csw cv doi dsb ee eo fil gaa ha haw hsb ht ia ie ig ii jv kea kgp km kok ks ku
	kxv lij lmo ln lo mai mg mi mni my nds nqo nso oc om or pcm pms ps qu raj rw sa sah sat sc scn sd se shn so st su syr szl ti tk
	tn to tt tyv ug vec vmw wo xh xnr yo yrl za zu`)

func main() {
	log.SetFlags(0)
	log.SetPrefix("months: ")
	if len(os.Args) != 2 && (len(os.Args) != 3 || os.Args[2] != "ages" && os.Args[2] != "forms") {
		log.Fatal(`name the folder of the package cldr-dates-full, and "forms" to have the forms of dates, "ages" to have the relative times`)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, what []string) error {
	var about struct{ Version string }
	if err := read(filepath.Join(dir, "package.json"), &about); err != nil {
		return err
	}
	const source = "CLDR %s, Unicode License V3 (SPDX Unicode-3.0). Written by scripts/months.\n"
	switch {
	case len(what) == 0:
		fmt.Printf("# Names of months: "+source, about.Version)
		fmt.Println("# A line for each language: its tag, and the names of January, of February, and so on, divided by |, with _ between")
		fmt.Println("# the words of one. Those of a tag after = are read in pages of that language only.")
		for _, l := range slices.Concat(languages, rare) {
			months, err := monthsOf(dir, l)
			if err != nil {
				return err
			}
			if slices.Contains(rare, l) {
				l = "=" + l
			}
			fmt.Printf("%s %s\n", l, strings.Join(months[:], "|"))
		}
		return nil
	case what[0] == "forms":
		fmt.Printf("# Forms of dates: "+source, about.Version)
		return forms(dir)
	default:
		fmt.Printf("# Relative times: "+source, about.Version)
		return ages(dir)
	}
}

func read(name string, into any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// gregorian is the calendar of a locale.
type gregorian struct {
	Months          map[string]map[string]map[string]string
	DateFormats     map[string]any // patterns, or pairs of one and its numbering system
	DateTimeFormats struct{ AvailableFormats map[string]any }
}

// calendarOf reads the calendar of a locale.
func calendarOf(dir, locale string) (*gregorian, error) {
	var file struct {
		Main map[string]struct {
			Dates struct{ Calendars struct{ Gregorian gregorian } }
		}
	}
	err := read(filepath.Join(dir, "main", locale, "ca-gregorian.json"), &file)
	c := file.Main[locale].Dates.Calendars.Gregorian
	return &c, err
}

// locales returns a language and its regions and scripts.
func locales(dir, language string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "main"))
	all := []string{language}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), language+"-") {
			all = append(all, e.Name())
		}
	}
	return all, err
}

// monthsOf returns the names of each month in a language, divided by blanks.
func monthsOf(dir, language string) (months [12]string, err error) {
	all, err := locales(dir, language)
	if err != nil {
		return months, err
	}
	var names [12][]string
	for _, locale := range all {
		c, err := calendarOf(dir, locale)
		if err != nil {
			return months, err
		}
		for i := range months {
			for _, form := range []string{"format", "stand-alone"} {
				for _, width := range []string{"wide", "abbreviated"} {
					n := plain(c.Months[form][width][strconv.Itoa(i+1)], c.words())
					has := func(names []string) bool { return slices.Contains(names, n) }
					if n != "" && !slices.ContainsFunc(names[:], has) { // a region may use the name of another month
						names[i] = append(names[i], n)
					}
				}
			}
		}
	}
	for i := range months {
		months[i] = strings.Join(names[i], " ")
	}
	return months, nil
}

// prepositions are those before names of months that are no words of patterns.
var prepositions = []string{"de", "d", "da", "dhen"}

// plain returns a name in lower case without the dot at its end, with _ between its words, and "" if it has other
// characters than letters, or only one. A word before it that is one of dates is left out.
func plain(name string, words []string) string {
	name = strings.TrimRight(strings.ToLower(norm.NFC.String(name)), ".॰'’׳")
	parts := strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'’", r) })
	for len(parts) > 1 && (slices.Contains(words, parts[0]) || slices.Contains(prepositions, parts[0])) {
		parts = parts[1:]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.Join(parts, "_"))
	letters, dotted := 0, false
	for _, r := range name {
		switch {
		case r == '_':
		case r == '.' && letters > 0:
			dotted = true
		case unicode.IsLetter(r), unicode.IsMark(r):
			if letters++; dotted && !unicode.In(r, unicode.Thai, unicode.Lao) {
				return ""
			}
		default:
			return ""
		}
	}
	if letters < 2 {
		return ""
	}
	return name
}
