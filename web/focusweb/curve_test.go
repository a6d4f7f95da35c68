package focusweb

import (
	"fmt"
	"strings"
	"testing"

	"plat/focus/crawler"
)

func TestAnAxisHasRoundNumbersUpToTheMost(t *testing.T) {
	for most, want := range map[int]string{
		1: "[0 1]", 3: "[0 1 2 3]", 5: "[0 1 2 3 4 5]", 6: "[0 2 4 6]", 11: "[0 5 10 15]", 26: "[0 10 20 30]", 50: "[0 10 20 30 40 50]", 51: "[0 20 40 60]",
		400: "[0 100 200 300 400]", 1001: "[0 500 1000 1500]", 50_000: "[0 10000 20000 30000 40000 50000]",
	} {
		end, marks := scale(most)
		if fmt.Sprint(marks) != want || end != float64(marks[len(marks)-1]) || end < float64(most) {
			t.Errorf("up to %d: %v, the end at %v, want %s", most, marks, end, want)
		}
	}
}

func TestACurveStaysInItsPicture(t *testing.T) {
	if draw(nil) != nil || draw([]crawler.Point{{}}) != nil {
		t.Error("a harvest of no pages is drawn")
	}
	c := draw([]crawler.Point{{Pages: 10, Belong: 0}, {Pages: 40, Belong: 10}, {Pages: 100, Belong: 20}})
	if c.Name != "20 of 100 pages on topic" || c.Points != "46,190 82.2,190 190.8,102 408,14" || c.EndX != curveRight || c.EndY != curveTop || c.Ideal != "46,190 118.4,14" {
		t.Errorf("%+v", c)
	}
	// No page belongs; a curve that falls, because users withdraw labels.
	for _, points := range [][]crawler.Point{{{Pages: 50_000}}, {{Pages: 10, Belong: 9}, {Pages: 20, Belong: 3}}} {
		c := draw(points)
		for _, p := range strings.Fields(c.Points + " " + c.Ideal) {
			var x, y float64
			if _, err := fmt.Sscanf(p, "%f,%f", &x, &y); err != nil || x < curveLeft || x > curveRight || y < curveTop || y > curveBottom {
				t.Errorf("%v has the point %s", points, p)
			}
		}
	}
}
