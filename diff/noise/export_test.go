package noise

import "time"

// Text is the visible text of a block, and the time at which it was seen.
type Text struct {
	Text string
	At   time.Time
}

// Edits returns the differences between two texts.
func Edits(old, new Text) []Edit {
	return edits(parse(old.Text), seen{old.At, old.At}, parse(new.Text), new.At)
}

// Confirm marks the edits that a second rendering explains.
func Confirm(edits []Edit, old, new, again string) []Edit {
	return confirmed(edits, parse(old), parse(new), parse(again))
}

// Looked charges for a second rendering.
func (m *Mask) Looked() { m.looked() }
