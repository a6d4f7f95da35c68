package browser

import (
	"slices"

	"plat/plat"
)

// dropNotice removes the notice that Chrome shows above an XML file without a style sheet: it is not the site's.
// The file itself is below it.
func dropNotice(s *plat.Snapshot) {
	if isHTML(s) {
		return
	}
	source := slices.IndexFunc(s.Nodes, func(n plat.Node) bool {
		id, _ := n.Attr("id")
		return id == "webkit-xml-viewer-source-xml"
	})
	if source < 0 {
		return
	}
	body := s.Nodes[source].Parent
	for i := body + 1; i < s.Nodes[body].End; i = s.Nodes[i].End {
		if class, _ := s.Nodes[i].Attr("class"); class != "header" {
			continue
		}
		for k := i + 1; k < s.Nodes[i].End; k++ {
			if s.Nodes[k].Kind == plat.TextNode {
				s.Nodes[k].Value, s.Nodes[k].HasBox = "", false
			}
		}
		end := s.Nodes[i].End
		s.Lines = slices.DeleteFunc(s.Lines, func(l plat.Line) bool { return l.Node > i && l.Node < end })
		return
	}
}
