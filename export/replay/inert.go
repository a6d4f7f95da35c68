package replay

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	nethtml "golang.org/x/net/html"
)

// A parser may interpret a part of a page differently than the tokenizer: as the text of an
// element (such as <style> in HTML), or as elements (such as <style> in SVG, or after a <p> has
// ended the <svg>). So the output contains no text that is a tag in only some of these
// contexts: "<" begins the tags of kept elements, and occurs nowhere else, neither in text, nor
// in the values of attributes, nor in style sheets. The output does not depend on the text
// after it: a "<" at the end of a text would begin a tag once a comment after it is left out.
// So a style sheet is processed as a whole, without the elements and comments inside of it, and
// is valid with and without character references. Start tags are rewritten unless they are
// spelt as [markup.Serialize] does. Comments are left out.

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

// inertName returns the name of an element for writing, or the empty string if it cannot be
// written.
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

// animates reports whether an element changes the target of a link, or an event handler.
func animates(t *nethtml.Token) bool {
	name, ok := attr(t, "attributename")
	if !ok {
		return false
	}
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.Contains(name, "href") || strings.HasPrefix(name, "on") || name == "src"
}

// inertCSS returns a style sheet in which no "<" can begin a tag, and no "&" a character
// reference, whatever follows: in strings and URLs they are escaped, elsewhere, as in (width <
// 600px), a blank follows, or the letter after it is escaped. The marker <!-- is left out.
func inertCSS(css string) string {
	if !strings.ContainsAny(css, "<&") {
		return css
	}
	css = strings.ReplaceAll(css, "<!--", " ") // without the blank, the tokens before and after would become one
	var b strings.Builder
	var quote byte // quote of the enclosing string
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
		case means && syntaxName.MatchString(css[i:min(len(css), i+maxSyntaxName)]):
			i++
			fmt.Fprintf(&b, "<\\%x ", css[i])
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

// syntaxName matches the name of a type of values (CSS Values and Units Level 5, section 5.4), as in type(<length>), in
// which no blank may be.
var syntaxName = regexp.MustCompile(`^<[A-Za-z][A-Za-z-]*>`)

const maxSyntaxName = 40
