package links

// places tracks, while the nodes of a page are visited in order, the current leaf
// block and the last heading.
type places struct {
	page    *Page
	leaf    int   // index in Blocks of the node's leaf, or the next one
	heading int32 // node of the last completed heading; 0, the document, is none
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
