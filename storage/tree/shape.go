package tree

import (
	"math"

	"plat/plat"
	"plat/storage/wire"
)

// shape is a block's position relative to its neighbours: the parts that do not change when the
// rest of the page moves.
type shape struct {
	pop    int     // elements dropped from the predecessor's path
	steps  []int64 // elements appended, the first as a difference to the last dropped
	parent int32   // last block one level up, minus Parent
	box    [4]int64
	exact  bool // box is in 1/64 px from its sibling or parent; else bits of float32
	slot   int64
	pos    int64
	base   byte
}

// shapeEncoder derives the shapes of blocks, called for each in order.
type shapeEncoder struct {
	blocks  []plat.Block
	byLevel []int32 // last block of each level so far, or -1
	last    int32   // last leaf, or -1
	sibling []int32 // last child of each block, or -1
}

func newShapeEncoder(blocks []plat.Block) *shapeEncoder {
	return &shapeEncoder{blocks: blocks, last: -1, sibling: make([]int32, 0, len(blocks))}
}

// above returns the predicted parent of a block of the given level.
func (s *shapeEncoder) above(level int32) int32 {
	if level < 1 || int(level) > len(s.byLevel) {
		return -1
	}
	return s.byLevel[level-1]
}

// past records block i, the next in order.
func (s *shapeEncoder) past(i int) {
	b := &s.blocks[i]
	s.sibling = append(s.sibling, -1)
	if b.Parent >= 0 && int(b.Parent) < i {
		s.sibling[b.Parent] = int32(i)
	}
	if b.Level >= 0 && b.Level < 1<<12 {
		for int(b.Level) >= len(s.byLevel) {
			s.byLevel = append(s.byLevel, -1)
		}
		s.byLevel[b.Level] = int32(i)
	}
	if b.Leaf() {
		s.last = int32(i)
	}
}

// origin returns the reference box of block i, in 1/64 px: x and width of a sibling or parent,
// and the y expected for the block.
func (s *shapeEncoder) origin(i int) (o [3]int64) {
	p := s.blocks[i].Parent
	if p < 0 || int(p) >= i {
		return o
	}
	from, sibling := p, s.sibling[p] >= 0
	if sibling {
		from = s.sibling[p]
	}
	q, ok := fixedBox(s.blocks[from].Box)
	if !ok {
		return o
	}
	o = [3]int64{q[0], q[1], q[2]}
	if sibling {
		o[1] += q[3]
	}
	return o
}

func fixedBox(r plat.Rect) (q [4]int64, ok bool) {
	for i, f := range [4]float32{r.X, r.Y, r.W, r.H} {
		if q[i], ok = wire.Fixed(f); !ok {
			return q, false
		}
	}
	return q, true
}

func (s *shapeEncoder) pathBefore(i int) []int32 {
	if i == 0 {
		return nil
	}
	return s.blocks[i-1].Path
}

// slots returns the slot of the previous leaf, and the next rank in the given slot.
func (s *shapeEncoder) slots(slot int32) (last int64, pos int64) {
	if s.last < 0 {
		return 0, 0
	}
	b := &s.blocks[s.last]
	if b.Slot == slot {
		pos = int64(b.Pos) + 1
	}
	return int64(b.Slot), pos
}

// shape returns the shape of block i; ref is the hash of its reference block.
func (s *shapeEncoder) shape(i int, ref plat.Hash) shape {
	b := &s.blocks[i]
	before := s.pathBefore(i)
	n := 0
	for n < len(before) && n < len(b.Path) && before[n] == b.Path[n] {
		n++
	}
	sh := shape{pop: len(before) - n, parent: s.above(b.Level) - b.Parent}
	if n < len(b.Path) {
		sh.steps = make([]int64, len(b.Path)-n)
		for k, v := range b.Path[n:] {
			sh.steps[k] = int64(v)
		}
		if n < len(before) {
			sh.steps[0] -= int64(before[n])
		}
	}
	if q, ok := fixedBox(b.Box); ok {
		o := s.origin(i)
		sh.exact = true
		sh.box = [4]int64{q[0] - o[0], q[1] - o[1], q[2] - o[2], q[3]}
	} else {
		for k, f := range [4]float32{b.Box.X, b.Box.Y, b.Box.W, b.Box.H} {
			sh.box[k] = int64(math.Float32bits(f))
		}
	}
	last, pos := s.slots(b.Slot)
	if b.Leaf() {
		sh.slot = 1 + int64(wire.Zigzag(int64(b.Slot)-last))
	} else if b.Slot != -1 {
		sh.slot = int64(b.Slot) // other negative numbers are stored unchanged
	}
	sh.pos = int64(b.Pos) - pos
	switch {
	case b.Base.IsZero():
		sh.base = baseNone
	case b.Base == b.Hash:
		sh.base = baseSame
	case b.Base == ref:
		sh.base = basePrev
	default:
		sh.base = baseOther
	}
	return sh
}

// place sets the position of block i, whose Level and Hash are set, from a shape.
func (s *shapeEncoder) place(i int, sh *shape, ref, other plat.Hash, r *reader) {
	b := &s.blocks[i]
	before := s.pathBefore(i)
	keep := len(before) - sh.pop
	if keep < 0 {
		r.Fail("path drops more elements than exist")
		return
	}
	b.Path = nil
	if n := keep + len(sh.steps); n > 0 {
		b.Path = make([]int32, 0, n)
		b.Path = append(b.Path, before[:keep]...)
		for k, v := range sh.steps {
			if k == 0 && keep < len(before) {
				v += int64(before[keep])
			}
			if v != int64(int32(v)) {
				r.Fail("path out of range")
				return
			}
			b.Path = append(b.Path, int32(v))
		}
	}
	if b.Parent = s.above(b.Level) - sh.parent; b.Parent < -1 || int(b.Parent) >= i {
		r.Fail("parent does not precede its block")
		return
	}
	if sh.exact {
		o := s.origin(i)
		b.Box = plat.Rect{X: wire.Unfixed(sh.box[0] + o[0]), Y: wire.Unfixed(sh.box[1] + o[1]), W: wire.Unfixed(sh.box[2] + o[2]), H: wire.Unfixed(sh.box[3])}
	} else {
		b.Box = plat.Rect{X: bits(sh.box[0]), Y: bits(sh.box[1]), W: bits(sh.box[2]), H: bits(sh.box[3])}
	}
	last, _ := s.slots(0)
	switch {
	case sh.slot == 0:
		b.Slot = -1
	case sh.slot < 0:
		b.Slot = int32(sh.slot)
	default:
		b.Slot = int32(wire.Unzigzag(uint64(sh.slot-1)) + last)
	}
	_, pos := s.slots(b.Slot)
	b.Pos = int32(sh.pos + pos)
	b.Base = plat.Hash{}
	switch sh.base {
	case baseSame:
		b.Base = b.Hash
	case basePrev:
		b.Base = ref
	case baseOther:
		b.Base = other
	}
}

func bits(v int64) float32 { return math.Float32frombits(uint32(v)) }
