package markup

import (
	"fmt"

	"plat/plat"
)

// Restore puts the leaves of the block tree back into the slots of the layout
// and returns the page as it was captured, byte for byte. Leaves must carry
// their Content. Blocks that do not fit the layout give an error that wraps
// plat.ErrCorrupt.
func Restore(l *plat.Layout, blocks []plat.Block) ([]byte, error) {
	size := len(l.HTML)
	for i := range blocks {
		size += len(blocks[i].Lead) + len(blocks[i].Content)
	}
	out := make([]byte, 0, size)
	from, slot, pos := int32(0), int32(-1), int32(0)
	for i := range blocks {
		b := &blocks[i]
		if !b.Leaf() {
			continue
		}
		if b.Slot != slot {
			if b.Slot != slot+1 || int(b.Slot) >= len(l.Slots) {
				return nil, fmt.Errorf("restore: block %d fills slot %d after slot %d of %d: %w", i, b.Slot, slot, len(l.Slots), plat.ErrCorrupt)
			}
			slot, pos = b.Slot, 0
			at := l.Slots[slot]
			if at < from || int(at) > len(l.HTML) {
				return nil, fmt.Errorf("restore: slot %d at byte %d of %d: %w", slot, at, len(l.HTML), plat.ErrCorrupt)
			}
			out = append(out, l.HTML[from:at]...)
			from = at
		}
		if b.Pos != pos {
			return nil, fmt.Errorf("restore: block %d is number %d of slot %d, want %d: %w", i, b.Pos, slot, pos, plat.ErrCorrupt)
		}
		pos++
		out = append(append(out, b.Lead...), b.Content...)
	}
	if int(slot) != len(l.Slots)-1 {
		return nil, fmt.Errorf("restore: %d of %d slots are filled: %w", slot+1, len(l.Slots), plat.ErrCorrupt)
	}
	return append(out, l.HTML[from:]...), nil
}
