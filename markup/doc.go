// Package markup is the bytes of a page: it writes a snapshot as HTML, puts a page together
// again from its layout and blocks, and reads the text of a block.
//
// [Serialize] writes a snapshot. [SerializeParts] does the same and says which bytes some
// runs of nodes have become, and what of them a reader does not see: that is how
// plat/segment takes the blocks out of a page. The archive keeps these bytes. [Restore] is
// the way back: however a page was cut,
//
//	Restore(page.Layout, page.Blocks) == Serialize(snapshot)
//
// byte for byte. [Text] and [Unshown] read the text of a block from its stored bytes alone,
// long after its snapshot is gone: search, comparison and feeds read the same text.
//
//	bytes      serialize.go, part.go, elements.go, restore.go
//	text       text.go, space.go
//
// Offsets are bytes. Nothing here needs to be configured, or does I/O.
package markup
