package plat

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// NameWords yields the words of an id, a class or a field name in lower case, and
// whether each is delimited on both sides by something other than camel case:
// "mainNav-item2" is main (no), nav (no), item (yes).
//
// A name is split at every non-letter, and where an upper-case ASCII letter follows a
// lower-case one. Every non-ASCII character counts as a lower-case letter: names in
// other scripts are rare and must not be split into fragments that mean something in
// English. A camel-case boundary may be chance ("hJpAdRP"), so callers may want to
// trust short words only where they are delimited.
func NameWords(name string) iter.Seq2[string, bool] {
	return func(yield func(word string, alone bool) bool) {
		from, lower, camel := 0, false, false
		for i := 0; i <= len(name); i++ {
			letter, upper := false, false
			if i < len(name) {
				c := name[i]
				upper = c >= 'A' && c <= 'Z'
				letter = upper || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf
			}
			if rises := upper && lower; !letter || rises {
				if i > from && !yield(strings.ToLower(name[from:i]), !camel && !rises) {
					return
				}
				from, camel = i, rises
				if !letter {
					from++
				}
			}
			lower = letter && !upper
		}
	}
}
