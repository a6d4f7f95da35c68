// Package draw draws archived versions: their blocks over the picture of the
// page, or without a picture as an outline made from the blocks alone.
//
// Blocks are coloured in one of several [Ways]: by label, by age of their
// content, or by change. A [Colouring] assigns each leaf a class, such as
// label-main or age-0; the table in colours.go is the only definition of their
// colours. [CSS], [Inks], [DarkInks] and [AgeMarks] return them as style
// sheets, [Color] as values.
//
//   - [Overlay] is the geometry, for a page that loads the picture itself.
//   - [Drawing] is an overlay with its picture: as an SVG file, inlined into a
//     self-contained page, or painted into a raster image.
//   - [Timeline] draws the capture times of versions, [Visits] the visits of a URL and their
//     results.
//
// Lengths are CSS px of the page, measured from its upper left corner; pictures
// of pages have one pixel per CSS px. Texts from pages are untrusted input and
// are always escaped.
package draw
