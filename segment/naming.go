package segment

import (
	"strings"

	"plat"
)

// naming is what the tag, class, id and role of an element call it. Names are
// free and lie; they are the weakest evidence.
type naming uint8

const (
	namedHeader naming = 1 << iota
	namedFooter
	namedNav
	namedSide
	namedMain
)

// namings are parts of names as designers give them in English, which most
// code is written in.
var namings = []struct {
	part string
	as   naming
}{
	{"header", namedHeader}, {"masthead", namedHeader}, {"banner", namedHeader}, {"logo", namedHeader}, {"topbar", namedHeader}, {"branding", namedHeader},
	{"foot", namedFooter}, {"copyright", namedFooter}, {"contentinfo", namedFooter}, {"legal", namedFooter},
	{"nav", namedNav}, {"menu", namedNav}, {"breadcrumb", namedNav}, {"tabs", namedNav},
	{"sidebar", namedSide}, {"aside", namedSide}, {"rail", namedSide}, {"complementary", namedSide},
	{"content", namedMain}, {"main", namedMain}, {"article", namedMain}, {"body", namedMain}, {"center", namedMain},
}

func namingOf(n *plat.Node) naming {
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
		if a.Name != "id" && a.Name != "class" && a.Name != "role" {
			continue
		}
		v := strings.ToLower(a.Value)
		for _, k := range namings {
			if strings.Contains(v, k.part) {
				as |= k.as
			}
		}
	}
	return as
}

// landmark reports whether an element is declared to be a part of the page that
// is one thing: its header, footer, navigation or sidebar (WAI-ARIA 1.2 section
// 5.3.4; HTML-AAM for the tags).
func landmark(n *plat.Node) bool {
	switch n.Name {
	case "header", "footer", "nav", "aside":
		return true
	}
	switch role, _ := n.Attr("role"); role {
	case "banner", "contentinfo", "navigation", "complementary":
		return true
	}
	return false
}
