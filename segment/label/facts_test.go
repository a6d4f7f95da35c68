package label

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"plat/plat"
)

func TestFeaturesOfBlocks(t *testing.T) {
	view, page := plat.Rect{W: 1000, H: 800}, plat.Rect{W: 1000, H: 4000}
	at := func(x, y, w, h float32) facts {
		return facts{box: plat.Rect{X: x, Y: y, W: w, H: h}, view: view, page: page}
	}
	for _, tc := range []struct {
		name string
		of   func(*facts) float64
		f    facts
		want float64
	}{
		{"links of none", links, facts{}, 0},
		{"links of half", links, facts{chars: 10, linkChars: 5}, 0.5},
		{"links of more than all", links, facts{chars: 10, linkChars: 15}, 1},
		{"a text of half the amount", amount(500), facts{chars: 250}, 0.5},
		{"a text of more", amount(500), facts{chars: 900}, 1},
		{"a menu of two", menu, facts{chars: 10, linkChars: 10, links: 2, shortLinks: 2}, 0},
		{"a menu of three", menu, facts{chars: 10, linkChars: 5, links: 3, shortLinks: 3}, 0.5},
		{"a menu with long links", menu, facts{chars: 10, linkChars: 10, links: 4, shortLinks: 1}, 0.25},
		{"two teasers", teasers, facts{chars: 10, linkChars: 10, links: 3, shortLinks: 1}, 0},
		{"three teasers", teasers, facts{chars: 10, linkChars: 10, links: 3}, 1},
		{"teasers in text", teasers, facts{chars: 100, linkChars: 10, links: 4, shortLinks: 1}, 0.375},
		{"two items", items, facts{items: 2}, 0}, {"three items", items, facts{items: 3}, 0.375}, {"eight items", items, facts{items: 8}, 1},
		{"a heading", headings, facts{chars: 200, headChars: 100, links: 2}, 0.5},
		{"a long text with a heading", headings, facts{chars: 201, headChars: 100}, 0},
		{"a heading of links", headings, facts{chars: 10, headChars: 10, links: 3}, 0},
		{"a large font", largeFont, facts{chars: 200, bodySize: 10, maxSize: 15}, 0.5},
		{"a huge font", largeFont, facts{chars: 1, bodySize: 10, maxSize: 40}, 1},
		{"a small font", largeFont, facts{chars: 1, bodySize: 10, maxSize: 5}, 0},
		{"a large font of a long text", largeFont, facts{chars: 201, bodySize: 10, maxSize: 20}, 0},
		{"a large font of nothing", largeFont, facts{bodySize: 10, maxSize: 20}, 0},
		{"a font on a page without text", largeFont, facts{chars: 1, maxSize: 20}, 0},
		{"no words", fewWords, facts{}, 1}, {"few words", fewWords, facts{chars: 30}, 0.75}, {"many words", fewWords, facts{chars: 240}, 0},
		{"no picture", pictures, facts{box: plat.Rect{W: 10, H: 10}, mediaArea: 50}, 0},
		{"half a picture", pictures, facts{box: plat.Rect{W: 10, H: 10}, media: 1, mediaArea: 50}, 0.5},
		{"a frame with text", pictures, facts{box: plat.Rect{W: 10, H: 10}, frames: 1, mediaArea: 500, chars: 300}, math.Exp(-1)},
		{"a picture without a box", pictures, facts{media: 1, mediaArea: 50}, 0},
		{"one button", controls, facts{controls: 1}, 0}, {"two buttons", controls, facts{controls: 2}, 1}, {"one field", controls, facts{fields: 1}, 1},
		{"a field in text", controls, facts{fields: 1, chars: 20}, 0.5}, {"fields in text", controls, facts{fields: 2, controls: 1, chars: 20}, 0.75},
		{"a grid", cells, facts{rows: 3, cells: 6, chars: 240, mass: 240}, 0.5},
		{"a grid of one row", cells, facts{rows: 1, cells: 6, mass: 1}, 0}, {"two rows", cells, facts{rows: 2, cells: 6, chars: 6, mass: 6}, 1 - 1./80},
		{"five cells", cells, facts{rows: 2, cells: 5, chars: 5, mass: 5}, 0}, {"a column", cells, facts{rows: 4, cells: 7, chars: 7, mass: 7}, 0},
		{"a grid of links", cells, facts{rows: 3, cells: 6, chars: 240, linkChars: 240, mass: 240}, 0.25},
		{"a grid of pictures", cells, facts{rows: 3, cells: 6, chars: 240, mass: 480}, 0}, {"a grid of long texts", cells, facts{rows: 3, cells: 6, chars: 600, mass: 600}, 0},
		{"at the top", top, at(0, 200, 100, 200), 1}, {"not so high", top, at(0, 201, 100, 100), 0}, {"too low an end", top, at(0, 200, 100, 201), 0}, {"no box", top, at(0, 0, 0, 0), 0},
		{"at the end", bottom, at(0, 3600, 100, 10), 1}, {"not so low", bottom, at(0, 3599, 100, 10), 0}, {"what ends the page", bottom, at(0, 3400, 100, 480), 1}, {"of the greatest height", bottom, at(0, 3400, 100, .6*view.H), 1}, {"from the highest place", bottom, at(0, .6*page.H, 100, 470), 0},
		{"a tall block that ends the page", bottom, at(0, 3400, 100, 481), 0}, {"what ends before", bottom, at(0, 3500, 100, 379), 0}, {"an end without a box", bottom, at(0, 3900, 0, 0), 0},
		{"the end of one screen", bottom, facts{box: plat.Rect{Y: 790, W: 100, H: 10}, view: view, page: view}, 0},
		{"a masthead", masthead, at(0, 60, 600, 60), 1}, {"a low masthead", masthead, at(0, 61, 600, 60), 0}, {"a narrow one", masthead, at(0, 60, 599, 60), 0}, {"a bar", masthead, at(0, 60, 600, 59), 0},
		{"a column at the left", side, at(0, 300, 360, 350), 1}, {"at the right", side, at(640, 300, 360, 350), 1}, {"a wide one", side, at(0, 300, 361, 350), 0}, {"a low one", side, at(0, 300, 360, 349), 0},
		{"in the middle", side, at(320, 300, 360, 350), 0}, {"at the left but at the top", side, at(0, 0, 100, 350), 0},
		{"across the middle", centre, at(300, 1000, 400, 500), 1}, {"a narrow one across", centre, at(350, 1000, 399, 500), 0}, {"beside the middle", centre, at(501, 1000, 400, 500), 0},
		{"up to the middle", centre, at(100, 1000, 400, 500), 1}, {"short of it", centre, at(99, 1000, 400, 500), 0}, {"across, at the end", centre, at(0, 3700, 900, 100), 0},
	} {
		if got := tc.of(&tc.f); math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestExplanationsFit(t *testing.T) {
	of := func(worths ...float64) func(int) (string, bool, float64, float64) {
		return func(i int) (string, bool, float64, float64) { return string(rune('a' + i)), i%2 == 0, 0.5, worths[i] }
	}
	for _, tc := range []struct {
		worths []float64
		want   string
	}{
		{[]float64{0.1, 0.25}, "nothing stands out"}, {[]float64{0.26, 0.3}, "b 0.50, a"}, {[]float64{1, 1, 1, 1, 1, 1}, "a, b 0.50, c, d 0.50"}, {nil, "nothing stands out"},
	} {
		if got := told(len(tc.worths), of(tc.worths...)); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.worths, got, tc.want)
		}
	}
	long := func(i int) (string, bool, float64, float64) {
		return strings.Repeat("x", 19), true, 0, 1
	}
	if got := told(3, long); len(got) != 40 {
		t.Errorf("%d characters", len(got))
	}
	a := strings.Repeat("a", 37)
	if got := together(a, "b"); got != a+", b" {
		t.Errorf("together: %q", got)
	}
	if got := together(a, "bc"); got != a {
		t.Errorf("together they are too long: %q", got)
	}
}

