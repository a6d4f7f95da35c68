package plat

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// NameWords are the words that an id, a class or the name of a field is made of, in lower
// case, and whether each stands by itself: "mainNav-item2" is main (no), nav (no), item (yes).
//
// A name is split at everything that is no letter, and where an upper-case letter of ASCII
// follows a lower-case one. Every character beyond ASCII is a lower-case letter: names in
// other scripts are rare, and are not to fall to pieces that mean something in English.
// What camel case seems to have joined may be chance ("hJpAdRP"), so a caller may want to
// believe short words only where they stand by themselves.
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
