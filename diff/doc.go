// Package diff computes the changes between two versions of a page.
//
// [Compare] decides whether a version is new (formula 1 of BWAP section 2.3), which
// old block became which new one, and the kind of each change: words, place, markup,
// or only invisible tokens. It numbers lineages, so that a block can be followed
// across versions. [Words] computes a word diff. [LCS] is the algorithm below both.
//
// Use: [Needed] returns the old contents that a comparison uses; the caller loads
// them (Content and Text) into the old side's blocks, then calls Compare. For the
// first version of a URL call [First].
//
// # Glossary
//
//	id     of a leaf: its content hash, Hidden and Folded; equal ids show equal text
//	anchor a pair of leaves of equal id in the same order in both versions
//	gap    the leaves between two neighbouring anchors, of either side
//	shift  text of a gap, or of the page, that is the same word for word but is in
//	       different blocks: a matter of segmentation, not of content. In a gap,
//	       two texts are also the same if only alternative texts of images that
//	       failed in one version differ
//
// The package is pure and deterministic: no I/O, no clock, no randomness.
package diff
