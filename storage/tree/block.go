package tree

import (
	"encoding/binary"
	"math"
	"slices"

	"plat/plat"
	"plat/storage/wire"
)

// Fields of a block, bits of its mask; frequent ones come first, because the mask is
// a varint.
const (
	fieldHash = 1 << iota
	fieldBox
	fieldTextLen
	fieldTopic
	fieldBase
	fieldLinkShare
	fieldBecause
	fieldConfidence
	fieldSince
	fieldPath
	fieldLabel
	fieldImageShare
	fieldHidden
	fieldLineage
	fieldSlot
	fieldPos
	fieldTag
	fieldParent
	fieldLevel
	fieldRun
	fieldRule
	fieldFontSize
	fieldColor
	fieldBackground
	fieldLead
	fieldFolded // since format 5
	fieldHolds  // since format 13
	fieldRole   // since format 13
	fieldChange // since format 15: Change, which is not predicted
)

// Encodings of a block's Base.
const (
	baseNone  = iota
	baseSame  // its own hash
	basePrev  // the hash of the block it resembles
	baseOther // followed by the hash
)

// predictor is the reference against which a block is encoded.
type predictor struct {
	block        *plat.Block
	shape        *shape
	since        int32
	fromPrevious bool // a block of the previous version; else the predecessor
}

// predictorOf returns block j of prev if fromPrevious, else the predecessor of block i of t.
func predictorOf(t, prev *Tree, i, j int, fromPrevious bool) predictor {
	switch {
	case fromPrevious:
		return predictor{&prev.Blocks[j], &prev.shapes[j], prev.Since[j], true}
	case i > 0 && t.Blocks[i-1].Leaf():
		// Most likely the next item of a list.
		return predictor{&t.Blocks[i-1], &shape{pop: 1, steps: []int64{1}, exact: true, slot: 1}, 0, false}
	case i > 0:
		return predictor{&t.Blocks[i-1], &shape{exact: true}, 0, false}
	}
	return predictor{&plat.Block{}, &shape{exact: true}, 0, false}
}

// base returns the encoding of the Base of a block with the given hash.
func (m *predictor) base(h plat.Hash) byte {
	switch {
	case !m.fromPrevious || h.IsZero():
		return baseNone
	case h != m.block.Hash:
		return basePrev
	case m.shape.base == baseNone:
		return baseNone
	}
	return baseSame
}

// first returns the predicted first version of a block of version n with the given hash.
func (m *predictor) first(h plat.Hash, n int) int32 {
	switch {
	case h.IsZero():
		return 0
	case m.fromPrevious && h == m.block.Hash:
		return m.since
	}
	return int32(n)
}

// lineage returns the predicted lineage of a block that resembles m; fresh is the highest so
// far.
func (m *predictor) lineage(fresh int32) int32 {
	switch {
	case m.fromPrevious:
		return m.block.Lineage
	case m.block.Lineage == 0:
		return 0
	}
	return fresh + 1
}

// implied returns the predicted role and kind of content of a block that resembles m: those of
// m if the labels of both imply the same, or else those that its label implies. Rows of older
// formats only have the latter.
func (m *predictor) implied(b *plat.Block) (plat.Role, plat.Holds) {
	role, holds := b.Implied()
	if r, h := m.block.Implied(); r == role && h == holds {
		return m.block.Role, m.block.Holds
	}
	return role, holds
}

// Roles and kinds of content, in the order of [putName].
var (
	roleNames = [...]plat.Role{"", plat.RoleContent, plat.RoleNavigation, plat.RoleBanner, plat.RoleFooter, plat.RoleSidebar,
		plat.RoleAdvertisement, plat.RoleOverlay, plat.RoleOther}
	holdsNames = [...]plat.Holds{"", plat.HoldsText, plat.HoldsHeading, plat.HoldsList, plat.HoldsTable, plat.HoldsForm, plat.HoldsMedia,
		plat.HoldsComments, plat.HoldsOther}
)

