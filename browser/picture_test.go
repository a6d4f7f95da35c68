package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/chromedp/cdproto/page"

	"plat/browser/process"
	"plat/browser/tab"
	"plat/plat"
)

// A picture of the whole page shows every box where the snapshot has it: the page is not
// laid out for a larger window. It includes content far below, and the part of the page that is
// wider than its window.
func TestAPictureShowsBoxesWhereTheyAre(t *testing.T) {
	t.Parallel()
	const css = `<style>body { margin: 0 } div { position: absolute; width: 100px }</style>`
	srv := site(t, map[string]string{
		"/tall": css + `<body style="height: 9000px">
			<div style="top: 0; height: 100vh; background: rgb(255,0,0)"></div>
			<div style="top: 5000px; height: 50px; background: rgb(0,255,0)"></div>
			<div style="top: 8950px; height: 50px; background: rgb(0,0,255)"></div>
			<div style="position: fixed; left: 300px; bottom: 0; height: 20px; background: rgb(255,0,255)"></div>`,
		"/wide": css + `<body style="height: 3000px">
			<div style="left: 2000px; top: 2900px; height: 50px; background: rgb(0,255,0)"></div>`,
		"/short": css + `<div style="top: 100px; height: 50px; background: rgb(0,0,255)"></div>`,
		"/rtl":   `<html dir=rtl>` + css + `<div style="right: 0; top: 0; height: 50px; background: rgb(255,0,0)"></div>`,
	})
	red, green, blue, pink, white := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{255, 0, 255, 255}, color.RGBA{255, 255, 255, 255}
	for path, want := range map[string]struct {
		size image.Point
		at   map[image.Point]color.RGBA
	}{
		"/tall": {image.Pt(1280, 9000), map[image.Point]color.RGBA{
			{50, 10}: red, {50, 1023}: red, {50, 1024}: white, {50, 5025}: green, {50, 4999}: white, {50, 8999}: blue, {350, 1010}: pink, {350, 8990}: white,
		}},
		"/wide":  {image.Pt(2100, 3000), map[image.Point]color.RGBA{{2050, 2925}: green, {2050, 2899}: white, {50, 2925}: white}},
		"/short": {image.Pt(1280, 1024), map[image.Point]color.RGBA{{50, 125}: blue, {50, 99}: white}},
		"/rtl":   {image.Pt(1280, 1024), map[image.Point]color.RGBA{{1250, 25}: red, {50, 25}: white}},
	} {
		s, err := pool(t).Render(t.Context(), Request{URL: srv.URL + path, Picture: true})
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(s.Picture.Data))
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); got != want.size {
			t.Errorf("%s: a picture of %v, want %v", path, got, want.size)
			continue
		}
		for p, c := range want.at {
			if got := color.RGBAModel.Convert(img.At(p.X, p.Y)); got != c {
				t.Errorf("%s at %v: %v, want %v", path, p, got, c)
			}
		}
	}
}

