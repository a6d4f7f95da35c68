package markup

import (
	"slices"

	"plat"
)

// Written is a page as HTML, with where its nodes stand in it. Its methods use its memory again, but
// not that of HTML.
type Written struct {
	HTML []byte

	from, to []int     // of each node, with all in it: HTML[from:to]
	texts    []written // in this order
}

// written is a text of a page, generated ones among them, or a comment.
type written struct {
	from, to int   // in the HTML
	of       int32 // the text node; of a generated text the complement of its index
	is       what
}

// what says of a text whether states tell if it is shown.
type what uint8

const (
	asStatesSay what = iota
	neverShown       // by its element
	noText           // a comment that a reader of HTML may take for something else
)

// Write serialises a page as [Serialize] does.
func (w *Written) Write(s *plat.Snapshot) {
	n := len(s.Nodes)
	w.from, w.to, w.texts = slices.Grow(w.from[:0], n)[:n], slices.Grow(w.to[:0], n)[:n], w.texts[:0]
	w.HTML = serialize(s, w)
}

// Locate sets where parts stand in the HTML of s, which was written last, and which of their bytes
// are not shown, by the states of its texts. Parts are new, in document order, and do not overlap.
func (w *Written) Locate(s *plat.Snapshot, parts []Part, states States) {
	texts := w.texts
	for k := range parts {
		p := &parts[k]
		last := p.Nodes.First
		for s.Nodes[last].End < p.Nodes.End {
			last = s.Nodes[last].End
		}
		p.From, p.To = w.from[p.Nodes.First], w.to[last]
		for len(texts) > 0 && texts[0].from < p.From {
			texts = texts[1:]
		}
		for ; len(texts) > 0 && texts[0].to <= p.To; texts = texts[1:] {
			switch t := &texts[0]; {
			case t.is == noText:
				p.hide(t.from, t.to)
			case t.is == neverShown:
				p.text(Hidden, t.from, t.to)
			case t.of < 0:
				p.text(states.OfGenerated(^t.of), t.from, t.to)
			default:
				p.text(states.OfText(t.of), t.from, t.to)
			}
		}
	}
}
