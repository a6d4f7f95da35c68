// Package feed writes feeds: of the changes of a page, and of the items of subscriptions.
//
// A [Feed] has an [Entry] for every change of every block, or for every item, latest first.
// [Changes] derives changes from a comparison of two versions and a [Filter] selects among
// them; [OfItem] makes an entry of a [plat.Item], and [OfDigest] one of a digest. A [Format] writes either as Atom (RFC
// 4287), RSS 2.0 or JSON Feed 1.1.
//
// The ID of a change is derived from URL, lineage and version, and the ID of an entry for an
// item from the item's ID ([URN]). Both are unique and reproducible. Page content is untrusted
// input; feeds contain it as text, without characters that XML cannot represent.
package feed
