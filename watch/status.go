package watch

import (
	"regexp"
	"slices"
	"strings"
)

// Titles may go on with a status or a price ("Rex – reserved", "Honey – 7.50 €"), which changes while the entry stays.

// currencies are signs and codes of prices.
var currencies = []string{"€", "$", "£", "¥", "₹", "₽", "₴", "₺", "₩", "円", "元", "EUR", "USD", "GBP", "CHF", "kr", "zł", "Kč", "Ft", "lei", "руб", "грн"}

// price matches an amount with its currency before or after it.
var price = func() *regexp.Regexp {
	var all []string
	for _, c := range currencies {
		all = append(all, regexp.QuoteMeta(c))
	}
	one, amount := "(?:"+strings.Join(all, "|")+`)\.?`, `\d[\d.,' ]*(?:[-–]{1,2})?`
	return regexp.MustCompile(one + `\s?` + amount + "|" + amount + `\s?` + one)
}()

// priced reports whether a text has a price.
func priced(s string) bool {
	return slices.ContainsFunc(currencies, func(c string) bool { return strings.Contains(s, c) }) && price.MatchString(s)
}

// unpriced returns a text without its prices.
func unpriced(s string) string {
	if !priced(s) {
		return s
	}
	return price.ReplaceAllString(s, " ")
}

// continued divides a title into what it names and what follows after a dash, a bar or a bracket; rest is empty if nothing does.
func continued(title string) (name, rest string) {
	at := -1
	for _, mark := range []string{" – ", " — ", " - ", " | ", " (", " [", " · "} {
		if k := strings.Index(title, mark); k > 0 && (at < 0 || k < at) {
			at = k
		}
	}
	if at < 0 {
		return title, ""
	}
	return title[:at], title[at:]
}

// goesOn reports whether two titles are of one entry, of which at least one has a status or a price after its name: the other one is the name
// alone, or known says that the name was once a title, or one has a price.
func goesOn(a, b string, known func(name string) bool) bool {
	name, was := continued(a)
	same, is := continued(b)
	if name = titleKey(name); name == "" || name != titleKey(same) || count(was) > maxStatus || count(is) > maxStatus {
		return false
	}
	return was == "" || is == "" || priced(was) || priced(is) || known(name)
}

// maxStatus limits what follows a name, in characters.
const maxStatus = 30
