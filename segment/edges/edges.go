// Package edges reckons with the sides of rectangles, which may be infinite.
package edges

import (
	"math"

	"plat/plat"
)

// Edges are the sides of a rectangle, in CSS pixels.
type Edges struct{ Left, Top, Right, Bottom float32 }

// Infinite is where a side lies that no one sees.
var Infinite = float32(math.Inf(1))

// Of returns the sides of a box.
func Of(r plat.Rect) Edges { return Edges{r.X, r.Y, r.X + r.W, r.Y + r.H} }

// Meet is what two rectangles have in common.
func (e Edges) Meet(f Edges) Edges {
	return Edges{max(e.Left, f.Left), max(e.Top, f.Top), min(e.Right, f.Right), min(e.Bottom, f.Bottom)}
}

// Empty reports whether there is nothing inside.
func (e Edges) Empty() bool { return e.Right <= e.Left || e.Bottom <= e.Top }

// Width is 0 for an empty rectangle, as Height and Area are.
func (e Edges) Width() float32 { return max(0, e.Right-e.Left) }

// Height is the distance of top and bottom.
func (e Edges) Height() float32 { return max(0, e.Bottom-e.Top) }

// Area is width × height.
func (e Edges) Area() float32 { return e.Width() * e.Height() }

// Holds reports whether f is inside e.
func (e Edges) Holds(f Edges) bool {
	return e.Left <= f.Left && e.Right >= f.Right && e.Top <= f.Top && e.Bottom >= f.Bottom
}
