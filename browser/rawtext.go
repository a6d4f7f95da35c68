package browser

import (
	"regexp"
	"strings"

	"plat/plat"
)

// rawEnd matches, in the text of an element that markup writes without escapes, what ends the element.
var rawEnd = map[string]*regexp.Regexp{}

func init() {
	for _, name := range []string{"iframe", "noembed", "noframes", "noscript", "script", "style"} {
		rawEnd[name] = regexp.MustCompile(`(?i)</(` + name + `[\s/>])`)
	}
}

// endsOfMarkup makes the texts that only scripts can give to elements survive as markup. The text of <style> and of a few
// others has no escapes in HTML: in it, an end tag is broken by a backslash, which style sheets and scripts read over.
// An element <plaintext> has no end, and <xmp> none but its own end tag: they become a <pre>, which looks the same.
func endsOfMarkup(s *plat.Snapshot) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == plat.ElementNode && !n.Foreign && (n.Name == "plaintext" || n.Name == "xmp" && holdsEnd(s.Nodes[i+1:n.End])) {
			n.Name = "pre"
		}
		if n.Kind != plat.TextNode || n.Parent < 0 || !strings.Contains(n.Value, "</") {
			continue
		}
		if p := &s.Nodes[n.Parent]; p.Kind == plat.ElementNode && !p.Foreign && rawEnd[p.Name] != nil {
			n.Value = rawEnd[p.Name].ReplaceAllString(n.Value, `<\/$1`)
		}
	}
}

// holdsEnd reports whether the text of an <xmp> would end it.
func holdsEnd(inside []plat.Node) bool {
	for i := range inside {
		if n := &inside[i]; n.Kind == plat.TextNode && strings.Contains(strings.ToLower(n.Value), "</xmp") {
			return true
		}
	}
	return false
}
