package replay

import (
	"fmt"
	"html"
	"strings"

	nethtml "golang.org/x/net/html"
)

// A parser may take a part of a page for something else than the tokenizer does: for the text of
// an element (as of <style> in HTML), or for elements (as of <style> in SVG, or where a
// <p> has ended the <svg>). So nothing is written that would be a tag in one of these, and is none in
// another: "<" begins the tags of elements that are kept, and stands nowhere else, neither in
// text, nor in the values of attributes, nor in style sheets. Nothing is left to what follows: a "<" at the end
// of a text begins a tag once a comment after it is left out. So a style sheet is judged as a whole, without
// the elements and comments inside of it, and is the same whether "&" means something there or not; and start
// tags are written anew unless they are spelt as [markup.Serialize] does. Comments are left out.

// holdsForeign reports whether elements inside are those of SVG or MathML (HTML Living Standard,
// section 13.2.6, "integration point").
func (o *opened) holdsForeign() bool {
	if !o.foreign {
		return false
	}
	switch o.name {
	case "foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml":
		return false
	}
	return true
}

// inertName is the name of an element as it is written; empty if there is none.
func inertName(name string) string {
	if i := strings.IndexAny(name, " \t\n\r\f/>"); i >= 0 {
		name = name[:i]
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("<\"'`=&", r) {
			return '_'
		}
		return r
	}, name)
}

// animates reports whether an element changes where a link leads, or what an event does.
func animates(t *nethtml.Token) bool {
	name, ok := attr(t, "attributename")
	if !ok {
		return false
	}
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.Contains(name, "href") || strings.HasPrefix(name, "on") || name == "src"
}

// inertCSS is a style sheet in which no "<" begins a tag, whatever follows it, and no "&" a character reference: in
// strings and URLs they are escaped, elsewhere, as in (width < 600px), a blank follows. What hides
// style sheets from browsers of the last century is left out.
func inertCSS(css string) string {
	if !strings.ContainsAny(css, "<&") {
		return css
	}
	css = strings.ReplaceAll(css, "<!--", "")
	var b strings.Builder
	var quote byte // of the string around
	url := false   // inside url(
	for i := 0; i < len(css); i++ {
		c := css[i]
		escaped := c == '\\' && i+1 < len(css)
		if escaped {
			i++
			c = css[i]
		}
		means := c == '<' && (escaped || !strings.HasPrefix(css[i:], "<=")) || c == '&' && begins(css[i:])
		switch {
		case means && (escaped || quote != 0 || url):
			fmt.Fprintf(&b, "\\%x ", c)
			continue
		case means:
			b.WriteByte(c)
			c = ' '
		case escaped:
			b.WriteByte('\\')
		case quote != 0:
			if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' && i >= 3 && strings.EqualFold(css[i-3:i], "url"):
			url = true
		case c == ')':
			url = false
		}
		b.WriteByte(c)
	}
	return b.String()
}

// begins reports whether a text that begins with "&" begins with a character reference.
func begins(text string) bool {
	text = text[:min(len(text), 40)] // the longest name has 33 bytes
	return html.UnescapeString(text) != text
}
