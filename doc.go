// Package plat defines the shared domain types: what a browser
// saw ([Snapshot], [Node], [Rect]), what a page is made of ([Page], [Layout],
// [Block]), what the archive keeps ([Version], [Visit], [URLState]) and what
// became of a page between two versions ([Change]).
//
// # The data path
//
//	URL ─► browser.Render      Chrome   Snapshot: DOM + boxes + colours
//	       storage.Head        I/O      last version, its level
//	       segment.Segment     pure     block tree, layout with slots
//	       label.Describe      pure     topic and label of each block
//	       diff.Compare        pure     changes, lineages
//	       storage.Commit      I/O      only what is new
//
// The function visit of package workers is that column, top to bottom. Whoever
// reads it next knows the program.
//
// # Conventions
//
// Lengths are CSS pixels, sizes are bytes, durations are [time.Duration] and
// instants are UTC. Text is UTF-8. Nothing here does I/O, reads a clock or
// knows how it is stored.
//
// Paper sections in comments are those of Song, Wang, Bao and Shen, "Collecting
// and Storing Web Archive Based on Page Block", Journal of Software 19(2), 2008,
// called BWAP here, unless another is named.
package plat
