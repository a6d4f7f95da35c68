// Package article finds the main text of a rendered page, and its title, authors
// and date.
//
// [Look] reads a page: it finds the article by rules, and asks a model how likely each
// passage is main text, of any kind of page (sight.go, reading.go); labels use that as
// evidence. [Reading.Article] determines the kind of page, by a second model and the
// declarations of the page (kind.go, pagesight.go): article, reference, list, forum or
// product. The text of all kinds but articles is all of their content, by the
// roles of their blocks (whole.go); comments of readers are apart, but in a forum. For articles, [Extract] takes a
// [plat.Snapshot] (DOM, boxes, styles) and returns an [Article]. It is a pure
// function: no clock, network or randomness, and time linear in the snapshot (a
// third of a microsecond per node).
//
// The stages:
//
//	read      nodes: visible or hidden, in a link, hints from their names   page.go, names.go
//	passages  the text, split at the ends of paragraphs                     passage.go, text.go
//	trust     names that are reliable on this page                          trust.go
//	find      the region: paragraphs vote for the nodes around them         region.go
//	title     appearance, checked against the declared titles               title.go, agree.go, declared.go
//	choose    the passages of the region that belong to the text            choose.go, phrases
//	authors   JSON-LD, meta, bylines, microdata, sentences, scripts         author.go, byline.go, line.go, wrote.go, script.go
//	date      JSON-LD, meta, visible dates, the URL, marks, scripts         date.go, line.go, marked.go, script.go
//	keep      the text as references to blocks of the archive, and back     kept.go, verbatim.go, cut.go
//
// Prose is a passage of some length that is not mostly links. Boilerplate
// surrounds a text without being part of it: menus, comments, captions,
// bylines. It is detected by tags, roles, classes and ids; these are ignored
// where they would mark most of the page. Hidden content is not text, unless
// nearly all of it is hidden.
//
// The vote is readability's (Arc90 2009); the title follows Li, Zhao and Yu,
// section 3.5.2, see title.go. A page without its style sheets is a single
// column in which appearance carries little information; the rules work there
// too.
//
// The definition of text, and the words in names.go and package phrases, are derived
// from annotated pages (Scrapinghub's article-extraction-benchmark,
// trafilatura's evaluation set); no rule is specific to a site. scripts/eval
// prints the results, also for two halves of the pages separately. No constant
// is sensitive: changing each by about a third moved the F1 of the text by at
// most 0.003, except for minProse, see there.
package article
