// Package export writes versions of an archive to files that other programs read.
//
// A [Job] says which versions, in which [Format], and where to; [Run] writes them.
// One version is held in memory at a time, whatever the size of the archive.
//
//   - [WARC]: WARC/1.1, as several files of about a GB each. For each version there
//     is the page, made so that players show it, the page as captured, its picture,
//     texts, block tree, style sheets and images; contents that are there already are
//     referred to. records.go says which record is what.
//   - [WACZ]: the same in one file, with an index and a list of pages.
//   - [Lines]: JSON Lines, an object for each version.
//   - [HTML]: the history of one URL as a page that needs no other file, see [Report].
//
// docs/export.md describes the files for those who read them.
package export
