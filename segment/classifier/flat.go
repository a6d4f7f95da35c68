package classifier

// flatDepth is the depth to which all trees are filled up, if all are that shallow.
const flatDepth = 4

// A flat tree is a full binary tree: the root is decision 1, and the children of decision i
// are 2i, up to the bin, and 2i+1, beyond it. Which way it goes is added up, not branched on,
// because a processor would guess half of the branches wrong.
type flat struct {
	decisions [1 << flatDepth]uint16 // the feature, and the bin in the high byte
	leaves    [1 << flatDepth]int16  // values, in [Unit]
}

// flatten prepares the trees for [Model.Scores], unless one is too deep.
func (m *Model) flatten() {
	all := make([]flat, len(m.Trees))
	for i, t := range m.Trees {
		if !all[i].fill(t, 0, 1) {
			return
		}
	}
	m.flat = all
}

// fill copies the subtree below a node to a place in the full tree; it returns false if the subtree
// is too deep.
func (f *flat) fill(t Tree, node, place int) bool {
	n := &t[node]
	if place >= 1<<flatDepth {
		f.leaves[place-1<<flatDepth] = n.Value
		return n.Feature < 0
	}
	up, beyond := node, node // of a leaf both ways lead to its value
	if n.Feature >= 0 {
		f.decisions[place] = uint16(n.Feature) | uint16(n.Bin)<<8
		up, beyond = node+1, int(n.Right)
	}
	return f.fill(t, up, 2*place) && f.fill(t, beyond, 2*place+1)
}

// value returns the value of the leaf that the features lead to.
func (f *flat) value(bins *[maxFeatures]uint8) int32 {
	i := f.next(1, bins)
	i = f.next(i, bins)
	i = f.next(i, bins)
	i = f.next(i, bins)
	return int32(f.leaves[i&15])
}

// values returns the sum of the values of four trees: the processor evaluates the rest while one
// waits for memory.
func values(a, b, c, d *flat, bins *[maxFeatures]uint8) int32 {
	i, j, k, l := a.next(1, bins), b.next(1, bins), c.next(1, bins), d.next(1, bins)
	i, j, k, l = a.next(i, bins), b.next(j, bins), c.next(k, bins), d.next(l, bins)
	i, j, k, l = a.next(i, bins), b.next(j, bins), c.next(k, bins), d.next(l, bins)
	i, j, k, l = a.next(i, bins), b.next(j, bins), c.next(k, bins), d.next(l, bins)
	return int32(a.leaves[i&15]) + int32(b.leaves[j&15]) + int32(c.leaves[k&15]) + int32(d.leaves[l&15])
}

// next returns the decision after decision i. Beyond the bin the difference is negative.
func (f *flat) next(i uint32, bins *[maxFeatures]uint8) uint32 {
	at := uint32(f.decisions[i&15])
	return 2*i + (at>>8-uint32(bins[at&255]))>>31
}
