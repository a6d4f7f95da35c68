package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// others are the locales beside the languages of months whose ages are written: regions with other words, and languages whose
// months are numbers.
var others = strings.Fields("ar-LB de-AT ja ko sr-Latn vi yue zh zh-Hant")

// timeless are the rare languages whose ages without a number are written. Of the others such a word may be common in a
// larger language: como is "now" in Sardinian.
var timeless = strings.Fields("am ast eo fil jv km ku lo my ps so tk zu")

// field is a unit of time with its relative forms, in dateFields.json: "relative-type--1" is "yesterday".
type field map[string]any

// ages writes the relative times of all languages.
func ages(dir string) error {
	fmt.Println("# A line for each language and unit: forms of the past after <, of the future after >, with 0 for the number, and after = those without one.")
	for _, l := range slices.Concat(languages, rare, others) {
		var file struct {
			Main map[string]struct {
				Dates struct{ Fields map[string]field }
			}
		}
		if err := read(filepath.Join(dir, "main", l, "dateFields.json"), &file); err != nil {
			return err
		}
		for _, unit := range []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"} {
			var past, future, fixed []string
			for _, width := range []string{"", "-short", "-narrow"} {
				f := file.Main[l].Dates.Fields[unit+width]
				past = f.forms(past, "past")
				future = f.forms(future, "future")
				for n := -2; n <= 2; n++ {
					if said, ok := f[fmt.Sprintf("relative-type-%d", n)].(string); ok {
						fixed = add(fixed, fmt.Sprintf("%d %s", -n, clean(said)))
					}
				}
			}
			past, future = without(past, future), without(future, past)
			if slices.Contains(rare, l) && !slices.Contains(timeless, l) {
				past, future, fixed = slices.DeleteFunc(past, brief), slices.DeleteFunc(future, brief), nil
			}
			fmt.Printf("%s %s <%s>%s=%s\n", l, unit, strings.Join(past, "|"), strings.Join(future, "|"), strings.Join(fixed, "|"))
		}
	}
	return nil
}

// forms adds the forms of the past or the future. Those with a sign in place of a word are left out.
func (f field) forms(to []string, tense string) []string {
	of, _ := f["relativeTime-type-"+tense].(map[string]any)
	for _, count := range []string{"zero", "one", "two", "few", "many", "other"} {
		said, _ := of["relativeTimePattern-count-"+count].(string)
		said = strings.Replace(said, " ({0})", "", 1) // of Hebrew, where the word has the number
		if before, after, ok := strings.Cut(said, "{0}"); ok && !strings.ContainsAny(before+after, "+-−–0123456789") {
			to = add(to, clean(before)+"0"+clean(after))
		} else if n := map[string]string{"one": "1", "two": "2"}[count]; said != "" && !ok && n != "" {
			to = add(to, n+" "+clean(said))
		}
	}
	return to
}

// clean writes a form as it is compared: in lower case, without marks of direction and the dot of an abbreviation.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case 0x200e, 0x200f, 0x61c, '|', '<', '>', '=':
			return -1
		case 0xa0, 0x202f, 0x2009:
			return ' '
		}
		return r
	}, norm.NFC.String(strings.ToLower(s)))
	return strings.TrimSuffix(s, ".")
}

func add(to []string, s string) []string {
	if slices.Contains(to, s) {
		return to
	}
	return append(to, s)
}

// without returns the forms that are not among others: these tell no tense.
func without(forms, others []string) (kept []string) {
	for _, s := range forms {
		if !slices.Contains(others, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// brief reports whether a form has few letters, so that it may be something else: "za 5 g".
func brief(form string) bool {
	letters := 0
	for _, r := range form {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters < 5
}
