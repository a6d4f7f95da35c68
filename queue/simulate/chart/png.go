package chart

import (
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Scale is the number of PNG pixels per px, on each side: enough for sharp texts on most screens.
const Scale = 2

// canvas is the image that shapes are painted on.
type canvas struct{ *image.RGBA }

// PNG writes the drawing as a PNG.
func (d *Drawing) PNG(w io.Writer) error {
	c := &canvas{image.NewRGBA(image.Rect(0, 0, int(d.W)*Scale, int(d.H)*Scale))}
	draw.Draw(c, c.Bounds(), image.NewUniform(paper.light()), image.Point{}, draw.Src)
	for _, s := range d.shapes {
		s.paint(c)
	}
	return png.Encode(w, c)
}

func (s box) paint(c *canvas) {
	c.fill(s.tone, point{s.at.x, s.at.y}, point{s.at.x + s.w, s.at.y}, point{s.at.x + s.w, s.at.y + s.h}, point{s.at.x, s.at.y + s.h})
}

func (s dot) paint(c *canvas) {
	const corners = 48
	round := make([]point, corners)
	for i := range round {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		round[i] = point{s.at.x + s.r*cos, s.at.y + s.r*sin}
	}
	c.fill(s.tone, round...)
}

func (s path) paint(c *canvas) {
	for i, p := range s.points {
		dot{at: p, r: s.width / 2, tone: s.tone}.paint(c)
		if i == 0 {
			continue
		}
		q := s.points[i-1]
		long := math.Hypot(p.x-q.x, p.y-q.y)
		if long == 0 {
			continue
		}
		// Half of the width, across.
		x, y := (q.y-p.y)/long*s.width/2, (p.x-q.x)/long*s.width/2
		c.fill(s.tone, point{q.x + x, q.y + y}, point{p.x + x, p.y + y}, point{p.x - x, p.y - y}, point{q.x - x, q.y - y})
	}
}

// fill fills a polygon.
func (c *canvas) fill(t tone, corners ...point) {
	low, high := corners[0], corners[0]
	for _, p := range corners {
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	r := image.Rect(int(low.x*Scale)-1, int(low.y*Scale)-1, int(high.x*Scale)+2, int(high.y*Scale)+2)
	v := vector.NewRasterizer(r.Dx(), r.Dy())
	for i, p := range corners {
		x, y := float32(p.x*Scale-float64(r.Min.X)), float32(p.y*Scale-float64(r.Min.Y))
		if i == 0 {
			v.MoveTo(x, y)
		} else {
			v.LineTo(x, y)
		}
	}
	v.ClosePath()
	v.Draw(c, r, image.NewUniform(t.light()), image.Point{})
}

func (s text) paint(c *canvas) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(s.tone.light()), Face: face(s.size*Scale, s.bold)}
	x := fixed.Int26_6(s.at.x * Scale * 64)
	switch s.anchor {
	case middle:
		x -= d.MeasureString(s.s) / 2
	case end:
		x -= d.MeasureString(s.s)
	}
	d.Dot = fixed.Point26_6{X: x, Y: fixed.Int26_6(s.at.y * Scale * 64)}
	d.DrawString(s.s)
}

// fonts are Go Regular and Go Bold.
var fonts = sync.OnceValue(func() [2]*opentype.Font {
	var both [2]*opentype.Font
	for i, data := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic(err) // the data is part of the program
		}
		both[i] = f
	}
	return both
})

// face returns a font of a size, in pixels. Use it in one goroutine only.
func face(size float64, bold bool) font.Face {
	f := fonts()[0]
	if bold {
		f = fonts()[1]
	}
	made, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // never: the options are valid
	}
	return made
}
