package markup

import (
	"bytes"
	"math"
	"slices"

	"plat/plat"
)

// Written is a page as HTML, with the positions of its nodes. Its methods reuse its memory, except
// that of HTML.
type Written struct {
	HTML []byte

	// Chars are the visible characters of each text node ([CountChars]), 0 of other nodes.
	Chars []int32

	counted  *plat.Snapshot // the page that Chars was counted for; nil once it is written
	length   int            // of its names, values and texts, from which that of the HTML is guessed
	draft    []byte         // where a page is written
	from, to []int          // of each node, with all in it: HTML[from:to]
	texts    []written      // in this order
}

// maxDraft is the capacity of a draft, in bytes, that is kept for the next page.
const maxDraft = 4 << 20

// written is a text of a page, generated ones among them, or a comment.
type written struct {
	from, to int   // in the HTML
	of       int32 // the text node; of a generated text the complement of its index
	is       textKind
}

// textKind is the source of the visibility of a text.
type textKind uint8

const (
	asStatesSay textKind = iota
	neverShown           // by its element
	noText               // a comment that a reader of HTML may take for something else
)

// Count sets Chars, for callers that need them before the page is written.
func (w *Written) Count(s *plat.Snapshot) {
	n := len(s.Nodes)
	w.Chars, w.length, w.counted = slices.Grow(w.Chars[:0], n)[:n], 0, s
	for i := range s.Nodes {
		n := &s.Nodes[i]
		w.Chars[i] = 0
		if n.Kind == plat.TextNode {
			w.Chars[i] = CountChars(n.Value)
		}
		w.length += len(n.Name) + len(n.Value)
		for k := range n.Attrs {
			w.length += len(n.Attrs[k].Name) + len(n.Attrs[k].Value)
		}
	}
	for i := range s.Generated {
		w.length += len(s.Generated[i].Text)
	}
}

// Write serialises a page as [Serialize] does, and sets Chars.
func (w *Written) Write(s *plat.Snapshot) {
	if w.counted != s {
		w.Count(s)
	}
	w.counted = nil
	n := len(s.Nodes)
	w.from, w.to, w.texts = slices.Grow(w.from[:0], n)[:n], slices.Grow(w.to[:0], n)[:n], w.texts[:0]
	if w.length > maxDraft/2 {
		w.HTML = serialize(s, make([]byte, 0, Size(s, math.MaxInt)), w) // growing takes more memory
		return
	}
	out := serialize(s, w.draft[:0], w)
	w.HTML = bytes.Clone(out)
	if cap(out) <= maxDraft {
		w.draft = out[:0]
	}
}

// Locate sets the positions of parts in the HTML of s, which was written last, and the hidden bytes
// in them, by the states of its texts. Parts are new, in document order, and do not overlap.
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