// block writes the fields of block i that differ from its predictor, and returns their mask. It
// is long because it has a line for each field, in the order of the format.
func (w *writer) block(t *Tree, i int, m predictor, fresh int32) (mask uint64) {
	b, ref, sh, was := &t.Blocks[i], m.block, &t.shapes[i], m.shape
	put := func(field uint64, differs bool) bool {
		if differs {
			mask |= field
		}
		return differs
	}
	if put(fieldHash, b.Hash != ref.Hash) {
		w.Hash(b.Hash)
	}
	if put(fieldLevel, b.Level != ref.Level) {
		w.Int(int64(b.Level) - int64(ref.Level))
	}
	if put(fieldPath, sh.pop != was.pop || !slices.Equal(sh.steps, was.steps)) {
		w.Uint(uint64(sh.pop))
		w.Uint(uint64(len(sh.steps)))
		for _, v := range sh.steps {
			w.Int(v)
		}
	}
	if put(fieldParent, sh.parent != was.parent) {
		w.Int(int64(sh.parent))
	}
	if put(fieldBox, sh.exact != was.exact || sh.box != was.box) {
		w.box(sh, was)
	}
	if put(fieldSlot, sh.slot != was.slot) {
		w.Int(sh.slot)
	}
	if put(fieldPos, sh.pos != was.pos) {
		w.Int(sh.pos)
	}
	if put(fieldBase, sh.base != m.base(b.Hash)) {
		w.B = append(w.B, sh.base)
		if sh.base == baseOther {
			w.Hash(b.Base)
		}
	}
	if put(fieldSince, t.Since[i] != m.first(b.Hash, t.N)) {
		w.Int(int64(t.Since[i]))
	}
	if put(fieldLineage, b.Lineage != m.lineage(fresh)) {
		w.Int(int64(b.Lineage))
	}
	if put(fieldRun, b.Run != ref.Run) {
		w.Int(int64(b.Run))
	}
	if put(fieldRule, b.Rule != ref.Rule) {
		w.B = append(w.B, byte(b.Rule))
	}
	if put(fieldTag, b.Tag != ref.Tag) {
		w.Text(b.Tag)
	}
	if put(fieldLead, b.Lead != ref.Lead) {
		w.TextAs(b.Lead, ref.Lead)
	}
	if put(fieldHidden, !slices.Equal(b.Hidden, ref.Hidden)) {
		w.Places(b.Hidden)
	}
	if put(fieldFolded, !slices.Equal(b.Folded, ref.Folded)) {
		w.Places(b.Folded)
	}
	if put(fieldTextLen, b.TextLen != ref.TextLen) {
		w.Int(int64(b.TextLen) - int64(ref.TextLen))
	}
	if put(fieldLinkShare, !same(b.LinkShare, ref.LinkShare)) {
		w.Float(b.LinkShare)
	}
	if put(fieldImageShare, !same(b.ImageShare, ref.ImageShare)) {
		w.Float(b.ImageShare)
	}
	if put(fieldBackground, b.Background != ref.Background) {
		w.B = binary.LittleEndian.AppendUint32(w.B, uint32(b.Background))
	}
	if put(fieldColor, b.Color != ref.Color) {
		w.B = binary.LittleEndian.AppendUint32(w.B, uint32(b.Color))
	}
	if put(fieldFontSize, !same(b.FontSize, ref.FontSize)) {
		w.Float(b.FontSize)
	}
	if put(fieldTopic, b.Topic != ref.Topic) {
		w.TextAs(b.Topic, ref.Topic)
	}
	if put(fieldLabel, b.Label != ref.Label) {
		w.Text(string(b.Label))
	}
	if put(fieldConfidence, !same(b.Confidence, ref.Confidence)) {
		w.Float(b.Confidence)
	}
	if put(fieldBecause, b.Explanation != ref.Explanation) {
		w.TextAs(b.Explanation, ref.Explanation)
	}
	role, holds := m.implied(b)
	if put(fieldHolds, b.Holds != holds) {
		wire.PutName(&w.Writer, holdsNames[:], b.Holds)
	}
	if put(fieldRole, b.Role != role) {
		wire.PutName(&w.Writer, roleNames[:], b.Role)
	}
	if put(fieldChange, b.Change != "") {
		w.kind(b.Change)
	}
	return mask
}

