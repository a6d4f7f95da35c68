package article

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plat/plat"
)

// inlineDefault are the text elements with display: inline in browsers' default
// style sheets.
var inlineDefault = wordSet("a abbr b bdo big cite code data em font i ins del kbd label mark q s samp small span strike strong sub sup time tt u var br img")

// rendered makes a snapshot of a page without a browser, as if without style
// sheets: everything in one column 800 px wide, 20 px a line, headings larger,
// elements with the attribute hidden or style="display:none" without boxes.
//
// Attributes set styles: size (px), x and w (of the content, px), bold, color
// (a number), position, float, opacity.
func rendered(t testing.TB, src string) *plat.Snapshot {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	s := &plat.Snapshot{Width: 1280, Viewport: plat.Rect{W: 1280, H: 1024}}
	known := map[plat.Style]int32{}
	styleOf := func(st plat.Style) int32 {
		i, ok := known[st]
		if !ok {
			i = int32(len(s.Styles))
			s.Styles = append(s.Styles, st)
			known[st] = i
		}
		return i
	}
	type look struct {
		st      plat.Style
		x, w    float32
		visible bool
	}
	y := float32(0)
	sizes := map[string]float32{"h1": 32, "h2": 24, "h3": 19, "h4": 16}
	var add func(n *html.Node, parent int32, up look)
	add = func(n *html.Node, parent int32, up look) {
		i := int32(len(s.Nodes))
		v := plat.Node{Parent: parent, Foreign: n.Namespace != ""}
		switch n.Type {
		case html.DocumentNode:
			v.Kind = plat.DocumentNode
		case html.DoctypeNode:
			v.Kind, v.Name = plat.DoctypeNode, n.Data
		case html.CommentNode:
			v.Kind, v.Value = plat.CommentNode, n.Data
		case html.TextNode:
			v.Kind, v.Value = plat.TextNode, n.Data
			if text := strings.TrimSpace(n.Data); text != "" && up.visible {
				lines := float32(1 + len(text)/100)
				v.HasBox, v.Style = true, styleOf(up.st)
				v.Box = plat.Rect{X: up.x, Y: y, W: min(up.w, float32(len(text))*8), H: 20 * lines}
				y += 20 * lines
			}
		case html.ElementNode:
			v.Kind, v.Name = plat.ElementNode, n.Data
			up.st.Display, up.st.Position, up.st.Float = "block", "static", "none"
			up.st.Opacity = 1
			if inlineDefault[n.Data] {
				up.st.Display = "inline"
			}
			if size, ok := sizes[n.Data]; ok {
				up.st.FontSize, up.st.FontWeight = size, 700
			}
			switch n.Data {
			case "b", "strong", "th":
				up.st.FontWeight = 700
			case "head", "script", "style", "noscript", "template":
				up.visible = false
			}
			for _, a := range n.Attr {
				v.Attrs = append(v.Attrs, plat.Attr{Name: a.Key, Value: a.Val})
				number, _ := strconv.ParseFloat(a.Val, 32)
				switch a.Key {
				case "hidden":
					up.visible = false
				case "style":
					if strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none") {
						up.visible = false
					}
				case "size":
					if n.Data != "input" && n.Data != "font" && n.Data != "select" {
						up.st.FontSize = float32(number)
					}
				case "x":
					up.x = float32(number)
				case "w":
					up.w = float32(number)
				case "bold":
					up.st.FontWeight = 700
				case "color":
					up.st.Color = plat.Color(number)
				case "position":
					up.st.Position = a.Val
				case "float":
					up.st.Float, up.st.Display = a.Val, "block"
				case "opacity":
					up.st.Opacity = float32(number)
				}
			}
			if up.visible && n.Data != "slot" {
				v.HasBox, v.Style, v.Box = true, styleOf(up.st), plat.Rect{X: up.x, Y: y, W: up.w, H: 20}
			}
			if n.Data == "title" && n.FirstChild != nil && s.Title == "" {
				s.Title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
			}
			if lang, ok := v.Attr("lang"); ok && n.Data == "html" {
				s.Language = lang
			}
		}
		s.Nodes = append(s.Nodes, v)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			add(c, i, up)
		}
		s.Nodes[i].End = int32(len(s.Nodes))
	}
	add(doc, -1, look{st: plat.Style{Display: "block", Opacity: 1, FontSize: 16, FontWeight: 400, Color: 0xff}, w: 800, x: 8, visible: true})
	s.Height = y
	return s
}
