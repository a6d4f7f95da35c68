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

	"plat/plat"
)

// maxDrawn is the maximum number of pixels of a PNG.
const maxDrawn = 250_000_000

// stripRows is the number of rows that are painted at a time. Painting all rows at once would
// take four bytes for each pixel, in addition to the memory of the picture.
const stripRows = 256

// Paint returns the drawing as an image with one pixel per CSS px, or the outline if the
// picture is damaged. More than 250 million pixels are an error. The image is painted as it is
// read. It must be read by one goroutine at a time, and reading row by row is fastest.
func (d *Drawing) Paint() (image.Image, error) {
	picture := d.picture()
	if float64(d.W)*float64(d.H) > maxDrawn {
		return nil, fmt.Errorf("the page is %.0f by %.0f px, too large for a PNG; write an .svg", d.W, d.H)
	}
	p := &painting{Drawing: d, picture: picture, size: image.Rect(0, 0, max(1, int(d.W+0.5)), max(1, int(d.H+0.5)))}
	p.pix = make([]byte, 4*p.size.Dx()*min(stripRows, p.size.Dy()))
	p.paint(0)
	return p, nil
}

// painting is a drawing with one painted strip.
type painting struct {
	*Drawing
	picture image.Image // nil for an outline
	size    image.Rectangle
	strip   image.RGBA
	pix     []byte // pixels of the strip
}

func (p *painting) ColorModel() color.Model { return color.RGBAModel }
func (p *painting) Bounds() image.Rectangle { return p.size }

// Opaque returns true, so that encoders need not read all pixels to find out.
func (p *painting) Opaque() bool { return true }

func (p *painting) At(x, y int) color.Color {
	if !image.Pt(x, y).In(p.size) {
		return color.RGBA{}
	}
	if !image.Pt(x, y).In(p.strip.Rect) {
		p.paint(y - y%stripRows)
	}
	return p.strip.RGBAAt(x, y)
}

// paint paints the strip that begins at a row.
func (p *painting) paint(y int) {
	r := image.Rect(0, y, p.size.Max.X, min(y+stripRows, p.size.Max.Y))
	p.strip = image.RGBA{Pix: p.pix[:4*r.Dx()*r.Dy()], Stride: 4 * r.Dx(), Rect: r}
	img := &p.strip
	draw.Draw(img, r, image.White, image.Point{}, draw.Src)
	if p.picture != nil {
		draw.Draw(img, p.picture.Bounds(), p.picture, p.picture.Bounds().Min, draw.Over)
	}
	for i := range p.Boxes {
		x := &p.Boxes[i]
		r := image.Rect(int(x.Box.X+0.5), int(x.Box.Y+0.5), int(x.Box.X+x.Box.W+0.5), int(x.Box.Y+x.Box.H+0.5))
		if r.Overlaps(img.Rect) { // blocks draw only inside of their box
			p.box(img, r, x)
		}
	}
}

// box paints a block.
func (p *painting) box(img draw.Image, r image.Rectangle, x *Box) {
	line := channels(x.Color())
	b := &p.version.Blocks[x.Index]
	if p.Plan {
		fill(img, r, channels(b.Background))
	} else {
		tint := line
		tint.A = 40
		fill(img, r, tint)
	}
	outline(img, r, line)
	name := string(b.Label)
	if p.Plan && b.Topic != "" && ascii(b.Topic) {
		name += ": " + b.Topic
	}
	tag(img, r, line, name)
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
