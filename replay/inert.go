package replay

import (
	"strings"

	nethtml "golang.org/x/net/html"
)

// A parser may take a part of a page for something else than the tokenizer does: for the text of
// an element (as of <style> in HTML), or for elements (as of <style> in SVG, or where a
// <p> has ended the <svg>). So nothing is written that would be a tag in one of these, and is none in
// another: "<" begins the tags of elements that are kept, and stands nowhere else, neither in
// text, nor in the values of attributes, nor in style sheets. Comments are left out.

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
	return strings.HasSuffix(name, "href") || strings.HasPrefix(name, "on") || name == "src"
}

// inertCSS is a style sheet in which no "<" begins a tag: in strings and URLs it is escaped, elsewhere, as in
// (width < 600px), a blank follows. What hides style sheets from browsers of the last century is left out.
func inertCSS(css string) string {
	if !strings.Contains(css, "<") {
		return css
	}
	css = strings.ReplaceAll(css, "<!--", "")
	var b strings.Builder
	var quote byte // of the string around
	url := false   // inside url(
	for i := 0; i < len(css); i++ {
		c := css[i]
		switch {
		case c == '<' && (quote != 0 || url):
			b.WriteString("\\3c ")
			continue
		case c == '<' && i+1 < len(css) && css[i+1] != '=':
			b.WriteString("< ")
			continue
		case c == '\\' && i+1 < len(css) && css[i+1] != '<':
			b.WriteByte(c)
			i++
			c = css[i]
		case c == '\\':
			continue // the "<" is escaped below
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
