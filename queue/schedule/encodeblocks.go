package schedule

import (
	"encoding/binary"
	"fmt"
	"math"

	"plat/plat"
)

// blocksFormat is the first byte of encoded blocks.
const blocksFormat = 1

// MaxBlocks is the most bytes that encoded blocks have.
const MaxBlocks = 1 + 2 + binary.MaxVarintLen32 + 6*4 + 1 + mostLineages*(binary.MaxVarintLen32+3)

// Encode returns b as text of at most MaxBlocks bytes, empty if there is no data: the format byte;
// the number of visits, that of changes and the greatest lineage at the first visit as uvarints;
// as 32-bit floats the changed parts, the days and the weight of visits, then of Usual the changed
// parts, the days and the number of changes; the number of lineages, a byte, and of each the
// difference to the one before as uvarint and its visits, the changes of its page and its own as
// bytes.
func (b *Blocks) Encode() string {
	if b.Usual == nil {
		return ""
	}
	out := []byte{blocksFormat}
	out = binary.AppendUvarint(out, uint64(b.visits))
	out = binary.AppendUvarint(out, uint64(b.changes))
	out = binary.AppendUvarint(out, uint64(b.first))
	for _, x := range []float64{b.turned, b.days, b.weight, b.Usual.Turned, b.Usual.Days, b.Usual.Times} {
		out = appendFloat(out, min(x, math.MaxFloat32))
	}
	out = append(out, byte(len(b.lineages)))
	last := int32(0)
	for _, l := range b.lineages {
		out = append(binary.AppendUvarint(out, uint64(l.id-last)), l.visits, l.page, l.changes)
		last = l.id
	}
	return string(out)
}

// DecodeBlocks parses the output of Encode; empty is a Blocks without data. The result has a Usual
// of its own. Otherwise the error is [plat.ErrCorrupt].
func DecodeBlocks(s string) (*Blocks, error) {
	b := &Blocks{}
	if s == "" {
		return b, nil
	}
	b.Usual = &Turning{}
	r := reader{b: []byte(s)}
	if r.byte() != blocksFormat {
		r.bad = true
	}
	b.visits, b.changes, b.first = r.count(), r.count(), int32(r.count())
	for _, x := range []*float64{&b.turned, &b.days, &b.weight, &b.Usual.Turned, &b.Usual.Days, &b.Usual.Times} {
		*x = r.days()
	}
	last := 0
	for n := int(r.byte()); n > 0 && !r.bad; n-- {
		step := r.count()
		last += step
		l := lineage{int32(last), r.byte(), r.byte(), r.byte()}
		r.bad = r.bad || step == 0 || last > math.MaxInt32 || l.visits >= mostCounted || l.page > l.visits || l.changes > l.page
		b.lineages = append(b.lineages, l)
	}
	if r.bad || len(r.b) > 0 || b.visits >= mostCounted || b.changes > b.visits || len(b.lineages) > mostLineages {
		return nil, fmt.Errorf("the statistics of a URL's blocks: %w", plat.ErrCorrupt)
	}
	return b, nil
}
