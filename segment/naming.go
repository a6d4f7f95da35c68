package segment

import (
	"strings"

	"plat"
)

// naming is a set of roles that an element's tag, class, id and role attribute
// suggest. Names are arbitrary, so this is the weakest evidence.
type naming uint8

const (
	namedHeader naming = 1 << iota
	namedFooter
	namedNav
	namedSide
	namedMain
)

// namings are common words in names, in English, the language of most code.
// They match at the beginning or end of a word, as in "subnav" and "navbar";
// those that also begin or end other words ("domain", "football", "guardrail")
// match only whole words.
var namings = []struct {
	word  string
	alone bool
	as    naming
}{
	{"header", false, namedHeader}, {"masthead", false, namedHeader}, {"banner", false, namedHeader}, {"logo", false, namedHeader},
	{"topbar", false, namedHeader}, {"branding", false, namedHeader},
	{"footer", false, namedFooter}, {"foot", true, namedFooter}, {"copyright", false, namedFooter}, {"contentinfo", false, namedFooter},
	{"legal", true, namedFooter},
	{"nav", false, namedNav}, {"navigation", false, namedNav}, {"menu", false, namedNav}, {"breadcrumb", false, namedNav}, {"tabs", false, namedNav},
	{"sidebar", false, namedSide}, {"aside", true, namedSide}, {"rail", true, namedSide}, {"complementary", false, namedSide},
	{"content", false, namedMain}, {"main", true, namedMain}, {"article", false, namedMain}, {"body", false, namedMain}, {"center", false, namedMain},
}

// Limits of the names that are kept.
const (
	maxNamings = 4096
	maxName    = 128 // bytes
)

// namingOf keeps what it finds: pages of a site have few names, many times.
func (c *cutter) namingOf(n *plat.Node) naming {
	if n.Kind != plat.ElementNode {
		return 0
	}
	as := naming(0)
	switch n.Name {
	case "header":
		as = namedHeader
	case "footer":
		as = namedFooter
	case "nav":
		as = namedNav
	case "aside":
		as = namedSide
	case "main", "article":
		as = namedMain
	}
	for _, a := range n.Attrs {
		if a.Name == "id" || a.Name == "class" || a.Name == "role" {
			in, ok := c.namings[a.Value]
			if !ok {
				in = namingIn(a.Value)
				if len(a.Value) <= maxName && len(c.namings) < maxNamings {
					c.namings[strings.Clone(a.Value)] = in
				}
			}
			as |= in
		}
	}
	return as
}

// namingIn looks up each word of a name, see [plat.NameWords].
func namingIn(name string) naming {
	as := naming(0)
	for word := range plat.NameWords(name) {
		for i := range namings {
			k := &namings[i]
			if word == k.word || !k.alone && (strings.HasPrefix(word, k.word) || strings.HasSuffix(word, k.word)) {
				as |= k.as
			}
		}
	}
	return as
}

// landmark reports whether an element is an ARIA landmark: header, footer,
// navigation or sidebar (WAI-ARIA 1.2 section 5.3.4). Headers and footers of
// articles count too, because they are coherent units as well.
func landmark(n *plat.Node) bool {
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
