package segment

import (
	"strings"

	"plat/plat"
)

// nameSet is a set of places that an element's names suggest. Names are arbitrary, so this is
// the weakest evidence.
type nameSet uint8

// The places.
const (
	Header nameSet = 1 << iota
	Footer
	Nav
	Side
	Main
)

// words are common words in names, in English, the language of most code.
// They match at the beginning or end of a word, as in "subnav" and "navbar";
// those that also begin or end other words ("domain", "football", "guardrail")
// match only whole words.
var words = []struct {
	word  string
	alone bool
	as    nameSet
}{
	{"header", false, Header}, {"masthead", false, Header}, {"banner", false, Header}, {"logo", false, Header},
	{"topbar", false, Header}, {"branding", false, Header},
	{"footer", false, Footer}, {"foot", true, Footer}, {"copyright", false, Footer}, {"contentinfo", false, Footer},
	{"legal", true, Footer},
	{"nav", false, Nav}, {"navigation", false, Nav}, {"menu", false, Nav}, {"breadcrumb", false, Nav}, {"tabs", false, Nav},
	{"sidebar", false, Side}, {"aside", true, Side}, {"rail", true, Side}, {"complementary", false, Side},
	{"content", false, Main}, {"main", true, Main}, {"article", false, Main}, {"body", false, Main}, {"center", false, Main},
}

// nameReader caches the results for names: pages of a site have few names, many times. The zero value
// is ready.
type nameReader struct {
	known map[string]nameSet
}

// Limits of the names that a Reader keeps.
const (
	maxKnown = 4096
	maxName  = 128 // bytes
)

// Of returns the places that an element's names suggest.
func (r *nameReader) Of(n *plat.Node) nameSet {
	if n.Kind != plat.ElementNode {
		return 0
	}
	as := nameSet(0)
	switch n.Name {
	case "header":
		as = Header
	case "footer":
		as = Footer
	case "nav":
		as = Nav
	case "aside":
		as = Side
	case "main", "article":
		as = Main
	}
	for _, a := range n.Attrs {
		if a.Name == "id" || a.Name == "class" || a.Name == "role" {
			as |= r.in(a.Value)
		}
	}
	return as
}

// in reads a name.
func (r *nameReader) in(name string) nameSet {
	if as, ok := r.known[name]; ok {
		return as
	}
	as := in(name)
	if len(name) > maxName {
		return as
	}
	if r.known == nil {
		r.known = map[string]nameSet{}
	}
	if len(r.known) >= maxKnown {
		clear(r.known)
	}
	r.known[strings.Clone(name)] = as
	return as
}

// in looks up each word of a name, see [plat.NameWords].
func in(name string) nameSet {
	as := nameSet(0)
	for word := range plat.NameWords(name) {
		for i := range words {
			k := &words[i]
			if word == k.word || !k.alone && (strings.HasPrefix(word, k.word) || strings.HasSuffix(word, k.word)) {
				as |= k.as
			}
		}
	}
	return as
}

// isLandmark reports whether an element is an ARIA landmark: header, footer,
// navigation or sidebar (WAI-ARIA 1.2 section 5.3.4). Headers and footers of
// articles count too, because they are coherent units as well.
func isLandmark(n *plat.Node) bool {
	switch n.Name {
	case "header", "footer", "nav", "aside":
		return true
	}
	role, _ := n.Attr("role")
	for role := range strings.FieldsSeq(role) {
		switch strings.ToLower(role) {
		case "banner", "contentinfo", "navigation", "complementary":
			return true
		}
	}
	return false
}
