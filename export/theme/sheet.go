package theme

import (
	_ "embed"
	"strings"

	"plat/export/draw"
)

//go:embed plat.css
var sheetFile string

// Sheet is the style sheet of all pages, with the block colours of package draw
// inserted.
var Sheet = strings.NewReplacer(
	"/* inks */", draw.Inks(),
	"/* dark inks */", draw.DarkInks(),
	"/* colours of blocks */", draw.CSS(),
).Replace(sheetFile)
