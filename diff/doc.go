// Package diff says what changed between two versions of a page.
//
// [Compare] decides whether a version is new (formula 1 of BWAP section 2.3),
// which block of the old version became which of the new one, and of what kind
// each change is: words, place, markup, or only tokens that no reader sees. It
// numbers lineages, so that one block can be followed through the years.
// [Words] shows a change of words. [LCS] is the engine below both.
//
// Use: [Needed] names the old contents that a comparison will look at; the
// caller loads them (Content and Text) into the old side's blocks, then calls
// Compare. The first version of a URL goes through [First].
//
// # Glossary
//
//	id     of a leaf: its content hash, Hidden and Folded; equal ids show equal text
//	anchor a pair of leaves of equal id in the same order in both versions
//	gap    the leaves between two neighbouring anchors, of either side
//	shift  text of a gap, or of the page, that is the same word for word but
//	       stands in other blocks: a matter of segmentation, not of content
//
// Nothing here does I/O or depends on a clock or chance: equal inputs give equal
// results.
package diff
