package markup

import "plat/plat"

// State is the visibility of a text.
type State uint8

// The states of a text.
const (
	Shown  State = iota // visible, possibly after scrolling
	Folded              // revealed by a click or a touch
	Hidden              // never visible
)

func (s State) String() string { return [...]string{"shown", "folded", "hidden"}[s] }

// States reports the state of a snapshot's texts.
type States interface {
	OfText(node int32) State   // of the text node with that index
	OfGenerated(k int32) State // of Snapshot.Generated[k]
}

// Part is a run of sibling nodes to be located in the serialised page.
type Part struct {
	Nodes plat.Span // of the snapshot

	// Set by [Written.Locate].
	From, To int     // byte range [From, To)
	Hidden   []int32 // see [plat.Block.Hidden]
	Folded   []int32 // see [plat.Block.Folded]

	shown bool  // shown text was seen since the last hidden range
	state State // of the last text
}

// text records the state of the text at out[from:to].
func (p *Part) text(state State, from, to int) {
	was := p.state
	if p.state = state; state == Shown {
		p.shown = true
		return
	}
	first := p.shown || len(p.Hidden) == 0
	p.hide(from, to)
	switch n := len(p.Folded); {
	case state != Folded:
	case n > 0 && was == Folded && !first:
		p.Folded[n-1] = int32(to - p.From)
	default:
		p.Folded = append(p.Folded, int32(from-p.From), int32(to-p.From))
	}
}

// hide marks out[from:to] as hidden from Text. Hidden ranges with only markup
// between them are merged: a closed menu is one range, regardless of its number
// of items.
func (p *Part) hide(from, to int) {
	if n := len(p.Hidden); n > 0 && !p.shown {
		p.Hidden[n-1] = int32(to - p.From)
	} else {
		p.Hidden = append(p.Hidden, int32(from-p.From), int32(to-p.From))
	}
	p.shown = false
}
