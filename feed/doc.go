// Package feed tells readers of feeds what changed on a page.
//
// A [Feed] has an [Item] for every change of every block, latest first. [Items] makes
// them of a comparison of two versions, a [Filter] says which of them are wanted, and
// a [Format] writes a feed as Atom (RFC 4287), RSS 2.0 or JSON Feed 1.1.
//
// The ID of an item follows from URL, lineage and version alone: it is the same
// whenever the item is made, and never another's. What pages say is untrusted input;
// it stands in feeds as text, without what XML cannot hold.
package feed
