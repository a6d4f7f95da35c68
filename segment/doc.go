// Package segment cuts a rendered page into the blocks that a reader sees, and
// puts them together again.
//
// [Segment] takes a [plat.Snapshot] (DOM nodes, boxes, colours) and returns a
// page: a tree of blocks whose leaves hold the page's HTML, and a layout, the
// page with those leaves taken out. [Restore] is the way back; whatever page was
// cut,
//
//	Restore(page.Layout, page.Blocks) == Serialize(snapshot)
//
// byte for byte. Every test of the package leans on that.
//
// # How a page is cut
//
// The method is BWAP section 2.1: [rules] decides for one node whether it is a
// block, extract walks the DOM and takes the blocks it meets (Algorithm 1), and
// each further level does the same inside the blocks of the level before
// (figure 5). What no rule takes is gathered, so that no visible text is left
// in the layout, and a block that the rules cannot divide is cut at what a
// reader sees as a separator. The files hold these steps in this order: view.go,
// classify.go, rules.go, extract.go, separate.go, gather.go, blocks.go.
//
// There are two profiles over one code path. [Paper] is the paper's tag table,
// to the letter. [Visual], the default, sorts nodes by how they are laid out.
//
// All lengths are CSS pixels. The result depends on the snapshot and the
// [Params] alone: no clock, network or randomness.
package segment
