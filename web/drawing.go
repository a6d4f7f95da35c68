package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/jpeg"
	"io"
	"math"
	"regexp"
	"strconv"

	"golang.org/x/image/draw"

	"plat"
	"plat/replay"
	"plat/storage"
)

// Drawing is a version's picture with its blocks drawn over it, or where there is
// no picture its plan, for what is no page of a server: in CSS px of the page.
type Drawing struct {
	overlay
	Image  plat.Picture // zero: it is a plan
	Legend []legendEntry
}

// DrawnBy are the ways to colour blocks.
var DrawnBy = []string{byLabel, byAge, byKind, byNone}

// Draw draws a version, whose contents are not needed, its blocks coloured by one
// of [DrawnBy].
func Draw(ctx context.Context, store storage.Store, v *plat.Version, by string) (*Drawing, error) {
	return New(Options{Store: store}).draw(ctx, v, by)
}

func (s *Server) draw(ctx context.Context, v *plat.Version, by string) (*Drawing, error) {
	var since []int
	var err error
	if by == byAge {
		if since, err = s.since(ctx, v); err != nil {
			return nil, err
		}
	}
	class, legend, err := s.colours(ctx, v, by, since)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Legend: legend}
	nowhere := func(int) string { return "" }
	if d.overlay, err = s.newOverlay(ctx, v, false, false, class, nowhere); err != nil {
		return nil, err
	}
	for i := range d.Boxes { // SVG is XML where it is a file
		b := &d.Boxes[i]
		b.Name = plain(b.Name)
		for k := range b.Lines {
			b.Lines[k].Text = plain(b.Lines[k].Text)
		}
	}
	if d.Plan {
		return d, nil
	}
	d.Image, err = s.Store.Picture(ctx, v.Picture)
	return d, err
}

// SVG writes the drawing as a file of its own, as large as the page.
func (d *Drawing) SVG(w io.Writer) error {
	return templates["report"].ExecuteTemplate(w, "drawing", d.inFile(d.Image, true))
}

// inFile is the drawing for the template, with a picture in it.
func (d *Drawing) inFile(p plat.Picture, alone bool) any {
	data := struct {
		*Drawing
		Href  template.URL
		Alone bool // a file, not a part of a page
	}{Drawing: d, Alone: alone}
	if len(p.Data) > 0 {
		data.Href = template.URL("data:" + replay.SafeType(p.Type) + ";base64," + base64.StdEncoding.EncodeToString(p.Data))
	}
	return data
}

// thumbPixels is how many pixels a picture has at most in a report: 480 by 2400.
const thumbPixels = 480 * 2400

// thumb makes a picture small.
func thumb(p plat.Picture) (plat.Picture, error) {
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return plat.Picture{}, fmt.Errorf("picture: %w: %w", plat.ErrCorrupt, err)
	}
	w, h := float64(img.Bounds().Dx()), float64(img.Bounds().Dy())
	scale := min(1, 480/max(w, 1), math.Sqrt(thumbPixels/max(w*h, 1)))
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(w*scale)), max(1, int(h*scale))))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src) // JPEG has no transparency
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, small, &jpeg.Options{Quality: 70}); err != nil {
		return plat.Picture{}, err
	}
	return plat.Picture{Type: "image/jpeg", Data: b.Bytes()}, nil
}

// sheet is the style sheet of all pages.
var sheet = func() string {
	b, err := staticFiles.ReadFile("static/plat.css")
	if err != nil {
		panic(err)
	}
	return string(b)
}()

// classColor is a rule of the sheet that gives the blocks of a class their colour.
var classColor = regexp.MustCompile(`\.((?:label|kind|age)-[a-z0-9]+)(?:, \.[a-z-]+)* \{ --c: #([0-9a-f]{6}); \}`)

// colors are those of the classes of blocks, as the sheet has them.
var colors = func() map[string]plat.Color {
	all := map[string]plat.Color{}
	for _, m := range classColor.FindAllStringSubmatch(sheet, -1) {
		rgb, err := strconv.ParseUint(m[2], 16, 24)
		if err != nil {
			panic(err)
		}
		all[m[1]] = plat.RGBA(uint8(rgb>>16), uint8(rgb>>8), uint8(rgb), 255)
	}
	all["kind-advertisement"], all["kind-hidden"] = all["kind-volatile"], all["kind-volatile"] // one rule
	return all
}()

// Color is what a block is outlined with.
func (b overlayBox) Color() plat.Color {
	if c, ok := colors[b.Class]; ok {
		return c
	}
	return plat.RGBA(0x55, 0x55, 0x55, 255)
}
