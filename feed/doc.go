// Package feed writes feeds of the changes on a page.
//
// A [Feed] has an [Item] for every change of every block, latest first. [Items]
// derives them from a comparison of two versions, a [Filter] selects among
// them, and a [Format] writes a feed as Atom (RFC 4287), RSS 2.0 or JSON Feed
// 1.1.
//
// The ID of an item is derived from URL, lineage and version, so it is unique
// and reproducible. Page content is untrusted input; feeds contain it as text,
// without characters that XML cannot represent.
package feed
