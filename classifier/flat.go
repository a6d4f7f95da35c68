package classifier

// flatDepth is the depth to which all trees are filled up, if none is deeper.
const flatDepth = 4

// A flat tree is a full binary tree: the root is decision 1, and the children of decision i
// are 2i, up to the bin, and 2i+1, beyond it. Which way it goes is added up, not branched on,
// because a processor would guess half of the branches wrong.
type flat struct {
	feature, bin [1 << flatDepth]uint8
	leaves       [1 << flatDepth]int16 // values, in [Unit]
}

// flatten prepares the trees for [Model.Scores], if none is too deep.
func (m *Model) flatten() {
	all := make([]flat, len(m.Trees))
	for i, t := range m.Trees {
		if !all[i].fill(t, 0, 1) {
			return
		}
	}
	m.flat = all
}

// fill copies what is below a node to a place of the full tree, false if it is too deep.
func (f *flat) fill(t Tree, node, place int) bool {
	n := &t[node]
	if place >= 1<<flatDepth {
		f.leaves[place-1<<flatDepth] = n.Value
		return n.Feature < 0
	}
	up, beyond := node, node // of a leaf both ways lead to its value
	if n.Feature >= 0 {
		f.feature[place], f.bin[place] = uint8(n.Feature), n.Bin
		up, beyond = node+1, int(n.Right)
	}
	return f.fill(t, up, 2*place) && f.fill(t, beyond, 2*place+1)
}

// value returns the value of the leaf that the features lead to.
func (f *flat) value(bins *[maxFeatures]uint8) int16 {
	i := 2 + beyond(bins[f.feature[1]], f.bin[1])
	i = 2*i + beyond(bins[f.feature[i&15]], f.bin[i&15])
	i = 2*i + beyond(bins[f.feature[i&15]], f.bin[i&15])
	i = 2*i + beyond(bins[f.feature[i&15]], f.bin[i&15])
	return f.leaves[i&15]
}

func beyond(bin, last uint8) uint {
	if bin > last {
		return 1
	}
	return 0
}
