package markup

import (
	"plat/plat"
)

// Size returns the length of the output of [Serialize], in bytes, without writing it: including
// escapes, and with a text shared by many nodes counted for each. It stops counting above most,
// because many nodes may share one long text.
func Size(s *plat.Snapshot, most int) (size int) {
	for i := range s.Generated {
		g := &s.Generated[i]
		if g.Text != "" && int(g.Node) < len(s.Nodes) && s.Nodes[g.Node].Kind == plat.ElementNode {
			size += len(generatedMark) + len(g.Kind) + len(" -->") + escapedLen(g.Text, false)
		}
		if size > most {
			return size
		}
	}
	for i := 0; i < len(s.Nodes) && size <= most; i++ {
		size += sizeOfNode(s.Nodes, i)
	}
	return size
}

// sizeOfNode returns the length of a node without its children.
func sizeOfNode(nodes []plat.Node, i int) int {
	n := &nodes[i]
	switch n.Kind {
	case plat.DocumentNode:
		if i > 0 {
			return len(frameOpen) + len(frameClose)
		}
	case plat.DoctypeNode:
		w := writer{}
		w.doctype(n)
		return len(w.out)
	case plat.ElementNode:
		size := len("<>") + len(n.Name)
		for k := range n.Attrs {
			size += len(` =""`) + len(n.Attrs[k].Name) + escapedLen(n.Attrs[k].Value, true)
		}
		if n.Foreign || !VoidElement(n.Name) {
			size += len("</>") + len(n.Name)
		}
		return size
	case plat.TextNode:
		if p := &nodes[n.Parent]; p.Kind == plat.ElementNode && !p.Foreign && rawText(p.Name) != notRaw {
			return len(n.Value)
		}
		return escapedLen(n.Value, false)
	case plat.CommentNode:
		return len("<!---->") + len(n.Value)
	case plat.ShadowNode:
		return len(shadowOpen) + len(`">`) + len(n.Value) + len(frameClose)
	}
	return 0
}

// escapedLen returns the number of bytes that [appendEscaped] appends.
func escapedLen(s string, attr bool) int {
	size := len(s)
	for i := escapeAt(s, 0); i < len(s); i = escapeAt(s, i+1) {
		switch s[i] {
		case '&':
			size += len("&amp;") - 1
		case '<', '>':
			size += len("&lt;") - 1
		case '"':
			if attr {
				size += len("&quot;") - 1
			}
		case 0xc2:
			if i+1 < len(s) && s[i+1] == 0xa0 {
				size += len("&nbsp;") - 2
			}
		}
	}
	return size
}
