package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // what a picture of a page may be
	_ "image/png"
	"strings"

	"plat"
)

// overlay is a page with its blocks drawn over it, in the page's own CSS px: the
// drawing scales as a whole, so that boxes stay where they were measured at
// any width.
type overlay struct {
	Name               string
	W, H               float32
	Picture            string // path of the picture; empty for a plan
	PictureW, PictureH float32
	Plan               bool // drawn from the blocks alone
	Boxes              []overlayBox
}

// overlayBox is one block.
type overlayBox struct {
	Index int
	Leaf  bool
	Box   plat.Rect
	Class string
	Name  string // what a screen reader says, and a pointer is told
	Href  string
	Fill  string // of a plan: the block's own background
	Lines []planLine
}

// planLine is a line of a block's topic, written into a plan.
type planLine struct {
	X, Y, Size float32
	Color      string
	Text       string
}

// newOverlay draws a version: its leaves, in the class that class gives to each,
// and if inner the blocks around them. A leaf leads to href.
func (s *Server) newOverlay(ctx context.Context, v *plat.Version, plan, inner bool, class func(i int) string, href func(i int) string) (overlay, error) {
	o := overlay{Name: fmt.Sprintf("Blocks of version %d, in reading order", v.N), W: float32(v.Capture.Width), H: float32(v.Capture.Height), Plan: plan || v.Picture.IsZero()}
	for i := range v.Blocks {
		b := v.Blocks[i].Box
		o.W, o.H = max(o.W, b.X+b.W), max(o.H, b.Y+b.H)
	}
	var size image.Point
	if !o.Plan {
		var err error
		size, err = s.pictureSize(ctx, v.Picture)
		switch {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound): // the blocks are there all the same
			s.Log.Error("picture", "url", v.URL, "version", v.N, "error", err)
			o.Plan = true
		case err != nil:
			return o, err
		}
	}
	if !o.Plan {
		o.Picture = apiRoot + "/picture/" + v.Picture.String()
		// Pictures are taken at one pixel per CSS px.
		o.PictureW, o.PictureH = float32(size.X), float32(size.Y)
		o.W, o.H = max(o.W, o.PictureW), max(o.H, o.PictureH)
	}
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Box.Empty() || !b.Leaf() && (!inner || b.Level == 0) {
			continue
		}
		x := overlayBox{Index: i, Leaf: b.Leaf(), Box: b.Box}
		if x.Leaf {
			x.Class, x.Name, x.Href = class(i), blockName(b), href(i)
			if o.Plan {
				x.Fill = b.Background.String()
				x.Lines = planLines(b)
			}
		}
		o.Boxes = append(o.Boxes, x)
	}
	return o, nil
}

// blockName is a block in a sentence.
func blockName(b *plat.Block) string {
	name := string(b.Label)
	if name == "" {
		name = "block"
	}
	if b.Topic != "" {
		name += ": " + firstLine(b.Topic, 100)
	}
	return fmt.Sprintf("%s, %.0f by %.0f pixels", name, b.Box.W, b.Box.H)
}

// planLines breaks a block's topic to its box, as much of it as fits.
func planLines(b *plat.Block) []planLine {
	size := min(max(b.FontSize, 10), 28, b.Box.H*0.8)
	if size < 6 {
		return nil
	}
	// A letter is about half as wide as high, an ideograph as wide as high.
	room := (b.Box.W - size) / size * 2
	var lines []planLine
	var line strings.Builder
	used := float32(0)
	y := b.Box.Y + size*1.1
	flush := func() bool {
		if line.Len() > 0 && y <= b.Box.Y+b.Box.H {
			lines = append(lines, planLine{b.Box.X + size/2, y, size, readable(b.Color, b.Background).String(), line.String()})
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

// readable is a colour of text that can be read on a background: the block's own,
// or black or white where its own is nearly the background's.
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

// pictureSize is the size of a picture in pixels.
func (s *Server) pictureSize(ctx context.Context, h plat.Hash) (image.Point, error) {
	return remember(ctx, s.cache, "size "+h.String(), func(image.Point) int64 { return 16 }, func(ctx context.Context) (image.Point, error) {
		p, err := s.Store.Picture(ctx, h)
		if err != nil {
			return image.Point{}, err
		}
		c, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
		if err != nil {
			return image.Point{}, fmt.Errorf("picture %s: %w: %w", h.Short(), plat.ErrCorrupt, err)
		}
		return image.Point{X: c.Width, Y: c.Height}, nil
	})
}
