package draw

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/history"
)

// two returns version n of a page with a header and a text.
func two(n int) *plat.Version {
	return &plat.Version{N: n, Capture: plat.Capture{Width: 400}, Blocks: []plat.Block{
		{Parent: -1, Slot: -1, Box: plat.Rect{W: 400, H: 300}},
		{Level: 1, Label: plat.LabelHeader, Topic: "A <b> title", Box: plat.Rect{W: 400, H: 100}, Background: plat.RGBA(255, 255, 255, 255), FontSize: 16},
		{Level: 1, Label: plat.LabelMain, Box: plat.Rect{Y: 100, W: 400, H: 200}, Background: plat.RGBA(0, 0, 0, 255)},
	}}
}

// told is a fixed past.
type told struct{ since []int }

func (p told) Since(context.Context, *plat.Version) ([]int, error) { return p.since, nil }
func (told) Changes(context.Context, *plat.Version) (*history.Diff, error) {
	return &history.Diff{Changes: []history.ChangeInfo{{Kind: plat.Content, Old: 2, New: 2}}}, nil
}

func TestEveryWayColoursBlocks(t *testing.T) {
	v := two(20)
	for by, want := range map[string]string{
		ByLabel: "label-header label-main", ByAge: "age-5 age-1", ByKind: "kind-same kind-content", ByNothing: "plain plain",
	} {
		c, err := Colour(t.Context(), told{[]int{0, 1, 19}}, v, by)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Class(1) + " " + c.Class(2); got != want {
			t.Errorf("by %s the blocks are %s, want %s", by, got, want)
		}
		if by != ByNothing && (len(c.Legend) != 2 || !slices.ContainsFunc(c.Legend, func(e Entry) bool { return e.Class == c.Class(2) })) {
			t.Errorf("by %s the legend is %v", by, c.Legend)
		}
	}
	if _, err := Colour(t.Context(), told{}, v, "taste"); err == nil {
		t.Error("an unknown colouring is accepted")
	}
	if c, err := Colour(t.Context(), told{}, two(1), ByKind); err != nil || c.Class(2) != "kind-same" {
		t.Errorf("the blocks of a first version are %s, %v", c.Class(2), err)
	}
}

// store has one picture.
type store struct {
	picture plat.Picture
	err     error
}

func (s store) Picture(context.Context, plat.Hash) (plat.Picture, error) { return s.picture, s.err }

// red returns a picture of 400 by 300 px.
func red(t *testing.T) plat.Picture {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for i := range 400 * 300 {
		img.Set(i%400, i/400, color.RGBA{255, 0, 0, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return plat.Picture{Type: "image/png", Data: b.Bytes()}
}

func TestADrawingHasThePictureOrIsAnOutline(t *testing.T) {
	v := two(1)
	v.Picture = plat.HashOf([]byte("picture"))
	for name, tc := range map[string]struct {
		store store
		plan  bool
		fails bool
	}{
		"a picture":            {store: store{picture: red(t)}},
		"a damaged picture":    {store: store{picture: plat.Picture{Type: "image/png", Data: []byte("\x89PNG")}}, plan: true},
		"a missing picture":    {store: store{err: fmt.Errorf("picture: %w", plat.ErrNotFound)}, plan: true},
		"a store out of reach": {store: store{err: context.DeadlineExceeded}, fails: true},
	} {
		d, err := New(t.Context(), tc.store, v, ColourLabels(v))
		if (err != nil) != tc.fails {
			t.Errorf("%s: error = %v", name, err)
		}
		if err != nil {
			continue
		}
		if d.Plan != tc.plan {
			t.Errorf("%s: Plan is %v", name, d.Plan)
		}
		var svg strings.Builder
		if err := d.SVG(&svg); err != nil {
			t.Fatal(err)
		}
		inline, err := d.Inline()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{svg.String(), string(inline)} {
			if strings.Contains(s, "<image") == tc.plan || !strings.Contains(s, `class="box label-main"`) || !strings.Contains(s, "A &lt;b&gt; title") || strings.Contains(s, "<b>") {
				t.Errorf("%s: it is drawn as %s", name, s)
			}
		}
		img, err := d.Paint()
		if err != nil {
			t.Fatal(err)
		}
		r, _, _, _ := img.At(200, 250).RGBA()
		if dark := r < 0x8000; dark != tc.plan {
			t.Errorf("%s: in the dark block it is painted %v", name, img.At(200, 250))
		}
	}
}

// A drawing is painted in strips as it is read, and never as a whole in memory.
func TestADrawingIsPaintedInStrips(t *testing.T) {
	v := two(1)
	v.Blocks[2].Box = plat.Rect{X: 10, Y: 100, W: 80, H: 100_000}
	d, err := New(t.Context(), store{}, v, ColourLabels(v))
	if err != nil {
		t.Fatal(err)
	}
	var img image.Image
	took := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if img, err = d.Paint(); err != nil {
				t.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if size := img.Bounds(); took > 10<<20 || size.Dy() != 100_100 {
		t.Errorf("a drawing of %v takes %d bytes", size, took)
	}
	white := color.RGBA{255, 255, 255, 255}
	for _, y := range []int{0, 50_000, 99_999, 255, 256, 100_099, 10} {
		in, out := img.At(11, y), img.At(5, y)
		if (in != out) != (y >= 100) || y >= 100 && out != color.Color(white) {
			t.Errorf("row %d: %v in the block, %v beside it", y, in, out)
		}
	}
}

func TestAPageTooLargeForAPNGIsNotPainted(t *testing.T) {
	v := two(1)
	v.Blocks[0].Box.H = 1e6
	d, err := New(t.Context(), store{}, v, ColourLabels(v))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Paint(); err == nil || !strings.Contains(err.Error(), ".svg") {
		t.Errorf("error = %v", err)
	}
}

func TestATimelineHasABarForEverySpanWithVersions(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	l := NewTimeline([]time.Time{day(1), day(1).Add(time.Minute), day(11)}, func(n int) string { return fmt.Sprint("#", n) })
	if len(l.Bars) != 2 || l.Bars[0].Href != "#2" || l.Bars[1].Href != "#3" || l.Bars[0].H != 100 || l.Bars[1].H != 50 {
		t.Errorf("the bars are %+v", l.Bars)
	}
	if one := NewTimeline([]time.Time{day(1)}, func(int) string { return "" }); len(one.Bars) != 1 || one.Bars[0].Name != "version 1, 2026-01-01 00:00:00" {
		t.Errorf("one version is %+v", one.Bars)
	}
}

func TestBlocksHaveNames(t *testing.T) {
	o := NewOverlay(two(1), View{Class: func(int) string { return "" }})
	if len(o.Boxes) != 2 || o.Boxes[0].Name != "header: A <b> title, 400 by 100 pixels" {
		t.Errorf("the boxes are %+v", o.Boxes)
	}
	if blockName(&plat.Block{}) == "" {
		t.Error("a block without any properties has no name")
	}
}
