package links

import (
	"plat/plat"
	"plat/plat/weburl"
)

// documents tracks, while the nodes of a page are visited in order, the current document and those
// that contain it: a frame's URLs are relative to the frame.
type documents []document

type document struct {
	base  *weburl.Base
	based bool // there was a base element
	end   int32
}

// reach advances to a node.
func (d *documents) reach(s *plat.Snapshot, node int32) {
	all := *d
	for len(all) > 1 && node >= all[len(all)-1].end {
		all = all[:len(all)-1]
	}
	if n := &s.Nodes[node]; n.Kind == plat.DocumentNode && node > 0 {
		in := document{base: all[len(all)-1].base, end: n.End}
		if at := n.Base(); at != nil {
			*d = append(all, document{base: at, based: true, end: n.End})
			return
		}
		frame := &s.Nodes[n.Parent]
		src, _ := frame.Attr("src")
		if _, own := frame.Attr("srcdoc"); !own {
			in.base = in.base.Frame(src)
		}
		all = append(all, in)
	}
	*d = all
}

// places tracks, while the nodes of a page are visited in order, the current leaf
// block and the last heading.
type places struct {
	page    *Page
	leaf    int   // index in Blocks of the node's leaf, or the next one
	heading int32 // node of the last completed heading; 0 is the document: no heading
	open    int32 // node of the current heading
	until   int32 // its end

	text   string // of the heading at textOf: links share it, and it may be long
	textOf int32
}

// reach advances to a node.
func (w *places) reach(node int32) {
	n := &w.page.Snapshot.Nodes[node]
	if w.open > 0 && node >= w.until {
		w.heading, w.open = w.open, 0
	}
	if w.open == 0 && isHeading(n.Name) {
		w.open, w.until = node, n.End
	}
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}

// put sets the position of a link whose element is node.
func (w *places) put(l *Link, node int32) {
	l.Block = -1
	if w.heading > 0 {
		if w.textOf != w.heading {
			w.text, w.textOf = wordsOf(w.page.Snapshot, w.heading), w.heading
		}
		l.Heading = w.text
	}
	// Leaves are in document order.
	for ; w.leaf < len(w.page.Spans); w.leaf++ {
		span := w.page.Spans[w.leaf]
		if !w.page.Blocks[w.leaf].Leaf() || span.End <= node {
			continue
		}
		if span.First <= node {
			b := &w.page.Blocks[w.leaf]
			l.Block, l.Lineage, l.Label, l.Topic = int32(w.leaf), b.Lineage, b.Label, b.Topic
		}
		return
	}
}
