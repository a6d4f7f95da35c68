package noise

import (
	"encoding/binary"
	"fmt"
	"slices"

	"plat/plat"
)

// maskFormat is the first byte of an encoded mask.
const maskFormat = 2

// Encode returns a mask as text of at most MaxMask bytes: the format byte, spent as uvarint, then the
// places, the latest to vary first, those with texts that take turns last. A place is its kind, age and
// shape; for an item and a text that takes turns then its hash;
// for all other kinds the lineage as uvarint and last; for stretches, lines and gaps more and size;
// for words and stretches the two hashes and four counts of their surroundings; for markup its hash.
// Numbers are big-endian. Places that do not fit are dropped, also from the mask itself. The zero
// Mask is empty text.
func (m *Mask) Encode() string {
	if len(m.places) == 0 && m.spent == 0 {
		return ""
	}
	b := binary.AppendUvarint([]byte{maskFormat}, uint64(m.spent))
	late := func(p place) int { // texts that take turns give way
		if p.turning() {
			return forget + 1
		}
		return 0
	}
	slices.SortStableFunc(m.places, func(x, y place) int { return late(x) + int(x.age) - late(y) - int(y.age) })
	for i, p := range m.places {
		n := len(b)
		b = append(b, p.kind, p.age, p.shape)
		if p.kind != ofItem && p.kind != ofVariant {
			b = binary.AppendUvarint(b, uint64(p.lineage))
			b = binary.BigEndian.AppendUint16(b, p.last)
		}
		if p.kind == ofStretch || p.kind == ofLines || p.kind == ofGap {
			b = append(b, p.more, p.size)
		}
		switch a := p.words; p.kind {
		case ofWord, ofStretch:
			b = binary.BigEndian.AppendUint32(b, a.before)
			b = binary.BigEndian.AppendUint32(b, a.after)
			b = append(b, a.left, a.right, a.nth, a.of)
		case ofItem, ofVariant, ofMarkup:
			b = binary.BigEndian.AppendUint32(b, p.item)
		}
		if len(b) > MaxMask {
			b, m.places = b[:n], m.places[:i]
			break
		}
	}
	return string(b)
}

// DecodeMask parses the output of Encode. It returns [plat.ErrCorrupt] for any other text.
func DecodeMask(s string) (Mask, error) {
	var m Mask
	if s == "" {
		return m, nil
	}
	fail := func() (Mask, error) { return Mask{}, fmt.Errorf("noise mask of a URL: %w", plat.ErrCorrupt) }
	b := []byte(s)[1:]
	spent, n := binary.Uvarint(b)
	if s[0] != maskFormat || n <= 0 || spent > saved*lookEvery || len(s) > MaxMask {
		return fail()
	}
	m.spent, b = int(spent), b[n:]
	for len(b) > 0 {
		var p place
		if p.kind = b[0]; len(b) < 3 || b[1] > forget {
			return fail()
		}
		p.age, p.shape, b = b[1], b[2], b[3:]
		if p.kind != ofItem && p.kind != ofVariant {
			lineage, n := binary.Uvarint(b)
			if n <= 0 || lineage > 1<<31-1 || len(b) < n+2 {
				return fail()
			}
			p.lineage, p.last, b = int32(lineage), binary.BigEndian.Uint16(b[n:]), b[n+2:]
		}
		if p.kind == ofStretch || p.kind == ofLines || p.kind == ofGap {
			if len(b) < 2 {
				return fail()
			}
			p.more, p.size, b = b[0], b[1], b[2:]
		}
		switch p.kind {
		case ofWord, ofStretch:
			if len(b) < 12 {
				return fail()
			}
			p.words = around{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), b[8], b[9], b[10], b[11]}
			b = b[12:]
		case ofItem, ofVariant, ofMarkup:
			if len(b) < 4 {
				return fail()
			}
			p.item, b = binary.BigEndian.Uint32(b), b[4:]
		case ofGap, ofLines, ofOrder, ofTurns:
		default:
			return fail()
		}
		m.places = append(m.places, p)
	}
	return m, nil
}
