package segment

import (
	"plat/plat"
)

// paintedBox is a painted box that may lie in front of or behind text.
type paintedBox struct {
	Edges  edges // the part visible before scrolling
	Rank   int32 // in paint order
	Node   int32 // that paints it; of two boxes of the same rank, that of the later node is on top
	Doc    int32 // its document node
	Opaque bool  // hides the content behind it
	Below  bool  // negative z-index: below the content of its stacking context
	Color  plat.Color
	Plain  bool // the colour is its only paint: no image, no media
}

// paintedBoxes holds the boxes of a page by horizontal bands, and the largest ones of each. Boxes
// that span many bands are kept in a separate list. The zero value is ready.
type paintedBoxes struct {
	at   [][]paintedBox
	tall []paintedBox
}

const (
	bandHeight = 128 // px
	bandSize   = 64
	maxBands   = 1 << 14
	tallBands  = 64
)

func band(y float32) int {
	if !(y > 0) { // or no number
		return 0
	}
	return int(min(float64(y)/bandHeight, maxBands))
}

// Add adds a box.
func (b *paintedBoxes) Add(p paintedBox) {
	from, to := band(p.Edges.Top), band(p.Edges.Bottom)
	if to-from > tallBands {
		b.tall = add(b.tall, p)
		return
	}
	for n := len(b.at); n <= to; n++ {
		if n == cap(b.at) {
			b.at = append(b.at, nil)
		} else {
			b.at = b.at[:n+1]
			b.at[n] = b.at[n][:0] // of an earlier page
		}
	}
	for i := from; i <= to; i++ {
		b.at[i] = add(b.at[i], p)
	}
}

// Clear drops the boxes, and keeps their memory.
func (b *paintedBoxes) Clear() { b.tall, b.at = b.tall[:0], b.at[:0] }

// Around lists the boxes that may lie at a height of the page.
func (b *paintedBoxes) Around(y float32) [2][]paintedBox {
	if i := band(y); i < len(b.at) {
		return [2][]paintedBox{b.tall, b.at[i]}
	}
	return [2][]paintedBox{b.tall}
}

func add(all []paintedBox, p paintedBox) []paintedBox {
	if len(all) < bandSize {
		return append(all, p)
	}
	if k := smallest(all); all[k].Edges.Area() < p.Edges.Area() {
		all[k] = p
	}
	return all
}

func smallest(all []paintedBox) int {
	least := 0
	for i := range all {
		if all[i].Edges.Area() < all[least].Edges.Area() {
			least = i
		}
	}
	return least
}
