// Package draw draws archived versions: their blocks over the picture of the page,
// or where none was kept as a plan of the page, made from the blocks alone.
//
// Blocks are coloured in one of several [Ways], by what they are, how old their
// content is, or how they changed. A [Colouring] gives each leaf a class, a word such
// as label-main or age-0; the table in colours.go is the only place that says which
// colour a class has. [CSS], [Inks], [DarkInks] and [AgeMarks] write it as style
// sheets, [Color] answers for pictures.
//
//   - [Overlay] is the geometry, for a page that loads the picture itself.
//   - [Drawing] is an overlay with its picture: as an SVG file, as part of a page
//     that needs no other file, or painted into a raster image.
//   - [Timeline] draws when versions were taken.
//
// Lengths are CSS px of the page, measured from its upper left corner; pictures of
// pages have one pixel per CSS px. What pages say is untrusted input, and stands in
// drawings as escaped text only.
package draw
