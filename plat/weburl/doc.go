// Package weburl resolves the references of pages to addresses as browsers do: by the WHATWG URL
// standard (https://url.spec.whatwg.org), whose section numbers comments name. An address that a
// page contains leads where Chrome goes, and a resource is found by the spelling in which Chrome
// asked for it.
//
// A [Base] is made once per document, style sheet or redirect, and resolves any number of references:
//
//	base := weburl.NewBase(snap.FinalURL)
//	to := base.Resolve(`..\archive 2019.html`) // "https://site.test/archive%202019.html"
//	if weburl.IsWeb(to) { … }
//
// Addresses are strings in the form of the standard's serializer (section 4.5). Package net/url is not
// used for them: it rejects addresses that browsers visit ("/50%") and its String writes other
// addresses differently ("/a|b"). The key of a page in the archive is [plat.Canonical] of an address.
//
// The parser is github.com/nlnwa/whatwg-url, which passes the standard's own tests. A reference that
// needs no escapes, which most links are, is resolved without it, about twenty times as fast; a fuzz
// test holds that the results are equal.
//
// Results are Chrome's where it differs from the standard ("^" and "|" in the paths of web addresses),
// except for hosts that no name server can know ("a%20b"), most of which are invalid here, and for
// queries in ISO-2022-JP with narrow kana. A test of package browser compares them.
//
// # Limits
//
// Of a reference of more than [MaxReference] bytes that needs the parser, of a login or host of more
// than 2 KiB, and of "data:" and "javascript:" addresses beyond that, the result is empty: some steps
// of the parser take time by the square of the length, and nothing can be requested there.
package weburl
