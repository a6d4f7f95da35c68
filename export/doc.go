// Package export writes versions of an archive to files for other programs.
//
// A [Job] selects versions, a [Format] and a destination; [Run] writes them. It
// holds one version in memory at a time, regardless of the size of the archive.
//
//   - [WARC]: WARC/1.1, as several files of about a GB each. Each version has the
//     page rewritten for players, the page as captured, its picture, text, block
//     tree, style sheets and images; repeated contents are stored as references.
//     records.go defines the records.
//   - [WACZ]: the same in one file, with an index and a list of pages.
//   - [Lines]: JSON Lines, an object for each version.
//   - [HTML]: the history of one URL as a self-contained page, see [Report].
//
// docs/export.md describes the files for their readers.
package export
