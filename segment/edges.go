package segment

import (
	"math"

	"plat/plat"
)

// edges are the sides of a rectangle, in CSS pixels.
type edges struct{ Left, Top, Right, Bottom float32 }

// infinite is the coordinate of an unbounded side.
var infinite = float32(math.Inf(1))

// edgesOf returns the sides of a box.
func edgesOf(r plat.Rect) edges { return edges{r.X, r.Y, r.X + r.W, r.Y + r.H} }

// Meet returns the intersection of two rectangles.
func (e edges) Meet(f edges) edges {
	return edges{max(e.Left, f.Left), max(e.Top, f.Top), min(e.Right, f.Right), min(e.Bottom, f.Bottom)}
}

// Empty reports whether there is nothing inside.
func (e edges) Empty() bool { return e.Right <= e.Left || e.Bottom <= e.Top }

// Width returns the distance of left and right, 0 if the rectangle is empty.
func (e edges) Width() float32 { return max(0, e.Right-e.Left) }

// Height returns the distance of top and bottom, 0 if the rectangle is empty.
func (e edges) Height() float32 { return max(0, e.Bottom-e.Top) }

// Area returns width × height.
func (e edges) Area() float32 { return e.Width() * e.Height() }

// Holds reports whether f is inside e.
func (e edges) Holds(f edges) bool {
	return e.Left <= f.Left && e.Right >= f.Right && e.Top <= f.Top && e.Bottom >= f.Bottom
}
