package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// others are the languages beside those of months whose ages are written: their dates are numbers, or in scripts that need no table.
var others = strings.Fields("am ast eo fa fil hy ja jv km ko ku lo my ps si so tk vi yue zh zh-Hant zu")

// field is a unit of time with its relative forms, in dateFields.json: "relative-type--1" is "yesterday".
type field map[string]any

// ages writes the relative times of all languages.
func ages(dir, version string) error {
	fmt.Printf("# Relative times: CLDR %s, Unicode License V3 (SPDX Unicode-3.0). Written by scripts/months.\n", version)
	fmt.Println("# A line for each language and unit: forms of the past after <, of the future after >, with 0 for the number, and after = those without one.")
	for _, l := range slices.Concat(languages, others) {
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
