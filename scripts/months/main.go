// Months writes the names of the months in the languages of plat/calendar, and the relative times ("2 hours ago", "yesterday") of
// diff/noise/times, from the Unicode Common Locale Data Repository.
//
//	npm pack cldr-dates-full && tar xzf cldr-dates-full-*.tgz
//	go run ./scripts/months package > plat/calendar/months.txt
//	go run ./scripts/months package ages > diff/noise/times/ages.txt
//
// It takes the wide and the abbreviated names, as they are in a date and by themselves. Names of several words or with a
// digit or a dot inside are left out.
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
var languages = strings.Fields(`af ar ar-LB az be bg bn br bs ca cs cy da de de-AT el en es et eu fi fo fr fy ga gd gl gu he hi hr hu hy id is it ka kk
	kn ky lb lt lv mk ml mn mr ms mt nb ne nl nn pa pl pt rm ro ru si sk sl sq sr sr-Latn sv sw ta te tg th tr uk ur uz`)

func main() {
	log.SetFlags(0)
	log.SetPrefix("months: ")
	if len(os.Args) != 2 && (len(os.Args) != 3 || os.Args[2] != "ages") {
		log.Fatal(`name the folder of the package cldr-dates-full, and "ages" to have the relative times`)
	}
	if err := run(os.Args[1], len(os.Args) == 3); err != nil {
		log.Fatal(err)
	}
}

func run(dir string, relative bool) error {
	var about struct{ Version string }
	if err := read(filepath.Join(dir, "package.json"), &about); err != nil {
		return err
	}
	if relative {
		return ages(dir, about.Version)
	}
	fmt.Printf("# Names of months: CLDR %s, Unicode License V3 (SPDX Unicode-3.0). Written by scripts/months.\n", about.Version)
	fmt.Println("# A line for each language: its tag, and the names of January, of February, and so on, divided by |.")
	for _, l := range languages {
		months, err := monthsOf(dir, l)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s\n", l, strings.Join(months[:], "|"))
	}
	return nil
}

func read(name string, into any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// monthsOf returns the names of each month in a language, divided by blanks.
func monthsOf(dir, language string) (months [12]string, err error) {
	var file struct {
		Main map[string]struct {
			Dates struct {
				Calendars struct {
					Gregorian struct {
						Months map[string]map[string]map[string]string
					}
				}
			}
		}
	}
	if err := read(filepath.Join(dir, "main", language, "ca-gregorian.json"), &file); err != nil {
		return months, err
	}
	all := file.Main[language].Dates.Calendars.Gregorian.Months
	for i := range months {
		var names []string
		for _, form := range []string{"format", "stand-alone"} {
			for _, width := range []string{"wide", "abbreviated"} {
				if n := plain(all[form][width][strconv.Itoa(i+1)]); n != "" && !slices.Contains(names, n) {
					names = append(names, n)
				}
			}
		}
		months[i] = strings.Join(names, " ")
	}
	return months, nil
}

// plain returns a name in lower case without the dot at its end, and "" if it is not one word of letters.
func plain(name string) string {
	name = strings.TrimRight(strings.ToLower(norm.NFC.String(name)), ".॰")
	letters := 0
	for _, r := range name {
		switch {
		case unicode.IsLetter(r):
			letters++
		case !unicode.IsMark(r):
			return ""
		}
	}
	if letters < 2 {
		return ""
	}
	return name
}
