package noise

import "time"

// Text is the text of a block as a reader saw it, and when.
type Text struct {
	Text string
	At   time.Time
}

// Edits are the places where two texts differ.
func Edits(old, new Text) []Edit {
	return edits(parse(old.Text), seen{old.At, old.At}, parse(new.Text), new.At)
}

// Confirm says which edits have come about by themselves.
func Confirm(edits []Edit, old, new, again string) []Edit {
	return confirmed(edits, parse(old), parse(new), parse(again))
}

// Looked notes a second look.
func (m *Mask) Looked() { m.looked() }
