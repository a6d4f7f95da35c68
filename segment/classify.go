package segment

import (
	"math"
	"strings"

	"plat"
)

// kind is the node type of BWAP section 2.1.
type kind uint8

const (
	format   kind = iota // formats text
	schema               // lays out other nodes
	function             // shows non-text content
)

func (k kind) String() string { return [...]string{"Format", "Schema", "Function"}[k] }

// classify sets the kind of node i. All its descendants must be classified
// already.
func (v *view) classify(i int32) {
	n, f := &v.Nodes[i], &v.info[i]
	switch {
	case n.Kind == plat.TextNode:
		f.kind = format
	case n.Kind != plat.ElementNode:
		f.kind = schema // documents and shadow roots lay out their children
	case v.profile == Paper:
		f.kind = tagKind(n.Name)
	case isMedia(n):
		f.kind = function
	case f.blocks:
		f.kind = schema
	case n.Name == "a":
		f.kind = function
	default:
		f.kind = format
	}
}

// tagKind is the paper's table (section 2.1, item node.type). Both rows end in
// "and so on"; we add to Schema the other HTML 4.01 block-level tags that
// contain blocks, and the HTML 5 sections. DIV and headings are Format, as
// printed.
func tagKind(name string) kind {
	switch name {
	case "table", "tbody", "thead", "tfoot", "tr", "td", "th", "hr", "p",
		"html", "body", "frameset", "center", "blockquote", "pre", "fieldset",
		"ul", "ol", "dl", "li", "dt", "dd", "dir", "menu",
		"article", "aside", "footer", "header", "main", "nav", "section", "figure", "details":
		return schema
	case "form", "a", "input", "img", "button",
		"select", "textarea", "object", "embed", "applet", "iframe", "frame", "map", "video", "audio", "canvas", "svg":
		return function
	}
	return format
}

// blockLevel reports whether an element is block-level.
func (v *view) blockLevel(n *plat.Node) bool {
	if n.Kind != plat.ElementNode || !n.HasBox {
		return false
	}
	switch d := v.Styles[n.Style].Display; d {
	case "block", "flex", "grid", "table", "list-item", "flow-root",
		"table-row-group", "table-header-group", "table-footer-group", "table-row", "table-cell", "table-caption":
		return true
	default:
		return strings.HasPrefix(d, "block ")
	}
}

// Colour comparison for rule 6. The paper compares the numbers. On rendered
// pages, two greys that look the same must not divide a region.
const (
	// minContrast is the OKLab distance (0 to 1) from which two backgrounds
	// count as different. It is about twice the just noticeable difference of
	// 0.02, which holds for adjoining patches and less so for a card on a page.
	minContrast = 0.03

	// minShare is the share of its parent that a child must cover for its
	// colour to count, so that a coloured button does not divide a paragraph.
	minShare = 0.05
)

// differs reports whether a child's visible background differs from its
// parent's.
func (v *view) differs(n *plat.Node, a paint, parent *plat.Node, b paint) bool {
	if v.profile == Paper {
		return a != b
	}
	if parent.HasBox && n.Box.Area() < minShare*parent.Box.Area() {
		return false
	}
	return a.image != b.image || v.tones.contrast(a.color, b.color) >= minContrast
}

// contrast is the OKLab distance of two opaque colours.
func contrast(a, b plat.Color) float64 {
	if a>>8 == b>>8 {
		return 0
	}
	p, q := oklab(a), oklab(b)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// tones keeps contrasts: pages have few pairs of colours, many times.
type tones [64]struct {
	a, b     plat.Color
	contrast float64
}

func (t *tones) contrast(a, b plat.Color) float64 {
	k := &t[(uint32(a)*31+uint32(b))*2654435769>>26]
	if k.a != a || k.b != b {
		k.a, k.b, k.contrast = a, b, contrast(a, b)
	}
	return k.contrast
}

// oklab converts sRGB to OKLab (Ottosson 2020, "A perceptual color space for
// image processing").
func oklab(c plat.Color) [3]float64 {
	r8, g8, b8, _ := c.Channels()
	r, g, b := light[r8], light[g8], light[b8]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// light is [linear] of all values.
var light = func() (all [256]float64) {
	for c := range all {
		all[c] = linear(uint8(c))
	}
	return all
}()

// linear undoes the sRGB transfer function (IEC 61966-2-1).
func linear(c uint8) float64 {
	x := float64(c) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}