func TestTopicsAreTidied(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("abcd ", n)) }
	for in, want := range map[string]string{
		"": "", "  a \n b ": "a b", "a\u00adb\u200bc\u2060d\ufeffe": "abcde", "a\x01b\xffc": "abc",
		strings.Repeat("x", 160): strings.Repeat("x", 160), strings.Repeat("x", 160) + "y": strings.Repeat("x", 160), strings.Repeat("x", 160) + " y": strings.Repeat("x", 160),
		strings.Repeat("x", 156) + " yyyyyy": strings.Repeat("x", 156), "x " + strings.Repeat("y", 160): "x " + strings.Repeat("y", 158), words(4): words(4),
	} {
		if got := tidy(in); got != want {
			t.Errorf("%.30q is %q, want %q", in, got, want)
		}
	}
}

func TestColumnsBesideTheText(t *testing.T) {
	s := &surroundings{main: 1, columns: []column{{box: plat.Rect{X: 700, Y: 100, W: 200, H: 500}, titles: 3}}}
	for r, want := range map[plat.Rect]int32{
		{X: 680, Y: 80, W: 240, H: 10}: 3, {X: 679, Y: 80, W: 100, H: 10}: 0, {X: 680, Y: 80, W: 241, H: 10}: 0, {X: 700, Y: 79, W: 100, H: 10}: 0, {X: 700, Y: 900, W: 100, H: 10}: 3,
	} {
		if got := s.columnOf(r); got != want {
			t.Errorf("%v is in a column of %d titles, want %d", r, got, want)
		}
	}
	g := &gathered{page: &plat.Page{Blocks: []plat.Block{{}, {Box: plat.Rect{X: 200, W: 500, H: 900}}}}, snap: &plat.Snapshot{Width: 1000}}
	for r, want := range map[plat.Rect]bool{
		{X: 0, W: 210, H: 100}: true, {X: 0, W: 211, H: 100}: false, {X: 690, W: 200, H: 100}: true, {X: 689, W: 200, H: 100}: false, {X: 700, W: 290, H: 0}: false, {X: 700, W: 999, H: 10}: false,
	} {
		if got := s.besides(g, r); got != want {
			t.Errorf("%v is beside the text: %v", r, got)
		}
	}
	if (&surroundings{}).besides(g, plat.Rect{W: 10, H: 10}) {
		t.Error("without a text something is beside it")
	}
}

