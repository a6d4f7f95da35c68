package segment

import (
	"testing"

	"plat/plat"
)

// TestShortLargeTextsAreHeadings: the text of a run is the font size of most of its characters; of sizes with as many, the
// smaller. Short texts at least 1.15 times as large rank below h6, the largest first.
func TestShortLargeTextsAreHeadings(t *testing.T) {
	units := []unit{
		{font: 16, chars: 1000}, {font: 32, chars: 20}, {font: 24, chars: 160}, {font: 24, chars: 161}, {font: 18.4, chars: 10}, {font: 18.3, chars: 10},
		{font: 40, chars: 10, line: true}, {font: 40}, {font: 40, chars: 5, rank: 2}, {font: 100, chars: 1}, {font: 93, chars: 1}, {font: 14, chars: 5},
	}
	rankHeadings(units)
	for i, want := range []int{0, 68, 76, 0, 81, 0, 0, 0, 2, 7, 7, 0} {
		if units[i].rank != want {
			t.Errorf("unit %d of %v px and %d characters has the rank %d, want %d", i, units[i].font, units[i].chars, units[i].rank, want)
		}
	}
	tie := []unit{{font: 20, chars: 50}, {font: 16, chars: 50}}
	if rankHeadings(tie); tie[0].rank == 0 || tie[1].rank != 0 {
		t.Errorf("of two sizes the smaller is the text: ranks %d and %d", tie[0].rank, tie[1].rank)
	}
	tie = []unit{{font: 16, chars: 50}, {font: 20, chars: 50}}
	if rankHeadings(tie); tie[1].rank == 0 || tie[0].rank != 0 {
		t.Errorf("in the other order: ranks %d and %d", tie[0].rank, tie[1].rank)
	}
}

// TestColumnsAreApartAndSideBySide: boxes in different columns share more than half of the height of the lower one, which is
// at least a piece, and at most one pixel of width.
func TestColumnsAreApartAndSideBySide(t *testing.T) {
	a := plat.Rect{X: 0, Y: 0, W: 100, H: 100}
	for _, tc := range []struct {
		b    plat.Rect
		want bool
	}{
		{plat.Rect{X: 100, Y: 0, W: 100, H: 100}, true}, {plat.Rect{X: 99, Y: 0, W: 100, H: 100}, true}, {plat.Rect{X: 98.5, Y: 0, W: 100, H: 100}, false},
		{plat.Rect{X: 100, Y: 50, W: 100, H: 100}, false}, {plat.Rect{X: 100, Y: 49, W: 100, H: 100}, true}, {plat.Rect{X: 100, Y: 200, W: 100, H: 100}, false},
		{plat.Rect{X: 100, Y: 0, W: 100, H: 24}, true}, {plat.Rect{X: 100, Y: 0, W: 100, H: 23.5}, false}, {plat.Rect{X: 100, Y: 80, W: 100, H: 30}, true}, {plat.Rect{X: 100, Y: 86, W: 100, H: 30}, false},
	} {
		if beside(a, tc.b) != tc.want || beside(tc.b, a) != tc.want {
			t.Errorf("%v is beside %v: %v, %v; want %v", tc.b, a, beside(a, tc.b), beside(tc.b, a), tc.want)
		}
	}
}

// TestHeadersAndFootersAreAtTheEnds of the page: a header ends within 300 px of its top; a footer begins in its last fifth, or is
// lower than 400 px, below the first 500 px, and ends in the last 100.
func TestHeadersAndFootersAreAtTheEnds(t *testing.T) {
	page := &plat.Snapshot{Height: 1000}
	for _, tc := range []struct {
		y, h           float32
		header, footer bool
	}{
		{0, 299, true, false}, {0, 300, false, false}, {100, 199, true, false}, {100, 200, false, false},
		{800, 100, false, false}, {801, 10, false, true}, {801, 100, false, true},
		{501, 399.5, false, true}, {501, 399, false, false}, {500, 399.75, false, false}, {500.5, 399.75, false, true}, {550, 399.5, false, true}, {600, 301, false, true}, {600, 300, false, false}, {550, 400, false, false},
	} {
		r := &row{c: &cutter{view: view{Snapshot: page}}, region: plat.Rect{Y: tc.y, H: tc.h, W: 100}}
		if r.inHeader() != tc.header || r.inFooter() != tc.footer {
			t.Errorf("at %v, %v high: header %v, footer %v", tc.y, tc.h, r.inHeader(), r.inFooter())
		}
	}
}

// TestUnionsHoldAllUnits: the box of units is the smallest around them.
func TestUnionsHoldAllUnits(t *testing.T) {
	units := []unit{{box: plat.Rect{X: 10, Y: 10, W: 10, H: 10}}, {box: plat.Rect{X: 0, Y: 15, W: 5, H: 50}}, {box: plat.Rect{X: 12, Y: 5, W: 30, H: 6}}}
	if got, want := unionOf(units), (plat.Rect{X: 0, Y: 5, W: 42, H: 60}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := unionOf(units[:1]); got != units[0].box {
		t.Errorf("of one unit %v", got)
	}
}
