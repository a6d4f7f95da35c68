package replay

import (
	"strconv"

	"plat/plat"
)

// Marks are words attached to elements of a page, by the pathKey of the
// element.
type Marks map[string]string

// NewMarks assigns each leaf's word to the elements of its run of siblings; i
// is an index into v.Blocks.
func NewMarks(v *plat.Version, word func(i int) string) Marks {
	marks := Marks{}
	for pass := range 2 { // first elements last: at a conflict, the block that begins there wins
		for i := range v.Blocks {
			b := &v.Blocks[i]
			n := len(b.Path)
			if !b.Leaf() || n == 0 || b.Path[n-1] < 0 {
				continue
			}
			path := append([]int32(nil), b.Path...)
			for k := range b.Run {
				path[n-1] = b.Path[n-1] + k
				if marks[pathKey(path)] == "" || pass == 1 && k == 0 {
					marks[pathKey(path)] = word(i)
				}
			}
		}
	}
	return marks
}

// pathKey encodes a path (see plat.Block.Path) as a map key.
func pathKey(path []int32) string {
	b := make([]byte, 0, 4*len(path))
	for _, step := range path {
		b = appendStep(b, step)
	}
	return string(b)
}

func appendStep(b []byte, step int32) []byte {
	return strconv.AppendInt(append(b, '.'), int64(step), 10)
}
