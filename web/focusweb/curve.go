package focusweb

import (
	"fmt"
	"math"
	"strings"

	"plat/focus/crawler"
)

// The picture of a harvest, in units of its view box.
const (
	curveW, curveH           = 420.0, 230.0
	curveLeft, curveRight    = 46.0, 408.0
	curveTop, curveBottom    = 14.0, 190.0
	curveUnderX, curveUnderY = 206.0, 226.0 // names of the axes
)

// curve is a harvest as it is drawn: pages that belong over pages visited.
type curve struct {
	W, H                     float64
	Left, Right, Top, Bottom float64
	NameX, NameY             float64
	Name                     string // in words
	Points                   string
	Ideal                    string // as if all pages belonged
	EndX, EndY               float64
	X, Y                     []tick
}

type tick struct {
	At float64
	N  int
}

// draw draws a harvest; nil if no page was visited.
func draw(points []crawler.Point) *curve {
	if len(points) == 0 || points[len(points)-1].Pages < 1 {
		return nil
	}
	last := points[len(points)-1]
	high := 1
	for _, p := range points {
		high = max(high, p.Belong)
	}
	wide, xs := scale(last.Pages)
	tall, ys := scale(high)
	c := &curve{W: curveW, H: curveH, Left: curveLeft, Right: curveRight, Top: curveTop, Bottom: curveBottom, NameX: curveUnderX, NameY: curveUnderY,
		Name: fmt.Sprintf("%d of %d pages on topic", last.Belong, last.Pages)}
	x := func(n int) float64 { return rounded(curveLeft + (curveRight-curveLeft)*float64(n)/wide) }
	y := func(n int) float64 { return rounded(curveBottom - (curveBottom-curveTop)*float64(n)/tall) }
	for _, n := range xs {
		c.X = append(c.X, tick{x(n), n})
	}
	for _, n := range ys {
		c.Y = append(c.Y, tick{y(n), n})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%g,%g", x(0), y(0))
	for _, p := range points {
		fmt.Fprintf(&b, " %g,%g", x(p.Pages), y(p.Belong))
	}
	c.Points, c.EndX, c.EndY = b.String(), x(last.Pages), y(last.Belong)
	end := min(last.Pages, int(tall))
	c.Ideal = fmt.Sprintf("%g,%g %g,%g", x(0), y(0), x(end), y(end))
	return c
}

func rounded(v float64) float64 { return math.Round(10*v) / 10 }

// scale returns the end of an axis for numbers up to most, and its marks: 0 and at most five
// round numbers.
func scale(most int) (end float64, marks []int) {
	step := 1
	for k := 0; (most+step-1)/step > 5; k++ {
		step = []int{2, 5, 10}[k%3] * int(math.Pow10(k/3))
	}
	for n := 0; n < most+step; n += step {
		marks = append(marks, n)
	}
	return float64(marks[len(marks)-1]), marks
}
