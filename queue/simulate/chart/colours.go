package chart

import (
	"fmt"
	"image/color"
	"strings"
)

// tone is the purpose of a colour; the colour itself depends on the reader's choice of light or
// dark.
type tone int

const (
	paper  tone = iota
	ink         // texts
	faint       // texts that explain, and axes
	grid        // lines in the background
	bar         // all but the best
	accent      // the best
	lines0      // the first of the lines
)

// tones are colours on light and on dark paper, as 0xRRGGBB. Those of texts and lines have the
// contrast that texts require (WCAG 2.2, success criterion 1.4.3): lines are named in their colour.
var tones = [][2]uint32{
	paper: {0xffffff, 0x14181d}, ink: {0x1b1f24, 0xe6eaef}, faint: {0x5c646d, 0x9aa4ae},
	grid: {0xe3e7eb, 0x2c333b}, bar: {0xa9b7c6, 0x4f5f70}, accent: {0x0f62b5, 0x5aa9f5},
	lines0: {0x0f62b5, 0x6cb2f7}, {0xb3470a, 0xf0955a}, {0x167a3a, 0x5fca86}, {0xa32a7e, 0xee82c8}, {0x6b4fc4, 0xb3a0ff},
	{0x856000, 0xd9b04a}, {0x007384, 0x4cc6d6}, {0xc2273d, 0xff8390}, {0x57616c, 0xb3bdc7}, {0x4a6b00, 0xa8cf5a},
}

// series returns the tone of a line. After ten they come again; the names at their ends tell them apart.
func series(i int) tone { return lines0 + tone(i%(len(tones)-int(lines0))) }

// light returns the colour on light paper.
func (t tone) light() color.RGBA { return rgb(tones[t][0]) }

func rgb(c uint32) color.RGBA {
	return color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}

func (t tone) hex() string { return fmt.Sprintf("#%06x", tones[t][0]) }

// darkCSS returns rules for readers who prefer dark colours. They override the attributes that
// shapes have for readers without style sheets.
func darkCSS() string {
	var b strings.Builder
	b.WriteString("@media (prefers-color-scheme: dark) {")
	for t := range tones {
		fmt.Fprintf(&b, " .f%d { fill: #%06x } .s%d { stroke: #%06x }", t, tones[t][1], t, tones[t][1])
	}
	b.WriteString(" }")
	return b.String()
}
