package segment

import (
	"slices"
	"testing"
)

func TestBoxesAreFoundWhereTheyLie(t *testing.T) {
	var b paintedBoxes
	at := func(y float32) (nodes []int32) {
		for _, all := range b.Around(y) {
			for _, p := range all {
				nodes = append(nodes, p.Node)
			}
		}
		return nodes
	}
	for page := range 3 { // nothing is left of the one before
		b.Add(paintedBox{Node: 1, Edges: edges{Right: 10, Top: 100, Bottom: 300}})
		b.Add(paintedBox{Node: 2, Edges: edges{Right: 10, Top: 1000, Bottom: 1001}})
		b.Add(paintedBox{Node: 3, Edges: edges{Right: 10, Bottom: 1e6}})
		b.Add(paintedBox{Node: 4, Edges: edges{Right: 10, Top: 1e9, Bottom: infinite}})
		for _, k := range []struct {
			y    float32
			want []int32
		}{{-5, []int32{3, 1}}, {200, []int32{3, 1}}, {299, []int32{3, 1}}, {700, []int32{3}}, {1000, []int32{3, 2}}, {2e9, []int32{3, 4}}} {
			if got := at(k.y); !slices.Equal(got, k.want) {
				t.Errorf("page %d, at %v: %v, want %v", page, k.y, got, k.want)
			}
		}
		b.Clear()
		if got := at(200); got != nil {
			t.Errorf("page %d: %v are left", page, got)
		}
	}
}

// A band keeps its largest boxes, however many there are.
func TestTheLargestBoxesStay(t *testing.T) {
	var b paintedBoxes
	const boxes = 10 * bandSize
	for i := range int32(boxes) {
		width := (i*7919)%boxes + 1 // each once
		b.Add(paintedBox{Node: width, Edges: edges{Right: float32(width), Bottom: 1}})
	}
	all := b.Around(0)[1]
	if len(all) != bandSize {
		t.Fatalf("%d boxes in a band, want %d", len(all), bandSize)
	}
	for _, p := range all {
		if p.Node <= boxes-bandSize {
			t.Errorf("a box %d px wide is kept", p.Node)
		}
	}
}
