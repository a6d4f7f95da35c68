// Package softerror tells a page from an answer that stands in its place: a login, a notice of
// maintenance, "checking your browser", an error page with status 200, the home page, an empty
// page, half a page. Servers call them success, and an archive that believes it has a version
// with everything removed, and one with everything added.
//
// Nothing is told by words alone. [Of] first asks how much of the last version is still there:
// a page of which most is there is the page, whatever it says. What an answer seems to be is a
// guess with a name; whether it is the page after all shows when it is looked at again after a
// while, and is still the same.
//
// [Answers] knows by what other URLs of a host have answered: a notice in words that no list has,
// or the home page, is the same under many addresses.
//
// The package is deterministic: no I/O, no clock.
package softerror
