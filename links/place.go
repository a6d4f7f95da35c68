package links

// places knows, as the nodes of a page are walked in order, in which leaf block each
// stands, and which heading is the last above it.
type places struct {
	page    *Page
	leaf    int   // of Blocks: that of the node, or the next
	heading int32 // node of the last heading that has ended; 0 is none, for it is the document
	open    int32 // node of the heading that the walk is in
	until   int32 // its end
}

// reach goes on to a node.
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

// put says where a link stands whose element is that node.
func (w *places) put(l *Link, node int32) {
	l.Block = -1
	if w.heading > 0 {
		l.Heading = wordsOf(w.page.Snapshot, w.heading)
	}
	// Leaves follow each other in order of the document.
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
