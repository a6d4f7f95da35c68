package markup

import "plat"

// State says whether a reader sees a text.
type State uint8

// The states of a text.
const (
	Shown  State = iota // to be seen, by scrolling if need be
	Folded              // a click or a touch away; something on the page opens it
	Hidden              // nobody reaches it
)

func (s State) String() string { return [...]string{"shown", "folded", "hidden"}[s] }

// States says which texts of a snapshot a reader sees.
type States interface {
	OfText(node int32) State   // of the text node with that index
	OfGenerated(k int32) State // of Snapshot.Generated[k]
}

// Part is a run of sibling nodes whose place in the serialised page is asked for.
type Part struct {
	Nodes plat.Span // of the snapshot

	// What [SerializeParts] fills in.
	From, To int     // it has become bytes [From, To)
	Hidden   []int32 // see [plat.Block.Hidden]
	Folded   []int32 // see [plat.Block.Folded]

	shown bool  // text that is shown has come since the last part that is not
	state State // of the last text
}

// text notes the state of the text at out[from:to].
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

// hide marks out[from:to] as not for Text. Hidden stretches with only markup between
// them become one: a closed menu is one stretch, however many items it has.
func (p *Part) hide(from, to int) {
	if n := len(p.Hidden); n > 0 && !p.shown {
		p.Hidden[n-1] = int32(to - p.From)
	} else {
		p.Hidden = append(p.Hidden, int32(from-p.From), int32(to-p.From))
	}
	p.shown = false
}
