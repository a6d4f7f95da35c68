// Package segment cuts a rendered page into visually coherent blocks.
//
// [Segment] takes a [plat.Snapshot] (DOM nodes, boxes, colours) and returns a
// page: a tree of blocks whose leaves hold the page's HTML, and a layout, which
// is the page without those leaves. [markup.Restore] is the inverse; for every
// page,
//
//	markup.Restore(page.Layout, page.Blocks) == markup.Serialize(snapshot)
//
// byte for byte. Every test of the package relies on that.
//
// # How a page is cut
//
// There are two profiles.
//
// [Paper] is BWAP section 2.1 to the letter: [rules] decides by a node's tag
// and children whether it is a block, extract walks the DOM and collects the
// blocks (Algorithm 1), and each further level does the same inside the blocks
// of the level before (figure 5).
//
// [Visual], the default, works on the rendered page. Siblings form a [row];
// between two neighbours of a row there is a [separator], whose visual features
// (size, position, gap, colour, headings, columns, repetition) are weighed. The row
// is cut where they favour a boundary; the pieces are blocks. A small classifier
// cuts the page into regions (level 1: header, content, footer), weights cut these
// into modules (level 2: articles, lists, menus). Both are fitted to human
// annotations of real pages; scripts/eval-segment -fit prints the results on
// held-out pages and designs. At deeper levels, the paper's rules, with nodes
// classified by their layout, cut modules, and regions without modules, further
// into units that an archive stores separately.
//
// Every text is shown, folded (a click or a touch away) or hidden, see
// [markup.State]. Shown text decides how the page is cut; folded text is kept
// in blocks too.
//
// In both profiles, leftover content is gathered into blocks so that no visible
// text stays in the layout, and each overlay is a block of its own.
//
//	visibility        view.go, classify.go, look.go; colours in tone.go, boxes in edges.go
//	states of text    sight.go, window.go, cover.go, fold.go, opener.go, turn.go; covering boxes in painted.go
//	separators        unit.go, separator.go, features.go, weights.go, part.go; names in naming.go
//	rules             rules.go, extract.go, sections.go
//	other blocks      overlay.go, gather.go
//	the block tree    blocks.go, apart.go, leaves.go
//
// All lengths are CSS pixels. The result depends only on the snapshot and the
// [Params]: no clock, network or randomness.
package segment