// block reads the writer's output into block i, a copy of its predictor; it is as
// long.
func (r *reader) block(t *Tree, s *shapeEncoder, i int, m predictor, mask uint64, fresh int32) {
	b, sh, was := &t.Blocks[i], &t.shapes[i], m.shape
	ref := m.block.Hash
	has := func(field uint64) bool { return mask&field != 0 }
	if has(fieldHash) {
		b.Hash = r.Hash()
	}
	if has(fieldLevel) {
		b.Level = r.Int32(int64(b.Level))
	}
	if has(fieldPath) {
		pop := r.Uint()
		if pop > 1<<20 {
			r.Fail("path drops more elements than exist")
		}
		sh.pop, sh.steps = int(pop), make([]int64, r.Count())
		for k := range sh.steps {
			sh.steps[k] = r.Int()
		}
	}
	if has(fieldParent) {
		sh.parent = r.Int32(0)
	}
	if has(fieldBox) {
		r.box(sh, was)
	}
	if has(fieldSlot) {
		sh.slot = r.Int()
	}
	if has(fieldPos) {
		sh.pos = r.Int()
	}
	sh.base = m.base(b.Hash)
	var other plat.Hash
	if has(fieldBase) {
		if k := r.Bytes(1); len(k) == 1 {
			sh.base = k[0]
		}
		if sh.base == baseOther {
			other = r.Hash()
		}
	}
	t.Since[i] = m.first(b.Hash, t.N)
	if has(fieldSince) {
		t.Since[i] = r.Int32(0)
	}
	b.Lineage = m.lineage(fresh)
	if has(fieldLineage) {
		b.Lineage = r.Int32(0)
	}
	if has(fieldRun) {
		b.Run = r.Int32(0)
	}
	if has(fieldRule) {
		if k := r.Bytes(1); len(k) == 1 {
			b.Rule = plat.Rule(k[0])
		}
	}
	if has(fieldTag) {
		b.Tag = r.Text()
	}
	if has(fieldLead) {
		b.Lead = r.TextAs(b.Lead)
	}
	if has(fieldHidden) {
		b.Hidden = r.Places()
	}
	if has(fieldFolded) {
		b.Folded = r.Places()
	}
	if has(fieldTextLen) {
		b.TextLen = r.Int32(int64(b.TextLen))
	}
	if has(fieldLinkShare) {
		b.LinkShare = r.Float()
	}
	if has(fieldImageShare) {
		b.ImageShare = r.Float()
	}
	if has(fieldBackground) {
		b.Background = r.color()
	}
	if has(fieldColor) {
		b.Color = r.color()
	}
	if has(fieldFontSize) {
		b.FontSize = r.Float()
	}
	if has(fieldTopic) {
		b.Topic = r.TextAs(b.Topic)
	}
	if has(fieldLabel) {
		b.Label = plat.Label(r.Text())
	}
	if has(fieldConfidence) {
		b.Confidence = r.Float()
	}
	if has(fieldBecause) {
		b.Explanation = r.TextAs(b.Explanation)
	}
	b.Role, b.Holds = m.implied(b)
	if has(fieldHolds) {
		b.Holds = wire.NameOf(&r.Reader, holdsNames[:], "what a block holds")
	}
	if has(fieldRole) {
		b.Role = wire.NameOf(&r.Reader, roleNames[:], "role")
	}
	b.Change = ""
	if has(fieldChange) {
		b.Change = r.kind()
	}
	s.place(i, sh, ref, other, r)
}

// same compares bits: a NaN equals itself, and the two zeros differ.
func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// box writes a mask of the four numbers that differ, and these numbers. Boxes off the grid of
// 1/64 px are written in full.
func (w *writer) box(sh, was *shape) {
	if !sh.exact {
		w.Uint(1 << 4)
		for _, v := range sh.box {
			w.B = binary.LittleEndian.AppendUint32(w.B, uint32(v))
		}
		return
	}
	var ref [4]int64
	if was.exact {
		ref = was.box
	}
	mask := uint64(0)
	for k := range ref {
		if sh.box[k] != ref[k] {
			mask |= 1 << k
		}
	}
	w.Uint(mask)
	for k := range ref {
		if sh.box[k] != ref[k] {
			w.Int(sh.box[k] - ref[k])
		}
	}
}

func (r *reader) box(sh, was *shape) {
	mask := r.Uint()
	if mask == 1<<4 {
		sh.exact = false
		for k := range sh.box {
			sh.box[k] = int64(uint32(r.color()))
		}
		return
	}
	if !was.exact {
		sh.box = [4]int64{}
	}
	sh.exact = true
	for k := range sh.box {
		if mask&(1<<k) != 0 {
			sh.box[k] += r.Int()
		}
	}
}

func (r *reader) color() plat.Color {
	if b := r.Bytes(4); len(b) == 4 {
		return plat.Color(binary.LittleEndian.Uint32(b))
	}
	return 0
}
