package attributes

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// Skeleton returns the tags of a piece of HTML, without attributes; words encodes the texts between
// them.
func Skeleton(content []byte, words func(text string) []byte) string {
	var b strings.Builder
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			b.WriteString("<" + string(name))
		case html.EndTagToken:
			name, _ := z.TagName()
			b.WriteString(">" + string(name))
		case html.TextToken:
			b.Write(words(string(z.Text())))
		}
	}
}
