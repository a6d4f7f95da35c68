package capture

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"plat"
)

// generated lists what Chrome lays out that is no node of the page: pseudo-elements, what
// controls show, and what stands in the place of images that failed.
type generated struct {
	all  []plat.Generated
	last int32 // the pseudo-element that the last of all came from
	doc  *document
}

// pseudo adds the i-th layout object of d, which is of a pseudo-element or in one. at says
// which node of the snapshot a node of d has become.
func (g *generated) pseudo(s *Capture, d *document, at []int32, i int, box plat.Rect, styles *styleSet) {
	node := d.box[i]
	for ; node >= 0 && at[node] < 0; node = d.parent[node] {
		k, ok := slices.BinarySearch(d.pseudo.index, node)
		if !ok {
			continue
		}
		kind := plat.GeneratedKind(s.str(d.pseudo.value[k]))
		p := d.parent[node]
		if kind != plat.Before && kind != plat.After || p < 0 || at[p] < 0 {
			return // markers are numbers and dots, and a first letter is in its text
		}
		if g.doc != d || g.last != node {
			g.all = append(g.all, d.generated(at[p], kind, i, box, styles))
			g.last, g.doc = node, d
		}
		if len(d.text) > 0 && d.text[i] >= 0 {
			own := &g.all[len(g.all)-1]
			if own.Text == "" {
				own.Box = box
			} else {
				own.Box = own.Box.Union(box)
			}
			own.Text += s.str(d.text[i])
		}
		return
	}
}

// generated is what the i-th layout object shows beside the children of a node.
func (d *document) generated(node int32, kind plat.GeneratedKind, i int, box plat.Rect, styles *styleSet) plat.Generated {
	g := plat.Generated{Node: node, Kind: kind, Box: box, Style: styles.index(d.styles[i*numAsked:][:numAsked])}
	if len(d.paint) > 0 {
		g.Paint = d.paint[i]
	}
	return g
}

// own adds what the control or image at node shows of itself, which is laid out as the i-th
// object and has become n, the self-th node of the snapshot.
func (g *generated) own(s *Capture, d *document, node int32, i int, n *plat.Node, self int32, box plat.Rect, styles *styleSet) {
	text, kind := "", plat.Value
	switch n.Name {
	case "img":
		text, kind = d.alternative(node, n), plat.Alt
	case "input":
		text = shownByInput(n, s.of(&d.inputValue, node))
	case "textarea":
		text = s.of(&d.textValue, node)
	case "optgroup":
		text, _ = n.Attr("label")
	case "select":
		if isList(n) {
			return // its options have boxes
		}
		for k := node + 1; int(k) < len(d.parent) && d.parent[k] >= node; k++ {
			if d.selected.has(k) {
				text = s.textIn(d, k)
				break
			}
		}
	default:
		return
	}
	if text == "" && kind == plat.Value && n.Name != "select" {
		text, _ = n.Attr("placeholder")
	}
	if text == "" || holdsToken(n) {
		return
	}
	v := d.generated(self, kind, i, box, styles)
	v.Text = text
	g.all = append(g.all, v)
}

// of is the string of a node in a rare column.
func (s *Capture) of(r *rare, node int32) string {
	if k, ok := slices.BinarySearch(r.index, node); ok && r.value[k] >= 0 && int(r.value[k]) < len(s.strings) {
		return s.strings[r.value[k]]
	}
	return ""
}

// textIn is the text of the nodes in node.
func (s *Capture) textIn(d *document, node int32) string {
	var b strings.Builder
	for k := node + 1; int(k) < len(d.parent) && d.parent[k] >= node; k++ {
		if d.kind[k] == textType {
			b.WriteString(s.str(d.value[k]))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// isList reports whether a select shows its options one below the other.
func isList(n *plat.Node) bool {
	_, multiple := n.Attr("multiple")
	size, _ := n.Attr("size")
	return multiple || size != "" && size != "0" && size != "1"
}

// shownByInput is what a reader sees of an input with a value. What is no text shows none,
// and a password is never kept.
func shownByInput(n *plat.Node, value string) string {
	kind, _ := n.Attr("type")
	fill, _ := n.Attr("autocomplete")
	if fill = strings.ToLower(fill); strings.Contains(fill, "password") || fill == "one-time-code" {
		return ""
	}
	switch strings.ToLower(kind) {
	case "password", "hidden", "checkbox", "radio", "range", "color", "file", "image":
		return ""
	case "submit", "reset", "button":
		attr, ok := n.Attr("value")
		switch {
		case value != "":
			return value
		case ok:
			return attr
		case strings.EqualFold(kind, "submit"):
			return "Submit"
		case strings.EqualFold(kind, "reset"):
			return "Reset"
		}
	}
	return value
}

// holdsToken reports whether a field is for what scripts tell the server, by its name.
func holdsToken(n *plat.Node) bool {
	for _, attr := range [...]string{"name", "id"} {
		v, _ := n.Attr(attr)
		for word := range plat.NameWords(v) {
			switch word {
			case "csrf", "xsrf", "csrftoken", "xsrftoken", "csrfmiddlewaretoken", "token", "nonce", "wpnonce", "captcha", "recaptcha", "hcaptcha":
				return true
			}
		}
	}
	return false
}

// sorted is all by node, but for what is neither read nor painted.
func (g *generated) sorted(styles []plat.Style) []plat.Generated {
	all := g.all[:0]
	for _, g := range g.all {
		if !strings.ContainsFunc(g.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			g.Text = "" // an icon or a separator
		}
		if g.Text != "" || !g.Box.Empty() && styles[g.Style].Painted() {
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b plat.Generated) int { return cmp.Compare(a.Node, b.Node) })
	return all
}
