package classifier

// flatDepth is the depth to which all trees are filled up, if none is deeper.
const flatDepth = 4

// A flat tree is a full binary tree: the children of decision i are 2i+1, up to the bin, and
// 2i+2, beyond it. Which way it goes is added up, not branched on, because a processor would
// guess half of the branches wrong.
type flat struct {
	at     [1 << flatDepth]decision // the last is not used
	leaves [1 << flatDepth]int16    // values, in [Unit]
}

const decisions = 1<<flatDepth - 1

type decision struct{ feature, bin uint8 }

// flatten prepares the trees for [Model.Scores], if none is too deep.
func (m *Model) flatten() {
	all := make([]flat, len(m.Trees))
	for i, t := range m.Trees {
		if !all[i].fill(t, 0, 0, 0) {
			return
		}
	}
	m.flat = all
}

// fill copies what is below a node to a place of the full tree, false if it is too deep.
func (f *flat) fill(t Tree, node, place, depth int) bool {
	n := &t[node]
	if depth == flatDepth {
		f.leaves[place-decisions] = n.Value
		return n.Feature < 0
	}
	up, beyond := node, node // of a leaf both ways lead to its value
	if n.Feature >= 0 {
		f.at[place] = decision{uint8(n.Feature), n.Bin}
		up, beyond = node+1, int(n.Right)
	}
	return f.fill(t, up, 2*place+1, depth+1) && f.fill(t, beyond, 2*place+2, depth+1)
}

// value returns the value of the leaf that the features lead to.
func (f *flat) value(bins *[maxFeatures]uint8) int16 {
	i := uint(0)
	for range flatDepth {
		d := f.at[i&decisions]
		beyond := uint(0)
		if bins[d.feature] > d.bin {
			beyond = 1
		}
		i = 2*i + 1 + beyond
	}
	return f.leaves[(i-decisions)&decisions]
}
