package draw

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"plat"
)

// maxDrawn is the maximum number of pixels of a PNG: each takes four bytes of
// memory.
const maxDrawn = 250_000_000

// Paint renders the drawing as an image, a pixel per CSS px; the outline if the picture is
// damaged. More than 250 million pixels are an error.
func (d *Drawing) Paint() (image.Image, error) {
	picture := d.picture()
	if float64(d.W)*float64(d.H) > maxDrawn {
		return nil, fmt.Errorf("the page is %.0f by %.0f px, too large for a PNG; write an .svg", d.W, d.H)
	}
	img := image.NewRGBA(image.Rect(0, 0, max(1, int(d.W+0.5)), max(1, int(d.H+0.5))))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	if picture != nil {
		draw.Draw(img, picture.Bounds(), picture, picture.Bounds().Min, draw.Over)
	}
	for i := range d.Boxes {
		x := &d.Boxes[i]
		r := image.Rect(int(x.Box.X+0.5), int(x.Box.Y+0.5), int(x.Box.X+x.Box.W+0.5), int(x.Box.Y+x.Box.H+0.5))
		line := channels(x.Color())
		if d.Plan {
			fill(img, r, channels(d.version.Blocks[x.Index].Background))
		} else {
			tint := line
			tint.A = 40
			fill(img, r, tint)
		}
		outline(img, r, line)
		b := &d.version.Blocks[x.Index]
		name := string(b.Label)
		if d.Plan && b.Topic != "" && ascii(b.Topic) {
			name += ": " + b.Topic
		}
		tag(img, r, line, name)
	}
	return img, nil
}

func channels(c plat.Color) color.NRGBA {
	r, g, b, a := c.Channels()
	return color.NRGBA{R: r, G: g, B: b, A: a}
}

func fill(img draw.Image, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Over)
}

// outline draws the inner edge of r, two pixels wide.
func outline(img draw.Image, r image.Rectangle, c color.Color) {
	in := r.Inset(2)
	if in.Empty() {
		fill(img, r, c)
		return
	}
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, in.Min.Y)}, {image.Pt(r.Min.X, in.Max.Y), r.Max},
		{image.Pt(r.Min.X, in.Min.Y), image.Pt(in.Min.X, in.Max.Y)}, {image.Pt(in.Max.X, in.Min.Y), image.Pt(r.Max.X, in.Max.Y)},
	} {
		fill(img, side, c)
	}
}

// ascii reports whether the embedded font can render s.
func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// tag writes as much of a name as fits into the upper right corner of r, where
// it covers the least text.
func tag(img draw.Image, r image.Rectangle, c color.Color, name string) {
	face := basicfont.Face7x13
	fits := (r.Dx() - 6) / face.Advance
	if name == "" || fits < 3 || r.Dy() < face.Height+2 {
		return
	}
	name = name[:min(len(name), fits, 60)]
	at := image.Pt(r.Max.X-len(name)*face.Advance-6, r.Min.Y)
	fill(img, image.Rectangle{at, image.Pt(r.Max.X, at.Y+face.Height+2)}, c)
	d := font.Drawer{Dst: img, Src: image.White, Face: face, Dot: fixed.P(at.X+3, at.Y+face.Ascent+1)}
	d.DrawString(name)
}
