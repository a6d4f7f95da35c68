package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // decoders for pictures of pages
	_ "image/png"
	"strings"

	_ "golang.org/x/image/webp"

	"plat/plat"
	"plat/plat/excerpt"
)

// Overlay is a page with its blocks drawn over it, in the page's own CSS px.
// The drawing scales as a whole, so that boxes stay aligned at any width.
type Overlay struct {
	Name               string
	W, H               float32
	Picture            string // address of the picture; empty for an outline
	PictureW, PictureH float32
	Plan               bool // an outline, drawn only from the blocks
	Boxes              []Box
}

// Box is one block.
type Box struct {
	Index int // index of the block in its version
	Leaf  bool
	Box   plat.Rect
	Class string
	Name  string // accessible name and tooltip
	Href  string
	Fill  string // in an outline: the block's own background
	Lines []Line
}

// Line is a line of a block's topic in an outline. X and Y are the start of its
// baseline; Size is the font size.
type Line struct {
	X, Y, Size float32
	Color      string
	Text       string
}

// Color returns the block's outline colour.
func (b Box) Color() plat.Color { return Color(b.Class) }

// View configures an overlay.
type View struct {
	Size  image.Point        // size of the picture in pixels; zero: draw an outline
	Inner bool               // include the parents of leaves
	Class func(i int) string // class of the leaf that is block i
	Href  func(i int) string // link of that leaf; nil: no links
}

// NewOverlay draws a version, whose contents are not needed. It omits blocks
// without an area.
func NewOverlay(v *plat.Version, how View) Overlay {
	o := Overlay{
		Name: fmt.Sprintf("Blocks of version %d, in reading order", v.N), W: float32(v.Capture.Width), H: float32(v.Capture.Height),
		Plan: how.Size == image.Point{},
	}
	for i := range v.Blocks {
		b := v.Blocks[i].Box
		o.W, o.H = max(o.W, b.X+b.W), max(o.H, b.Y+b.H)
	}
	if !o.Plan {
		// Pictures are captured at one pixel per CSS px.
		o.PictureW, o.PictureH = float32(how.Size.X), float32(how.Size.Y)
		o.W, o.H = max(o.W, o.PictureW), max(o.H, o.PictureH)
	}
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Box.Empty() || !b.Leaf() && (!how.Inner || b.Level == 0) {
			continue
		}
		x := Box{Index: i, Leaf: b.Leaf(), Box: b.Box}
		if x.Leaf {
			x.Class, x.Name = how.Class(i), blockName(b)
			if how.Href != nil {
				x.Href = how.Href(i)
			}
			if o.Plan {
				x.Fill = b.Background.String()
				x.Lines = planLines(b)
			}
		}
		o.Boxes = append(o.Boxes, x)
	}
	return o
}

// maxPicture limits the pixels of a picture. Pictures of pages have at most 4096 by 16,000
// pixels.
const maxPicture = 66_000_000

// PictureSize returns the size of a picture in pixels, or [plat.ErrCorrupt] if it cannot be
// decoded, or has more pixels than a picture of a page.
func PictureSize(p plat.Picture) (image.Point, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
	if err != nil {
		return image.Point{}, fmt.Errorf("%w: %w", plat.ErrCorrupt, err)
	}
	most := maxPicture
	if c.ColorModel == color.NRGBA64Model || c.ColorModel == color.RGBA64Model {
		most /= 2 // 16 bits for each channel take twice the memory; browsers produce 8 bits
	}
	if c.Width > 0 && c.Height > most/c.Width {
		return image.Point{}, fmt.Errorf("%w: a picture of %d by %d pixels; those of pages have at most %d", plat.ErrCorrupt, c.Width, c.Height, most)
	}
	return image.Point{X: c.Width, Y: c.Height}, nil
}

// blockName describes a block in a phrase.
func blockName(b *plat.Block) string {
	name := string(b.Label)
	if name == "" {
		name = "block"
	}
	if b.Topic != "" {
		name += ": " + excerpt.Line(b.Topic, 100)
	}
	return fmt.Sprintf("%s, %.0f by %.0f pixels", name, b.Box.W, b.Box.H)
}

// planLines wraps a block's topic to its box, as much of it as fits.
func planLines(b *plat.Block) []Line {
	size := min(max(b.FontSize, 10), 28, b.Box.H*0.8)
	if size < 6 {
		return nil
	}
	// A letter is about half as wide as it is high, an ideograph as wide as it is high.
	room := (b.Box.W - size) / size * 2
	var lines []Line
	var line strings.Builder
	used := float32(0)
	y := b.Box.Y + size*1.1
	flush := func() bool {
		if line.Len() > 0 && y <= b.Box.Y+b.Box.H {
			lines = append(lines, Line{b.Box.X + size/2, y, size, readable(b.Color, b.Background).String(), line.String()})
		}
		line.Reset()
		used, y = 0, y+size*1.25
		return y <= b.Box.Y+b.Box.H
	}
	for word := range strings.FieldsSeq(b.Topic) {
		wide := float32(1)
		for _, r := range word {
			if wide++; r > 0x2e80 {
				wide++
			}
		}
		if used > 0 && used+wide > room && !flush() {
			return lines
		}
		if used > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
		used += wide
	}
	flush()
	return lines
}

// readable returns a text colour legible on a background: the block's own, or
// black or white if its own is too close to the background.
func readable(text, on plat.Color) plat.Color {
	light := func(c plat.Color) int {
		r, g, b, _ := c.Channels()
		return (299*int(r) + 587*int(g) + 114*int(b)) / 1000
	}
	if d := light(text) - light(on); d > 90 || d < -90 {
		return text
	}
	if light(on) > 128 {
		return plat.RGBA(0, 0, 0, 255)
	}
	return plat.RGBA(255, 255, 255, 255)
}
