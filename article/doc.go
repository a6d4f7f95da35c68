// Package article finds the main text of a rendered page, and its title, authors
// and date.
//
// [Extract] takes a [plat.Snapshot] (DOM, boxes, styles) and returns an [Article].
// It is a pure function: no clock, network or randomness, and time in proportion
// to the snapshot (a third of a microsecond a node).
//
// The way of a page through the package:
//
//	read      nodes: seen or hidden, in a link, what they call themselves   page.go, names.go
//	passages  the text, cut where a paragraph ends for one who reads        passage.go, text.go
//	trust     which of the names can be believed on this page               trust.go
//	find      the region: paragraphs vote for the nodes around them         region.go
//	title     looks, held against what the page declares                    title.go, agree.go, declared.go
//	choose    the passages of the region that belong to the text            choose.go, phrases.go
//	authors   JSON-LD, meta, bylines                                        author.go
//	date      JSON-LD, meta, dates shown, the URL                           date.go, calendar.go
//
// Prose is a passage of some length that is not mostly links. Boilerplate is what
// stands around a text and is no part of it: menus, comments, captions, bylines;
// tags, roles, classes and ids tell it, and are not believed where they would say
// it of most of the page. What is hidden is no text, unless nearly all is.
//
// The vote is readability's (Arc90 2009); the title follows Li, Zhao and Yu,
// section 3.5.2, see title.go. Where a page came without its style sheets, all of
// it stands in one column and looks decide little; the rules hold there too.
//
// What counts as text, and the words in names.go and phrases.go, come from pages
// that people marked (Scrapinghub's article-extraction-benchmark, trafilatura's
// evaluation set); no rule is for one site. scripts/eval prints how much of them
// is found, also for two halves of the pages apart. No number is delicate: each
// was tried about a third lower and higher, and none moved the F1 of the text by
// more than 0.003, but for minProse, see there.
package article
