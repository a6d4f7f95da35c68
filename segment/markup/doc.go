// Package markup handles the bytes of a page: it writes a snapshot as HTML,
// reassembles a page from its layout and blocks, and extracts the text of a
// block.
//
// [Serialize] writes a snapshot. [Written] also knows which bytes given runs of
// nodes have become, and which of them are not shown; plat/segment uses it to
// take the blocks out of a page. The archive stores these bytes.
// [Restore] is the inverse; for every page,
//
//	Restore(page.Layout, page.Blocks) == Serialize(snapshot)
//
// byte for byte. [Text] and [Unshown] extract the text of a block from its
// stored bytes alone, without the snapshot, so that search, comparison and
// feeds use the same text. [Walk] reads leaves, or parts of their texts, with the elements
// around them.
//
//	bytes      serialize.go, written.go, part.go, elements.go, restore.go
//	text       text.go, plain.go, space.go, scan.go
//	elements   walk.go
//
// Offsets are in bytes. The package has no configuration and does no I/O.
package markup