func TestCountsOfPartsAddUp(t *testing.T) {
	notSummed := map[string]bool{"firstRun": true, "endRun": true, "start": true, "others": true, "template": true, "unique": true, "on": true, "areas": true, "columnTitles": true}
	a, b := facts{maxSize: 3, sizes: 1, mediaArea: 2}, facts{maxSize: 2, sizes: 4, mediaArea: 4}
	// The fields are set by reflection: a count that someone adds later is tested as well.
	counts := func(f *facts, each func(name string, at reflect.Value)) {
		v := reflect.ValueOf(f).Elem()
		for i := range v.NumField() {
			switch at, name := v.Field(i), v.Type().Field(i).Name; {
			case at.Kind() == reflect.Int32 && !notSummed[name]:
				each(name, at)
			case at.Kind() == reflect.Array:
				for k := range at.Len() {
					each(name, at.Index(k))
				}
			}
		}
	}
	set := func(n int64) func(string, reflect.Value) {
		return func(_ string, at reflect.Value) { *(*int32)(at.Addr().UnsafePointer()) = int32(n) }
	}
	counts(&a, set(5))
	counts(&b, set(2))
	a.add(&b)
	counts(&a, func(name string, at reflect.Value) {
		if at.Int() != 7 {
			t.Errorf("%s: 5 and 2 are %d", name, at.Int())
		}
	})
	if a.sizes != 5 || a.mediaArea != 6 || a.maxSize != 3 {
		t.Errorf("sizes %v, areas %v, largest font %v", a.sizes, a.mediaArea, a.maxSize)
	}
}
