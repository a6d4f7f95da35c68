// Package chart draws a comparison as a picture that shows at a glance the best entry, and by how
// much it leads.
//
// A [Chart] is panels beside each other, one for each measure. With one x, such as one budget,
// each panel has a bar for each name, and the rows are sorted by the first panel; with several,
// each panel has a line for each name. [Simulated] makes the chart of a simulation: a further
// panel is a line of its table.
//
// [Chart.Draw] says where each line and each text is; both formats, [Drawing.SVG] and
// [Drawing.PNG], are made from that, without a browser. Equal charts are equal bytes.
//
// Lengths are CSS px from the upper left corner. Texts of an SVG have the reader's sans-serif font,
// so that they can be searched and copied; widths are those of the font of PNGs, Go Regular, with
// room for wider ones. An SVG is light or dark as its reader wants it; a PNG is light.
package chart
