package markup

import (
	"bytes"

	"plat/plat"
)

// Preformatted reports for each slot of a layout whether it is in preformatted text, such as code;
// nil if no slot is. It accepts any bytes and takes time linear in them.
func Preformatted(l *plat.Layout) []bool { return preformatted(l, false) }

// EarlierPreformatted reports the same as Preformatted did when texts were those of [EarlierText]: line numbers in
// preformatted text were text.
func EarlierPreformatted(l *plat.Layout) []bool { return preformatted(l, true) }

func preformatted(l *plat.Layout, earlier bool) []bool {
	if !HasPreformatted(l.HTML) {
		return nil
	}
	in := make([]bool, len(l.Slots))
	s := scanner{content: l.HTML, earlier: earlier}
	open, slot := 0, 0
	pass := func(to int) { // the slots before a byte
		for ; slot < len(in) && int(l.Slots[slot]) < to; slot++ {
			in[slot] = open > 0
		}
	}
	for s.next() {
		if s.kind != isTag || string(s.name) != "pre" && string(s.name) != "listing" {
			continue
		}
		if s.end {
			pass(s.from + 1)
			open = max(0, open-1)
		} else {
			pass(s.tagEnd)
			open++
		}
	}
	pass(len(l.HTML) + 1)
	return in
}

// HasPreformatted reports quickly whether the output of [Serialize] may contain preformatted text.
func HasPreformatted(html []byte) bool {
	return bytes.Contains(html, []byte("<pre")) || bytes.Contains(html, []byte("<listing"))
}
