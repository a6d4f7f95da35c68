package capture

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"plat/plat"
)

// generated lists the laid out content that is not in the DOM: pseudo-elements, the text of
// controls, and alternatives of images that failed.
type generated struct {
	all  []plat.Generated
	last int32 // the pseudo-element of the last element of all
	doc  *document

	pieces []string // of the text of the last of all
	joined int      // bytes of texts that are not the capture's own but put together of these
}

// MaxPage bounds a page's HTML as stored, in bytes. Longer pages, beyond the longest books, are
// meant to fill memory.
const MaxPage = 16 << 20

// allow reports whether a text of n bytes more may be put together. Where that is too much, so is the page.
func (g *generated) allow(n int) bool {
	g.joined += n
	return g.joined <= MaxPage
}

// pseudo adds the i-th layout object of d, which is of a pseudo-element or in one. at maps the
// nodes of d to those of the snapshot.
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
			g.join()
			g.all = append(g.all, d.generated(at[p], kind, i, box, styles))
			g.last, g.doc = node, d
		}
		if len(d.text) > 0 && d.text[i] >= 0 {
			g.piece(s.str(d.text[i]), box)
		}
		return
	}
}

// piece adds a piece to the text of the last pseudo-element. Texts that are too long together
// remain pieces, and are counted as pieces.
func (g *generated) piece(text string, box plat.Rect) {
	own, more := &g.all[len(g.all)-1], len(text)
	if len(g.pieces) == 1 {
		more += len(g.pieces[0])
	}
	switch {
	case len(g.pieces) == 0:
		own.Box = box
	case g.allow(more):
		own.Box = own.Box.Union(box)
	default:
		g.join()
		g.all = append(g.all, g.all[len(g.all)-1])
	}
	if text != "" {
		g.pieces = append(g.pieces, text)
	}
}

// join ends the text of the last pseudo-element.
func (g *generated) join() {
	if len(g.pieces) > 0 {
		g.all[len(g.all)-1].Text = strings.Join(g.pieces, "")
		g.pieces = g.pieces[:0]
	}
}

// generated returns the content that the i-th layout object shows beside the children of a node.
func (d *document) generated(node int32, kind plat.GeneratedKind, i int, box plat.Rect, styles *styleSet) plat.Generated {
	g := plat.Generated{Node: node, Kind: kind, Box: box, Style: styles.index(d.styles[i*numAsked:][:numAsked])}
	if len(d.paint) > 0 {
		g.Paint = d.paint[i]
	}
	return g
}

// own adds the content that the control or image at node shows. It is laid out as the i-th object;
// n is its node in the snapshot, with index self.
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
				text = g.textIn(s, d, k)
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
	g.join()
	v := d.generated(self, kind, i, box, styles)
	v.Text = text
	g.all, g.doc = append(g.all, v), nil
}

// of returns the string of a node in a rare column.
func (s *Capture) of(r *rare, node int32) string {
	if k, ok := slices.BinarySearch(r.index, node); ok && r.value[k] >= 0 && int(r.value[k]) < len(s.strings) {
		return s.strings[r.value[k]]
	}
	return ""
}

// textIn returns the text of the nodes in node, "" if it exceeds the limit: the nodes themselves
// count too.
func (g *generated) textIn(s *Capture, d *document, node int32) string {
	var b, words strings.Builder
	for k := node + 1; int(k) < len(d.parent) && d.parent[k] >= node; k++ {
		if d.kind[k] != textType {
			continue
		}
		text := s.str(d.value[k])
		if !g.allow(len(text)) {
			return ""
		}
		b.WriteString(text)
	}
	for w := range strings.FieldsSeq(b.String()) { // avoids a list of millions of words
		if words.Len() > 0 {
			words.WriteByte(' ')
		}
		words.WriteString(w)
	}
	return words.String()
}

// isList reports whether a select shows its options as a list.
func isList(n *plat.Node) bool {
	_, multiple := n.Attr("multiple")
	size, _ := n.Attr("size")
	return multiple || size != "" && size != "0" && size != "1"
}

// shownByInput returns the visible text of an input with a value: empty for inputs that show no
// text, and passwords are never kept.
func shownByInput(n *plat.Node, value string) string {
	kind, _ := n.Attr("type")
	if fillsSecret(n) {
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

// fillsSecret reports whether browsers fill a field with a password or a code.
func fillsSecret(n *plat.Node) bool {
	fill, _ := n.Attr("autocomplete")
	fill = strings.ToLower(fill)
	return strings.Contains(fill, "password") || fill == "one-time-code"
}

// IsSecret reports whether the value of a field is never kept, whatever its type.
func IsSecret(n *plat.Node) bool { return fillsSecret(n) || holdsToken(n) }

// holdsToken reports whether a field's name marks it as a token that scripts send to the server.
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

// sorted returns all by node, without content that is neither read nor painted.
func (g *generated) sorted(styles []plat.Style) []plat.Generated {
	g.join()
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
