package chart

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"golang.org/x/image/font"
)

// Drawing is a chart with the position of every shape.
type Drawing struct {
	W, H         float64
	Title, About string // alternative text
	shapes       []shape
}

// shape is an element of the drawing; later ones are over earlier ones.
type shape interface {
	svg(w io.Writer)
	paint(c *canvas)
}

type point struct{ x, y float64 }

// box is a filled rectangle.
type box struct {
	at   point
	w, h float64
	tone tone
}

// path is a line through points, with round corners and ends.
type path struct {
	points []point
	width  float64
	tone   tone
}

// dot is a filled circle.
type dot struct {
	at   point
	r    float64
	tone tone
}

// text is a line of text; at is on its base line.
type text struct {
	at     point
	s      string
	size   float64
	bold   bool
	anchor anchor
	tone   tone
}

// anchor is the part of a text that is at its position.
type anchor string

const (
	start  anchor = ""
	middle anchor = "middle"
	end    anchor = "end"
)

func (d *Drawing) add(s shape) { d.shapes = append(d.shapes, s) }

// Format returns the format of a file by its name: "svg" or "png".
func Format(name string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".svg", ".png":
		return ext[1:], nil
	}
	return "", fmt.Errorf("%q: a chart is an SVG or a PNG; write a name that ends in .svg or .png", name)
}

// Write writes the drawing in the format of a file's name.
func (d *Drawing) Write(w io.Writer, name string) error {
	switch format, err := Format(name); {
	case err != nil:
		return err
	case format == "png":
		return d.PNG(w)
	}
	return d.SVG(w)
}

// slack and boldSlack are the factors by which a reader's sans-serif font may be wider than Go
// Regular and Go Bold: DejaVu Sans, the widest of the usual ones, is so by 12 to 16 and by 17 to
// 20 %.
const (
	slack     = 1.16
	boldSlack = 1.2
)

// width returns the greatest width of a text, in px.
func width(s string, size float64, bold bool) float64 {
	const exact = 64 // the size that is measured
	w := float64(font.MeasureString(face(exact, bold), s)) / 64 * size / exact
	if bold {
		return w * boldSlack
	}
	return w * slack
}
