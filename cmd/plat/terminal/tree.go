package terminal

import (
	"strings"

	"plat/plat/excerpt"
)

// Branches returns the line drawing in front of every node of a tree in
// pre-order. parent holds the index of each node's parent, -1 for roots, which
// have no drawing.
func Branches(parent []int32) []string {
	last := make([]int32, len(parent)) // last child of each node
	for i, p := range parent {
		if p >= 0 {
			last[p] = int32(i)
		}
	}
	out := make([]string, len(parent))
	below := make([]string, len(parent)) // drawing in front of the children
	for i, p := range parent {
		switch {
		case p < 0:
		case last[p] == int32(i):
			out[i], below[i] = below[p]+"└─ ", below[p]+"   "
		default:
			out[i], below[i] = below[p]+"├─ ", below[p]+"│  "
		}
	}
	return out
}

// Indent puts prefix before every line of text, and makes it safe for a
// terminal.
func Indent(text, prefix string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = prefix + excerpt.Printable(lines[i])
	}
	return lines
}
