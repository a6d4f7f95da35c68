package segment

import (
	"strings"

	"plat/plat"
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
	case f.media:
		f.kind = function
	case f.blocks:
		f.kind = schema
	case n.Name == "a":
		f.kind = function
	default:
		f.kind = format
	}
}

// tagKind implements the paper's table (section 2.1, item node.type). Both rows end in "and so on";
// we add to Schema the other HTML 4.01 block-level tags that contain blocks, and the HTML 5 sections.
// DIV and headings are Format, as printed.
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
	return n.Kind == plat.ElementNode && n.HasBox && v.blockStyles[n.Style]
}

// blockDisplay reports whether a value of display is that of a block-level box.
func blockDisplay(d string) bool {
	switch d {
	case "block", "flex", "grid", "table", "list-item", "flow-root",
		"table-row-group", "table-header-group", "table-footer-group", "table-row", "table-cell", "table-caption":
		return true
	}
	return strings.HasPrefix(d, "block ")
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
	return a.image != b.image || v.tones.Distance(a.color, b.color) >= minContrast
}