// The picture of one frame equals Chrome's own screenshot.
func TestTheFrameOfAPictureIsChromesOwn(t *testing.T) {
	t.Parallel()
	if !process.IsFramed(pool(t).o.Chrome) {
		t.Skip("frames come by themselves here")
	}
	srv := site(t, map[string]string{"/": `<!doctype html><title>bands</title>
		<style>p { height: 300px; margin: 0; font: 40px sans-serif; background: linear-gradient(#fff, #89a) }</style>
		<script>for (let i = 0; i < 20; i++) document.write('<p>paragraph ' + i)</script>`})
	_, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/", inspect: func(ctx context.Context, v *visit, s *plat.Snapshot) error {
		area := page.Viewport{Width: float64(s.Width), Height: float64(s.Height), Scale: 1}
		ours, err := v.FramePicture(ctx, tab.PNG, area)
		if err != nil {
			t.Error("framed:", err)
		}
		chromes, err := v.screenshot(ctx, tab.PNG, area)
		if err != nil {
			t.Error("screenshot:", err)
		}
		if !bytes.Equal(ours, chromes) {
			t.Errorf("two pictures of a page of %v×%v differ: %d bytes, %d bytes", s.Width, s.Height, len(ours), len(chromes))
		}
		b, err := v.Evaluate(ctx, 0, "innerWidth + ' ' + innerHeight + ' ' + scrollY")
		if err != nil || string(b) != `"1280 1024 0"` {
			t.Errorf("afterwards the window is %s (%v), want 1280 1024", b, err)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// A picture in WebP has the same pixels as in PNG, captured either way, and takes less space.
func TestPicturesLoseNothing(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><title>bands</title>
		<style>p { height: 300px; margin: 0; font: 40px sans-serif; background: linear-gradient(#fff, #89a) } img { width: 300px }</style>
		<script>for (let i = 0; i < 20; i++) document.write('<p>paragraph ' + i)</script>`})
	_, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/", inspect: func(ctx context.Context, v *visit, s *plat.Snapshot) error {
		area := page.Viewport{Width: float64(s.Width), Height: float64(s.Height), Scale: 1}
		takes := map[string]func(context.Context, tab.Format, page.Viewport) ([]byte, error){"screenshot": v.screenshot}
		if v.Browser.Framed {
			takes["frame"] = v.FramePicture
		}
		for name, take := range takes {
			var pictures [2]image.Image
			var sizes [2]int
			for i, f := range []tab.Format{tab.PNG, tab.WebP} {
				data, err := take(ctx, f, area)
				if err != nil {
					return err
				}
				img, is, err := image.Decode(bytes.NewReader(data))
				if err != nil || is != string(f) {
					t.Fatalf("%s: a picture is %s, %v; want %s", name, is, err, f)
				}
				pictures[i], sizes[i] = img, len(data)
			}
			if sizes[1] >= sizes[0] {
				t.Errorf("%s: %d bytes in WebP, %d in PNG", name, sizes[1], sizes[0])
			}
			if different := differences(pictures[0], pictures[1]); different > 0 {
				t.Errorf("%s: %d pixels differ", name, different)
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// differences counts the pixels of two pictures that differ.
func differences(a, b image.Image) (n int) {
	if a.Bounds() != b.Bounds() {
		return a.Bounds().Dx() * a.Bounds().Dy()
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			if r != r2 || g != g2 || bl != bl2 {
				n++
			}
		}
	}
	return n
}

// BenchmarkPicture measures the ways to capture a picture of a long page, by format.
func BenchmarkPicture(b *testing.B) {
	srv := site(b, map[string]string{"/": `<!doctype html><style>p { height: 300px; margin: 0; font: 20px sans-serif; background: linear-gradient(#fff, #89a) }</style>
		<script>for (let i = 0; i < 30; i++) document.write('<p>' + 'word and number ' .repeat(60) + i)</script>`})
	for name, take := range map[string]func(*visit, context.Context, tab.Format, page.Viewport) ([]byte, error){
		"frame": func(v *visit, ctx context.Context, f tab.Format, a page.Viewport) ([]byte, error) {
			return v.FramePicture(ctx, f, a)
		},
		"screenshot": (*visit).screenshot,
	} {
		for _, f := range []tab.Format{tab.PNG, tab.WebP} {
			b.Run(name+"/"+string(f), func(b *testing.B) {
				b.ReportAllocs()
				_, err := pool(b).Render(b.Context(), Request{URL: srv.URL + "/", inspect: func(ctx context.Context, v *visit, s *plat.Snapshot) error {
					area := page.Viewport{Width: float64(s.Width), Height: float64(s.Height), Scale: 1}
					for b.Loop() {
						data, err := take(v, ctx, f, area)
						if err != nil {
							return err
						}
						b.ReportMetric(float64(len(data)), "bytes/picture")
					}
					return nil
				}})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
