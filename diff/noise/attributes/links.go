package attributes

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Links returns the targets of the links in a piece of HTML by their texts. A target is empty if
// links with one text lead to several places.
func Links(content []byte) map[string]string {
	all := map[string]string{}
	to, text, in := "", "", false
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.StartTagToken:
			if t := z.Token(); t.Data == "a" {
				to, text, in = "", "", true
				for _, a := range t.Attr {
					if a.Key == "href" {
						to = a.Val
					}
				}
			}
		case html.TextToken:
			if in {
				text += string(z.Text())
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "a" && in {
				text = strings.Join(strings.Fields(text), " ")
				if other, ok := all[text]; ok && other != to {
					to = ""
				}
				all[text], in = to, false
			}
		}
	}
}

// Retargeted returns the texts of links whose target changed, to the same place in all renderings of
// a page. A different token in an address does not count.
func Retargeted(old, now []byte, looks ...[]byte) (texts []string) {
	was := Links(old)
	if len(was) == 0 {
		return nil
	}
	again := make([]map[string]string, len(looks))
	for i, look := range looks {
		again[i] = Links(look)
	}
	for text, to := range Links(now) {
		before := was[text]
		if text == "" || to == "" || before == "" || to == before || volatile(Attribute{"a", 0, "href"}, before, to) {
			continue
		}
		if !slices.ContainsFunc(again, func(links map[string]string) bool { return links[text] != to }) {
			texts = append(texts, text)
		}
	}
	return texts
}
