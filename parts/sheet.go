package parts

import (
	_ "embed"
	"strings"

	"plat/draw"
)

//go:embed plat.css
var sheetFile string

// Sheet is the style sheet of all pages. The colours of blocks are put into it from
// the table of package draw.
var Sheet = strings.NewReplacer(
	"/* inks */", draw.Inks(),
	"/* dark inks */", draw.DarkInks(),
	"/* colours of blocks */", draw.CSS(),
).Replace(sheetFile)
