// Package segment cuts a rendered page into the blocks that a reader sees.
//
// [Segment] takes a [plat.Snapshot] (DOM nodes, boxes, colours) and returns a
// page: a tree of blocks whose leaves hold the page's HTML, and a layout, the
// page with those leaves taken out. [markup.Restore] is the way back; whatever
// page was cut,
//
//	markup.Restore(page.Layout, page.Blocks) == markup.Serialize(snapshot)
//
// byte for byte. Every test of the package leans on that.
//
// # How a page is cut
//
// There are two profiles.
//
// [Paper] is BWAP section 2.1 to the letter: [rules] decides by a node's tag and
// children whether it is a block, extract walks the DOM and takes the blocks it
// meets (Algorithm 1), and each further level does the same inside the blocks of
// the level before (figure 5).
//
// [Visual], the default, begins with what a reader sees. Siblings form a [row];
// between two neighbours of a row there is a [separator], and what is seen there
// (size, place, gap, colour, headings, columns, repetition) is weighed: where it
// speaks for a boundary, the row is cut. What holds together is a block. One
// table of features cuts the page into regions (level 1: header, content,
// footer), another these into modules (level 2: articles, lists, menus). The
// weights are fitted to what people marked on real pages; scripts/eval-segment
// -fit prints how well they hold on pages that they were not fitted to. Where
// more levels are asked for, the paper's rules, with nodes sorted by how they are
// laid out, cut further into what an archive stores apart: modules, and regions
// in which there are none.
//
// Every text is shown, folded (a click or a touch away) or hidden, see [markup.State]: what is shown
// decides, what is folded is kept in blocks all the same.
//
// In both, what nothing took is gathered, so that no visible text is left in the
// layout, and what lies over the page is a block of its own.
//
//	what is seen      view.go, classify.go, look.go, naming.go
//	states of text    sight.go, window.go, cover.go, fold.go, opener.go, turn.go
//	separators        unit.go, separator.go, features.go, weights.go, part.go
//	rules             rules.go, extract.go, sections.go
//	the rest          overlay.go, gather.go
//	the block tree    blocks.go
//
// All lengths are CSS pixels. The result depends on the snapshot and the
// [Params] alone: no clock, network or randomness.
package segment
